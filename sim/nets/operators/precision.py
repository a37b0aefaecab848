"""What number formats keep of a sum, and of a norm's statistics."""

import math
from collections.abc import Callable, Mapping
from typing import Literal

import torch
from torch import Tensor

from sim.nets import norms
from sim.nets.probes import apart

Format = Literal["bfloat16", "float16", "float32"]
DTYPES: Mapping[Format, torch.dtype] = {
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float32": torch.float32,
}
BITS: Mapping[Format, int] = {"bfloat16": 8, "float16": 11, "float32": 24}
"""Of the significand, with the hidden one: numbers of [2^k, 2^(k+1)) lie 2^(k+1-bits) apart."""


def lost(stream: Tensor, update: Tensor, dtype: torch.dtype) -> Tensor:
    """Share of the updates (S, N, d) after whose addition the stream is what it was, (S,)."""
    x = stream.to(dtype)
    return (x + update.to(dtype) == x).double().mean((1, 2))


def lost_law(rms: float, bits: int) -> float:
    """The same share for a Gaussian stream of this RMS and Gaussian updates of RMS 1.

    An update is lost when it is smaller than half the distance of neighbouring numbers,
    2^(k-bits) where the stream's number lies in [2^k, 2^(k+1)).
    """

    def below(bound: float) -> float:
        return math.erf(bound / math.sqrt(2))

    return sum(
        (below(2.0 ** (k + 1) / rms) - below(2.0**k / rms)) * below(2.0 ** (k - bits))
        for k in range(-40, 40)
    )


def one_by_one(x: Tensor) -> Tensor:
    """The sum over the last axis of (…, d), rounded to x's own format at every addition."""
    total = torch.zeros_like(x[..., 0])
    for part in x.unbind(-1):
        total = total + part  # (…)
    return total


def by_pairs(x: Tensor) -> Tensor:
    """The same sum as a tree: neighbours are added, then their sums. d is a power of two."""
    while x.shape[-1] > 1:
        x = x[..., 0::2] + x[..., 1::2]
    return x[..., 0]


def running_error(start: Tensor, updates: Tensor, dtype: torch.dtype) -> Tensor:
    """What a stream in a format makes of the sum of the updates so far.

    Its error relative to the sum, root mean square over the features, for a start (S, d)
    and updates (L, S, d): (L, S).
    """
    x = first = start.to(dtype)
    exact = torch.zeros_like(start, dtype=torch.float64)
    errors = []
    for update in updates:
        x = x + update.to(dtype)  # (S, d)
        exact = exact + update.double()  # (S, d)
        error = x.double() - first.double() - exact  # (S, d)
        errors.append((error.square().sum(1) / exact.square().sum(1)).sqrt())
    return torch.stack(errors)


def statistics_error(x: Tensor, total: Callable[[Tensor], Tensor]) -> Tensor:
    """Relative error of RMSNorm on rows (S, N, d), (S,), with all of it in bfloat16.

    ``total`` adds up a row's squares.
    """
    rows = x.bfloat16()
    mean = total(rows * rows) / rows.shape[-1]  # (S, N)
    found = rows * torch.rsqrt(mean)[..., None]  # (S, N, d)
    return apart(found.double(), norms.normalise(rows.double(), "rms", 0.0))
