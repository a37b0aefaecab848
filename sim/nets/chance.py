"""Random numbers that depend on a seed and a purpose, and on nothing else."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def generator(seed: int, purpose: str) -> np.random.Generator:
    """Independent streams for the purposes ("weights", "chain", …) of one seed."""
    return np.random.default_rng([seed % 2**64, *purpose.encode()])


def normal(seed: int, purpose: str, *shape: int) -> NDArray[np.float32]:
    return generator(seed, purpose).standard_normal(shape, np.float32)


def normals(seeds: Sequence[int], purpose: str, *shape: int) -> Tensor:
    """Each seed's own standard normal numbers, (S, *shape)."""
    return tensor([normal(seed, purpose, *shape) for seed in seeds])


def tensor(arrays: Sequence[NDArray[np.generic]], dim: int = 0) -> Tensor:
    """Stack arrays on torch's default device: drawn on the CPU, they are alike on all."""
    return torch.from_numpy(np.stack(arrays, dim)).to(torch.get_default_device())


def symbols(seeds: Sequence[int], batch: int, length: int, vocabulary: int) -> Tensor:
    """Uniform random symbols, (M, B, T)."""
    size = (batch, length)
    return tensor(
        [generator(s, "symbols").integers(vocabulary, size=size) for s in seeds]
    )


def readout(seeds: Sequence[int], rows: int, width: int) -> Tensor:
    """Independent weights for every number of an output, (M, N, d)."""
    return normals(seeds, "readout", rows, width)
