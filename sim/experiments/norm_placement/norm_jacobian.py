"""What a norm's derivative does: it scales by the inverse size and erases one or two directions.

Jacobians of whole rows come from automatic differentiation in double precision; rank and
norm are read off their singular values.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text, param
from sim.nets import chance, figures
from sim.nets.norms import Operator
from sim.nets.operators.jacobians import back, entering, jacobian, size

SECONDS = 0.3
ROWS = 8  # vectors that a seed looks at
SMALLEST = 8  # singular values that the figure shows
ZERO = 1e-9  # of the largest: a smaller singular value counts as none
SIZES = tuple(10.0**k for k in range(-4, 5))
NAMES: Mapping[Operator, tuple[Text, core.Key]] = {
    "layer": (figures.formula("LayerNorm"), "1"),
    "rms": (figures.formula("RMSNorm"), "2"),
    "none": (Text(en="No norm", zh="无归一化"), "3"),
}

TITLE = Text(
    en="Which directions does a norm erase from the gradient?",
    zh="归一化从梯度中抹去了哪些方向？",
)
ABOUT = Text(
    en="The full matrix of derivatives of LayerNorm, RMSNorm and no norm at all, at random rows. LayerNorm's is $\\frac{\\sqrt d}{\\lVert y\\rVert}(I-\\hat y\\hat y^\\top)(I-\\frac1d\\mathbf 1\\mathbf 1^\\top)$ with $y$ the centred row: it shrinks a gradient by the size of the input and removes what would rescale or shift the row. These are identities of the operator, without gain and with $\\varepsilon=0$; they hold at any scale of model, but say nothing of what the branches around a norm do to a gradient. A positive $\\varepsilon$ lets a little of the radial direction through.",
    zh="在随机的行上求 LayerNorm、RMSNorm 和“没有归一化”的完整导数矩阵。LayerNorm 的雅可比矩阵是 $\\frac{\\sqrt d}{\\lVert y\\rVert}(I-\\hat y\\hat y^\\top)(I-\\frac1d\\mathbf 1\\mathbf 1^\\top)$，其中 $y$ 为中心化后的行：它按输入的大小缩小梯度，并去掉会缩放或平移该行的分量。这些是算子本身的恒等式，不含缩放参数，且 $\\varepsilon=0$；它们与模型规模无关，但不说明归一化周围的支路如何影响梯度。$\\varepsilon$ 为正时，径向分量会漏过一点点。",
)


class Params(core.Params):
    width: int = param(
        64,
        ge=16,
        le=128,
        step=16,
        title=Text(en="Width", zh="宽度"),
        about=Text(en="Features of a row, $d$.", zh="每一行的特征数 $d$。"),
    )
    spread: float = param(
        2.0,
        ge=0.1,
        le=100.0,
        step=0.1,
        title=Text(en="Spread of the inputs", zh="输入的标准差"),
        about=Text(
            en="Standard deviation of every input; their mean is 0.7.",
            zh="每个输入的标准差；均值为 0.7。",
        ),
    )
    factor: float = param(
        10.0,
        ge=2.0,
        le=1000.0,
        step=1.0,
        title=Text(en="Scaling", zh="放大倍数"),
        about=Text(
            en="How many times larger the scaled input is.",
            zh="放大后的输入是原来的多少倍。",
        ),
    )
    epsilon: float = param(
        0.0,
        ge=0.0,
        le=0.001,
        step=0.00001,
        title=Text(en="$\\varepsilon$", zh="$\\varepsilon$"),
        about=Text(
            en="Added to the mean square under the root; the identities hold at 0.",
            zh="加在根号内均方值上的常数；恒等式在 0 时成立。",
        ),
    )


_XIONG = "Xiong et al. 2020 (arXiv:2002.04745), lemma 3 and its proof"
claim = partial(
    Claim,
    regime=Text(
        en="Gaussian rows, float64, no gain or shift, $\\varepsilon=0$.",
        zh="高斯行，float64，无缩放和平移参数，$\\varepsilon=0$。",
    ),
)

CLAIMS = (
    claim(
        id="norm_scale_exact",
        statement=Text(
            en="A norm's Jacobian has spectral norm $\\sqrt d/\\lVert y\\rVert$ exactly, $y$ being its input, centred for LayerNorm.",
            zh="归一化的雅可比矩阵的谱范数恰为 $\\sqrt d/\\lVert y\\rVert$，$y$ 是其输入（LayerNorm 则先中心化）。",
        ),
        metric="norm_times_size",
        above=1 - 1e-9,
        below=1 + 1e-9,
        source=f"{_XIONG}, which states the order $\\sqrt d/\\lVert x\\rVert$",
    ),
    claim(
        id="ln_two_null_directions",
        statement=Text(
            en="LayerNorm's Jacobian has rank $d-2$.",
            zh="LayerNorm 的雅可比矩阵的秩为 $d-2$。",
        ),
        metric="layer_null_directions",
        above=1.5,
        below=2.5,
        source=f"{_XIONG}: two projections, off the row and off the constant vector",
    ),
    claim(
        id="rms_one_null_direction",
        statement=Text(
            en="RMSNorm's Jacobian has rank $d-1$.",
            zh="RMSNorm 的雅可比矩阵的秩为 $d-1$。",
        ),
        metric="rms_null_directions",
        above=0.5,
        below=1.5,
        source="Zhang & Sennrich 2019 (arXiv:1910.07467), section 4: without centring",
    ),
    claim(
        id="identity_has_none",
        statement=Text(
            en="Without a norm no direction is lost: rank $d$.",
            zh="没有归一化就不丢失任何方向：秩为 $d$。",
        ),
        metric="none_null_directions",
        above=-0.5,
        below=0.5,
        source="The derivative of the identity",
    ),
    claim(
        id="jacobian_inverse_in_scale",
        statement=Text(
            en="Scaling the input by $c$ divides the Jacobian by $c$.",
            zh="输入放大 $c$ 倍，雅可比矩阵就除以 $c$。",
        ),
        metric="scaling_error",
        below=1e-9,
        source=f"{_XIONG}; a function of degree 0 has a derivative of degree -1",
    ),
    claim(
        id="gradient_orthogonal_to_input",
        statement=Text(
            en="The gradient at a norm's input is orthogonal to that input, centred for LayerNorm.",
            zh="归一化输入处的梯度与该输入正交（LayerNorm 则先中心化）。",
        ),
        metric="gradient_cosine",
        below=1e-6,
        source="Euler's theorem: $\\langle x,\\nabla f(x)\\rangle=0$ when scaling $x$ leaves $f$ alone",
    ),
)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    x, gradient = (
        chance.normals(seeds, purpose, ROWS, params.width).double()  # (S, R, d)
        for purpose in ("rows", "gradient")
    )
    x = 0.7 + params.spread * x
    found: dict[Operator, Tensor] = {}
    for done, operator in enumerate(NAMES, 1):
        found[operator] = jacobian(x, operator, params.epsilon)  # (S, R, d, d)
        progress(done / (len(NAMES) + 1))
    spectra = {
        name: torch.linalg.svdvals(matrix) * size(x, name)[..., None]
        for name, matrix in found.items()
    }  # (S, R, d) each
    metrics = {f"{name}_null_directions": lost(s) for name, s in spectra.items()}
    both: tuple[Operator, ...] = ("layer", "rms")
    largest = torch.cat([spectra[name][..., 0] for name in both], 1)  # (S, 2R)
    place = (largest - 1).abs().argmax(1, keepdim=True)  # (S, 1)
    metrics["norm_times_size"] = largest.gather(1, place)[:, 0]
    scaled = params.factor * jacobian(params.factor * x, "layer", params.epsilon)
    error = torch.linalg.matrix_norm(scaled - found["layer"])  # (S, R)
    error = error / torch.linalg.matrix_norm(found["layer"])
    metrics["scaling_error"] = error.amax(1)
    cosines = [
        torch.cosine_similarity(back(found[name], gradient), entering(x, name), dim=-1)
        for name in both
    ]  # (S, R) each
    metrics["gradient_cosine"] = torch.cat(cosines, 1).abs().amax(1)
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=(
            _directions(x, gradient, found),
            _spectrum(spectra),
            _sizes(x[:, :1]),
        ),
    )


def lost(spectra: Tensor) -> Tensor:
    """How many singular values are none, the mean over each seed's (S, R, d), (S,)."""
    return (spectra < ZERO * spectra[..., :1]).double().sum(-1).mean(1)


def _spectrum(spectra: Mapping[Operator, Tensor]) -> Figure:
    places = range(1, SMALLEST + 1)
    return Figure(
        id="smallest_singular_values",
        title=Text(en="How many directions are lost", zh="丢失了几个方向"),
        alt=Text(
            en="The smallest singular values in ascending order: LayerNorm begins with two zeros, RMSNorm with one, no norm with none; all others are 1.",
            zh="按升序排列的最小奇异值：LayerNorm 开头有两个零，RMSNorm 有一个，无归一化则没有；其余都等于 1。",
        ),
        x=Axis(label=Text(en="Place, counted from the smallest", zh="从小到大的位次")),
        y=Axis(
            label=Text(
                en="Singular value $\\times\\lVert y\\rVert/\\sqrt d$",
                zh="奇异值 $\\times\\lVert y\\rVert/\\sqrt d$",
            )
        ),
        series=[
            figures.band(*NAMES[name], places, values.mean(1).flip(1)[:, :SMALLEST].T)
            for name, values in spectra.items()
        ],
        kind="points",
    )


def _directions(x: Tensor, random: Tensor, found: Mapping[Operator, Tensor]) -> Figure:
    rows = []
    for name, matrix in found.items():
        along = (torch.ones_like(x), entering(x, name), random)
        kept = [back(matrix, g / g.norm(dim=-1, keepdim=True)) for g in along]
        left = torch.stack(kept).norm(dim=-1) * size(x, name)  # (3, S, R)
        rows.append(left.mean(2))  # (3, S)
    return figures.heat(
        [NAMES[name][0] for name in found],
        range(3),
        torch.stack(rows),
        id="what_survives",
        title=Text(en="What survives of a gradient", zh="梯度还剩下什么"),
        alt=Text(
            en="Size left of a unit gradient that shifts all features alike, one along the row and a random one. LayerNorm erases the first two, RMSNorm the second, no norm neither; of a random one nearly all is left.",
            zh="三种单位梯度剩下的大小：使所有特征一起平移的、沿该行方向的，以及随机方向的。LayerNorm 抹去前两种，RMSNorm 抹去第二种，无归一化则都保留；随机方向的几乎全部保留。",
        ),
        x=Axis(
            label=Text(en="Direction of the gradient", zh="梯度的方向"),
            ticks=(
                Text(en="all features alike", zh="所有特征一起平移"),
                Text(en="along the row", zh="沿该行方向"),
                Text(en="random", zh="随机方向"),
            ),
        ),
        y=Axis(label=Text(en="Operator", zh="算子")),
        value=Axis(
            label=Text(
                en="Size left $\\times\\lVert y\\rVert/\\sqrt d$",
                zh="剩下的大小 $\\times\\lVert y\\rVert/\\sqrt d$",
            )
        ),
    )


def _sizes(x: Tensor) -> Figure:
    """For one row (S, 1, d) of each seed, made as small and as large as SIZES says."""
    unit = entering(x, "layer") / size(x, "layer")[..., None]  # (S, 1, d)

    def measured(eps: float) -> Tensor:
        steep = [
            torch.linalg.matrix_norm(jacobian(rms * unit, "layer", eps), ord=2)[:, 0]
            for rms in SIZES
        ]
        return torch.stack(steep)  # (sizes, S)

    return Figure(
        id="steepness_by_size",
        title=Text(en="Small inputs, large gradients", zh="输入小，梯度大"),
        alt=Text(
            en="Spectral norm of LayerNorm's Jacobian against the size of its input, both logarithmic: the line 1/RMS, which an epsilon of 0.00001 bends into a ceiling of 316 for small rows.",
            zh="LayerNorm 雅可比矩阵的谱范数随输入大小的变化（双对数）：直线 1/RMS；ε 为 0.00001 时，小输入处被压到上限 316。",
        ),
        x=Axis(label=Text(en="RMS of the input", zh="输入的 RMS"), scale="log"),
        y=Axis(label=figures.formula("$\\lVert J\\rVert_2$"), scale="log"),
        series=(
            figures.band(figures.formula("$\\varepsilon=0$"), "1", SIZES, measured(0)),
            figures.band(
                figures.formula("$\\varepsilon=10^{-5}$"), "2", SIZES, measured(1e-5)
            ),
            figures.theory(figures.formula("$1/$RMS"), SIZES, [1 / s for s in SIZES]),
        ),
    )
