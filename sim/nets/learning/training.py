"""The one training loop: all models at once, each with its own schedule."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock

import torch
from torch import Tensor

from sim.core import THREADS, Progress, quiet
from sim.nets.learning.optimisers import Adam, Optimiser, shrinkage
from sim.nets.transformer import Transformer

CACHE = 2**21  # bytes of one activation that a core has at hand, about
OVERFLOWED = 20.0  # what is recorded for a loss that is not finite

Watch = Callable[[int], None]
"""Told before every step how many there have been; may look at the network meanwhile."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """One model's learning rate, rising linearly over ``warmup`` steps, and norm to clip at."""

    rate: float
    warmup: int = 0
    clip: float = math.inf


@dataclass(frozen=True, kw_only=True)
class Curves:
    """What each step saw before it changed the weights, in double precision.

    Norms are unclipped, and NaN once they overflow: nothing was measured then.
    """

    loss: Tensor  # nats, (steps, M)
    gradient: Tensor  # norm over all weights, (steps, M)
    blocks: Tensor  # norm over each block's weights, (steps, L, M)

    @property
    def bottom(self) -> Tensor:
        """Norm over the first block's weights, (steps, M)."""
        return self.blocks[:, 0]

    def split(self, size: int) -> list["Curves"]:
        """The curves of each group of ``size`` neighbouring models."""
        parts = (
            torch.split(c, size, -1) for c in (self.loss, self.gradient, self.blocks)
        )
        return [
            Curves(loss=loss, gradient=gradient, blocks=blocks)
            for loss, gradient, blocks in zip(*parts, strict=True)
        ]


def train(  # noqa: PLR0913 - the last two are for the few who need them
    net: Transformer,
    schedules: Sequence[Schedule],
    batches: Tensor,
    progress: Progress = quiet,
    *,
    optimiser: Callable[[Tensor], Optimiser] = Adam,
    watch: Watch | None = None,
) -> Curves:
    """Train on (steps, M, B, T + 1) symbols, changing the weights in place.

    The models of a step take turns, as many at once as the cache has room for.
    """

    def column(values: Sequence[float]) -> Tensor:
        return net.flat.new_tensor(values)[:, None]  # (M, 1)

    peak = column([s.rate for s in schedules])
    warmup = column([max(1, s.warmup) for s in schedules])
    clip = column([s.clip for s in schedules])
    clips = bool(clip.isfinite().any())
    gradient = torch.empty_like(net.flat)  # (M, P)
    rule = optimiser(net.flat)
    turns = [(rows, net.among(rows)) for rows in _turns(net, batches.shape[2])]
    losses, totals, parts = [], [], []
    for step, batch in enumerate(batches):
        if watch:
            watch(step)
        loss = torch.cat(
            [_descend(some, batch[rows], gradient[rows]) for rows, some in turns]
        )  # (M,)
        with torch.no_grad():
            losses.append(loss)
            parts.append(net.norms(gradient))  # (1 + L, M)
            totals.append(parts[-1].norm(dim=0))  # (M,)
            if clips:
                gradient *= shrinkage(totals[-1][:, None], clip)
            rule.step(gradient, peak * ((step + 1) / warmup).clamp(max=1))
        progress((step + 1) / len(batches))
    return Curves(
        loss=_stack(losses, OVERFLOWED),
        gradient=_stack(totals, math.nan),
        blocks=_stack(parts, math.nan)[:, 1:],
    )


def _turns(net: Transformer, batch: int) -> list[slice]:
    """Which models take a step together: parts of much the same size, on a GPU all."""
    of, models = net.architecture, len(net.flat)
    if net.flat.is_cuda:
        return [slice(0, models)]
    widest = batch * of.length * max(of.hidden, 3 * of.width) * net.flat.itemsize
    together = max(1, CACHE // widest)
    turns = math.ceil(models / together)
    edges = [models * turn // turns for turn in range(turns + 1)]
    return [slice(*pair) for pair in pairwise(edges)]


def _descend(net: Transformer, batch: Tensor, gradient: Tensor) -> Tensor:
    """Losses (M,) of a batch (M, B, T + 1), with their gradient written to (M, P)."""
    loss = net.losses(batch[..., :-1], batch[..., 1:])  # (M,)
    found = torch.autograd.grad(loss.sum(), net.weights)  # models never mix
    torch.cat([part.flatten(1) for part in found], 1, out=gradient)
    return loss.detach()


@dataclass(frozen=True, kw_only=True)
class Training:
    """What :func:`train` is told about one stack."""

    net: Transformer
    schedules: Sequence[Schedule]
    batches: Tensor  # (steps, M, B, T + 1)
    optimiser: Callable[[Tensor], Optimiser] = Adam
    watch: Watch | None = None


def train_all(trainings: Sequence[Training], progress: Progress) -> list[Curves]:
    """Train stacks side by side, a thread each: torch computes without Python's lock.

    The largest begin, so that none of them is left to one thread at the end.
    """
    models = [len(training.schedules) for training in trainings]
    done = [0.0] * len(trainings)
    work = [t.net.flat.numel() * len(t.batches) for t in trainings]
    largest = sorted(range(len(trainings)), key=work.__getitem__, reverse=True)
    lock = Lock()

    def run(place: int) -> Curves:
        def report(fraction: float) -> None:
            with lock:
                done[place] = fraction * models[place] / sum(models)
                progress(sum(done))

        training = trainings[place]
        return train(
            training.net,
            training.schedules,
            training.batches,
            report,
            optimiser=training.optimiser,
            watch=training.watch,
        )

    with ThreadPoolExecutor(
        THREADS, initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        curves = dict(zip(largest, pool.map(run, largest), strict=True))
    return [curves[place] for place in range(len(trainings))]


def _stack(curve: Sequence[Tensor], overflowed: float) -> Tensor:
    """(steps, …) in double precision, with one value for all that is not finite."""
    stacked = torch.stack(list(curve)).double()  # (steps, …)
    return stacked.nan_to_num(nan=overflowed, posinf=overflowed)
