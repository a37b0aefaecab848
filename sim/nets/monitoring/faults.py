"""Faults put into one layer of each model of a stack while it trains, and their alarms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from sim.core import Progress
from sim.nets.controls import BATCH
from sim.nets.learning.optimisers import Adam
from sim.nets.markov import Chain
from sim.nets.monitoring import vitals
from sim.nets.monitoring.readings import Broken
from sim.nets.transformer import Architecture, Transformer

Fault = Literal["logits", "branch", "precision", "rate", "none"]
SETTLING, WINDOW, AFTER = 120, 20, 24  # steps: not watched, healthy, with the fault
WARMUP = 40  # of them, in which the rate rises
SIGMAS = 4.0  # healthy standard deviations that set off the alarm on the loss
HUGE = 100.0  # times the learning rate, for one step
UNITS = 2.0**10  # what a branch is multiplied by before it is kept in half precision


class Patient(Transformer):
    """Models of which each has a fault in one layer.

    "logits" and "branch" multiply queries and keys, or the second feed-forward matrix, by
    ``growth`` at every step. "precision" keeps the feed-forward branch in half precision,
    in units that shrink by ``growth``, until it overflows. "rate" makes one huge step.
    """

    def __init__(
        self,
        healthy: Transformer,
        seeds: Sequence[int],
        fault: Fault,
        growth: float,
    ) -> None:
        """Copies of the S models of ``seeds``: S without a fault, S with one in layer 1, …"""
        depth = healthy.architecture.depth
        super().__init__(healthy.architecture, [*seeds] * (depth + 1))
        with torch.no_grad():
            self.flat.copy_(healthy.flat.repeat(depth + 1, 1))
        self.fault, self.growth = fault, growth
        place = torch.arange(depth + 1).repeat_interleave(len(seeds))  # (M,)
        self.ill = place == torch.arange(1, depth + 1)[:, None]  # (L, M)
        self.age = 0  # steps since the fault began

    @torch.no_grad()
    def worsen(self) -> None:
        """One more step with the fault."""
        self.age += 1
        for weights, ill in zip(self.blocks, self.ill, strict=True):
            if self.fault == "logits":
                queries_and_keys = 2 * self.architecture.width
                weights["qkv"][ill, :, :queries_and_keys] *= self.growth
            elif self.fault == "branch":
                weights["down"][ill] *= self.growth

    def rates(self, rate: float) -> Tensor:
        """The learning rate of every weight, (M, P)."""
        rates = torch.full_like(self.flat, rate, requires_grad=False)
        if self.fault == "rate" and self.age == 1:
            for layer, ill in enumerate(self.ill):
                rates[ill, self.columns(layer)] *= HUGE
        return rates

    def _feed_forward(self, weights: Mapping[str, Tensor], x: Tensor) -> Tensor:
        y = super()._feed_forward(weights, x)  # (M, N, d)
        if self.fault != "precision" or not self.age:
            return y
        layer = next(i for i, own in enumerate(self.blocks) if own is weights)
        units = UNITS * self.growth**self.age
        kept = (y.detach() * units).half().float() / units  # (M, N, d)
        return torch.where(self.ill[layer][:, None, None], y + (kept - y).detach(), y)


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What was seen in the window and after it, T steps of V runs for S seeds.

    Run 0 is healthy, run v has its fault in layer v.
    """

    loss: Tensor  # (T, V, S)
    gradient: Tensor  # (T, V, S)
    signs: Tensor  # (T, 6, L, V, S)
    # One for each step with the fault, by run and seed; a faulty run's first one only.
    alarms: Sequence[Mapping[tuple[int, int], Broken]]

    def first(self, run: int, seed: int) -> tuple[int, Broken | None]:
        """How many steps with the fault go by before the first alarm, and what it says."""
        for step, alarms in enumerate(self.alarms):
            if (run, seed) in alarms:
                return step, alarms[run, seed]
        return AFTER, None

    def alarm_steps(self) -> Tensor:
        """The first alarms of the faulty runs, (L, S); AFTER where there is none."""
        runs, seeds = self.loss.shape[1:]
        steps = [[self.first(v, s)[0] for s in range(seeds)] for v in range(1, runs)]
        return torch.tensor(steps, dtype=torch.float64)

    def loss_steps(self) -> Tensor:
        """The same for the alarm on the loss."""
        usual = self.loss[:WINDOW].double()
        limit = usual.mean(0) + SIGMAS * usual.std(0)  # (V, S)
        over = ~(self.loss[WINDOW:] <= limit)  # (T, V, S); NaN is over
        first = over.double().argmax(0).double()  # (V, S)
        return torch.where(over.any(0), first, AFTER)[1:]

    def ratios(self, run: int) -> Tensor:
        """A run's signs over their healthy medians, with one for both branches, (T, 5, L, S)."""
        signs = self.signs[..., run, :].double()
        signs = signs / signs[:WINDOW].median(0).values  # (T, 6, L, S)
        branch = signs[:, 1:3].amax(1, keepdim=True)
        return torch.cat([signs[:, :1], branch, signs[:, 3:]], 1)


def watch(  # noqa: PLR0913, PLR0917 - what makes a run
    architecture: Architecture,
    seeds: Sequence[int],
    fault: Fault,
    growth: float,
    peak: float,
    progress: Progress,
) -> Watched:
    """Train S models, then go on with copies that have a fault, one for each layer."""
    runs, count = architecture.depth + 1, len(seeds)
    net = Transformer(architecture, seeds)
    adam = Adam(net.flat)
    chain = Chain(seeds, architecture.vocabulary)
    healthy = []
    for number in range(SETTLING + WINDOW):
        rate = peak * min(1.0, (number + 1) / WARMUP)
        batch = chain.sample(1, BATCH, architecture.length)[0]  # (S, B, T + 1)
        healthy.append(vitals.step(net, adam, net.flat.new_tensor([[rate]]), batch))
        progress(0.4 * (number + 1) / (SETTLING + WINDOW))
    before = healthy[SETTLING:]
    ill = Patient(net, seeds, fault, growth)
    adam = _copies(adam, ill.flat, runs)
    after = []
    for number in range(AFTER):
        ill.worsen()
        batch = chain.sample(1, BATCH, architecture.length)[0].repeat(runs, 1, 1)
        after.append(vitals.step(ill, adam, ill.rates(peak), batch))
        progress(0.4 + 0.6 * (number + 1) / AFTER)
    usual = list(zip(*(seen.readings() for seen in before), strict=True))  # S times T
    alarms: list[dict[tuple[int, int], Broken]] = []
    ended: set[tuple[int, int]] = set()  # a faulty run's first alarm is enough
    for seen in after:
        found = {}
        for model, reading in enumerate(seen.readings()):
            at = divmod(model, count)
            if at not in ended and (broken := reading.broken(usual[model % count])):
                found[at] = broken
        alarms.append(found)
        ended |= {(run, seed) for run, seed in found if run}

    def join(name: str) -> Tensor:
        healthy = torch.stack([getattr(seen, name) for seen in before])  # (T, …, S)
        faulty = torch.stack([getattr(seen, name) for seen in after])  # (T, …, V·S)
        faulty = faulty.view(*faulty.shape[:-1], runs, count)  # (T, …, V, S)
        shape = (len(healthy), *faulty.shape[1:])
        return torch.cat([healthy.unsqueeze(-2).expand(shape), faulty])

    return Watched(
        loss=join("loss"), gradient=join("gradient"), signs=join("signs"), alarms=alarms
    )


def _copies(adam: Adam, weights: Tensor, times: int) -> Adam:
    """The same moments for several copies of the models, whose weights are given."""
    copied = Adam(weights)
    copied.mean.copy_(adam.mean.repeat(times, 1))
    copied.square.copy_(adam.square.repeat(times, 1))
    copied.steps = adam.steps
    return copied
