"""M small Transformers run as one: weights are rows of one matrix, seen as views.

B sequences of T tokens make N = B·T rows for each model; d is the width, F the hidden width
of the feed-forward sublayer, H the number of heads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from sim.nets import blocks, chance, norms

Init = Literal["xavier", "pytorch"]


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """What all models of a stack have in common.

    ``init`` is Xavier's for every matrix on its own (as in Vaswani et al.'s code), or the
    variances of ``nn.TransformerEncoderLayer``; both Gaussian. ``final_norm`` left open
    means: where the placement leaves the stream unnormalised.
    """

    depth: int
    width: int
    heads: int
    hidden: int
    length: int
    vocabulary: int
    placement: blocks.Placement = "pre"
    operator: norms.Operator = "layer"
    activation: blocks.Activation = "relu"
    init: Init = "xavier"
    causal: bool = False
    final_norm: bool | None = None

    @property
    def rule(self) -> blocks.Rule:
        return blocks.RULES[self.placement]

    @property
    def ends_in_norm(self) -> bool:
        given = self.final_norm
        return self.rule.final_norm if given is None else given


class Weight(NamedTuple):
    """Rows and columns of a matrix, its first mean, and a std for each group of columns."""

    rows: int
    columns: int
    std: tuple[float, ...] = (0.0,)
    mean: float = 0.0

    @property
    def drawn(self) -> int:
        """How many random numbers it takes."""
        return self.rows * self.columns if any(self.std) else 0


Layout = Mapping[str, Weight]


@dataclass(kw_only=True)
class Trace:
    """What a pass leaves behind: streams x_0 … x_L, and the two branches of each block.

    ``cut`` stops the gradient at every branch, so that only the skip path and the norms on
    it are left.
    """

    cut: bool = False
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
        layouts = _layouts(architecture)
        sizes = [w.rows * w.columns for layout in layouts for w in layout.values()]
        self.flat = torch.empty(len(seeds), sum(sizes), dtype=dtype)  # (M, P)
        views = iter(torch.split(self.flat, sizes, 1))
        self.weights: list[Tensor] = []
        parts: list[dict[str, Tensor]] = []
        for layout in layouts:
            parts.append({})
            for name, weight in layout.items():
                view = next(views).view(-1, weight.rows, weight.columns)
                _fill(view, weight, numbers[:, : weight.drawn])
                numbers = numbers[:, weight.drawn :]
                parts[-1][name] = view.requires_grad_()  # (M, rows, columns)
                self.weights.append(view)
        self.outer, *self.blocks = parts
        length = architecture.length
        full = torch.full((length, length), -torch.inf, dtype=dtype)  # (T, T)
        self.mask = full.triu(1) if architecture.causal else torch.zeros_like(full)

    def columns(self, block: int) -> slice:
        """Where in ``flat`` the weights of a block stand."""
        outer, size = (
            sum(weight[0].numel() for weight in part.values())
            for part in (self.outer, self.blocks[0])
        )
        return slice(outer + block * size, outer + (block + 1) * size)

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
        architecture = self.architecture
        rule, count = architecture.rule, architecture.rule.norms
        if trace:
            trace.streams.append(x)
        for weights in self.blocks:
            sublayers: tuple[blocks.Map, ...] = (
                partial(self._attention, weights),
                partial(self._feed_forward, weights),
            )
            for place, sublayer in enumerate(sublayers):
                branch = _watched(sublayer, trace) if trace else sublayer
                places = range(place * count, (place + 1) * count)
                maps = [partial(self.norm, weights, str(i)) for i in places]
                if trace:
                    trace.inputs.append(x)
                x = blocks.residual(rule, architecture.depth, x, branch, maps)
            if trace:
                trace.streams.append(x)
        return x  # (M, N, d)

    def finish(self, x: Tensor) -> Tensor:
        """The stack's output for a stream (M, N, d): normalised once more where due."""
        return self.norm(self.outer, "", x) if self.architecture.ends_in_norm else x

    def logits(self, ids: Tensor) -> Tensor:
        """Scores of the next symbol, (M, N, V), for symbols (M, B, T)."""
        x = self.finish(self.stream(self.embed(ids)))  # (M, N, d)
        return torch.baddbmm(self.outer["head_bias"], x, self.outer["head"])

    def losses(self, ids: Tensor, targets: Tensor) -> Tensor:
        """Each model's mean cross-entropy in nats, (M,); both arguments (M, B, T)."""
        logits = self.logits(ids).flatten(0, 1)  # (M·N, V)
        losses = functional.cross_entropy(logits, targets.flatten(), reduction="none")
        return losses.view(len(ids), -1).mean(1)  # (M,)

    def norm(self, weights: Mapping[str, Tensor], place: str, x: Tensor) -> Tensor:
        """Normalise (M, N, d) with the gain and shift of a place."""
        gain, shift = weights.get(f"gain{place}"), weights.get(f"shift{place}")
        return norms.norm(x, self.architecture.operator, gain, shift)  # (M, N, d)

    def _attention(self, weights: Mapping[str, Tensor], x: Tensor) -> Tensor:
        return blocks.attention(weights, x, self.architecture.heads, self.mask)

    def _feed_forward(self, weights: Mapping[str, Tensor], x: Tensor) -> Tensor:
        return blocks.feed_forward(weights, x, self.architecture.activation)


def draw(architecture: Architecture, seeds: Sequence[int]) -> Tensor:
    """The standard normal numbers that first weights are made of, (M, W).

    Norms take none, so placements share them, and a shallower stack's stand first.
    """
    layouts = _layouts(architecture)
    count = sum(weight.drawn for layout in layouts for weight in layout.values())
    rows = {seed: chance.normal(seed, "weights", count) for seed in sorted(set(seeds))}
    return chance.tensor([rows[seed] for seed in seeds])


def branch_gains(architecture: Architecture) -> tuple[float, float]:
    """Mean square of attention's and feed-forward's output at initialisation.

    For inputs of mean square 1. Attention's is the largest possible, that of equal tokens
    (averaging different ones makes it smaller), which with Xavier's weights is 1.
    """
    layout, width = _block(architecture), architecture.width
    value, out = layout["qkv"].std[-1], layout["out"].std[0]
    up, up_bias = layout["up"].std[0], layout["up_bias"].std[0]
    down, down_bias = layout["down"].std[0], layout["down_bias"].std[0]
    squares = blocks.activation_gain(
        architecture.activation, width * up**2 + up_bias**2
    )
    return (
        (width * value * out) ** 2,
        architecture.hidden * down**2 * squares + down_bias**2,
    )


def _watched(branch: blocks.Map, trace: Trace) -> blocks.Map:
    def watched(x: Tensor) -> Tensor:
        y = branch(x).detach() if trace.cut else branch(x)
        trace.branches.append(y)
        return y

    return watched


def _outer(architecture: Architecture) -> Layout:
    """Embeddings whose sum has unit variance, the head, and the final norm."""
    width, vocabulary = architecture.width, architecture.vocabulary
    layout = {
        "token": Weight(vocabulary, width, (0.5**0.5,)),
        "position": Weight(architecture.length, width, (0.5**0.5,)),
        "head": Weight(width, vocabulary, (width**-0.5,)),
        "head_bias": Weight(1, vocabulary),
    }
    return layout | (_norm(architecture, "") if architecture.ends_in_norm else {})


def _block(architecture: Architecture) -> Layout:
    width, hidden = architecture.width, architecture.hidden
    shrink = architecture.rule.shrink(architecture.depth)
    bias_up = bias_down = 0.0
    if architecture.init == "xavier":
        queries = values = out = width**-0.5
        up = down = (2 / (width + hidden)) ** 0.5
    else:  # Xavier on the three input maps as one matrix, U(±1/√fan-in) elsewhere
        queries = values = (2 * width) ** -0.5
        out = up = bias_up = (3 * width) ** -0.5
        down = bias_down = (3 * hidden) ** -0.5
    layout = {
        "qkv": Weight(width, 3 * width, (queries, queries, values * shrink)),
        "qkv_bias": Weight(1, 3 * width),
        "out": Weight(width, width, (out * shrink,)),
        "out_bias": Weight(1, width),
        "up": Weight(width, hidden, (up * shrink,)),
        "up_bias": Weight(1, hidden, (bias_up,)),
        "down": Weight(hidden, width, (down * shrink,)),
        "down_bias": Weight(1, width, (bias_down,)),
    }
    for place in range(2 * architecture.rule.norms):
        layout |= _norm(architecture, str(place))
    return layout


def _norm(architecture: Architecture, place: str) -> dict[str, Weight]:
    parts = norms.initial(architecture.operator, architecture.width)
    return {
        f"{name}{place}": Weight(1, columns, mean=first)
        for name, (columns, first) in parts.items()
    }


def _layouts(architecture: Architecture) -> list[Layout]:
    return [_outer(architecture), *[_block(architecture)] * architecture.depth]


def _fill(view: Tensor, weight: Weight, numbers: Tensor) -> None:
    """Give (M, rows, columns) its first values."""
    if weight.drawn:
        view.copy_(numbers.view(view.shape))
        for columns, std in zip(
            view.chunk(len(weight.std), -1), weight.std, strict=True
        ):
            columns.mul_(std)
    else:
        view.fill_(weight.mean)
