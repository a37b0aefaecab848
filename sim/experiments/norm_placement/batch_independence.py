"""LayerNorm treats each token alone; BatchNorm's output depends on the rest of the batch.

Rows are drawn from a normal distribution, one generator a seed. LayerNorm averages over
the features of a row (Ba, Kiros & Hinton 2016, arXiv:1607.06450, section 3), BatchNorm
over the rows for each feature (Ioffe & Szegedy 2015, arXiv:1502.03167, algorithm 1).
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text, param
from sim.nets import chance, figures, norms, probes

SECONDS = 0.7
DRAWS = 300  # batches of each size that a seed draws

TITLE = Text(
    en="Does a token's output depend on its neighbours?",
    zh="一个 token 的输出取决于同批的其他样本吗？",
)

ABOUT = Text(
    en="The same row goes through LayerNorm and BatchNorm, alone and among other rows. LayerNorm takes its mean and variance over the features of the row; BatchNorm takes them over the batch, so that each row carries the noise of the others: their mean varies as $\\sigma^2/B$. Inputs are independent Gaussian rows and the norms are in training mode. Real activations are correlated and BatchNorm at inference uses stored averages, so the sizes differ there, not the axis.",
    zh="让同一行分别单独地、和其他行一起通过 LayerNorm 与 BatchNorm。LayerNorm 在该行自己的特征上求均值与方差；BatchNorm 在整批样本上求，所以每一行都带上了其他行的噪声：批均值的方差为 $\\sigma^2/B$。输入是相互独立的高斯行，归一化处于训练模式。真实激活值彼此相关，BatchNorm 在推理时用的是累积的统计量，因此数值大小会不同，但求平均的轴不变。",
)


class Params(core.Params):
    dim: int = param(
        64,
        ge=16,
        le=256,
        step=16,
        title=Text(en="Features", zh="特征数"),
        about=Text(en="The width $d$ of a row.", zh="每一行的宽度 $d$。"),
        unit=Text(en="features", zh="维"),
    )
    batch: int = param(
        32,
        ge=8,
        le=128,
        step=8,
        title=Text(en="Largest batch", zh="最大批大小"),
        about=Text(
            en="Batches of 2, 4, 8 … rows up to this number are compared.",
            zh="比较 2、4、8……直到这个行数的各种批大小。",
        ),
        unit=Text(en="rows", zh="行"),
    )
    spread: float = param(
        2.0,
        ge=0.5,
        le=10.0,
        step=0.5,
        title=Text(en="Spread of the inputs", zh="输入的标准差"),
        about=Text(
            en="Standard deviation $\\sigma$ of every input; their mean is 0.7.",
            zh="每个输入的标准差 $\\sigma$；均值为 0.7。",
        ),
    )


_LAYER_NORM = "Ba, Kiros & Hinton 2016, arXiv:1607.06450, section 3"
_BATCH_NORM = "Ioffe & Szegedy 2015, arXiv:1502.03167, algorithm 1"
_claim = partial(
    Claim,
    regime=Text(
        en="Independent Gaussian rows, float32, statistics of the batch at hand.",
        zh="相互独立的高斯行，float32，使用当前批的统计量。",
    ),
)

CLAIMS = (
    _claim(
        id="ln_batch_free",
        statement=Text(
            en="LayerNorm gives a row the same output alone and inside a batch.",
            zh="同一行单独处理和放在批里处理，LayerNorm 的输出相同。",
        ),
        metric="ln_batch_difference",
        below=1e-5,
        source=f"{_LAYER_NORM}; the bound leaves room for float32 rounding",
    ),
    _claim(
        id="bn_batch_bound",
        statement=Text(
            en="Replacing the other rows of a batch changes BatchNorm's output for the row that stayed.",
            zh="换掉批中的其他行，未变的那一行的 BatchNorm 输出也会改变。",
        ),
        metric="bn_row_change",
        above=0.1,
        source=f"{_BATCH_NORM}; to first order the mean moves by √(2/B) and the scale by √(1/B), together √(3/B), .15 for 128 rows",
    ),
    _claim(
        id="bn_noise_falls_with_batch",
        statement=Text(
            en="The variance of the batch mean falls in inverse proportion to the batch size.",
            zh="批均值的方差与批大小成反比。",
        ),
        metric="bn_noise_slope",
        above=-1.15,
        below=-0.85,
        source="Variance of a mean of B independent values: σ²/B, slope -1",
    ),
    _claim(
        id="ln_token_stats",
        statement=Text(
            en="Before gain and shift, every token leaves LayerNorm with mean 0 and variance 1.",
            zh="在缩放和平移之前，每个 token 经 LayerNorm 后均值为 0、方差为 1。",
        ),
        metric="ln_token_error",
        below=1e-3,
        source=f"{_LAYER_NORM}; ε lowers the variance by ε/σ²",
    ),
    _claim(
        id="ln_affine_learns",
        statement=Text(
            en="LayerNorm's gain and shift both receive a gradient.",
            zh="LayerNorm 的缩放 $\\gamma$ 和平移 $\\beta$ 都能得到梯度。",
        ),
        metric="ln_affine_gradient",
        above=1e-3,
        source=f"{_LAYER_NORM}; mean squared error against Gaussian targets gives norms near 2/√d and √(8/(B·d)), above .01 at every setting here",
    ),
    _claim(
        id="bn_batch_of_one_collapses",
        statement=Text(
            en="With a single row in the batch, BatchNorm puts out nothing but zeros.",
            zh="批中只有一行时，BatchNorm 的输出全为零。",
        ),
        metric="bn_single_rms",
        below=1e-2,
        source=f"{_BATCH_NORM}: the mean of one row is the row",
    ),
    _claim(
        id="ln_batch_of_one_works",
        statement=Text(
            en="With a single row in the batch, LayerNorm's output keeps unit size.",
            zh="批中只有一行时，LayerNorm 的输出仍保持单位大小。",
        ),
        metric="ln_single_rms",
        above=0.9,
        below=1.1,
        source=f"{_LAYER_NORM}: the statistics come from the row itself",
    ),
)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    """All metrics, one value for each seed, and two figures over the batch sizes."""
    sizes = batch_sizes(params.batch)
    singles, curves = [], []
    for done, seed in enumerate(seeds, 1):
        rows = Rows(params, seed)
        singles.append(single_metrics(rows(1, params.batch), rows(1, params.batch)))
        curves.append([batch_metrics(rows(DRAWS, b), rows(DRAWS, b)) for b in sizes])
        progress(done / len(seeds))
    noise, batch, layer = torch.tensor(curves).permute(2, 1, 0)  # (sizes, S) each
    noise = noise / params.spread**2
    metrics = {name: [single[name] for single in singles] for name in singles[0]}
    metrics["bn_row_change"] = batch[-1].tolist()
    metrics["bn_noise_slope"] = probes.log_slope(sizes, noise).tolist()
    return Result(
        metrics=metrics,
        figures=(
            _noise_figure(sizes, noise),
            _neighbour_figure(sizes, batch, layer),
        ),
    )


class Rows:
    """Draws one seed's inputs: a shape becomes a tensor (*shape, d)."""

    def __init__(self, params: Params, seed: int) -> None:
        self.params = params
        self.generator = chance.generator(seed, "rows")

    def __call__(self, *shape: int) -> Tensor:
        size = (*shape, self.params.dim)
        z = self.generator.standard_normal(size, dtype=np.float32)
        return 0.7 + self.params.spread * chance.tensor([z])[0]


def batch_sizes(largest: int) -> list[int]:
    """The powers of two from 2, and the largest batch itself."""
    return sorted({2**k for k in range(1, largest.bit_length())} | {largest})


def batch_metrics(x: Tensor, other: Tensor) -> tuple[float, float, float]:
    """From batches (draws, B, d): the variance of the batch mean, and the relative change
    of row 0's output under BatchNorm and LayerNorm when the other rows are replaced.
    """
    other = torch.cat([x[:, :1], other[:, 1:]], 1)  # (draws, B, d)
    noise = x.mean(1).var(0).mean().item()
    return noise, _change(x, other, "batch"), _change(x, other, "layer")


def _change(x: Tensor, other: Tensor, operator: norms.Operator) -> float:
    before = norms.normalise(x, operator)[:, 0]  # (draws, d)
    after = norms.normalise(other, operator)[:, 0]
    return float(((after - before).norm(dim=-1) / before.norm(dim=-1)).mean())


def single_metrics(x: Tensor, target: Tensor) -> dict[str, float]:
    """What one batch shows about its rows taken singly; both (1, B, d)."""
    whole = norms.normalise(x, "layer")
    alone = norms.normalise(x.transpose(0, 1), "layer").transpose(0, 1)
    error = torch.stack([whole.mean(-1), whole.var(-1, correction=0) - 1])
    first = x[:, :1]  # (1, 1, d)
    return {
        "ln_batch_difference": float((whole - alone).abs().max()),
        "ln_token_error": float(error.abs().max()),
        "ln_affine_gradient": min(g.norm().item() for g in affine_gradients(x, target)),
        "bn_single_rms": float(norms.normalise(first, "batch").square().mean().sqrt()),
        "ln_single_rms": float(norms.normalise(first, "layer").square().mean().sqrt()),
    }


def affine_gradients(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of LayerNorm's gain and shift, at 1 and 0, of the mean squared error."""
    gain = torch.ones(1, 1, x.shape[-1], requires_grad=True)
    shift = torch.zeros(1, 1, x.shape[-1], requires_grad=True)
    error = norms.norm(x, "layer", gain, shift) - target  # (1, B, d)
    to_gain, to_shift = torch.autograd.grad(error.square().mean(), (gain, shift))
    return to_gain, to_shift


_BATCH_SIZE = Axis(label=Text(en="Batch size $B$", zh="批大小 $B$"), scale="log")


def _noise_figure(sizes: Sequence[int], noise: Tensor) -> Figure:
    measured = Text(en="measured", zh="实测")
    law = figures.formula("$1/B$")
    return Figure(
        id="batch_mean_variance",
        title=Text(
            en="Noise in BatchNorm's mean against batch size",
            zh="BatchNorm 均值的噪声与批大小",
        ),
        alt=Text(
            en="On logarithmic axes, the measured variance of the batch mean over the variance of the inputs, beside the line 1/B.",
            zh="双对数坐标：批均值的实测方差与输入方差之比，旁边是理论线 1/B。",
        ),
        x=_BATCH_SIZE,
        y=Axis(
            label=Text(en="Variance over $\\sigma^2$", zh="方差与 $\\sigma^2$ 之比"),
            scale="log",
        ),
        series=(
            figures.band(measured, "2", sizes, noise),
            figures.theory(law, sizes, [1 / size for size in sizes]),
        ),
    )


def _neighbour_figure(sizes: Sequence[int], batch: Tensor, layer: Tensor) -> Figure:
    layer_norm, batch_norm = figures.formula("LayerNorm"), figures.formula("BatchNorm")
    law = figures.formula("$\\sqrt{3/B}$")
    return Figure(
        id="neighbours_replaced",
        title=Text(
            en="How far a row's output moves when the other rows are replaced",
            zh="换掉其他行后，一行的输出移动多少",
        ),
        alt=Text(
            en="Relative change of one row's output against batch size: a curve for LayerNorm, one for BatchNorm, and the first-order value, the square root of 3/B.",
            zh="一行输出的相对变化随批大小的曲线：LayerNorm 一条，BatchNorm 一条，另有一阶近似值，即 3/B 的平方根。",
        ),
        x=_BATCH_SIZE,
        y=Axis(label=Text(en="Relative change", zh="相对变化")),
        series=(
            figures.band(layer_norm, "1", sizes, layer),
            figures.band(batch_norm, "2", sizes, batch),
            figures.theory(law, sizes, [(3 / size) ** 0.5 for size in sizes]),
        ),
    )
