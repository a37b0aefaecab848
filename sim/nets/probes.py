"""What is measured on a stack of models: sizes, angles, gradients, slopes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from sim.nets.monitoring.monitor import Monitor as Monitor
from sim.nets.transformer import Trace, Transformer


def mean_square(x: Tensor) -> Tensor:
    """Mean square over rows and features of (M, N, d), (M,) in double precision."""
    return x.detach().double().square().mean((1, 2))


def rms(x: Tensor) -> Tensor:
    """Root mean square over rows and features of (M, N, d), (M,)."""
    return mean_square(x).sqrt()


def apart(a: Tensor, b: Tensor) -> Tensor:
    """Distance of (S, N, d) from (S, N, d) over the latter's size, (S,)."""
    return ((a - b).square().sum((1, 2)) / b.square().sum((1, 2))).sqrt()


def cosine(a: Tensor, b: Tensor) -> Tensor:
    """Mean over the rows of the cosine between (M, N, d) and (M, N, d), (M,)."""
    a, b = a.detach().double(), b.detach().double()
    return torch.cosine_similarity(a, b, dim=-1).mean(1)


def angle(a: Tensor, b: Tensor) -> Tensor:
    """Mean over the rows of arccos(cosine)/π, (M,): 0 alike, ½ at right angles.

    The angular distance of Sun et al. 2025, equation 1.
    """
    a, b = a.detach().double(), b.detach().double()
    cosines = torch.cosine_similarity(a, b, dim=-1).clamp(-1, 1)  # (M, N)
    return cosines.arccos().mean(1) / math.pi


def slope(x: Sequence[float], y: Tensor) -> Tensor:
    """Least-squares slope of y (K, M) against x (K values), (M,)."""
    points = y.new_tensor(x)[:, None]  # (K, 1)
    centred = points - points.mean()  # (K, 1)
    return (centred * y).sum(0) / centred.square().sum()


def log_slope(x: Sequence[float], y: Tensor) -> Tensor:
    """Slope of log y (K, M) against log x, (M,): the exponent of a power law."""
    return slope([math.log(value) for value in x], y.log())


@dataclass(frozen=True, kw_only=True)
class Gradients:
    """Norms of the loss's gradient for each model, in double precision."""

    streams: Tensor  # at x_0 … x_L, (L + 1, M)
    down: Tensor  # at each block's second feed-forward matrix, (L, M)
    query: Tensor  # at each block's query matrix, (L, M)
    value: Tensor  # at each block's value matrix, (L, M)


def gradients(
    net: Transformer, ids: Tensor, readout: Tensor, *, cut: bool = False
) -> Gradients:
    """Backpropagate from the output of (M, B, T) symbols, weighted by a readout (M, N, d).

    A readout with independent entries asks what the stack does to a gradient of no
    particular direction. With ``cut`` none passes through a branch, so the norms at the
    weights are zero.
    """
    trace = Trace(cut=cut)
    output = net.finish(net.stream(net.embed(ids), trace))  # (M, N, d)
    loss = (output * readout).sum()  # models never mix
    down = [block["down"] for block in net.blocks]
    fused = [block["qkv"] for block in net.blocks]
    sought = [*trace.streams, *down, *fused]
    found = torch.autograd.grad(loss, sought, materialize_grads=True)
    depth = len(net.blocks)
    streams, downs = found[: depth + 1], found[depth + 1 : 2 * depth + 1]
    query, _, value = zip(
        *(part.chunk(3, dim=-1) for part in found[2 * depth + 1 :]), strict=True
    )
    return Gradients(
        streams=_norms(streams),
        down=_norms(downs),
        query=_norms(query),
        value=_norms(value),
    )


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How a stream changes on its way through L layers, for each model."""

    squares: Tensor  # mean square of x_0 … x_L, (L + 1, M)
    attention: Tensor  # RMS of the branch over that of the stream it joins, (L, M)
    feed_forward: Tensor  # likewise, (L, M)
    change: Tensor  # angle between a layer's input and output, (L, M)
    output: Tensor  # of the whole stack, (M, N, d)
    loss_of_last: (
        Tensor  # RMS change of the output without the last layer, relative, (M,)
    )


@torch.no_grad()
def growth(net: Transformer, ids: Tensor) -> Growth:
    """Follow the stream of (M, B, T) symbols."""
    trace = Trace()
    output = net.finish(net.stream(net.embed(ids), trace))  # (M, N, d)
    streams = trace.streams
    joined = zip(trace.branches, trace.inputs, strict=True)
    ratios = torch.stack([rms(branch) / rms(stream) for branch, stream in joined])
    return Growth(
        squares=torch.stack([mean_square(x) for x in streams]),
        attention=ratios[0::2],
        feed_forward=ratios[1::2],
        change=torch.stack([angle(a, b) for a, b in pairwise(streams)]),
        output=output,
        loss_of_last=rms(output - net.finish(streams[-2])) / rms(output),
    )


def _norms(parts: Sequence[Tensor]) -> Tensor:
    return torch.stack([part.double().flatten(1).norm(dim=1) for part in parts])
