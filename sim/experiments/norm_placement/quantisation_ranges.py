"""What one large channel does to integer quantisation, and how far a stream's range grows.

Rows and weights are Gaussian, with one channel scaled up; ranges along the depth come from
untrained Transformers that share their weights.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import NormalDist

import torch
from torch import Tensor

from sim.core import Axis, Claim, Figure, Progress, Result, Text, param
from sim.nets import chance, controls, figures, norms
from sim.nets.architecture import draw
from sim.nets.blocks import Placement
from sim.nets.operators.quantisation import (
    channel,
    others,
    product,
    quantise,
    smoothing,
    sqnr,
)
from sim.nets.probes import apart
from sim.nets.transformer import Trace, Transformer

SECONDS = 2.0
ROWS = 512
FACTORS = (1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 200.0)
MIGRATIONS = tuple(k / 8 for k in range(9))
PLACEMENTS: tuple[Placement, ...] = ("pre", "post", "sandwich", "scaled")

TITLE = Text(
    en="Why do large channels make quantisation hard?",
    zh="大数值通道为什么让量化变难？",
)
ABOUT = Text(
    en="Integers with one scale for a whole tensor spend their levels on its largest number: a channel 60 times larger leaves the others a step wider than they are themselves. A scale for each channel repairs that, and so does moving part of the range into the next matrix, through the gain of a Pre-Norm, where only that matrix reads it. Pre-Norm's stream also widens with depth, Post-Norm's does not. The large channel is put in by hand and the networks are untrained; which channels grow in a trained model, and what accuracy that costs, is not shown.",
    zh="如果整个张量共用一个缩放系数，整数的各级就都花在最大的数上：某个通道大 60 倍，其余通道面对的步长就比它们自身还大。每个通道各用一个系数可以修复；借助 Pre-Norm 的增益把部分数值范围移入下一个矩阵也可以，因为只有那个矩阵读取它。Pre-Norm 的残差流还会随深度变宽，Post-Norm 的则不会。大通道是人为放入的，网络未经训练；训练好的模型中哪些通道会变大、会损失多少精度，这里没有涉及。",
)


class Params(controls.NetParams):
    depth: int = param(
        48,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(en="Layers of the untrained stacks.", zh="未训练网络的层数。"),
        ge=8,
        le=48,
        step=8,
    )
    bits: int = param(
        8,
        title=Text(en="Bits", zh="位数"),
        about=Text(en="Of an integer, with its sign.", zh="整数的位数，含符号位。"),
        ge=4,
        le=8,
        step=1,
    )
    outlier: float = param(
        60.0,
        title=Text(en="Large channel", zh="大通道"),
        about=Text(
            en="How many times larger than the others one channel is.",
            zh="有一个通道是其他通道的多少倍。",
        ),
        ge=1.0,
        le=200.0,
        step=1.0,
    )
    migration: float = param(
        0.5,
        title=Text(en="Migration", zh="迁移强度"),
        about=Text(
            en="Share of a channel's range that moves into the weights.",
            zh="通道的数值范围移入权重的比例。",
        ),
        ge=0.0,
        le=1.0,
        step=0.125,
    )


_DETTMERS = "Dettmers et al. 2022 (arXiv:2208.07339), known second-hand"
_XIAO = "Xiao et al. 2022 (arXiv:2211.10438), known second-hand"
claim = partial(
    Claim,
    regime=Text(
        en="512 Gaussian rows, one channel 60 times larger, 8 bits, rounding to nearest; untrained stacks of 48 layers.",
        zh="512 个高斯行，一个通道大 60 倍，8 位，就近舍入；未经训练的 48 层网络。",
    ),
)

CLAIMS = (
    claim(
        id="outlier_ruins_per_tensor",
        statement=Text(
            en="With one scale for the tensor the other channels keep less than 12 dB of signal over noise.",
            zh="整个张量共用一个缩放系数时，其余通道的信噪比不到 12 dB。",
        ),
        metric="per_tensor_sqnr",
        below=12.0,
        source=f"{_DETTMERS}; steps of $60\\cdot3.1/127=1.5\\sigma$ give $10\\log_{{10}}(12/1.5^2)=7.5$ dB",
    ),
    claim(
        id="per_channel_repairs",
        statement=Text(
            en="With a scale for each channel they keep more than 38 dB.",
            zh="每个通道各用一个缩放系数时，信噪比超过 38 dB。",
        ),
        metric="per_channel_sqnr",
        above=38.0,
        source="Steps of $3.1\\sigma/127$ give 43 dB",
    ),
    claim(
        id="gain_smoothing_exact",
        statement=Text(
            en="Moving range from a norm's gain into the next matrix leaves the product as it was.",
            zh="把数值范围从归一化的增益移入下一个矩阵，乘积不变。",
        ),
        metric="smoothing_error",
        below=1e-12,
        source=f"{_XIAO}: $(x\\,\\mathrm{{diag}}(s)^{{-1}})(\\mathrm{{diag}}(s)W)=xW$",
    ),
    claim(
        id="gain_smoothing_helps",
        statement=Text(
            en="Moving half of it gains more than 6 dB, one bit, for the quantised product.",
            zh="移动一半，量化后的乘积信噪比提高超过 6 dB，即一位。",
        ),
        metric="smoothing_gain",
        above=6.0,
        source=f"{_XIAO}; an outlier of 60 becomes one of about 8 on either side: steps 8 times finer for $x$, 18 dB, shared with noise from the weights",
    ),
    claim(
        id="pre_stream_range_grows",
        statement=Text(
            en="The largest number of Pre-Norm's stream is after the last layer more than three times that after the first.",
            zh="Pre-Norm 残差流中最大的数，最后一层之后是第一层之后的三倍以上。",
        ),
        metric="pre_range_ratio",
        above=3.0,
        source="Xiong et al. 2020 (arXiv:2002.04745), lemma 2: sizes $\\sqrt{1+cl}$, a ratio of 5 for 48 layers; Zeng et al. 2022 (GLM-130B, arXiv:2210.02414), section 3, reports the problem",
    ),
    claim(
        id="post_stream_range_flat",
        statement=Text(
            en="In Post-Norm it is less than one and a half times as large.",
            zh="在 Post-Norm 中则不到一倍半。",
        ),
        metric="post_range_ratio",
        below=1.5,
        source="Each row leaves its norm with RMS 1",
    ),
)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    width, bits = params.width, params.bits
    x = chance.normals(seeds, "rows", ROWS, width).double()  # (S, N, d)
    matrix = chance.normals(seeds, "matrix", width, width)  # (S, d, d)
    weights = matrix.double() * width**-0.5
    gain = channel(params.outlier, width)  # (d,)
    normed = norms.normalise(x, params.operator)  # (S, N, d)
    exact = (normed * gain) @ weights  # (S, N, d)
    rough = sqnr(exact, product(normed * gain, weights, bits))  # (S,)

    def smoothed(share: float) -> tuple[Tensor, Tensor]:
        """The norm's output with a smoother gain, and the weights that make up for it."""
        divisors = smoothing(normed * gain, weights, share)  # (S, 1, d)
        return normed * (gain / divisors), divisors.mT * weights

    moved = [sqnr(exact, product(*smoothed(share), bits)) for share in MIGRATIONS]
    rows, matrices = smoothed(params.migration)
    progress(0.2)
    ranges = _ranges(params, seeds)
    progress(0.9)
    scaled = x * gain  # (S, N, d)
    metrics = {
        "per_tensor_sqnr": others(scaled, quantise(scaled, bits)),
        "per_channel_sqnr": others(scaled, quantise(scaled, bits, by_channel=True)),
        "smoothing_error": apart(rows @ matrices, exact),
        "smoothing_gain": sqnr(exact, product(rows, matrices, bits)) - rough,
        "pre_range_ratio": ranges["pre"][-1] / ranges["pre"][0],
        "post_range_ratio": ranges["post"][-1] / ranges["post"][0],
    }
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=(_outliers(x, bits), _migration(moved, rough), _streams(ranges)),
    )


@torch.no_grad()
def _ranges(params: Params, seeds: Sequence[int]) -> Mapping[Placement, Tensor]:
    """Largest number of the stream after each layer, (L, S)."""
    stack = params.architecture(depth=params.depth)
    ids = chance.symbols(seeds, controls.SEQUENCES, stack.length, stack.vocabulary)
    numbers = draw(stack, seeds)  # (S, W)
    found = {}
    for placement in PLACEMENTS:
        net = Transformer(replace(stack, placement=placement), seeds, numbers=numbers)
        net.stream(net.embed(ids), trace := Trace())
        largest = [x.abs().amax((1, 2)) for x in trace.streams[1:]]
        found[placement] = torch.stack(largest).double()
    return found


_DECIBEL = Text(en="Signal over noise in dB", zh="信噪比（dB）")


def _outliers(x: Tensor, bits: int) -> Figure:
    tensor, single = [], []
    for factor in FACTORS:
        scaled = x * channel(factor, x.shape[-1])  # (S, N, d)
        tensor.append(others(scaled, quantise(scaled, bits)))
        single.append(others(scaled, quantise(scaled, bits, by_channel=True)))
    reach = NormalDist().inv_cdf(1 - 0.5 / ROWS) / (2 ** (bits - 1) - 1)
    law = [10 * math.log10(12 / (factor * reach) ** 2) for factor in FACTORS]
    return Figure(
        id="other_channels",
        title=Text(
            en="What a large channel leaves the others", zh="大通道给其他通道留下什么"
        ),
        alt=Text(
            en="Signal over noise of the other channels against the size of the large one: with one scale for the tensor it falls by 20 dB for each factor of ten, with a scale for each channel it is level.",
            zh="其他通道的信噪比随大通道倍数的变化：整个张量一个缩放系数时，每大十倍下降 20 dB；每个通道一个系数时保持不变。",
        ),
        x=Axis(
            label=Text(en="Large channel, times the others", zh="大通道的倍数"),
            scale="log",
        ),
        y=Axis(label=_DECIBEL),
        series=[
            figures.band(
                Text(en="one scale", zh="单一系数"), "2", FACTORS, torch.stack(tensor)
            ),
            figures.band(
                Text(en="a scale for each channel", zh="逐通道系数"),
                "1",
                FACTORS,
                torch.stack(single),
            ),
            figures.theory(
                Text(en="uniform rounding error", zh="均匀舍入误差"), FACTORS, law
            ),
        ],
    )


def _migration(moved: Sequence[Tensor], rough: Tensor) -> Figure:
    return Figure(
        id="migration",
        title=Text(en="Sharing the range with the weights", zh="与权重分担数值范围"),
        alt=Text(
            en="Signal over noise of the quantised product against the share of the range moved into the weights, beside the level without any: best in the middle, where both sides share the large channel.",
            zh="量化乘积的信噪比随移入权重的比例的变化，另有不移动时的水平线：中间最好，两边分担大通道。",
        ),
        x=Axis(label=Text(en="Share moved", zh="移入比例")),
        y=Axis(label=_DECIBEL),
        series=[
            figures.band(
                Text(en="smoothed", zh="平滑后"),
                "1",
                MIGRATIONS,
                torch.stack(list(moved)),
            ),
            figures.band(
                Text(en="not smoothed", zh="未平滑"),
                "2",
                MIGRATIONS,
                torch.stack([rough] * len(MIGRATIONS)),
            ),
        ],
    )


def _streams(ranges: Mapping[Placement, Tensor]) -> Figure:
    layers = range(1, len(ranges["pre"]) + 1)
    return Figure(
        id="stream_range",
        title=Text(en="The largest number in the stream", zh="残差流中最大的数"),
        alt=Text(
            en="Largest number of the stream by layer: growing with the root of the layer in Pre-Norm and in Sandwich-Norm, bounded with scaled branches, level in Post-Norm.",
            zh="逐层的残差流最大值：Pre-Norm 和 Sandwich-Norm 按层数的平方根增长，缩放支路时有界，Post-Norm 持平。",
        ),
        x=figures.LAYER,
        y=Axis(label=Text(en="Largest number", zh="最大的数")),
        series=[
            figures.placed(placement, layers, ranges[placement])
            for placement in PLACEMENTS
        ],
    )
