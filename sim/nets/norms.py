"""Normalisation operators. None of them knows where in a block it stands."""

import math
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional

Operator = Literal["layer", "rms", "batch", "scale", "tanh", "none"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
EPS = 1e-5
LEARNED = ("gain", "shift", "slope")


def normalise(x: Tensor, operator: Operator, eps: float = EPS) -> Tensor:
    """Normalise (M, N, d) without gain and shift.

    LayerNorm (Ba et al. 2016) and RMSNorm (Zhang & Sennrich 2019) work on each row of d
    features, ScaleNorm (Nguyen & Salazar 2019) divides a row by its length, BatchNorm
    (Ioffe & Szegedy 2015, in training) works on each feature over the N rows of a model.
    "tanh" (DyT, Zhu et al. 2025) bounds each number by itself and measures nothing.
    """
    match operator:
        case "layer":
            return functional.layer_norm(x, x.shape[-1:], eps=eps)  # (M, N, d)
        case "rms":
            square = x.square().mean(-1, keepdim=True)  # (M, N, 1)
            return x * torch.rsqrt(square + eps)  # (M, N, d)
        case "batch":
            y = x - x.mean(-2, keepdim=True)  # (M, N, d)
            square = y.square().mean(-2, keepdim=True)  # (M, 1, d)
            return y * torch.rsqrt(square + eps)  # (M, N, d)
        case "scale":
            size = torch.linalg.vector_norm(x, dim=-1, keepdim=True)  # (M, N, 1)
            return torch.div(x, size.clamp(min=eps))  # (M, N, d)
        case "tanh":
            return x.tanh()
        case "none":
            return x


def initial(operator: Operator, width: int) -> dict[str, tuple[int, float]]:
    """The learnable parts of an operator: columns and first value of "gain", "shift", "slope"."""
    match operator:
        case "layer" | "batch":
            return {"gain": (width, 1.0), "shift": (width, 0.0)}
        case "rms":
            return {"gain": (width, 1.0)}
        case "scale":
            return {"gain": (1, math.sqrt(width))}
        case "tanh":
            return {"gain": (width, 1.0), "shift": (width, 0.0), "slope": (1, 0.5)}
        case "none":
            return {}


def norm(
    x: Tensor,
    operator: Operator,
    gain: Tensor | None,
    shift: Tensor | None,
    slope: Tensor | None = None,
) -> Tensor:
    """Normalise (M, N, d), then apply each model's own gain and shift, (M, 1, d or 1).

    A slope (M, 1, 1) multiplies the input.
    """
    y = normalise(x if slope is None else x * slope, operator)  # (M, N, d)
    if gain is None:
        return y
    return y * gain if shift is None else torch.addcmul(shift, y, gain)  # (M, N, d)
