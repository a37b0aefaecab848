"""Cells of a training experiment: each seed's networks learn one chain from the same data."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from torch import Tensor

from sim.core import THREADS, Progress
from sim.nets.architecture import Architecture
from sim.nets.learning.optimisers import Adam, Optimiser
from sim.nets.learning.training import Curves, Schedule, Training, train_all
from sim.nets.markov import Chain
from sim.nets.transformer import Transformer

LAST = 10  # steps that a loss is averaged over
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One way to train; for each seed it is one model."""

    architecture: Architecture
    schedule: Schedule
    optimiser: Callable[[Tensor], Optimiser] = Adam


@dataclass(frozen=True, kw_only=True)
class Lessons(Generic[Name]):
    """What the cells of S seeds went through."""

    chain: Chain
    curves: Mapping[Name, Curves]  # (steps, S) each

    def gap(self, name: Name, stride: int = 1) -> Tensor:
        """Means over ten neighbouring steps of what is left to learn, (steps', S)."""
        return smooth(self.chain.gap(self.curves[name].loss), stride)

    def final_gap(self, name: Name) -> Tensor:
        """What is left to learn in the last ten steps, (S,)."""
        return self.gap(name)[-1]


def teach(
    cells: Mapping[Name, Cell],
    seeds: Sequence[int],
    *,
    steps: int,
    batch: int,
    progress: Progress,
) -> Lessons[Name]:
    """Train all cells, of one vocabulary and length; a stack has one architecture."""
    stacks = sorted(_stacks(cells), key=lambda stack: -_layers(cells, stack))
    first = next(iter(cells.values())).architecture
    chain = Chain(seeds, first.vocabulary)
    batches = chain.sample(steps, batch, first.length)  # (steps, S, B, T + 1)
    trainings = [
        Training(
            net=Transformer(cells[stack[0]].architecture, [*seeds] * len(stack)),
            schedules=[cells[name].schedule for name in stack for _ in seeds],
            batches=batches.repeat(1, len(stack), 1, 1),  # (steps, M, B, T + 1)
            optimiser=cells[stack[0]].optimiser,
        )
        for stack in stacks
    ]
    curves: dict[Name, Curves] = {}
    for stack, trained in zip(stacks, train_all(trainings, progress), strict=True):
        curves |= zip(stack, trained.split(len(seeds)), strict=True)
    return Lessons(chain=chain, curves=curves)


def smooth(curve: Tensor, stride: int = 1) -> Tensor:
    """Means of ten neighbouring steps of (steps, …), at every ``stride``-th step."""
    return curve.unfold(0, LAST, stride).mean(-1)


def shown_steps(curve: Tensor, stride: int) -> list[int]:
    """The steps that the values of a smoothed curve end at."""
    return [LAST + stride * place for place in range(len(curve))]


def _stacks(cells: Mapping[Name, Cell]) -> list[list[Name]]:
    """Cells that can train in one stack, none with more than a thread's share of all."""
    alike: dict[tuple[Architecture, object], list[Name]] = {}
    for name, cell in cells.items():
        alike.setdefault((cell.architecture, cell.optimiser), []).append(name)
    share = math.ceil(len(cells) / THREADS)
    return [
        names[start : start + share]
        for names in alike.values()
        for start in range(0, len(names), share)
    ]


def _layers(cells: Mapping[Name, Cell], stack: Sequence[Name]) -> int:
    return len(stack) * cells[stack[0]].architecture.depth
