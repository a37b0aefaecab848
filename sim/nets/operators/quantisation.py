"""Symmetric integer quantisation with rounding to nearest, and what it leaves of a signal."""

import torch
from torch import Tensor


def quantise(x: Tensor, bits: int, *, by_channel: bool = False) -> Tensor:
    """What (S, N, d) becomes on a grid of 2^bits - 1 levels around 0.

    The grid reaches to the largest number of each seed's tensor, or of each column.
    """
    across = (1,) if by_channel else (1, 2)
    largest = x.abs().amax(across, keepdim=True)  # (S, 1, 1 or d)
    step: Tensor = largest / (2 ** (bits - 1) - 1)
    return (x / step).round() * step


def sqnr(x: Tensor, found: Tensor) -> Tensor:
    """Signal over the noise of what was found instead, in decibels: (S, N, d) to (S,)."""
    noise = (found - x).square().sum((1, 2))
    ratio = x.square().sum((1, 2)) / noise
    return 10 * ratio.log10()


def channel(factor: float, width: int) -> Tensor:
    """Gains (d,) of 1 but for the first."""
    gain = torch.ones(width, dtype=torch.float64)
    gain[0] = factor
    return gain


def others(x: Tensor, found: Tensor) -> Tensor:
    """Signal over noise without the first channel, (S,)."""
    return sqnr(x[..., 1:], found[..., 1:])


def smoothing(x: Tensor, weights: Tensor, migration: float) -> Tensor:
    """Divisors of the features of x (S, N, d) that weights (S, d, k) are multiplied by.

    SmoothQuant (Xiao et al. 2022, arXiv:2211.10438), equation 4: the range of a feature
    goes over to its row of weights by this share. (S, 1, d)
    """
    features = x.abs().amax(1, keepdim=True)  # (S, 1, d)
    rows = weights.abs().amax(2, keepdim=True).mT  # (S, 1, d)
    return features**migration / rows ** (1 - migration)


def product(x: Tensor, weights: Tensor, bits: int) -> Tensor:
    """x @ weights with both quantised, each with one scale: (S, N, k)."""
    return quantise(x, bits) @ quantise(weights, bits)
