"""Attention's logits, from which its weights are made: their size, and the entropy they give."""

import torch
from torch import Tensor

from sim.nets.transformer import Trace, Transformer


@torch.no_grad()
def scores(net: Transformer, ids: Tensor) -> Tensor:
    """Logits of all layers for symbols (M, B, T), (M, L, B, H, T, T); −∞ where masked."""
    trace = Trace(scores=[])
    net.stream(net.embed(ids), trace)
    return torch.stack(trace.scores or [], 1).double()


def square(of: Tensor) -> Tensor:
    """Mean square of unmasked logits (M, …), (M,)."""
    return of.square().flatten(1).mean(1)


def largest(of: Tensor) -> Tensor:
    """Largest absolute value of (M, …) that no mask hides, (M,)."""
    return of.masked_fill(of == -torch.inf, 0).abs().flatten(1).amax(1)


def entropy(of: Tensor) -> Tensor:
    """Mean entropy of the attention that unmasked logits (M, …, T) give, in nats, (M,)."""
    logs = of.log_softmax(-1)
    return -(logs.exp() * logs).sum(-1).flatten(1).mean(1)
