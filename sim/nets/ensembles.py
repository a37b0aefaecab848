"""Many networks for one seed: mean-field laws speak of their average, not of each."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import torch

from sim.core import THREADS, Progress, Text, param

SEQUENCES = 2  # each network sees: what differs is the networks, hardly their inputs
T = TypeVar("T")


def size(default: int, *, most: int = 16) -> Any:
    return param(
        default,
        title=Text(en="Networks for each seed", zh="每个种子的网络数"),
        about=Text(
            en="Laws hold for the average over initialisations; a seed's value is that of so many networks.",
            zh="这些规律针对初始化的平均成立；每个种子的值取自这么多个网络。",
        ),
        ge=4,
        le=most,
        step=4,
    )


def members(seed: int, networks: int) -> list[int]:
    """The seeds of an ensemble's networks; no two ensembles share one."""
    return [seed + (place << 32) for place in range(networks)]


def measure_each(
    seeds: Sequence[int], measure: Callable[[int], T], progress: Progress
) -> list[T]:
    """What is measured for every seed, in their order, a thread for each core."""
    found: list[T] = []
    with ThreadPoolExecutor(
        THREADS, initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        for value in pool.map(measure, seeds):
            found.append(value)
            progress(len(found) / len(seeds))
    return found
