"""How gradients travel through depth at initialisation.

Networks of several depths that differ in nothing but the block send a gradient of no
particular direction back from the output. Its norm is read at every stream and weight; with
every branch cut, what is left is the skip path and the norms that stand on it.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Series, Text
from sim.nets import blocks, chance, controls, figures, probes
from sim.nets.operators import jacobians
from sim.nets.sweep import Sweep, sweep

PLACEMENTS: tuple[blocks.Placement, ...] = ("pre", "post", "plain")
VECTORS = 8  # probed by a norm's Jacobian, with lengths over two decades
SMALLEST = 1e-12  # what a gradient of zero is drawn as on a logarithmic axis
SECONDS = 3.0

TITLE = Text(
    en="Gradient flow at initialisation",
    zh="初始化时的梯度流",
)
ABOUT = Text(
    en="Untrained Transformers send a random gradient back from their output, and its norm is read at every layer. Pre-Norm has a path of exact ones; every norm on Post-Norm's path divides by the size of what it normalises, and branches make up for it. Without residual connections tokens become alike and query gradients vanish; with them Post-Norm only gets there later. This is a statement about the first step of small networks: widths of a few dozen features, random symbols, no training. What training does to gradients is another experiment.",
    zh="未经训练的 Transformer 从输出端回传一个随机梯度，逐层读出其范数。Pre-Norm 有一条系数恒为一的通路；Post-Norm 通路上的每个归一化都要除以被归一化量的大小，而支路又把它补了回来。没有残差连接时 token 趋于相同，查询梯度消失；有残差连接的 Post-Norm 只是来得更晚。这只说明小网络的第一步：几十个特征的宽度、随机符号、没有训练。训练如何改变梯度是另一个实验。",
)
REGIME = Text(
    en="Xavier initialisation, bidirectional attention, random symbols, Gaussian readout",
    zh="Xavier 初始化、双向注意力、随机符号、高斯读出",
)
claim = partial(Claim, regime=REGIME)
XIONG = "Xiong et al. 2020 (arXiv:2002.04745), "

CLAIMS = (
    claim(
        id="pre_identity_exact",
        statement=Text(
            en="With every branch cut, Pre-Norm carries the gradient from the end of the stream to its start unchanged.",
            zh="切断所有支路后，Pre-Norm 把梯度从残差流末端原样送回起点。",
        ),
        metric="pre_identity",
        above=0.999,
        below=1.001,
        source=XIONG + "section 3.3; He et al. 2016 (arXiv:1603.05027), equation 5",
    ),
    claim(
        id="post_identity_decays",
        statement=Text(
            en="With every branch cut, Post-Norm shrinks the gradient by more than $\\sqrt{2/3}$ a layer: the skip path alone loses it exponentially.",
            zh="切断所有支路后，Post-Norm 每层给梯度乘上一个小于 $\\sqrt{2/3}$ 的因子：仅靠跳跃路径，梯度按指数衰减。",
        ),
        metric="post_identity_factor",
        below=math.sqrt(2 / 3),
        source=XIONG + "section 3.3: the factor $(2/3)^{(L-l)/2}$",
    ),
    claim(
        id="norm_jacobian_scale",
        statement=Text(
            en="A norm's Jacobian has spectral norm $\\sqrt{d}/\\lVert y\\rVert$, with $y$ its (centred) input: it shrinks gradients as its input grows.",
            zh="归一化的雅可比矩阵谱范数为 $\\sqrt{d}/\\lVert y\\rVert$（$y$ 为其（中心化的）输入）：输入越大，梯度缩得越小。",
        ),
        metric="jacobian_scale",
        above=0.999,
        below=1.001,
        source=XIONG + "lemma 3",
        regime=Text(
            en="Double precision, $\\varepsilon = 0$, inputs over two decades of size",
            zh="双精度、$\\varepsilon = 0$、输入大小跨两个数量级",
        ),
    ),
    claim(
        id="post_last_flat",
        statement=Text(
            en="The gradient at Post-Norm's last feed-forward matrix does not depend on depth.",
            zh="Post-Norm 最后一个前馈矩阵的梯度与深度无关。",
        ),
        metric="post_last_slope",
        above=-0.15,
        below=0.15,
        source=XIONG + "theorem 1: $O(d\\sqrt{\\ln d})$",
    ),
    claim(
        id="pre_last_falls",
        statement=Text(
            en="The gradient at Pre-Norm's last feed-forward matrix falls with depth, about as $L^{-1/2}$.",
            zh="Pre-Norm 最后一个前馈矩阵的梯度随深度下降，大致为 $L^{-1/2}$。",
        ),
        metric="pre_last_slope",
        above=-0.65,
        below=-0.3,
        source=XIONG + "theorem 1: $O(d\\sqrt{\\ln d / L})$",
    ),
    claim(
        id="pre_early_larger",
        statement=Text(
            en="In Pre-Norm the first layer's weight gradient is larger than the last one's.",
            zh="在 Pre-Norm 中，第一层的权重梯度大于最后一层。",
        ),
        metric="pre_first_to_last",
        above=1.2,
        source="Shleifer et al. 2021 (NormFormer, arXiv:2110.09456), abstract",
    ),
    claim(
        id="post_net_bounded",
        statement=Text(
            en="With its branches, Post-Norm's gradient neither vanishes nor explodes in an untrained encoder: at the start it is 0.1 to 3 times that at the end.",
            zh="连同支路，未训练编码器中 Post-Norm 的梯度既不消失也不爆炸：起点处是末端处的 0.1 到 3 倍。",
        ),
        metric="post_net",
        above=0.1,
        below=3.0,
        source="Liu et al. 2020 (Admin, arXiv:2004.08249), section 3",
    ),
    claim(
        id="vanishes_without_residual",
        statement=Text(
            en="Without the residual connection the last layer's query gradient vanishes: it is under a hundredth of the value gradient, as all tokens become alike.",
            zh="去掉残差连接后，最后一层的查询矩阵梯度消失：不到值矩阵梯度的百分之一，因为所有 token 趋于相同。",
        ),
        metric="plain_query_decades",
        below=-2.0,
        source="Noci et al. 2022 (arXiv:2206.03126), abstract and section 3; Dong et al. 2021 (arXiv:2103.03404)",
    ),
)


class Params(controls.NetParams):
    depth: int = core.param(
        32,
        title=Text(en="Largest depth", zh="最大深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="The deepest stack; the sweep halves it three times.",
            zh="最深的网络；扫描时依次减半三次。",
        ),
        ge=8,
        le=48,
        step=8,
    )
    also: controls.Also = controls.also()


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    depths = [params.depth // 8, params.depth // 4, params.depth // 2, params.depth]
    deepest = params.architecture(depth=params.depth)
    placements = PLACEMENTS if params.also == "none" else (*PLACEMENTS, params.also)
    found = sweep(deepest, placements, depths, seeds, progress)
    scales = torch.stack([_jacobian(params, seed) for seed in seeds])  # (S,)
    metrics = _metrics(found) | {"jacobian_scale": scales}
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=_figures(found),
    )


def _metrics(found: Sweep) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    pre, post, plain = (found.deepest[placement] for placement in PLACEMENTS)
    kept = {name: streams[0] / streams[-1] for name, streams in found.skips.items()}
    return {
        "pre_identity": kept["pre"],
        "post_identity_factor": kept["post"] ** (1 / found.depths[-1]),
        "pre_last_slope": probes.log_slope(found.depths, found.last["pre"]),
        "post_last_slope": probes.log_slope(found.depths, found.last["post"]),
        "pre_first_to_last": pre.down[0] / pre.down[-1],
        "post_net": post.streams[0] / post.streams[-1],
        "plain_net": plain.streams[0] / plain.streams[-1],
        "plain_query_decades": _query_share(plain)[-1].log10(),
        "post_query_decades": _query_share(post)[-1].log10(),
    }


def _jacobian(params: Params, seed: int) -> Tensor:
    """Of a seed's probed vectors, the Jacobian's scale that is farthest from 1."""
    rng = chance.generator(seed, "vectors")
    sizes = 10 ** rng.uniform(-1, 1, (VECTORS, 1))
    vectors = rng.normal(0.5, 1, (VECTORS, params.width)) * sizes
    rows = chance.tensor(list(vectors))  # (VECTORS, d)
    scales = torch.stack([jacobians.scale(x, params.operator) for x in rows])
    return scales[(scales - 1).abs().argmax()]


def _query_share(of: probes.Gradients) -> Tensor:
    """Query over value gradient, (L, S)."""
    return (of.query / of.value.clamp(min=SMALLEST)).clamp(min=SMALLEST)


def _series(x: Sequence[float], values: Mapping[str, Tensor]) -> list[Series]:
    """Every placement's band; a gradient of zero is drawn as the smallest there is."""
    return [
        figures.placed(
            p, x, y.clamp(min=SMALLEST), None if p in PLACEMENTS else figures.ALSO
        )
        for p, y in values.items()
    ]


def _figures(found: Sweep) -> tuple[Figure, ...]:
    depths, deepest, skips = found.depths, found.deepest, found.skips["post"]
    depth = depths[-1]
    layers, streams = range(1, depth + 1), range(depth + 1)
    start = found.last["pre"][0].median().item()
    last = {p: ends for p, ends in found.last.items() if p != "plain"}
    relative = {p: of.streams / of.streams[-1] for p, of in deepest.items()}
    share = Text(en="Query over value gradient", zh="查询与值梯度之比")
    return (
        Figure(
            id="weights",
            title=Text(
                en="Second feed-forward matrix, layer by layer",
                zh="逐层的第二个前馈矩阵",
            ),
            alt=Text(
                en=f"Gradient norm of the second feed-forward matrix over the {depth} layers of the deepest stack: it falls with the layer in Pre-Norm and shows no such trend in Post-Norm.",
                zh=f"最深网络 {depth} 层中第二个前馈矩阵的梯度范数：Pre-Norm 随层下降，Post-Norm 无此趋势。",
            ),
            x=figures.LAYER,
            y=figures.NORM,
            series=_series(layers, {p: of.down for p, of in deepest.items()}),
        ),
        Figure(
            id="last",
            title=Text(en="Last layer against depth", zh="最后一层随深度的变化"),
            alt=Text(
                en="Gradient norm of the last feed-forward matrix against depth, both logarithmic: level in Post-Norm, falling along one over the root of depth in Pre-Norm.",
                zh="最后一个前馈矩阵的梯度范数随深度变化（双对数）：Post-Norm 持平，Pre-Norm 沿深度的负二分之一次方下降。",
            ),
            x=figures.DEPTH,
            y=figures.NORM,
            series=[
                *_series(depths, last),
                figures.theory(
                    figures.formula("$L^{-1/2}$"),
                    depths,
                    [start * (depths[0] / d) ** 0.5 for d in depths],
                ),
            ],
        ),
        Figure(
            id="streams",
            title=Text(
                en="With branches, and along the skip path alone",
                zh="含支路，以及仅沿跳跃路径",
            ),
            alt=Text(
                en="Gradient norm at each stream relative to the end: Post-Norm's skip path alone decays exponentially, while with their branches all placements stay within about a factor of ten.",
                zh="各处残差流的梯度范数（相对末端）：仅沿 Post-Norm 跳跃路径时按指数衰减；连同支路，各种位置都保持在约十倍之内。",
            ),
            x=figures.PASSED,
            y=figures.RELATIVE,
            series=[
                *_series(streams, relative),
                figures.band(
                    Text(en="Post-Norm, branches cut", zh="Post-Norm，切断支路"),
                    "4",
                    streams,
                    skips / skips[-1],
                ),
                figures.theory(
                    figures.formula("$(2/3)^{(L-l)/2}$"),
                    streams,
                    [(2 / 3) ** ((depth - layer) / 2) for layer in streams],
                ),
            ],
        ),
        Figure(
            id="queries",
            title=Text(en="Share of the query gradient", zh="查询梯度的份额"),
            alt=Text(
                en="Query gradient over value gradient by layer: without a residual connection it drops to rounding error within a few layers, in Post-Norm within a few dozen, in Pre-Norm it falls slowly.",
                zh="逐层的查询梯度与值梯度之比：无残差连接时几层之内降到舍入误差，Post-Norm 需要几十层，Pre-Norm 缓慢下降。",
            ),
            x=figures.LAYER,
            y=Axis(label=share, scale="log"),
            series=_series(layers, {p: _query_share(of) for p, of in deepest.items()}),
        ),
    )
