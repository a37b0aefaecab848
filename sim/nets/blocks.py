"""The two sublayers of a block, and the one place that knows where its norms stand."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

Placement = Literal["post", "pre", "sandwich", "deepnorm", "scaled", "plain"]
Activation = Literal["relu", "gelu", "tanh"]
Map = Callable[[Tensor], Tensor]

ACTIVATIONS: Mapping[Activation, Map] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "tanh": torch.tanh,
}


def _one(_depth: int) -> float:
    return 1.0


@dataclass(frozen=True, kw_only=True)
class Rule:
    """x' = outer(skip·x + scale·after(branch(before(x)))), with a norm where one is named.

    ``skip`` and ``scale`` depend on the depth, and so does ``shrink``, the factor on the
    initial weights of feed-forward, values and attention output.
    """

    before: bool = False
    after: bool = False
    outer: bool = False
    skip: Callable[[int], float] = _one
    scale: Callable[[int], float] = _one
    shrink: Callable[[int], float] = _one

    @property
    def norms(self) -> int:
        return self.before + self.after + self.outer

    @property
    def final_norm(self) -> bool:
        """Whether a stack has to end in a norm of its own: its stream is not normalised."""
        return not self.outer


RULES: Mapping[Placement, Rule] = {
    "post": Rule(outer=True),  # Vaswani et al. 2017
    "pre": Rule(before=True),
    "sandwich": Rule(before=True, after=True),  # Ding et al. 2021
    "deepnorm": Rule(  # Wang et al. 2022, one stack of N layers
        outer=True,
        skip=lambda depth: (2 * depth) ** 0.25,
        shrink=lambda depth: (8 * depth) ** -0.25,
    ),
    "scaled": Rule(before=True, scale=lambda depth: depth**-0.5),
    "plain": Rule(before=True, skip=lambda _depth: 0.0),  # no residual connection
}


def residual(
    rule: Rule, depth: int, x: Tensor, branch: Map, norms: Sequence[Map]
) -> Tensor:
    """One sublayer on the stream (M, N, d); ``norms`` in the order before, after, outer."""
    left = list(norms)
    y = branch(left.pop(0)(x) if rule.before else x)  # (M, N, d)
    if rule.after:
        y = left.pop(0)(y)  # (M, N, d)
    skip, scale = rule.skip(depth), rule.scale(depth)
    if scale != 1:
        y = y * scale  # (M, N, d)
    if skip:
        y = torch.add(y, x, alpha=skip)  # (M, N, d)
    return left.pop(0)(y) if rule.outer else y  # (M, N, d)


def attention(
    weights: Mapping[str, Tensor], x: Tensor, heads: int, mask: Tensor
) -> Tensor:
    """Multi-head self-attention over (M, B·T, d); the additive mask (T, T) gives T."""
    models, rows, width = x.shape
    length, size = len(mask), width // heads
    qkv = torch.baddbmm(weights["qkv_bias"], x, weights["qkv"])  # (M, N, 3d)
    split = qkv.view(-1, length, 3, heads, size).permute(2, 0, 3, 1, 4)
    query, key, value = split.reshape(3, -1, length, size)  # each (M·B·H, T, d/H)
    scores = torch.baddbmm(mask, query, key.mT, alpha=size**-0.5)  # (M·B·H, T, T)
    mixed = torch.bmm(scores.softmax(-1), value)  # (M·B·H, T, d/H)
    joined = mixed.view(-1, heads, length, size).transpose(1, 2)  # (M·B, T, H, d/H)
    joined = joined.reshape(models, rows, width)  # (M, N, d)
    return torch.baddbmm(weights["out_bias"], joined, weights["out"])  # (M, N, d)


def feed_forward(
    weights: Mapping[str, Tensor], x: Tensor, activation: Activation
) -> Tensor:
    """Two linear maps with an activation between them, on (M, N, d)."""
    hidden = torch.baddbmm(weights["up_bias"], x, weights["up"])  # (M, N, F)
    hidden = ACTIVATIONS[activation](hidden)  # (M, N, F)
    return torch.baddbmm(weights["down_bias"], hidden, weights["down"])  # (M, N, d)


def activation_gain(activation: Activation, variance: float) -> float:
    """E φ(z)² for z ~ N(0, variance), by Gauss–Hermite quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(96)
    values = ACTIVATIONS[activation](torch.from_numpy(points) * math.sqrt(variance))
    return float((values.numpy() ** 2 * weights).sum() / weights.sum())
