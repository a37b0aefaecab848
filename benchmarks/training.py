"""Many small Transformers trained at once: ours against loops over ``torch.nn`` models.

Everyone trains the same networks on the same kind of batches with Adam. The loop as anyone
would write it is one process with two threads and torch's default Adam; its best form is a
single-threaded process for each core with the fused Adam; ours is a stack of models in a
single-threaded process for each core, as the worker runs it. The last two have the memory
allocator set as it is for the worker's children. Sizes and peak are matrix
products in single precision; a training step counts as three forward passes.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import nn

from quizsvc.jobs.child import ENVIRONMENT
from sim.core import THREADS
from sim.nets.learning.optimisers import Adam
from sim.nets.learning.training import Schedule, train
from sim.nets.markov import Chain
from sim.nets.transformer import Architecture, Transformer

REPEATS = 3
SYMBOLS, RATE = 16, 1e-3


@dataclass(frozen=True, kw_only=True)
class Size:
    """What is trained: ``models`` at once in a stack, on ``tokens`` a step each."""

    depth: int
    width: int
    ratio: int
    tokens: int
    models: int
    steps: int  # of a stack; loops take as many for a quarter of the models
    length: int = 16

    def __str__(self) -> str:
        return f"{self.depth} layers, d = {self.width}, {self.tokens} tokens"

    @property
    def architecture(self) -> Architecture:
        return Architecture(
            depth=self.depth,
            width=self.width,
            heads=4,
            hidden=self.ratio * self.width,
            length=self.length,
            vocabulary=SYMBOLS,
            placement="pre",
            init="pytorch",
            causal=True,
        )

    @property
    def operations(self) -> float:
        """Floating-point operations of one step of one model, in matrix products."""
        linear = (4 + 2 * self.ratio) * self.width**2
        attention = 2 * self.length * self.width
        forward = 2 * self.tokens * (self.depth * (linear + attention))
        return 3.0 * (forward + 2 * self.tokens * self.width * SYMBOLS)


SIZES = {
    "small": Size(depth=6, width=48, ratio=4, tokens=512, models=16, steps=10),
    "deep": Size(depth=12, width=32, ratio=4, tokens=256, models=16, steps=14),
    "large": Size(depth=6, width=256, ratio=4, tokens=512, models=4, steps=3),
}
GOALS = {"small": (3.0, 1.4), "deep": (5.0, 2.0), "large": (1.0, 1.0)}


def rows() -> list[dict[str, Any]]:
    """Model-steps a second: medians of interleaved repeats."""
    with ExitStack() as stack:
        whole = stack.enter_context(processes(1, threads=THREADS))
        os.environ.update(ENVIRONMENT)  # of the processes that start from here on
        cores = stack.enter_context(processes(THREADS, threads=1))
        peak = median(rate(cores, multiply, 1024) for _ in range(REPEATS))
        found = []
        for name, size in SIZES.items():
            runs = {
                "ours": partial(rate, cores, stacked, name),
                "ours, two threads": partial(rate, whole, stacked, name),
                "loop": partial(rate, whole, looped, name),
                "best": partial(rate, cores, looped_fused, name),
            }
            rates: dict[str, list[float]] = {kind: [] for kind in runs}
            for _ in range(REPEATS):
                for kind, run in runs.items():
                    rates[kind].append(run())
            found += _rows(size, {k: median(v) for k, v in rates.items()}, peak)
    return found


def _rows(size: Size, rates: dict[str, float], peak: float) -> list[dict[str, Any]]:
    ours = rates["ours"]
    peers = {
        "a loop, one process with two threads": rates["loop"],
        "a loop, a process for each core": rates["best"],
        "the same in one process with two threads": rates["ours, two threads"],
    }
    rows = [
        {
            "name": f"training, {size} (peer: {peer})",
            "ours": ours,
            "peer": theirs,
            "ratio": ours / theirs,
            "unit": "model-steps/s",
        }
        for peer, theirs in peers.items()
    ]
    reached = {
        "ours": ours * size.operations / 1e9,
        "the loops' best": max(rates["loop"], rates["best"]) * size.operations / 1e9,
    }
    return rows + [
        {
            "name": f"arithmetic of {whose}, {size} (peer: the peak of matrix products)",
            "ours": speed,
            "peer": peak / 1e9,
            "ratio": speed * 1e9 / peak,
            "unit": "GFLOP/s",
        }
        for whose, speed in reached.items()
    ]


@contextmanager
def processes(count: int, *, threads: int) -> Iterator[list[ProcessPoolExecutor]]:
    """Pools of one process each, so that each is given exactly one share of the work."""
    with ExitStack() as stack:
        pools = [
            stack.enter_context(
                ProcessPoolExecutor(
                    1,
                    mp_context=get_context("spawn"),
                    initializer=torch.set_num_threads,
                    initargs=(threads,),
                )
            )
            for _ in range(count)
        ]
        for pool in pools:
            pool.submit(torch.get_num_threads).result()  # they start now, not when used
        yield pools


def rate(
    pools: list[ProcessPoolExecutor],
    work: Callable[..., tuple[float, float, float]],
    *arguments: Any,
) -> float:
    """What all pools together do in a second, while all of them are at it."""
    shares = [pool.submit(work, *arguments) for pool in pools]
    done = [share.result() for share in shares]
    begun, ended = (min(d[1] for d in done), max(d[2] for d in done))
    return sum(d[0] for d in done) / (ended - begun)


def stacked(name: str) -> tuple[float, float, float]:
    """Model-steps of one stack, when they began and when they ended."""
    size = SIZES[name]
    seeds = range(size.models)
    net = Transformer(size.architecture, seeds)
    batches = batches_of(size, seeds)
    schedules = [Schedule(rate=RATE)] * size.models
    adam = Adam(net.flat)  # with its memory before the clock runs, as in the loop
    train(net, schedules, batches[:1], optimiser=lambda _: adam)
    began = perf_counter()
    train(net, schedules, batches[1:], optimiser=lambda _: adam)
    return float(size.models * size.steps), began, perf_counter()


def looped(name: str, *, fused: bool = False) -> tuple[float, float, float]:
    """The same for a quarter of the models, one after another."""
    size = SIZES[name]
    seeds = range(max(1, size.models // 4))
    batches = batches_of(size, seeds)
    models = [Reference(size.architecture, seed) for seed in seeds]
    optimisers = [
        torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98), fused=fused)
        for model in models
    ]

    def step(place: int, at: int) -> None:
        loss = models[place](batches[at, place])
        optimisers[place].zero_grad()
        loss.backward()
        optimisers[place].step()

    for place in seeds:
        step(place, 0)
    began = perf_counter()
    for place in seeds:
        for at in range(1, size.steps + 1):
            step(place, at)
    return float(len(seeds) * size.steps), began, perf_counter()


def looped_fused(name: str) -> tuple[float, float, float]:
    return looped(name, fused=True)


def batches_of(size: Size, seeds: range) -> torch.Tensor:
    """(steps + 1, M, B, T + 1) symbols; the first is for warming up."""
    batch = size.tokens // size.length
    return Chain(seeds, SYMBOLS).sample(size.steps + 1, batch, size.length)


class Reference(nn.Module):
    """The same network as one would write it with ``torch.nn``."""

    def __init__(self, shape: Architecture, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.token = nn.Embedding(shape.vocabulary, shape.width)
        self.position = nn.Parameter(torch.randn(shape.length, shape.width))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                shape.width,
                shape.heads,
                shape.hidden,
                dropout=0,
                batch_first=True,
                norm_first=True,
            )
            for _ in range(shape.depth)
        )
        self.norm = nn.LayerNorm(shape.width)
        self.head = nn.Linear(shape.width, shape.vocabulary)
        self.register_buffer(
            "mask", nn.Transformer.generate_square_subsequent_mask(shape.length)
        )

    def forward(self, symbols: torch.Tensor) -> torch.Tensor:
        """Mean cross-entropy of the next symbol, from (B, T + 1) symbols."""
        x = self.token(symbols[:, :-1]) + self.position  # (B, T, d)
        for layer in self.layers:
            x = layer(x, src_mask=self.mask, is_causal=True)
        logits = self.head(self.norm(x))  # (B, T, V)
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), symbols[:, 1:].flatten()
        )


def multiply(n: int) -> tuple[float, float, float]:
    """Floating-point operations of products of n × n matrices."""
    a = torch.randn(n, n)
    a @ a
    began = perf_counter()
    for _ in range(20):
        a @ a
    return 20 * 2.0 * n**3, began, perf_counter()
