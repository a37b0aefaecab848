"""Weights carried from one stack of models to another, and what they are worth there."""

from collections.abc import Sequence

import torch
from torch import Tensor

from sim.nets.transformer import Architecture, Transformer


@torch.no_grad()
def read_as(
    net: Transformer, architecture: Architecture, seeds: Sequence[int]
) -> Transformer:
    """The same weights, by name and place, in another architecture.

    A weight that only the new one has keeps its first value, that of a norm's gain and
    shift; one that it does not have is dropped. ``seeds`` are those of the models.
    """
    other = Transformer(architecture, seeds)
    pairs = zip((other.outer, *other.blocks), (net.outer, *net.blocks), strict=True)
    for new, old in pairs:
        for name in new.keys() & old.keys():
            new[name].copy_(old[name])
    return other


@torch.no_grad()
def evaluate(net: Transformer, batches: Tensor) -> Tensor:
    """Each model's mean loss on (steps, M, B, T + 1) symbols, in nats, (M,)."""
    found = [net.losses(batch[..., :-1], batch[..., 1:]) for batch in batches]
    return torch.stack(found).double().mean(0)
