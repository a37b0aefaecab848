"""What a stack of models has in common, and the weights that follow from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from torch import Tensor

from sim.nets import blocks, chance, norms

Init = Literal["xavier", "pytorch", "small", "normal"]


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """What all models of a stack have in common.

    ``init`` is Xavier's for every matrix on its own (as in Vaswani et al.'s code), the
    variances of ``nn.TransformerEncoderLayer``, a std of √(2/5d) for every matrix (SmallInit,
    Nguyen & Salazar 2019) or of 0.02 (GPT-2); all Gaussian. ``final_norm`` left open
    means: where the last layer leaves the stream unnormalised. ``embedding`` is the std of
    a token's embedding with its position.
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
    qk_norm: bool = False
    embedding: float = 1.0

    @cached_property
    def rules(self) -> Sequence[blocks.Rule]:
        """One for each layer."""
        rule = blocks.RULES[self.placement]
        return [rule(layer, self.depth) for layer in range(1, self.depth + 1)]

    @property
    def ends_in_norm(self) -> bool:
        given = self.final_norm
        return self.rules[-1].final_norm if given is None else given


class Weight(NamedTuple):
    """Rows and columns of a matrix, its first mean, and a std for each group of columns."""

    rows: int
    columns: int
    std: tuple[float, ...] = (0.0,)
    mean: float = 0.0

    @property
    def size(self) -> int:
        return self.rows * self.columns

    @property
    def drawn(self) -> int:
        """How many random numbers it takes."""
        return self.size if any(self.std) else 0


Layout = Mapping[str, Weight]


def draw(architecture: Architecture, seeds: Sequence[int]) -> Tensor:
    """The standard normal numbers that first weights are made of, (M, W).

    Norms take none, so placements share them, and a shallower stack's stand first.
    """
    layouts = plan(architecture)
    count = sum(weight.drawn for layout in layouts for weight in layout.values())
    rows = {seed: chance.normal(seed, "weights", count) for seed in sorted(set(seeds))}
    return chance.tensor([rows[seed] for seed in seeds])


def branch_gains(architecture: Architecture) -> tuple[float, float]:
    """Mean square of attention's and feed-forward's output at initialisation.

    For inputs of mean square 1. Attention's is the largest possible, that of equal tokens
    (averaging different ones makes it smaller), which with Xavier's weights is 1.
    """
    layout, width = _block(architecture, architecture.rules[0]), architecture.width
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


def _outer(architecture: Architecture) -> Layout:
    """Embeddings whose sum has its std, the head, and the final norm."""
    width, vocabulary = architecture.width, architecture.vocabulary
    half = architecture.embedding * 0.5**0.5
    layout = {
        "token": Weight(vocabulary, width, (half,)),
        "position": Weight(architecture.length, width, (half,)),
        "head": Weight(width, vocabulary, (width**-0.5,)),
        "head_bias": Weight(1, vocabulary),
    }
    return layout | (_norm(architecture, "") if architecture.ends_in_norm else {})


def _block(architecture: Architecture, rule: blocks.Rule) -> Layout:
    width, hidden = architecture.width, architecture.hidden
    shrink, last = rule.shrink, rule.shrink * rule.shrink_last
    bias_up = bias_down = 0.0
    match architecture.init:
        case "xavier":
            queries = values = out = width**-0.5
            up = down = (2 / (width + hidden)) ** 0.5
        case (
            "pytorch"
        ):  # Xavier on queries, keys and values as one matrix, else U(±1/√fan-in)
            queries = values = (2 * width) ** -0.5
            out = up = bias_up = (3 * width) ** -0.5
            down = bias_down = (3 * hidden) ** -0.5
        case "small":
            queries = values = out = up = down = (2 / (5 * width)) ** 0.5
        case "normal":
            queries = values = out = up = down = 0.02
    layout = {
        "qkv": Weight(width, 3 * width, (queries, queries, values * shrink)),
        "qkv_bias": Weight(1, 3 * width),
        "out": Weight(width, width, (out * last,)),
        "out_bias": Weight(1, width),
        "up": Weight(width, hidden, (up * shrink,)),
        "up_bias": Weight(1, hidden, (bias_up,)),
        "down": Weight(hidden, width, (down * last,)),
        "down_bias": Weight(1, width, (bias_down,)),
    }
    for place in range(2 * rule.norms):
        layout |= _norm(architecture, str(place))
    if rule.gain is not None:
        columns = width if rule.gain_by_channel else 1
        gain = Weight(1, columns, mean=rule.gain)
        layout |= {"branch_gain0": gain, "branch_gain1": gain}
    return layout


def _norm(architecture: Architecture, place: str) -> dict[str, Weight]:
    parts = norms.initial(architecture.operator, architecture.width)
    return {
        f"{name}{place}": Weight(1, columns, mean=first)
        for name, (columns, first) in parts.items()
    }


def plan(architecture: Architecture) -> list[Layout]:
    """The weights outside the blocks, then those of each block."""
    rules = architecture.rules
    return [_outer(architecture), *(_block(architecture, rule) for rule in rules)]
