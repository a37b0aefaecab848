"""The full matrix of an operator's derivatives, row by row; S seeds with R rows each."""

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
