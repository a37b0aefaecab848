"""The one training loop: Adam on all models at once, each with its own schedule."""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

import torch
from torch import Tensor

from sim.core import THREADS, Progress, quiet
from sim.nets.transformer import Transformer

OVERFLOWED = 20.0  # what is recorded for a loss that is not finite
BETAS = (0.9, 0.98)  # Vaswani et al. 2017
EPS = 1e-8


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """One model's learning rate, rising linearly over ``warmup`` steps, and norm to clip at."""

    rate: float
    warmup: int = 0
    clip: float = math.inf


@dataclass(frozen=True, kw_only=True)
class Curves:
    """What each step saw before it changed the weights, (steps, M) each, in double precision.

    Norms are unclipped, and NaN once they overflow: nothing was measured then.
    """

    loss: Tensor  # nats
    gradient: Tensor  # norm over all weights
    bottom: Tensor  # norm over the first block's weights

    def split(self, size: int) -> list["Curves"]:
        """The curves of each group of ``size`` neighbouring models."""
        parts = (
            torch.split(c, size, 1) for c in (self.loss, self.gradient, self.bottom)
        )
        return [
            Curves(loss=loss, gradient=gradient, bottom=bottom)
            for loss, gradient, bottom in zip(*parts, strict=True)
        ]


class Adam:
    """Kingma & Ba 2015 on the rows of (M, P), each row with its own rate.

    torch's own optimisers have one rate for a parameter, and cost two seconds to import.
    """

    def __init__(self, weights: Tensor) -> None:
        self.weights = weights  # (M, P)
        self.mean = torch.zeros_like(weights)  # (M, P)
        self.square = torch.zeros_like(weights)  # (M, P)
        self.change = torch.empty_like(weights)  # (M, P)
        self.steps = 0

    def step(self, gradient: Tensor, rate: Tensor) -> None:
        """Move against a gradient (M, P) at rates (M, 1)."""
        self.steps += 1
        slow, fast = 1 - BETAS[0] ** self.steps, (1 - BETAS[1] ** self.steps) ** 0.5
        self.mean.lerp_(gradient, 1 - BETAS[0])
        self.square.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        torch.sqrt(self.square, out=self.change).add_(EPS * fast)
        torch.div(self.mean, self.change, out=self.change)
        self.weights.addcmul_(self.change, rate, value=-fast / slow)


def train(
    net: Transformer,
    schedules: Sequence[Schedule],
    batches: Tensor,
    progress: Progress = quiet,
) -> Curves:
    """Train on (steps, M, B, T + 1) symbols, changing the weights in place."""

    def column(values: Sequence[float]) -> Tensor:
        return net.flat.new_tensor(values)[:, None]  # (M, 1)

    peak = column([s.rate for s in schedules])
    warmup = column([max(1, s.warmup) for s in schedules])
    clip = column([s.clip for s in schedules])
    clips = bool(clip.isfinite().any())
    bottom = net.columns(block=0)
    gradient = torch.empty_like(net.flat)  # (M, P)
    adam = Adam(net.flat)
    losses, totals, bottoms = [], [], []
    for step, batch in enumerate(batches):
        loss = net.losses(batch[..., :-1], batch[..., 1:])  # (M,)
        found = torch.autograd.grad(loss.sum(), net.weights)  # models never mix
        with torch.no_grad():
            torch.cat([part.flatten(1) for part in found], 1, out=gradient)  # (M, P)
            total = gradient.norm(dim=1, keepdim=True)  # (M, 1)
            losses.append(loss.detach())
            totals.append(total[:, 0])
            bottoms.append(gradient[:, bottom].norm(dim=1))
            if clips:
                gradient *= (clip / total).clamp(max=1)
            adam.step(gradient, peak * ((step + 1) / warmup).clamp(max=1))
        progress((step + 1) / len(batches))
    return Curves(
        loss=_stack(losses, OVERFLOWED),
        gradient=_stack(totals, math.nan),
        bottom=_stack(bottoms, math.nan),
    )


@dataclass(frozen=True, kw_only=True)
class Training:
    """What :func:`train` is told about one stack."""

    net: Transformer
    schedules: Sequence[Schedule]
    batches: Tensor  # (steps, M, B, T + 1)


def train_all(trainings: Sequence[Training], progress: Progress) -> list[Curves]:
    """Train stacks side by side, a thread each: torch computes without Python's lock."""
    models = [len(training.schedules) for training in trainings]
    done = [0.0] * len(trainings)
    lock = Lock()

    def run(place: int) -> Curves:
        def report(fraction: float) -> None:
            with lock:
                done[place] = fraction * models[place] / sum(models)
                progress(sum(done))

        training = trainings[place]
        return train(training.net, training.schedules, training.batches, report)

    with ThreadPoolExecutor(
        THREADS, initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        return list(pool.map(run, range(len(trainings))))


def _stack(curve: Sequence[Tensor], overflowed: float) -> Tensor:
    """(steps, M) in double precision, with one value for all that is not finite."""
    stacked = torch.stack(list(curve)).double()  # (steps, M)
    return stacked.nan_to_num(nan=overflowed, posinf=overflowed)
