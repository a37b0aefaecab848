"""What one step of an update rule does with a gradient, and what many do in a steep valley."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from sim.nets import chance
from sim.nets.learning.optimisers import SGD, Optimiser, RAdam, shrinkage

ENTRIES = 256  # of a random gradient
FARTHEST = 1e10  # where a diverging descent is stopped


def clip_norm(gradient: Tensor, limit: float) -> Tensor:
    """Shorten each row of (…, P) to a norm of at most ``limit``."""
    norm = torch.linalg.vector_norm(gradient, dim=-1, keepdim=True)  # (…, 1)
    return gradient * shrinkage(norm, limit)


def clip_values(gradient: Tensor, limit: float) -> Tensor:
    """Bring every entry into [−limit, limit]."""
    return gradient.clamp(-limit, limit)


def gradients(seeds: Sequence[int]) -> Tensor:
    """A Gaussian gradient for each seed, float64, (S, P)."""
    return chance.normals(seeds, "gradient", ENTRIES).double()


def step_lengths(
    rules: Mapping[str, Callable[[Tensor], Optimiser]],
    scales: Sequence[float],
    seeds: Sequence[int],
) -> dict[str, Tensor]:
    """How far the first step moves each entry, over the rate: (scales, S, P) for each rule.

    The gradient's entries are ± a scale, times 1 to 10.
    """
    drawn = gradients(seeds)  # (S, P)
    unit = drawn.sign() * 10 ** drawn.abs().clamp(max=1)  # (S, P)
    gradient = torch.stack([unit * scale for scale in scales])  # (scales, S, P)
    found = {}
    for name, rule in rules.items():
        weights = torch.zeros_like(gradient).flatten(0, 1)  # (scales · S, P)
        rule(weights).step(gradient.flatten(0, 1), torch.ones(len(weights), 1))
        found[name] = weights.abs().view_as(gradient)
    return found


def first_adaptive_step(beta2: float, seeds: Sequence[int]) -> Tensor:
    """The first step, from 1, that RAdam takes alike for a gradient and for ten times it."""
    drawn = gradients(seeds)  # (S, P)
    weights = torch.zeros(2, *drawn.shape, dtype=drawn.dtype)  # (2, S, P)
    rule = RAdam(weights, (0.9, beta2))
    first = torch.full((len(seeds),), torch.nan, dtype=drawn.dtype)  # (S,)
    for step in range(1, 21):
        before = weights.clone()  # (2, S, P)
        rule.step(torch.stack([drawn, 10 * drawn]), torch.ones(2, 1, 1))
        small, large = (weights - before).square().sum(-1)  # (S,) each
        alike = (large / small < 2) & first.isnan()  # a hundred times, unless adapted
        first = torch.where(alike, float(step), first)
    return first


def turning(limits: Sequence[float], seeds: Sequence[int]) -> dict[str, Tensor]:
    """Cosine between a gradient and its clipped form, (limits, S).

    Clipped by "norm" at a limit, or by "value" at a limit times the gradient's RMS.
    """
    drawn = gradients(seeds)  # (S, P)
    unit = drawn / drawn.square().mean(1, keepdim=True).sqrt()  # (S, P)

    def cosines(clip: Callable[[Tensor, float], Tensor]) -> Tensor:
        kept = [torch.cosine_similarity(unit, clip(unit, at), dim=1) for at in limits]
        return torch.stack(kept)

    return {"norm": cosines(clip_norm), "value": cosines(clip_values)}


def valley(
    start: float, *, rate: float, clip: float | None, steps: int, seeds: Sequence[int]
) -> Tensor:
    """|x| while gradient descent goes down x⁴ from around ``start``, (steps + 1, S)."""
    near = [chance.generator(seed, "valley").uniform(0.9, 1.1, 1) for seed in seeds]
    x = start * chance.tensor(near)  # (S, 1)
    rule = SGD(x)
    path = [x.clone()]
    for _ in range(steps):
        gradient = 4 * x**3  # (S, 1)
        if clip is not None:
            gradient = clip_norm(gradient, clip)  # (S, 1)
        rule.step(gradient, torch.full_like(x, rate))
        x.clamp_(-FARTHEST, FARTHEST)
        path.append(x.clone())
    return torch.stack(path)[..., 0].abs()  # (steps + 1, S)
