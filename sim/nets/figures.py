"""Curves over seeds as figure data, and the names and words that figures share."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from sim.core import Axis, Figure, Key, Series, Text, bootstrap

PRE = Text(en="Pre-Norm", zh="Pre-Norm")
POST = Text(en="Post-Norm", zh="Post-Norm")
PLAIN = Text(en="No residual connection", zh="无残差连接")
LAYER = Axis(label=Text(en="Layer", zh="层"))
PASSED = Axis(label=Text(en="Layers passed", zh="已经过的层数"))
DEPTH = Axis(label=Text(en="Depth (layers)", zh="深度（层）"), scale="log")
STEP = Axis(label=Text(en="Step", zh="步"))
GAP = Axis(label=Text(en="Gap", zh="差距"))
SQUARE = Axis(label=Text(en="Mean square", zh="均方值"))
NORM = Axis(label=Text(en="Gradient norm", zh="梯度范数"), scale="log")
RELATIVE = Axis(
    label=Text(en="Gradient norm, relative to the end", zh="梯度范数，相对末端"),
    scale="log",
)
NAMES: Mapping[str, tuple[Text, Key]] = {
    "pre": (PRE, "1"),
    "post": (POST, "2"),
    "plain": (PLAIN, "3"),
    "sandwich": (Text(en="Sandwich-Norm", zh="Sandwich-Norm"), "4"),
    "deepnorm": (Text(en="DeepNorm", zh="DeepNorm"), "5"),
    "output": (Text(en="Norm on the output", zh="支路输出归一化"), "6"),
    "hybrid": (Text(en="Hybrid", zh="混合放置"), "7"),
    "mix": (Text(en="Mix-LN", zh="Mix-LN"), "8"),
    "residual_dual": (Text(en="ResiDual", zh="ResiDual"), "4"),
    "scaled": (
        Text(en="Pre-Norm, branches $/\\sqrt{L}$", zh="Pre-Norm，支路除以 $\\sqrt{L}$"),
        "3",
    ),
    "gpt2": (Text(en="GPT-2", zh="GPT-2"), "5"),
    "ln_scaling": (Text(en="LN scaling", zh="LN 缩放"), "6"),
    "layer_scale": (Text(en="LayerScale", zh="LayerScale"), "7"),
    "rezero": (Text(en="ReZero", zh="ReZero"), "8"),
}
"""Every placement's name, and the key it is drawn with."""
ALSO: Key = "5"  # of the one further placement that a run is asked to show


def band(name: Text, key: Key, x: Sequence[float], values: Tensor) -> Series:
    """The median over the seeds of (K, S), with smallest and largest as its band."""
    return Series(
        name=name,
        key=key,
        x=list(x),
        y=values.quantile(0.5, dim=1).tolist(),
        low=values.amin(1).tolist(),
        high=values.amax(1).tolist(),
    )


def interval(name: Text, key: Key, x: Sequence[float], values: Tensor) -> Series:
    """The median over the seeds of (K, S), with its 95% bootstrap interval as a band."""
    low, high = zip(*(bootstrap(row) for row in values.tolist()), strict=True)
    y = values.quantile(0.5, dim=1).tolist()
    return Series(name=name, key=key, x=list(x), y=y, low=list(low), high=list(high))


def heat(
    rows: Sequence[Text], columns: Sequence[float], values: Tensor, **about: Any
) -> Figure:
    """A heat map of (R, C, S): medians over the seeds, R named rows by C columns.

    ``about`` is the rest of the figure: its id, title and alt, the axes x (columns) and y
    (what rows are), and ``value``, the axis of the colours.
    """
    series = [
        band(name, "1", columns, row) for name, row in zip(rows, values, strict=True)
    ]
    return Figure(kind="heat", series=series, **about)


def placed(
    placement: str, x: Sequence[float], values: Tensor, key: Key | None = None
) -> Series:
    """A placement's own band, by its own name and, if no other is given, its own key."""
    name, own = NAMES[placement]
    return band(name, key or own, x, values)


def formula(tex: str) -> Text:
    """A name that reads the same in every language."""
    return Text(en=tex, zh=tex)


def theory(name: Text, x: Sequence[float], y: Sequence[float]) -> Series:
    return Series(name=name, key="t", x=list(x), y=list(y))


def frequencies_only(x: Sequence[float]) -> Series:
    """The gap of a model that knows no more than how frequent the symbols are."""
    name = Text(en="Symbol frequencies only", zh="仅知符号频率")
    return theory(name, [x[0], x[-1]], [1.0, 1.0])
