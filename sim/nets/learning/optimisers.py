"""Update rules, each on all models at once: rows of (M, P), each with its own rate.

torch's own optimisers have one rate for a parameter, and cost two seconds to import.
"""

from typing import Protocol

import torch
from torch import Tensor

BETAS = (0.9, 0.98)  # Vaswani et al. 2017
EPS = 1e-8


class Optimiser(Protocol):
    def step(self, gradient: Tensor, rate: Tensor) -> None:
        """Move the weights against a gradient (M, P) at rates (M, 1)."""


class SGD:
    """Plain gradient descent: the step is as long as rate times gradient."""

    def __init__(self, weights: Tensor) -> None:
        self.weights = weights  # (M, P)

    def step(self, gradient: Tensor, rate: Tensor) -> None:
        self.weights.addcmul_(gradient, rate, value=-1)


class Adam:
    """Kingma & Ba 2015."""

    def __init__(self, weights: Tensor, betas: tuple[float, float] = BETAS) -> None:
        self.weights = weights  # (M, P)
        self.betas = betas
        self.mean = torch.zeros_like(weights)  # (M, P)
        self.square = torch.zeros_like(weights)  # (M, P)
        self.change = torch.empty_like(weights)  # (M, P)
        self.steps = 0

    def step(self, gradient: Tensor, rate: Tensor) -> None:
        beta1, beta2 = self.betas
        self.steps += 1
        self.mean.lerp_(gradient, 1 - beta1)
        self.square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        self._move(rate)

    def _move(self, rate: Tensor, factor: float = 1.0) -> None:
        slow, fast = (1 - beta**self.steps for beta in self.betas)
        fast = fast**0.5
        torch.sqrt(self.square, out=self.change).add_(EPS * fast)
        torch.div(self.mean, self.change, out=self.change)
        self.weights.addcmul_(self.change, rate, value=-factor * fast / slow)


class RAdam(Adam):
    """Liu et al. 2019 (arXiv:1908.03265), algorithm 2."""

    def _move(self, rate: Tensor, factor: float = 1.0) -> None:
        rectified = rectification(self.steps, self.betas[1])
        if rectified:
            super()._move(rate, rectified)
        else:  # too few gradients for a second moment: momentum alone
            slow = 1 - self.betas[0] ** self.steps
            self.weights.addcmul_(self.mean, rate, value=-1 / slow)


def rectification(step: int, beta2: float) -> float:
    """RAdam's factor at a step counted from 1; 0 while it does not adapt.

    The paper adapts once ρ_t exceeds 4; torch waits until it exceeds 5.
    """
    longest = 2 / (1 - beta2) - 1
    decayed = beta2**step
    length = longest - 2 * step * decayed / (1 - decayed)
    if length <= 4:
        return 0.0
    share = (length - 4) * (length - 2) * longest
    return float((share / ((longest - 4) * (longest - 2) * length)) ** 0.5)


def shrinkage(norm: Tensor, limit: Tensor | float) -> Tensor:
    """What shortens gradients of these norms to a limit; 1 for those that keep to it."""
    return (limit / norm).clamp(max=1)
