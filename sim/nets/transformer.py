"""M small Transformers run as one: weights are rows of one matrix, seen as views.

B sequences of T tokens make N = B·T rows for each model; d is the width, F the hidden width
of the feed-forward sublayer, H the number of heads.
"""

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import torch
from torch import Tensor
from torch.nn import functional

from sim.nets import blocks, norms
from sim.nets.architecture import (
    Architecture,
    Init,
    Weight,
    branch_gains,
    draw,
    plan,
)

TOGETHER = 16  # tokens, at least, that attention's products are made for at a time

__all__ = ["Architecture", "Init", "Trace", "Transformer", "branch_gains", "draw"]


@dataclass(kw_only=True)
class Trace:
    """What a pass leaves behind: streams x_0 … x_L, and the two branches of each block.

    ``cut`` stops the gradient at every branch, so that only the skip path and the norms on
    it are left. Attention's logits are kept on demand.
    """

    cut: bool = False
    scores: list[Tensor] | None = None  # depth times (M, B, H, T, T)
    streams: list[Tensor] = field(default_factory=list)  # depth + 1 times (M, N, d)
    inputs: list[Tensor] = field(default_factory=list)  # 2 · depth times (M, N, d)
    branches: list[Tensor] = field(default_factory=list)  # 2 · depth times (M, N, d)


class Transformer:
    """One model for each seed, all of one architecture; a seed always gives its weights.

    Placements share the weights of a seed, so they differ in nothing but the block.
    """

    def __init__(
        self,
        architecture: Architecture,
        seeds: Sequence[int],
        dtype: torch.dtype = torch.float32,
        *,
        numbers: Tensor | None = None,
    ) -> None:
        """``numbers`` may be :func:`draw`'s for the same seeds and as deep a stack."""
        self.architecture = architecture
        if numbers is None:
            numbers = draw(architecture, seeds)  # (M, W)
        layouts = plan(architecture)
        self.sizes = [sum(w.size for w in layout.values()) for layout in layouts]
        self._see(torch.empty(len(seeds), sum(self.sizes), dtype=dtype))
        views = iter(self.weights)
        for weight in (w for layout in layouts for w in layout.values()):
            _fill(next(views), weight, numbers[:, : weight.drawn])
            numbers = numbers[:, weight.drawn :]
        length = architecture.length
        apart = torch.eye(max(1, TOGETHER // length), dtype=dtype)
        seen = torch.kron(apart, torch.ones(length, length, dtype=dtype))
        hidden = (seen.tril() if architecture.causal else seen) == 0
        self.masks = torch.zeros_like(seen).masked_fill_(hidden, -torch.inf)
        self.mask = self.masks[:length, :length]  # (T, T)

    def _see(self, flat: Tensor) -> None:
        """Take the rows of (M, P) as the models, and make each weight's view of them."""
        self.flat = flat  # (M, P)
        layouts = plan(self.architecture)
        sizes = [w.size for layout in layouts for w in layout.values()]
        views = iter(torch.split(flat, sizes, 1))
        parts = [
            {
                name: next(views).view(-1, weight.rows, weight.columns).requires_grad_()
                for name, weight in layout.items()  # (M, rows, columns) each
            }
            for layout in layouts
        ]
        self.outer, *self.blocks = parts
        self.weights = [weight for part in parts for weight in part.values()]

    def among(self, rows: slice) -> Self:
        """Some of the models, as a stack of their own on the same memory."""
        some = copy(self)
        some._see(self.flat[rows])
        return some

    def columns(self, block: int) -> slice:
        """Where in ``flat`` the weights of a block stand."""
        start = sum(self.sizes[: block + 1])
        return slice(start, start + self.sizes[block + 1])

    def norms(self, rows: Tensor) -> Tensor:
        """Of (M, P) like ``flat``: norms of what is outside the blocks, then of each,
        (1 + L, M)."""
        parts = torch.split(rows, self.sizes, 1)
        return torch.stack([part.norm(dim=1) for part in parts])

    def embed(self, ids: Tensor) -> Tensor:
        """Token plus position embedding of (M, B, T), as rows (M, N, d)."""
        models, batch, length = ids.shape
        architecture = self.architecture
        first = torch.arange(models)[:, None, None] * architecture.vocabulary
        table = self.outer["token"].flatten(0, 1)  # (M·V, d)
        x = functional.embedding(ids + first, table)  # (M, B, T, d)
        x = x + self.outer["position"][:, None]  # (M, B, T, d)
        return x.view(models, batch * length, architecture.width)  # (M, N, d)

    def stream(self, x: Tensor, trace: Trace | None = None) -> Tensor:
        """Send (M, N, d) through all blocks."""
        if trace:
            trace.streams.append(x)
        written = [x]
        for rule, weights in zip(self.architecture.rules, self.blocks, strict=True):
            scores = trace.scores if trace else None
            sublayers: tuple[blocks.Map, ...] = (
                partial(self._attention, weights, scores),
                partial(self._feed_forward, weights),
            )
            for place, sublayer in enumerate(sublayers):
                branch = _watched(sublayer, trace) if trace else sublayer
                if rule.dual:
                    branch = _kept(branch, written)
                places = range(place * rule.norms, (place + 1) * rule.norms)
                maps = [partial(self.norm, weights, str(i)) for i in places]
                if trace:
                    trace.inputs.append(x)
                gain = weights.get(f"branch_gain{place}")
                x = blocks.residual(rule, x, branch, maps, gain)
            if trace:
                trace.streams.append(x)
        if self.architecture.rules[-1].dual:
            x = x + self.norm(self.outer, "", sum(written[1:], written[0]))
        return x  # (M, N, d)

    def finish(self, x: Tensor) -> Tensor:
        """The stack's output for a stream (M, N, d): normalised once more where due."""
        architecture = self.architecture
        if architecture.rules[-1].dual or not architecture.ends_in_norm:
            return x
        return self.norm(self.outer, "", x)

    def logits(self, ids: Tensor, trace: Trace | None = None) -> Tensor:
        """Scores of the next symbol, (M, N, V), for symbols (M, B, T)."""
        return self.read(self.output(ids, trace))

    def output(self, ids: Tensor, trace: Trace | None = None) -> Tensor:
        """What the head reads, (M, N, d), for symbols (M, B, T)."""
        return self.finish(self.stream(self.embed(ids), trace))

    def read(self, output: Tensor) -> Tensor:
        """Scores of the next symbol, (M, N, V), from an output (M, N, d)."""
        return torch.baddbmm(self.outer["head_bias"], output, self.outer["head"])

    def losses(
        self, ids: Tensor, targets: Tensor, trace: Trace | None = None
    ) -> Tensor:
        """Each model's mean cross-entropy in nats, (M,); both arguments (M, B, T)."""
        return self.surprise(self.logits(ids, trace), targets)

    @staticmethod
    def surprise(logits: Tensor, targets: Tensor) -> Tensor:
        """Mean cross-entropy, (M,), of targets (M, B, T) given their scores (M, N, V)."""
        scores, wanted = logits.flatten(0, 1), targets.flatten()  # (M·N, V) and (M·N,)
        losses = functional.cross_entropy(scores, wanted, reduction="none")
        return losses.view(len(targets), -1).mean(1)  # (M,)

    def norm(self, weights: Mapping[str, Tensor], place: str, x: Tensor) -> Tensor:
        """Normalise (M, N, d) with the gain and shift of a place."""
        learned = (weights.get(f"{part}{place}") for part in norms.LEARNED)
        return norms.norm(x, self.architecture.operator, *learned)  # (M, N, d)

    def _attention(
        self, weights: Mapping[str, Tensor], scores: list[Tensor] | None, x: Tensor
    ) -> Tensor:
        mask = self.mask  # (T, T): scores are watched of one sequence at a time
        if scores is None:
            rows = math.gcd(x.shape[1], len(self.masks))
            mask = self.masks[:rows, :rows]
        return blocks.attention(
            weights,
            x,
            self.architecture.heads,
            mask,
            qk_norm=self.architecture.qk_norm,
            watch=None if scores is None else scores.append,
        )

    def _feed_forward(self, weights: Mapping[str, Tensor], x: Tensor) -> Tensor:
        return blocks.feed_forward(weights, x, self.architecture.activation)


def _watched(branch: blocks.Map, trace: Trace) -> blocks.Map:
    def watched(x: Tensor) -> Tensor:
        y = branch(x).detach() if trace.cut else branch(x)
        trace.branches.append(y)
        return y

    return watched


def _kept(branch: blocks.Map, written: list[Tensor]) -> blocks.Map:
    def kept(x: Tensor) -> Tensor:
        written.append(branch(x))
        return written[-1]

    return kept


@torch.no_grad()
def _fill(view: Tensor, weight: Weight, numbers: Tensor) -> None:
    """Give (M, rows, columns) its first values."""
    if not weight.drawn:
        view.fill_(weight.mean)
    elif len(set(weight.std)) == 1:
        torch.mul(numbers.view(view.shape), weight.std[0], out=view)
    else:
        view.copy_(numbers.view(view.shape))
        for columns, std in zip(
            view.chunk(len(weight.std), -1), weight.std, strict=True
        ):
            columns.mul_(std)
