"""Ways to keep a residual stream small at initialisation, and what weights do to them.

Branches scaled by depth, by layer, by a learned gain that starts small or at zero, or
normalised a second time: the same random weights stand in all of them, and once more
multiplied by a factor.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import altered, chance, controls, figures, probes
from sim.nets.blocks import Placement
from sim.nets.transformer import Transformer, branch_gains, draw

GROWING: tuple[Placement, ...] = ("pre", "sandwich", "ln_scaling")  # same at any depth
WEIGHED: tuple[Placement, ...] = ("pre", "post", "sandwich")
STACKS = 13  # that a run builds
SECONDS = 5.0

TITLE = Text(en="Scaled branches and the residual stream", zh="缩放支路与残差流")
ABOUT = Text(
    en="The same untrained weights stand in stacks that differ in how a branch joins the stream: as it is, scaled by the depth as in GPT-2, by the layer (LN scaling), normalised a second time (Sandwich-Norm, Peri-LN), or behind a learned gain that starts small (LayerScale) or at zero (ReZero). Multiplying all matrices shows which streams depend on the weights at all. A second norm makes growth independent of the weights, not small: at unit gain the stream starts larger than Pre-Norm's. This is the first pass of networks a few dozen features wide; training moves gains and weights.",
    zh="相同的未训练权重放进不同的网络，区别只在支路如何并入残差流：原样相加；按深度缩放（GPT-2）；按层缩放（LN 缩放）；再归一化一次（Sandwich-Norm、Peri-LN）；或经过从很小（LayerScale）或从零（ReZero）开始的可学习增益。把所有矩阵放大，就能看出哪些残差流依赖权重。第二次归一化使增长与权重无关，但并不小：增益为一时，它的残差流起初比 Pre-Norm 的还大。以上只是宽度几十的网络的第一次前向计算；训练会改变增益和权重。",
)
REGIME = Text(
    en="Xavier initialisation, unit gains, bidirectional attention, random symbols, Gaussian readout",
    zh="Xavier 初始化、单位增益、双向注意力、随机符号、高斯读出",
)
claim = partial(Claim, regime=REGIME)
KIM = "Kim et al. 2025 (Peri-LN, arXiv:2502.02732), proposition 3.1, known second-hand"
BACHLECHNER = "Bachlechner et al. 2020 (ReZero, arXiv:2003.04887), equation 1"

CLAIMS = (
    claim(
        id="half_depth_scaling_bounded",
        statement=Text(
            en="With the last matrix of each branch scaled by $1/\\sqrt{2L}$ the mean square at the end stays below 1.75 at every depth.",
            zh="每个支路的最后一个矩阵乘以 $1/\\sqrt{2L}$ 后，末端的均方值在任何深度都低于 1.75。",
        ),
        metric="gpt2_end_largest",
        below=1.75,
        source="Radford et al. 2019 (GPT-2), section 2.3; $1 + (1 + 1/2)/2$ from Xiong et al. 2020 (arXiv:2002.04745), lemma 2",
    ),
    claim(
        id="ln_scaling_logarithmic",
        statement=Text(
            en="With the norm's output divided by $\\sqrt{l}$ the mean square grows as $\\sum 1/l \\approx \\ln L$: from layer $\\sqrt{L}$ to $L$ at the same rate as from 1 to $\\sqrt{L}$, within a factor of 3.",
            zh="归一化输出除以 $\\sqrt{l}$ 后，均方值按 $\\sum 1/l \\approx \\ln L$ 增长：从第 $\\sqrt{L}$ 层到第 $L$ 层的增长率与从第 1 层到第 $\\sqrt{L}$ 层相同（3 倍以内）。",
        ),
        metric="ln_scaling_rates",
        above=1 / 3,
        below=3.0,
        source="Sun et al. 2025 (arXiv:2502.05795), equation 12; branches of mean square 1/2 to 3/2 (Xiong et al. 2020, lemma 2)",
    ),
    claim(
        id="peri_larger_at_start",
        statement=Text(
            en="At unit gain the stream of Sandwich-Norm (Peri-LN) ends larger than Pre-Norm's: each branch adds a mean square of 1.",
            zh="增益为一时，Sandwich-Norm（Peri-LN）的残差流末端大于 Pre-Norm：每个支路增加的均方值为 1。",
        ),
        metric="sandwich_to_pre",
        above=1.0,
        source="The formulas: a normalised branch has mean square 1, Xavier's at most 1 and 1/2 (Xiong et al. 2020, lemma 2)",
    ),
    claim(
        id="peri_growth_weight_free",
        statement=Text(
            en="Multiplying all matrices changes the size of Sandwich-Norm's stream by less than a quarter.",
            zh="把所有矩阵放大，Sandwich-Norm 残差流的大小变化不到四分之一。",
        ),
        metric="sandwich_weighed",
        above=0.8,
        below=1.25,
        source=KIM,
    ),
    claim(
        id="pre_growth_follows_weights",
        statement=Text(
            en="Multiplying all matrices makes the mean square of Pre-Norm's stream more than ten times as large.",
            zh="把所有矩阵放大，Pre-Norm 残差流的均方值增大十倍以上。",
        ),
        metric="pre_weighed",
        above=10.0,
        source=KIM,
    ),
    claim(
        id="post_weight_free",
        statement=Text(
            en="Post-Norm's stream keeps its size whatever the weights.",
            zh="无论权重如何，Post-Norm 残差流的大小不变。",
        ),
        metric="post_weighed",
        above=0.99,
        below=1.01,
        source="Vaswani et al. 2017 (arXiv:1706.03762), section 3.1",
    ),
    claim(
        id="rezero_is_identity",
        statement=Text(
            en="ReZero's untrained stack returns its input unchanged.",
            zh="未训练的 ReZero 网络原样返回输入。",
        ),
        metric="rezero_change",
        below=1e-6,
        source=BACHLECHNER,
    ),
    claim(
        id="rezero_only_alpha_learns",
        statement=Text(
            en="ReZero's first gradient reaches only the gains: at the branches' matrices it is exactly zero.",
            zh="ReZero 的第一个梯度只到达增益：在支路的矩阵上恰为零。",
        ),
        metric="rezero_matrices_to_gains",
        below=1e-12,
        source=BACHLECHNER,
    ),
    claim(
        id="layer_scale_gradient_proportional",
        statement=Text(
            en="With a tenth of LayerScale's $\\varepsilon$ the branches' matrices get a tenth of the gradient.",
            zh="LayerScale 的 $\\varepsilon$ 减到十分之一，支路矩阵的梯度也减到十分之一。",
        ),
        metric="layer_scale_ratio",
        above=0.09,
        below=0.11,
        source="Touvron et al. 2021 (CaiT, arXiv:2103.17239), the formula $x + \\varepsilon\\,f(x)$",
    ),
)


class Params(controls.NetParams):
    depth: int = core.param(
        64,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="Layers of every stack; GPT-2's scaling is also tried at a half and a quarter.",
            zh="每个网络的层数；GPT-2 的缩放还会在一半和四分之一深度上测试。",
        ),
        ge=8,
        le=64,
        step=8,
    )
    factor: int = core.param(
        10,
        title=Text(en="Factor on the weights", zh="权重的倍数"),
        about=Text(
            en="What all matrices of the branches are multiplied by.",
            zh="支路的所有矩阵都乘以这个数。",
        ),
        ge=2,
        le=20,
        step=1,
    )
    epsilon: float = core.param(
        0.01,
        title=Text(en="LayerScale's first gain", zh="LayerScale 的初始增益"),
        about=Text(
            en="The $\\varepsilon$ that is compared with a tenth of it.",
            zh="与其十分之一相比较的 $\\varepsilon$。",
        ),
        ge=0.001,
        le=1.0,
        step=0.001,
    )


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    pre = params.architecture(depth=params.depth)
    ids = chance.symbols(seeds, controls.SEQUENCES, params.length, pre.vocabulary)
    readout = chance.readout(seeds, controls.SEQUENCES * params.length, params.width)
    numbers = draw(pre, seeds)  # (S, W)
    done = 0

    def net(placement: Placement, depth: int = params.depth) -> Transformer:
        nonlocal done
        progress(done / STACKS)
        done += 1
        architecture = replace(pre, placement=placement, depth=depth)
        return Transformer(architecture, seeds, numbers=numbers)

    def follow(stack: Transformer) -> Tensor:
        return probes.growth(stack, ids).squares  # (L + 1, S)

    def learn(epsilon: float) -> Tensor:
        stack = altered.set_gains(net("layer_scale"), epsilon)
        return probes.gradients(stack, ids, readout).down  # (L, S)

    squares = {p: follow(net(p)) for p in (*GROWING, "post")}
    weighed = {p: follow(altered.multiply(net(p), params.factor)) for p in WEIGHED}
    depths = (params.depth // 4, params.depth // 2, params.depth)
    gpt2 = torch.stack([follow(net("gpt2", depth))[-1] for depth in depths])
    large, small = learn(params.epsilon), learn(params.epsilon / 10)
    rezero = net("rezero")
    change, matrices, gains = _first_step(rezero, ids, readout)
    harmonic = torch.cumsum(1 / torch.arange(1.0, params.depth + 1), 0)  # (L,)
    metrics = {
        "gpt2_end_largest": gpt2.amax(0),
        "ln_scaling_rates": _rates(squares["ln_scaling"][1:], harmonic),
        "sandwich_to_pre": squares["sandwich"][-1] / squares["pre"][-1],
        **{f"{p}_weighed": weighed[p][-1] / squares[p][-1] for p in WEIGHED},
        "rezero_change": change,
        "rezero_matrices_to_gains": matrices / gains,
        "layer_scale_ratio": (small / large).mean(0),
        **{f"{p}_end": squares[p][-1] for p in GROWING},
        "gpt2_end": gpt2[-1],
    }
    progress(1)
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=[
            _streams(squares, depths, gpt2, 1 + sum(branch_gains(pre)) * harmonic),
            _weighed(params, squares, weighed),
        ],
    )


def _rates(squares: Tensor, clock: Tensor) -> Tensor:
    """Growth per unit of a clock from layer √L to L over that from 1 to √L, (S,).

    Squares (L, S) and clock (L,) begin with layer 1. Linear growth gives about 7 by a
    harmonic clock of 64 layers, logarithmic growth 1, bounded growth 0.
    """
    middle = math.isqrt(len(clock)) - 1
    early = (squares[middle] - squares[0]) / (clock[middle] - clock[0])
    return (squares[-1] - squares[middle]) / (clock[-1] - clock[middle]) / early


def _first_step(net: Transformer, ids: Tensor, readout: Tensor) -> tuple[Tensor, ...]:
    """RMS change of the stream, gradient norm at matrices and at gains, (S,) each."""
    start = net.embed(ids)
    end = net.stream(start)  # (S, N, d)
    named = [(name, w) for block in net.blocks for name, w in block.items()]
    found = torch.autograd.grad(
        (net.finish(end) * readout).sum(), [w for _, w in named]
    )
    squares: dict[bool, list[Tensor]] = {True: [], False: []}
    for (name, _), part in zip(named, found, strict=True):
        squares[name.startswith("branch_gain")].append(
            part.flatten(1).norm(dim=1).double().square()
        )
    matrices, gains = (torch.stack(squares[at]).sum(0).sqrt() for at in (False, True))
    return probes.rms(end - start), matrices, gains


def _streams(
    squares: Mapping[Placement, Tensor],
    depths: Sequence[int],
    gpt2: Tensor,
    logarithmic: Tensor,
) -> Figure:
    steps = range(1, len(squares["pre"]))
    return Figure(
        id="streams",
        title=Text(en="Size of the stream", zh="残差流的大小"),
        alt=Text(
            en="Mean square of the stream by layer, both logarithmic: growing linearly in Pre-Norm and faster in Sandwich-Norm, with the logarithm of the layer under LN scaling, constant in Post-Norm; the ends of GPT-2 stacks of three depths lie level.",
            zh="逐层的残差流均方值（双对数）：Pre-Norm 线性增长，Sandwich-Norm 更快，LN 缩放随层数的对数增长，Post-Norm 恒定；三种深度的 GPT-2 网络末端持平。",
        ),
        x=replace(figures.PASSED, scale="log"),
        y=replace(figures.SQUARE, scale="log"),
        series=[
            *(figures.placed(p, steps, squares[p][1:]) for p in squares),
            figures.placed("gpt2", depths, gpt2),
            figures.theory(
                figures.formula("$1 + 2l$"), steps, [1.0 + 2 * step for step in steps]
            ),
            figures.theory(
                figures.formula("$1 + c\\sum 1/l$"), steps, logarithmic.tolist()
            ),
        ],
    )


def _weighed(
    params: Params,
    squares: Mapping[Placement, Tensor],
    weighed: Mapping[Placement, Tensor],
) -> Figure:
    ends = {p: torch.stack([squares[p][-1], weighed[p][-1]]) for p in WEIGHED}
    return Figure(
        id="weights",
        title=Text(en="What the weights do to the stream", zh="权重对残差流的影响"),
        alt=Text(
            en="Mean square at the end against the factor on all matrices, both logarithmic: it rises steeply in Pre-Norm and stays level in Post-Norm and Sandwich-Norm.",
            zh="末端均方值随所有矩阵的倍数变化（双对数）：Pre-Norm 急剧上升，Post-Norm 与 Sandwich-Norm 持平。",
        ),
        x=Axis(label=Text(en="Factor on the weights", zh="权重的倍数"), scale="log"),
        y=replace(figures.SQUARE, scale="log"),
        series=[figures.placed(p, [1, params.factor], ends[p]) for p in WEIGHED],
    )
