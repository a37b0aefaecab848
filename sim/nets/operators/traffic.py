"""A small machine that runs kernels on memory and counts the numbers it loads and stores.

A kernel holds a few rows at a time on chip: what it computes between loading and storing
moves nothing. Values in memory have names, and each is written once.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import torch
from torch import Tensor

from sim.nets.blocks import Rule

BRANCH = "branch"


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """Computes ``writes`` from ``reads``, all (S, N, …), row by row.

    ``holds`` are parameters: loaded once, whole, they stay on chip and follow the rows as
    arguments.
    """

    name: str
    reads: Sequence[str]
    writes: Sequence[str]
    compute: Callable[..., Sequence[Tensor]]
    holds: Sequence[Tensor] = ()


Between = Callable[[str, str], Kernel]
"""Makes a kernel that reads one value and writes another, by their names."""


@dataclass(kw_only=True)
class Machine:
    """Memory, and how many numbers of each name went in and out of it."""

    memory: dict[str, Tensor]
    tile: int
    loaded: Counter[str] = field(default_factory=Counter)
    stored: Counter[str] = field(default_factory=Counter)

    def run(self, kernel: Kernel) -> None:
        whole = [self.memory[name] for name in kernel.reads]
        parts = []
        for tiles in zip(*(torch.split(x, self.tile, 1) for x in whole), strict=True):
            for name, tile in zip(kernel.reads, tiles, strict=True):
                self.loaded[name] += tile.numel()
            parts.append(kernel.compute(*tiles, *kernel.holds))
        self.loaded[kernel.name] += sum(held.numel() for held in kernel.holds)
        for name, tiles in zip(kernel.writes, zip(*parts, strict=True), strict=True):
            self.memory[name] = torch.cat(tiles, 1)
            self.stored[name] += self.memory[name].numel()

    @property
    def moved(self) -> int:
        return self.loaded.total() + self.stored.total()


def fuse(kernels: Sequence[Kernel], live: Sequence[str]) -> Kernel:
    """One kernel in place of several: of what they make it stores only what is live."""
    made = [name for kernel in kernels for name in kernel.writes]
    read = dict.fromkeys(name for kernel in kernels for name in kernel.reads)
    inputs = [name for name in read if name not in made]
    outputs = [name for name in made if name in live]

    def compute(*given: Tensor) -> list[Tensor]:
        on_chip = dict(zip(inputs, given, strict=False))
        held = iter(given[len(inputs) :])
        for kernel in kernels:
            rows = [on_chip[name] for name in kernel.reads]
            found = kernel.compute(*rows, *(next(held) for _ in kernel.holds))
            on_chip |= zip(kernel.writes, found, strict=True)
        return [on_chip[name] for name in outputs]

    return Kernel(
        name=" and ".join(kernel.name for kernel in kernels),
        reads=inputs,
        writes=outputs,
        compute=compute,
        holds=[held for kernel in kernels for held in kernel.holds],
    )


def program(rule: Rule, sublayers: int, norm: Between, branch: Between) -> list[Kernel]:
    """The kernels of a chain of sublayers on the stream "x", as ``blocks.residual`` has
    them; the last one writes the chain's output.
    """
    kernels: list[Kernel] = []

    def then(make: Between, read: str, write: str) -> str:
        kernels.append(make(read, write))
        return write

    x = "x"
    for k in range(sublayers):
        y = then(norm, x, f"norm {k}") if rule.before else x
        y = then(branch, y, f"branch {k}")
        y = then(norm, y, f"norm of branch {k}") if rule.after else y
        kernels.append(
            Kernel(
                name="add",
                reads=(y, x),
                writes=(f"sum {k}",),
                compute=lambda a, b: (a + b,),
            )
        )
        x = then(norm, f"sum {k}", f"stream {k}") if rule.outer else f"sum {k}"
    return kernels


def stages(kernels: Sequence[Kernel], *, fused: bool) -> list[list[Kernel]]:
    """The branches, and all that stands between two of them, in order.

    Fused, the latter is one kernel, which stores what a later one reads and the output.
    """
    found = [
        list(group)
        for _, group in groupby(kernels, lambda kernel: kernel.name == BRANCH)
    ]
    if not fused:
        return found
    output = list(kernels[-1].writes)
    return [
        [fuse(stage, output + [n for s in found[i:] for k in s for n in k.reads])]
        if stage[0].name != BRANCH
        else stage
        for i, stage in enumerate(found, 1)
    ]


def execute(
    plan: Sequence[Sequence[Kernel]], memory: Mapping[str, Tensor], tile: int
) -> list[Machine]:
    """Run all stages on the same memory, each with a meter of its own."""
    shared = dict(memory)
    machines = []
    for stage in plan:
        machines.append(Machine(memory=shared, tile=tile))
        for kernel in stage:
            machines[-1].run(kernel)
    return machines
