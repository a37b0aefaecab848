"""The readings of a monitor, for all models of a stack at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from sim.nets.learning.optimisers import Optimiser
from sim.nets.monitoring.readings import Layer, Reading
from sim.nets.scores import largest
from sim.nets.transformer import Trace, Transformer

SIGNS = ("logit", "attention", "feed_forward", "rms", "gradient", "update")


@dataclass(frozen=True, kw_only=True)
class Vitals:
    """One step of M models: what :class:`sim.nets.monitoring.readings.Layer` holds, for L layers each."""

    loss: Tensor  # nats, (M,)
    gradient: Tensor  # norm over all weights, (M,)
    input: Tensor  # RMS of the stream a layer gets, (L, M)
    signs: Tensor  # in the order of SIGNS, (6, L, M)

    def readings(self) -> list[Reading]:
        """One for each model; layers are named by their number, from 1."""
        inputs, signs = self.input.T.tolist(), self.signs.permute(2, 1, 0).tolist()
        return [
            Reading(
                layers=[
                    _layer(str(number), x, values)
                    for number, (x, values) in enumerate(zip(*model, strict=True), 1)
                ]
            )
            for model in zip(inputs, signs, strict=True)
        ]


def step(net: Transformer, optimiser: Optimiser, rate: Tensor, batch: Tensor) -> Vitals:
    """One step of training on (M, B, T + 1) symbols, at rates (M, 1 or P), and its readings."""
    trace = Trace(scores=[])
    loss = net.losses(batch[..., :-1], batch[..., 1:], trace)  # (M,)
    found = torch.autograd.grad(loss.sum(), net.weights)  # models never mix
    with torch.no_grad():
        gradient = torch.cat([part.flatten(1) for part in found], 1)  # (M, P)
        before = net.flat.clone()  # (M, P)
        optimiser.step(gradient, rate)
        streams = torch.stack([_rms(x) for x in trace.streams])  # (L + 1, M)
        branches = torch.stack([_rms(x) for x in trace.branches])  # (2L, M)
        moved = net.flat - before  # (M, P)
        signs = (
            torch.stack([largest(scores) for scores in trace.scores or ()]),
            branches[0::2] / streams[:-1],
            branches[1::2] / streams[:-1],
            streams[1:],
            net.norms(gradient)[1:],
            (net.norms(moved) / net.norms(before))[1:],
        )
        return Vitals(
            loss=loss.detach(),
            gradient=gradient.norm(dim=1),
            input=streams[:-1],
            signs=torch.stack(signs),
        )


def _layer(name: str, size: float, values: Sequence[float]) -> Layer:
    logit, attention, feed_forward, rms, gradient, update = values
    return Layer(
        name=name,
        input=size,
        logit=logit,
        branches={"attention": attention, "feed-forward": feed_forward},
        rms=rms,
        gradient=gradient,
        update=update,
    )


def _rms(x: Tensor) -> Tensor:
    """In single precision, as the models compute: it overflows when squares do."""
    return x.detach().square().mean((1, 2)).sqrt()
