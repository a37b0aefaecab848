"""The two sublayers of a block, and the one place that knows where its norms stand."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

Placement = Literal[
    "post",
    "pre",
    "sandwich",
    "output",
    "deepnorm",
    "residual_dual",
    "mix",
    "hybrid",
    "scaled",
    "gpt2",
    "ln_scaling",
    "layer_scale",
    "rezero",
    "plain",
]
Activation = Literal["relu", "gelu", "tanh"]
Map = Callable[[Tensor], Tensor]

ACTIVATIONS: Mapping[Activation, Map] = {
    # of numbers that nobody else needs: in place where the gradient allows it
    "relu": torch.relu_,
    "gelu": functional.gelu,
    "tanh": torch.tanh_,
}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """x' = outer(skip·x + scale·gain·after(branch(damp·before(x)))).

    A norm stands where one is named. ``gain`` is learned: its first value, for each channel
    or for the whole branch. ``shrink`` multiplies the first weights of feed-forward, values
    and attention output, ``shrink_last`` those of each branch's last matrix. With ``dual``
    a second stream adds up the branches and joins, normalised, at the end.
    """

    before: bool = False
    after: bool = False
    outer: bool = False
    skip: float = 1.0
    scale: float = 1.0
    damp: float = 1.0
    gain: float | None = None
    gain_by_channel: bool = False
    shrink: float = 1.0
    shrink_last: float = 1.0
    dual: bool = False

    @property
    def norms(self) -> int:
        return self.before + self.after + self.outer

    @property
    def final_norm(self) -> bool:
        """Whether a stack that ends in it needs a norm of its own at the end."""
        return self.dual or not self.outer


POST, PRE = Rule(outer=True), Rule(before=True)
CALIBRATED = 4  # a hybrid's layers 4, 8, … are normalised again after the addition


def _everywhere(rule: Rule) -> Callable[[int, int], Rule]:
    return lambda _layer, _depth: rule


def _deepnorm(_layer: int, depth: int) -> Rule:
    """For one stack of N layers; Wang et al. 2022, figure 2."""
    alpha, beta = (2 * depth) ** 0.25, (8 * depth) ** -0.25
    return Rule(outer=True, skip=alpha, shrink=beta)


def _mix(layer: int, depth: int) -> Rule:
    """Post-Norm in the first quarter, Pre-Norm above; Li et al. 2024."""
    return POST if 4 * layer <= depth else PRE


def _hybrid(layer: int, _depth: int) -> Rule:
    return replace(PRE, outer=layer % CALIBRATED == 0)


def _layer_scale(_layer: int, depth: int) -> Rule:
    """Touvron et al. 2021: the deeper the stack, the smaller the first gain."""
    first = 0.1 if depth <= 18 else 1e-5 if depth <= 24 else 1e-6
    return replace(PRE, gain=first, gain_by_channel=True)


RULES: Mapping[Placement, Callable[[int, int], Rule]] = {
    # called with a layer, counted from 1, and the number of layers
    "post": _everywhere(POST),  # Vaswani et al. 2017
    "pre": _everywhere(PRE),
    "sandwich": _everywhere(Rule(before=True, after=True)),  # Ding et al. 2021
    "output": _everywhere(Rule(after=True)),  # Swin v2, OLMo 2
    "deepnorm": _deepnorm,
    "residual_dual": _everywhere(replace(POST, dual=True)),  # Xie et al. 2023
    "mix": _mix,
    "hybrid": _hybrid,
    "scaled": lambda _layer, depth: replace(PRE, scale=depth**-0.5),
    "gpt2": lambda _layer, depth: replace(PRE, shrink_last=(2 * depth) ** -0.5),
    "ln_scaling": lambda layer, _depth: replace(
        PRE, damp=layer**-0.5
    ),  # Sun et al. 2025
    "layer_scale": _layer_scale,
    "rezero": _everywhere(Rule(gain=0.0)),  # Bachlechner et al. 2020
    "plain": _everywhere(replace(PRE, skip=0.0)),  # no residual connection
}


def residual(
    rule: Rule,
    x: Tensor,
    branch: Map,
    norms: Sequence[Map],
    gain: Tensor | None = None,
) -> Tensor:
    """One sublayer on the stream (M, N, d).

    ``norms`` come in the order before, after, outer; ``gain`` is (M, 1, d or 1).
    """
    left = list(norms)
    y = left.pop(0)(x) if rule.before else x  # (M, N, d)
    if rule.damp != 1:
        y = y * rule.damp  # (M, N, d)
    y = branch(y)  # (M, N, d)
    if rule.after:
        y = left.pop(0)(y)  # (M, N, d)
    if gain is not None:
        y = y * gain  # (M, N, d)
    if rule.scale != 1:
        y = y * rule.scale  # (M, N, d)
    if rule.skip:
        y = torch.add(y, x, alpha=rule.skip)  # (M, N, d)
    return left.pop(0)(y) if rule.outer else y  # (M, N, d)


def attention(  # noqa: PLR0913 - the last two are what experiments vary and watch
    weights: Mapping[str, Tensor],
    x: Tensor,
    heads: int,
    mask: Tensor,
    *,
    qk_norm: bool = False,
    watch: Callable[[Tensor], None] | None = None,
) -> Tensor:
    """Multi-head self-attention over (M, B·T, d); the additive mask (T, T) gives T.

    ``qk_norm`` normalises each head's queries and keys, with a gain of 1, which bounds a
    logit by √(d/H); ``watch`` is shown the masked logits (M, B, H, T, T).
    """
    models, rows, width = x.shape
    length, size = len(mask), width // heads
    qkv = torch.baddbmm(weights["qkv_bias"], x, weights["qkv"])  # (M, N, 3d)
    split = qkv.view(-1, length, 3, heads, size).permute(2, 0, 3, 1, 4)
    query, key, value = split.reshape(3, -1, length, size)  # each (M·B·H, T, d/H)
    if qk_norm:
        query, key = (functional.layer_norm(z, (size,)) for z in (query, key))
    scores = torch.baddbmm(mask, query, key.mT, alpha=size**-0.5)  # (M·B·H, T, T)
    if watch:
        watch(scores.view(models, -1, heads, length, length))
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
