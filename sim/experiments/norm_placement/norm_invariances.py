"""Which changes of its input or its weights a norm does not notice, and what follows.

Rows and weights are Gaussian, everything is computed in double precision with ε = 0, so
that an invariance is one to the last digits.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import torch

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text, param
from sim.nets import chance, figures
from sim.nets.learning.descent import Path, descend
from sim.nets.operators import invariances
from sim.nets.operators.invariances import gap, output
from sim.nets.probes import apart

SECONDS = 1.5
BATCH, STEPS, RATE = 64, 150, 0.3  # of gradient descent
MEAN, SPREAD = 0.7, 2.0

TITLE = Text(en="What does a norm not notice?", zh="归一化察觉不到哪些变化？")
ABOUT = Text(
    en="LayerNorm, RMSNorm, ScaleNorm and the elementwise DyT, $\\tanh(\\alpha x)$, see the same rows scaled, shifted, or multiplied by a weight matrix of which all or one column is scaled. Where scaling a weight matrix changes nothing, its gradient stands at right angles to it: gradient descent can only lengthen it, so that the steps turn it less and less, until weight decay holds the balance. The operators' identities hold at any size; the training run is a single matrix before a norm, without gain, under plain gradient descent, so rates and steps do not carry over to Adam or to whole networks.",
    zh="让 LayerNorm、RMSNorm、ScaleNorm 和逐元素的 DyT（$\\tanh(\\alpha x)$）处理同样的行：放大、平移，或乘以整体或某一列被放大的权重矩阵。如果放大权重矩阵不改变任何结果，它的梯度就与它正交：梯度下降只会使它变长，每一步转过的角度越来越小，直到权重衰减与之平衡。算子的恒等式与规模无关；训练部分只是归一化之前的一个矩阵，没有缩放参数，用普通梯度下降，因此学习率和步数不能照搬到 Adam 或整个网络。",
)


class Params(core.Params):
    width: int = param(
        64,
        ge=16,
        le=256,
        step=16,
        title=Text(en="Width", zh="宽度"),
        about=Text(en="Features of a row, $d$.", zh="每一行的特征数 $d$。"),
    )
    shift: float = param(
        5.0,
        ge=1.0,
        le=20.0,
        step=1.0,
        title=Text(en="Shift", zh="平移量"),
        about=Text(en="Added to every feature.", zh="加到每个特征上的数。"),
    )
    factor: float = param(
        10.0,
        ge=2.0,
        le=100.0,
        step=1.0,
        title=Text(en="Scaling", zh="放大倍数"),
        about=Text(
            en="Factor on rows, on a matrix or on one of its columns.",
            zh="乘在行、矩阵或矩阵某一列上的倍数。",
        ),
    )
    operator: Literal["layer", "rms", "scale", "none"] = param(
        "layer",
        title=Text(en="Norm after the weights", zh="权重之后的归一化"),
        about=Text(
            en="What the trained matrix feeds.", zh="被训练的矩阵所输入的归一化。"
        ),
    )
    decay: float = param(
        0.1,
        ge=0.05,
        le=0.5,
        step=0.05,
        title=Text(en="Weight decay $\\lambda$", zh="权重衰减 $\\lambda$"),
        about=Text(
            en="A step takes away this share of the weights, times the rate of 0.3.",
            zh="每一步减去权重的这个比例（再乘以学习率 0.3）。",
        ),
    )


_ZHANG = "Zhang & Sennrich 2019 (arXiv:1910.07467), table 1"
_LAARHOVEN = (
    "Homogeneity of degree 0; Van Laarhoven 2017 (arXiv:1706.05350), known second-hand"
)
claim = partial(
    Claim,
    regime=Text(
        en="Rows from $N(0.7, 2^2)$, float64, $\\varepsilon=0$, no gain; one Gaussian matrix under gradient descent.",
        zh="行取自 $N(0.7, 2^2)$，float64，$\\varepsilon=0$，无缩放参数；一个高斯矩阵，梯度下降。",
    ),
)

CLAIMS = (
    claim(
        id="ln_is_centred_rms",
        statement=Text(
            en="LayerNorm is RMSNorm of the centred row.",
            zh="LayerNorm 就是对中心化后的行做 RMSNorm。",
        ),
        metric="ln_minus_centred_rms",
        below=1e-9,
        source="Zhang & Sennrich 2019 (arXiv:1910.07467), section 4",
    ),
    claim(
        id="ln_shift_invariant",
        statement=Text(
            en="Adding a constant to all features does not change LayerNorm's output.",
            zh="给所有特征加同一个常数，LayerNorm 的输出不变。",
        ),
        metric="layer_shift_change",
        below=1e-9,
        source=_ZHANG,
    ),
    claim(
        id="rms_not_shift_invariant",
        statement=Text(
            en="Adding a constant to all features changes RMSNorm's output.",
            zh="给所有特征加同一个常数，RMSNorm 的输出会改变。",
        ),
        metric="rms_shift_change",
        above=0.3,
        source=f"{_ZHANG}; unit rows at cosine $c$ lie $\\sqrt{{2-2c}}$ apart, .37 for a shift of 1, .87 for 5",
    ),
    claim(
        id="norms_scale_invariant",
        statement=Text(
            en="Scaling a row changes none of LayerNorm, RMSNorm and ScaleNorm.",
            zh="把一行整体放大，LayerNorm、RMSNorm 和 ScaleNorm 的输出都不变。",
        ),
        metric="norms_scale_change",
        below=1e-9,
        source=_ZHANG,
    ),
    claim(
        id="column_scale_changes",
        statement=Text(
            en="Scaling one column of the weights before a norm changes its output, for LayerNorm and RMSNorm alike.",
            zh="只放大归一化之前权重的一列，LayerNorm 和 RMSNorm 的输出都会改变。",
        ),
        metric="column_change",
        above=0.05,
        source=f"{_ZHANG}: weight vector re-scaling; one feature of $d$ doubled moves a row by about $1/\\sqrt d$, .06 for 256",
    ),
    claim(
        id="scalenorm_is_tied_rms",
        statement=Text(
            en="ScaleNorm with gain $\\sqrt d$ is RMSNorm: one gain for all features.",
            zh="增益为 $\\sqrt d$ 的 ScaleNorm 就是 RMSNorm：所有特征共用一个增益。",
        ),
        metric="scalenorm_minus_rms",
        below=1e-9,
        source="Nguyen & Salazar 2019 (arXiv:1910.05895), section 2.3",
    ),
    claim(
        id="tanh_not_scale_invariant",
        statement=Text(
            en="DyT, $\\tanh(x/2)$ feature by feature, notices when its input is scaled.",
            zh="DyT 逐特征计算 $\\tanh(x/2)$，输入放大时输出会改变。",
        ),
        metric="tanh_scale_change",
        above=0.15,
        source="Zhu et al. 2025 (arXiv:2503.10622), abstract; bounded and steepest at 0, the map is not constant along a ray",
    ),
    claim(
        id="rms_close_to_ln_for_centred",
        statement=Text(
            en="For features of mean 0, RMSNorm and LayerNorm differ by about $1/\\sqrt d$.",
            zh="特征均值为 0 时，RMSNorm 与 LayerNorm 大约相差 $1/\\sqrt d$。",
        ),
        metric="centred_difference_times_root",
        above=0.8,
        below=1.2,
        source="The mean of $d$ independent features has a standard deviation of $\\sigma/\\sqrt d$",
    ),
    claim(
        id="gradient_orthogonal_to_weight",
        statement=Text(
            en="The gradient of a matrix that feeds a norm is orthogonal to it, in every step.",
            zh="输入归一化的权重矩阵，其梯度在每一步都与它正交。",
        ),
        metric="weight_gradient_cosine",
        below=1e-9,
        source=_LAARHOVEN,
    ),
    claim(
        id="weight_norm_only_grows",
        statement=Text(
            en="Gradient descent lengthens it in every step: $\\lVert W_{t+1}\\rVert^2=\\lVert W_t\\rVert^2+\\eta^2\\lVert g_t\\rVert^2$.",
            zh="梯度下降的每一步都使它变长：$\\lVert W_{t+1}\\rVert^2=\\lVert W_t\\rVert^2+\\eta^2\\lVert g_t\\rVert^2$。",
        ),
        metric="pythagoras_error",
        below=1e-9,
        source=f"{_LAARHOVEN}; Pythagoras",
    ),
    claim(
        id="decay_sets_step_angle",
        statement=Text(
            en="With weight decay the angle of a step settles at $\\sqrt{2\\eta\\lambda}$, whatever the size of the gradient.",
            zh="加上权重衰减后，每一步的转角稳定在 $\\sqrt{2\\eta\\lambda}$，与梯度大小无关。",
        ),
        metric="angle_over_law",
        above=0.9,
        below=1.1,
        source="Where decay takes what the step adds, $(1-\\eta\\lambda)^2+a^2=1$; Wan et al. 2020 (arXiv:2006.08419), known second-hand",
    ),
)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    width = params.width
    rows = chance.normals(seeds, "rows", invariances.ROWS, width)  # (S, N, d)
    x = MEAN + SPREAD * rows.double()
    matrix = chance.normals(seeds, "matrix", width, width)  # (S, d, d)
    weights = matrix.double() * width**-0.5
    table = invariances.table(x, weights, params.factor, params.shift)
    layer, rms, scale, tanh = table  # (changes, S) each
    progress(0.1)
    train = partial(descend, seeds, width=width, rows=BATCH, steps=STEPS, rate=RATE)
    free = train(params.operator)
    progress(0.5)
    decayed = train(params.operator, decay=params.decay)
    progress(0.9)
    law = (1 - (1 - RATE * params.decay) ** 2) ** 0.5
    predicted = free.squares[:-1] + RATE**2 * free.pulls  # (steps, S)
    settled = decayed.angles(RATE)[-STEPS // 3 :].mean(0)  # (S,)
    tied = width**0.5 * output(x, "scale")  # (S, N, d)
    centred = x - x.mean(-1, keepdim=True)  # (S, N, d)
    metrics = {
        "ln_minus_centred_rms": apart(output(centred, "rms"), output(x, "layer")),
        "layer_shift_change": layer[1],
        "rms_shift_change": rms[1],
        "norms_scale_change": torch.stack([layer[0], rms[0], scale[0]]).amax(0),
        "column_change": torch.minimum(layer[3], rms[3]),
        "scalenorm_minus_rms": apart(tied, output(x, "rms")),
        "tanh_scale_change": tanh[0],
        "centred_difference_times_root": gap(seeds, width) * width**0.5,
        "weight_gradient_cosine": free.cosines.abs().amax(0),
        "pythagoras_error": (free.squares[1:] / predicted - 1).abs().amax(0),
        "weight_growth": (free.squares[-1] / free.squares[0]).sqrt(),
        "angle_over_law": settled / law,
    }
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=(
            invariances.table_figure(table),
            invariances.gap_figure(seeds),
            _lengths(free, decayed),
            _angles(free, decayed, law),
        ),
    )


_FREE = Text(en="without weight decay", zh="无权重衰减")
_DECAYED = Text(en="with weight decay", zh="有权重衰减")


def _lengths(free: Path, decayed: Path) -> Figure:
    steps = range(STEPS + 1)
    law = figures.formula("$\\lVert W_0\\rVert^2+\\eta^2\\sum\\lVert g\\rVert^2$")
    sums = free.squares[:1] + RATE**2 * free.pulls.cumsum(0)  # (steps, S)
    return Figure(
        id="weight_length",
        title=Text(en="Weights before a norm only grow", zh="归一化之前的权重只会变长"),
        alt=Text(
            en="Squared length of the weights by step: without weight decay it follows the sum of the squared steps upwards, with weight decay it settles.",
            zh="权重长度的平方随步数的变化：没有权重衰减时，随各步平方之和上升；有权重衰减时趋于稳定。",
        ),
        x=figures.STEP,
        y=Axis(label=figures.formula("$\\lVert W\\rVert^2$")),
        series=[
            figures.band(_FREE, "1", steps, free.squares),
            figures.band(_DECAYED, "2", steps, decayed.squares),
            figures.theory(law, steps[1:], sums.quantile(0.5, dim=1).tolist()),
        ],
    )


def _angles(free: Path, decayed: Path, law: float) -> Figure:
    steps = range(1, STEPS + 1)
    return Figure(
        id="step_angle",
        title=Text(en="How far a step turns the weights", zh="每一步使权重转过多少"),
        alt=Text(
            en="Length of a step over that of the weights: falling and falling without weight decay, level at the theoretical value with it.",
            zh="步长与权重长度之比：没有权重衰减时不断下降，有权重衰减时稳定在理论值。",
        ),
        x=figures.STEP,
        y=Axis(
            label=figures.formula("$\\eta\\lVert g\\rVert/\\lVert W\\rVert$"),
            scale="log",
        ),
        series=[
            figures.band(_FREE, "1", steps, free.angles(RATE)),
            figures.band(_DECAYED, "2", steps, decayed.angles(RATE)),
            figures.theory(
                figures.formula("$\\sqrt{2\\eta\\lambda}$"), steps, [law] * STEPS
            ),
        ],
    )
