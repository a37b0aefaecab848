"""The full matrix of an operator's derivatives, row by row; S seeds with R rows each."""

import math

import torch
from torch import Tensor

from sim.nets import norms
from sim.nets.norms import Operator


def jacobian(x: Tensor, operator: Operator, eps: float) -> Tensor:
    """Derivatives of each row of (S, R, d) by itself, (S, R, outputs d, inputs d)."""
    width = x.shape[-1]
    copies = x[..., None, :].expand(*x.shape, width).clone().requires_grad_()
    outputs = norms.normalise(copies.view(-1, width, width), operator, eps)
    total = outputs.diagonal(dim1=-2, dim2=-1).sum()  # each output of a copy of its own
    (found,) = torch.autograd.grad(total, copies)
    return found


def back(derivatives: Tensor, gradient: Tensor) -> Tensor:
    """A gradient (S, R, d) sent back through Jacobians, (S, R, d)."""
    return (gradient[..., None, :] @ derivatives)[..., 0, :]


def entering(x: Tensor, operator: Operator) -> Tensor:
    """What an operator divides by its size: rows (S, R, d), centred for LayerNorm."""
    return x - x.mean(-1, keepdim=True) if operator == "layer" else x


def size(x: Tensor, operator: Operator) -> Tensor:
    """‖y‖/√d of what enters, (S, R), and 1 where there is no norm."""
    root = entering(x, operator).square().mean(-1).sqrt()  # (S, R)
    return torch.ones_like(root) if operator == "none" else root


def at(x: Tensor, operator: Operator, eps: float = 0.0) -> Tensor:
    """The Jacobian of an operator with its first gain at a vector (n,), (n, n).

    BatchNorm's vector is a column, one feature over the batch: to it the operator does what
    LayerNorm does to a row.
    """
    alike: Operator = "layer" if operator == "batch" else operator
    _, gain = norms.initial(operator, len(x)).get("gain", (1, 1.0))
    return jacobian(x.view(1, 1, -1), alike, eps)[0, 0] * gain


def scale(x: Tensor, operator: Operator) -> Tensor:
    """‖J‖₂·‖y‖/√n for the Jacobian J at a vector (n,), y its centred input.

    Only LayerNorm and BatchNorm centre.
    """
    y = x - x.mean() if operator in ("layer", "batch") else x  # (n,)
    spectral: Tensor = torch.linalg.matrix_norm(at(x, operator), ord=2)
    scaled: Tensor = spectral * torch.linalg.vector_norm(y) / math.sqrt(len(x))
    return scaled
