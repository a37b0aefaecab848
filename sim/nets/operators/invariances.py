"""How much operators notice when their input or the weights before them are changed."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from sim.core import Axis, Figure, Text
from sim.nets import chance, figures, norms
from sim.nets.norms import Operator
from sim.nets.probes import apart

SLOPE = 0.5  # the first α of DyT, tanh(αx)
ROWS = 256
WIDTHS = (16, 32, 64, 128, 256, 512, 1024)
NAMES: Mapping[Operator, Text] = {
    "layer": figures.formula("LayerNorm"),
    "rms": figures.formula("RMSNorm"),
    "scale": figures.formula("ScaleNorm"),
    "tanh": figures.formula("DyT"),
}
CHANGES: Mapping[str, Text] = {
    "scale": Text(en="row scaled", zh="行放大"),
    "shift": Text(en="row shifted", zh="行平移"),
    "matrix": Text(en="all weights scaled", zh="全部权重放大"),
    "column": Text(en="one column of weights scaled", zh="一列权重放大"),
}


def output(x: Tensor, operator: Operator) -> Tensor:
    """Rows (S, N, d) through an operator, without gain and with ε = 0."""
    return norms.normalise(SLOPE * x if operator == "tanh" else x, operator, 0.0)


def table(x: Tensor, weights: Tensor, factor: float, shift: float) -> Tensor:
    """Relative change of what comes out, (operators, changes, S).

    Rows (S, N, d) are changed themselves, or go through weights (S, d, d) of which all or
    the first column is multiplied by the factor.
    """
    column = torch.ones(weights.shape[-1], dtype=weights.dtype)
    column[0] = factor
    mapped = x @ weights  # (S, N, d)
    pairs = (
        (factor * x, x),
        (x + shift, x),
        (x @ (factor * weights), mapped),
        (x @ (column * weights), mapped),
    )
    rows = [
        torch.stack([apart(output(new, name), output(old, name)) for new, old in pairs])
        for name in NAMES
    ]
    return torch.stack(rows)


def gap(seeds: Sequence[int], width: int, mean: float = 0.0) -> Tensor:
    """How far RMSNorm is from LayerNorm on rows of N(mean, 1), (S,)."""
    x = mean + chance.normals(seeds, "features", ROWS, width).double()  # (S, N, d)
    return apart(output(x, "rms"), output(x, "layer"))


def table_figure(values: Tensor) -> Figure:
    return figures.heat(
        list(NAMES.values()),
        range(len(CHANGES)),
        values,
        id="what_is_noticed",
        title=Text(en="What an operator notices", zh="算子察觉到的变化"),
        alt=Text(
            en="Relative change of the output by operator and by change of the input. LayerNorm notices only the scaled column, RMSNorm and ScaleNorm also the shift, DyT everything.",
            zh="按算子和输入变化列出的输出相对变化。LayerNorm 只察觉到一列权重放大，RMSNorm 和 ScaleNorm 还察觉到平移，DyT 则全都察觉。",
        ),
        x=Axis(
            label=Text(en="What is changed", zh="改变了什么"),
            ticks=list(CHANGES.values()),
        ),
        y=Axis(label=Text(en="Operator", zh="算子")),
        value=Axis(label=Text(en="Relative change of the output", zh="输出的相对变化")),
    )


def gap_figure(seeds: Sequence[int]) -> Figure:
    centred, moved = (
        torch.stack([gap(seeds, width, mean) for width in WIDTHS]) for mean in (0, 0.35)
    )  # (widths, S)
    return Figure(
        id="rms_against_layer",
        title=Text(
            en="How far RMSNorm is from LayerNorm", zh="RMSNorm 与 LayerNorm 相差多少"
        ),
        alt=Text(
            en="Relative difference against the width, both logarithmic: falling as one over the root of the width where features have mean 0, staying at about a third where their mean is a third of their spread.",
            zh="相对差异随宽度的变化（双对数）：特征均值为 0 时按宽度平方根的倒数下降；均值约为标准差的三分之一时，停在三分之一左右。",
        ),
        x=Axis(label=Text(en="Width $d$", zh="宽度 $d$"), scale="log"),
        y=Axis(label=Text(en="Relative difference", zh="相对差异"), scale="log"),
        series=[
            figures.band(Text(en="mean 0", zh="均值 0"), "1", WIDTHS, centred),
            figures.band(Text(en="mean 0.35 σ", zh="均值 0.35 σ"), "2", WIDTHS, moved),
            figures.theory(
                figures.formula("$1/\\sqrt{d}$"), WIDTHS, [w**-0.5 for w in WIDTHS]
            ),
        ],
    )
