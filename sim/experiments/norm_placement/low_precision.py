"""What half precision loses in the residual stream and in the statistics of a norm.

Gaussian streams and updates are rounded to the formats themselves, on the CPU; every error
is taken against double precision.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text, param
from sim.nets import chance, figures, norms, probes
from sim.nets.operators import precision
from sim.nets.operators.precision import (
    BITS,
    DTYPES,
    Format,
    by_pairs,
    one_by_one,
    statistics_error,
)
from sim.nets.probes import apart

SECONDS = 1.0
ROWS = 64
LAYERS = 64
FEW = 8  # rows, where a figure needs no more
SMALL = 1e-3  # RMS of a small row
SIZES = tuple(2.0**k for k in range(2, 13))
WIDTHS = (64, 128, 256, 512, 1024, 2048)
SMALL_SIZES = tuple(10.0 ** (k / 2) for k in range(-10, 1))
EPSILONS: Mapping[core.Key, int] = {"1": -12, "2": -6, "3": -5, "4": -3}  # powers of 10

TITLE = Text(
    en="What does half precision lose around a norm?",
    zh="半精度在归一化附近丢失了什么？",
)
ABOUT = Text(
    en="A number in bfloat16 has 8 significant bits. Where a stream has grown to 256, numbers lie 1 or 2 apart, and many a branch's contribution of size 1 vanishes without trace; the statistics of a norm meet the same limit when they are summed in half precision, and float16's squares overflow from 256 on. Everything here is arithmetic on Gaussian numbers, so the shares follow from the formats and do not depend on the size of a model; what a model loses by it, and how far kernels already keep sums in float32, is not shown.",
    zh="bfloat16 只有 8 个有效二进制位。残差流增长到 256 时，相邻可表示数相差 1 或 2，许多大小为 1 的支路输出会消失得无影无踪；归一化的统计量如果用半精度求和，也会遇到同样的限制，而 float16 的平方从 256 起就溢出。这里全是高斯数上的算术，比例由数的格式决定，与模型规模无关；模型因此损失多少，以及实际内核是否已用 float32 累加，这里没有涉及。",
)


class Params(core.Params):
    stream: float = param(
        256.0,
        ge=16.0,
        le=4096.0,
        step=16.0,
        title=Text(en="Size of the stream", zh="残差流的大小"),
        about=Text(
            en="RMS of the stream, whose updates have RMS 1.",
            zh="残差流的 RMS；更新的 RMS 为 1。",
        ),
    )
    format: Format = param(
        "bfloat16",
        title=Text(en="Format of the stream", zh="残差流的格式"),
        about=Text(
            en="In which updates are added up, layer after layer.",
            zh="逐层累加更新所用的数值格式。",
        ),
    )
    width: Literal[64, 256, 1024, 2048] = param(
        1024,
        title=Text(en="Width", zh="宽度"),
        about=Text(
            en="Features whose squares a norm adds up.",
            zh="归一化求平方和的特征数。",
        ),
    )
    epsilon: float = param(
        1e-5,
        ge=1e-12,
        le=1e-2,
        title=Text(en="$\\varepsilon$", zh="$\\varepsilon$"),
        about=Text(
            en="Added to the mean square under the root of RMSNorm.",
            zh="加在 RMSNorm 根号内均方值上的常数。",
        ),
    )


claim = partial(
    Claim,
    regime=Text(
        en="Gaussian stream of RMS 256, updates of RMS 1, rows of 1024 features, $\\varepsilon=10^{-5}$, rounding to nearest.",
        zh="RMS 为 256 的高斯残差流，RMS 为 1 的更新，每行 1024 个特征，$\\varepsilon=10^{-5}$，就近舍入。",
    ),
)

CLAIMS = (
    claim(
        id="bf16_loses_updates",
        statement=Text(
            en="At a stream of RMS 256 bfloat16 loses 39 % of unit updates entirely.",
            zh="残差流 RMS 为 256 时，bfloat16 会完全丢失 39 % 的单位大小更新。",
        ),
        metric="bf16_lost_share",
        above=0.37,
        below=0.41,
        source="An update below half the spacing $2^{k-7}$ of $[2^k,2^{k+1})$ is lost; integrated over the stream .394",
    ),
    claim(
        id="float32_keeps_updates",
        statement=Text(
            en="float32 loses fewer than one in a thousand.",
            zh="float32 丢失的不到千分之一。",
        ),
        metric="fp32_lost_share",
        below=1e-3,
        source="The same integral with 24 significant bits, below $10^{-5}$",
    ),
    claim(
        id="fp16_square_overflows",
        statement=Text(
            en="In float16 nearly every row of a stream of RMS 256 has a square that is infinite.",
            zh="用 float16 时，RMS 为 256 的残差流几乎每一行都有平方溢出为无穷大。",
        ),
        metric="fp16_overflow_share",
        above=0.99,
        source="$256^2=65536$ exceeds float16's largest number, 65504",
    ),
    claim(
        id="fp32_statistics_repair",
        statement=Text(
            en="With statistics in float32 the same float16 rows are normalised to within rounding.",
            zh="统计量改用 float32，同样的 float16 行就能归一化到舍入误差以内。",
        ),
        metric="fp16_repaired_error",
        below=1e-3,
        source="One rounding of the result to 11 bits, at most $2^{-11}$",
    ),
    claim(
        id="bf16_statistics_error",
        statement=Text(
            en="Squares of 1024 features added up in bfloat16 one after another make RMSNorm's output more than 5 % wrong.",
            zh="把 1024 个特征的平方在 bfloat16 中逐个累加，RMSNorm 的输出误差超过 5 %。",
        ),
        metric="bf16_statistics_error",
        above=0.05,
        source="Rounding $\\chi^2_1$ numbers to multiples of 2 (sums from 256) or 4 (from 512) keeps .87 or .69 of them: .18 of the sum is missing, .09 of its root",
    ),
    claim(
        id="large_epsilon_shrinks_small_rows",
        statement=Text(
            en="With $\\varepsilon=10^{-5}$ a row of RMS 0.001 leaves RMSNorm with less than half of unit size.",
            zh="$\\varepsilon=10^{-5}$ 时，RMS 为 0.001 的行经 RMSNorm 后不到单位大小的一半。",
        ),
        metric="small_row_rms",
        below=0.5,
        source="Zhang & Sennrich 2019 (arXiv:1910.07467) with ε: $r/\\sqrt{r^2+\\varepsilon}$, .30",
    ),
)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    unit = chance.normals(seeds, "stream", ROWS, params.width)  # (S, N, d)
    update = chance.normals(seeds, "update", ROWS, params.width)  # (S, N, d)
    stream = params.stream * unit
    lost = {name: precision.lost(stream, update, DTYPES[name]) for name in DTYPES}
    half = stream.half()  # (S, N, d)
    repaired = norms.normalise(half.float(), "rms").half()  # (S, N, d)
    progress(0.2)
    small = norms.normalise(SMALL * unit, "rms", params.epsilon)  # (S, N, d)
    metrics = {
        "bf16_lost_share": lost["bfloat16"],
        "fp16_lost_share": lost["float16"],
        "fp32_lost_share": lost["float32"],
        "fp16_overflow_share": (half * half).isinf().any(-1).double().mean(1),
        "fp16_repaired_error": apart(
            repaired.double(), norms.normalise(half.double(), "rms")
        ),
        "bf16_statistics_error": statistics_error(unit, one_by_one),
        "small_row_rms": probes.rms(small),
    }
    progress(0.4)
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=(
            _lost(unit[:, :FEW], update[:, :FEW]),
            _running(stream, seeds, params.format),
            _sums(seeds),
            _small_rows(unit[:, :FEW]),
        ),
    )


def _lost(unit: Tensor, update: Tensor) -> Figure:
    keys: Mapping[Format, core.Key] = {"bfloat16": "1", "float16": "2", "float32": "3"}
    series = []
    for name, key in keys.items():
        shares = [precision.lost(rms * unit, update, DTYPES[name]) for rms in SIZES]
        law = [precision.lost_law(rms, BITS[name]) for rms in SIZES]
        series.append(
            figures.band(figures.formula(name), key, SIZES, torch.stack(shares))
        )
        if name != "float32":
            said = Text(en=f"{name}, in theory", zh=f"{name}，理论值")
            series.append(figures.theory(said, SIZES, law))
    return Figure(
        id="lost_updates",
        title=Text(en="Updates that vanish", zh="消失的更新"),
        alt=Text(
            en="Share of unit updates lost entirely against the RMS of the stream: bfloat16 rises from 1 % at a stream of 4 to nearly all at 4096, float16 follows eight times later, float32 stays at zero.",
            zh="完全丢失的单位更新所占比例随残差流 RMS 的变化：bfloat16 从 4 处的约 1 % 升到 4096 处的几乎全部，float16 晚八倍才出现同样的比例，float32 始终接近零。",
        ),
        x=Axis(label=Text(en="RMS of the stream", zh="残差流的 RMS"), scale="log"),
        y=Axis(label=Text(en="Share lost", zh="丢失比例")),
        series=series,
    )


def _running(stream: Tensor, seeds: Sequence[int], name: Format) -> Figure:
    fresh = chance.normals(seeds, "layers", LAYERS, stream.shape[-1])  # (S, L, d)
    runs: dict[Format, core.Key] = {name: "1"}
    runs["float32"] = "3"
    return Figure(
        id="running_sum",
        title=Text(en="What is left after many layers", zh="许多层之后还剩什么"),
        alt=Text(
            en="Relative error of the sum of all updates so far, by layer, with the stream kept in the chosen format and in float32: level, so that nothing averages out over the layers.",
            zh="逐层的更新总和的相对误差：残差流用所选格式保存，或用 float32 保存；两条线都是平的，误差不会随层数平均掉。",
        ),
        x=figures.LAYER,
        y=Axis(
            label=Text(en="Relative error of the sum", zh="总和的相对误差"), scale="log"
        ),
        series=[
            figures.band(
                figures.formula(said),
                key,
                range(1, LAYERS + 1),
                precision.running_error(
                    stream[:, 0], fresh.transpose(0, 1), DTYPES[said]
                ),
            )
            for said, key in runs.items()
        ],
    )


def _sums(seeds: Sequence[int]) -> Figure:
    wide = chance.normals(seeds, "stream", ROWS, WIDTHS[-1])  # (S, N, d)
    ways: Sequence[tuple[core.Key, Text, Callable[[Tensor], Tensor]]] = (
        ("1", Text(en="one after another", zh="逐个累加"), one_by_one),
        ("2", Text(en="in pairs, as a tree", zh="两两相加（树形）"), by_pairs),
        ("3", Text(en="in float32", zh="用 float32"), lambda x: x.float().sum(-1)),
    )
    return Figure(
        id="statistics_error",
        title=Text(en="How a norm adds up its squares", zh="归一化如何累加平方"),
        alt=Text(
            en="Relative error of RMSNorm's output in bfloat16 against the width, both logarithmic: summing one after another grows from below 1 % to a quarter, in pairs it stays at 0.3 %, the rounding of the format, and in float32 below.",
            zh="bfloat16 中 RMSNorm 输出的相对误差随宽度的变化（双对数）：逐个累加从不到 1 % 升到约四分之一；两两相加停在 0.3 %，即该格式的舍入误差；用 float32 累加更低。",
        ),
        x=Axis(label=Text(en="Width $d$", zh="宽度 $d$"), scale="log"),
        y=Axis(label=Text(en="Relative error", zh="相对误差"), scale="log"),
        series=[
            figures.band(
                said,
                key,
                WIDTHS,
                torch.stack([statistics_error(wide[..., :d], way) for d in WIDTHS]),
            )
            for key, said, way in ways
        ],
    )


def _small_rows(unit: Tensor) -> Figure:
    unit = unit / probes.rms(unit)[:, None, None]  # (S, N, d)
    series = []
    for key, power in EPSILONS.items():
        sizes = [
            probes.rms(norms.normalise(rms * unit, "rms", 10.0**power))
            for rms in SMALL_SIZES
        ]
        name = figures.formula(f"$\\varepsilon=10^{{{power}}}$")
        series.append(figures.band(name, key, SMALL_SIZES, torch.stack(sizes)))
    return Figure(
        id="small_rows",
        title=Text(en="Small rows and $\\varepsilon$", zh="小的行与 $\\varepsilon$"),
        alt=Text(
            en="RMS of RMSNorm's output against that of its input, both logarithmic, for four values of epsilon: 1 for large rows, and below the root of epsilon falling in proportion to the input.",
            zh="RMSNorm 输出的 RMS 随输入 RMS 的变化（双对数），共四个 ε：输入大时为 1，低于 ε 的平方根后与输入成比例下降。",
        ),
        x=Axis(label=Text(en="RMS of the input", zh="输入的 RMS"), scale="log"),
        y=Axis(label=Text(en="RMS of the output", zh="输出的 RMS"), scale="log"),
        series=series,
    )
