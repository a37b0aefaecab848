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
    """Kingma & Ba 2015, in one pass over the memory of each model."""

    def __init__(self, weights: Tensor, betas: tuple[float, float] = BETAS) -> None:
        self.weights = weights  # (M, P)
        self.betas = betas
        self.mean = torch.zeros_like(weights)  # (M, P)
        self.square = torch.zeros_like(weights)  # (M, P)
        self.steps = 0

    def step(self, gradient: Tensor, rate: Tensor) -> None:
        """Rates may also be one for all, (1, 1), or each weight's own, (M, P)."""
        self.steps += 1
        if rate.shape[1] > 1:
            self._remember(gradient)
            self._move(rate)
            return
        steps = torch.tensor(float(self.steps), device=self.weights.device)
        rates = rate[:, 0].expand(len(gradient)).tolist()
        rows = zip(self.weights, gradient, self.mean, self.square, strict=True)
        for row, speed in zip(rows, rates, strict=True):
            weights, slope, mean, square = ([part] for part in row)  # (P,) each
            torch._fused_adam_(
                weights,
                slope,
                mean,
                square,
                [],
                [steps],
                lr=speed,
                beta1=self.betas[0],
                beta2=self.betas[1],
                weight_decay=0.0,
                eps=EPS,
                amsgrad=False,
                maximize=False,
            )

    def _remember(self, gradient: Tensor) -> None:
        beta1, beta2 = self.betas
        self.mean.lerp_(gradient, 1 - beta1)
        self.square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)

    def _move(self, rate: Tensor, factor: float = 1.0) -> None:
        slow, fast = (1 - beta**self.steps for beta in self.betas)
        fast = fast**0.5
        change = self.mean / self.square.sqrt().add_(EPS * fast)  # (M, P)
        self.weights.addcmul_(change, rate, value=-factor * fast / slow)


class RAdam(Adam):
    """Liu et al. 2019 (arXiv:1908.03265), algorithm 2."""

    def step(self, gradient: Tensor, rate: Tensor) -> None:
        self.steps += 1
        self._remember(gradient)
        rectified = rectification(self.steps, self.betas[1])
        if rectified:
            self._move(rate, rectified)
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
