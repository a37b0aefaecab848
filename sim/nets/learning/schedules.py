"""Learning rates by step, counted from 1, as factors on a peak or as rates outright."""

import math
from bisect import bisect_left

import torch
from torch import Tensor

from sim.nets.learning.optimisers import rectification


def linear(steps: Tensor, warmup: float) -> Tensor:
    """Rises to 1 over ``warmup`` steps and stays."""
    return (steps / warmup).clamp(max=1)


def exponential(steps: Tensor, beta2: float) -> Tensor:
    """1 − e^{−(1 − β₂) t}: Ma & Yarats 2019 (arXiv:1910.04209), the untuned warmup."""
    return 1 - (-(1 - beta2) * steps).exp()


def rectified(steps: Tensor, beta2: float) -> Tensor:
    """RAdam's factor, 0 while it does not adapt (Liu et al. 2019, arXiv:1908.03265)."""
    return steps.new_tensor([rectification(int(step), beta2) for step in steps])


def noam(steps: Tensor, width: int, warmup: int) -> Tensor:
    """The rate of Vaswani et al. 2017, equation 3."""
    height: Tensor = torch.minimum(steps**-0.5, steps * warmup**-1.5)
    return height / math.sqrt(width)


def period(factors: Tensor) -> float:
    """What a warmup leaves out, in whole steps: Σ (1 − ω_t) over all steps that matter."""
    return float((1 - factors).sum())


def equal_linear(factors: Tensor) -> int:
    """The length of the linear warmup that leaves out as much as these factors do.

    ``factors`` start at step 1 and must have come close to 1 at their end.
    """
    sought = period(factors)
    steps = torch.arange(1, len(factors) + 1, dtype=factors.dtype)

    def left_out(length: int) -> float:
        return period(linear(steps, length))

    first = bisect_left(range(1, len(factors)), sought, key=left_out) + 1
    near = (max(1, first - 1), first)
    return min(near, key=lambda length: abs(left_out(length) - sought))
