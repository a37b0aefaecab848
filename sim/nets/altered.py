"""Networks with something changed by hand before they are measured, in place."""

from typing import Literal

import torch
from torch import Tensor

from sim.nets.transformer import Transformer

MATRICES = ("qkv", "out", "up", "down")  # of a block; the rest are biases and norms
Mixing = Literal["softmax", "uniform", "none"]


def matrices(net: Transformer) -> list[Tensor]:
    """The branches' matrices, (M, rows, columns) each."""
    return [block[name] for block in net.blocks for name in MATRICES]


@torch.no_grad()
def mix(net: Transformer, mixing: Mixing) -> Transformer:
    """With uniform attention, or with none: the branch is then zero."""
    for block in net.blocks:
        if mixing == "uniform":
            block["qkv"][..., : 2 * net.architecture.width].zero_()
        elif mixing == "none":
            block["out"].zero_()
            block["out_bias"].zero_()
    return net


@torch.no_grad()
def multiply(net: Transformer, factor: float) -> Transformer:
    """With all matrices of the branches multiplied."""
    for matrix in matrices(net):
        matrix.mul_(factor)
    return net


@torch.no_grad()
def sharpen(net: Transformer, factor: float) -> Transformer:
    """With queries and keys multiplied, and so attention's logits by the factor's square."""
    for block in net.blocks:
        block["qkv"][..., : 2 * net.architecture.width].mul_(factor)
    return net


@torch.no_grad()
def set_gains(net: Transformer, first: float) -> Transformer:
    """With another first value of the learned gains on the branches."""
    for block in net.blocks:
        block["branch_gain0"].fill_(first)
        block["branch_gain1"].fill_(first)
    return net


@torch.no_grad()
def descend(net: Transformer, loss: Tensor, rate: float) -> Transformer:
    """After one step of plain gradient descent on the branches' matrices."""
    found = matrices(net)
    with torch.enable_grad():
        gradients = torch.autograd.grad(loss.sum(), found)  # models never mix
    for matrix, gradient in zip(found, gradients, strict=True):
        matrix.sub_(rate * gradient)
    return net
