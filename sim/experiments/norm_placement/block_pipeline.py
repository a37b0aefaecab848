"""The data of one block, step by step, and its gradient on the way back.

The same weights stand in stacks that differ in the placement. One block of each is opened:
the size of the data at every place on its way up, and of the gradient on its way down, with
skip path and branch told apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Series, Text
from sim.nets import blocks, chance, controls, figures, pipeline, probes
from sim.nets.pipeline import Pipeline
from sim.nets.transformer import Transformer, draw

SECONDS = 2.0

TITLE = Text(en="Inside one block", zh="一个块的内部")
ABOUT = Text(
    en="One block of an untrained Transformer is opened, in every placement that has a residual connection, with the same weights. Its data is measured at every step: the stream comes in, the branch takes a copy, norms and scalings act where the placement has them, and the two parts are added; then the gradient of a random readout goes back the same way. Gradients are relative to the one that arrives at the block's output. This is one forward and one backward pass at initialisation, a few dozen features wide: it shows how a placement is wired, not what training makes of it. ResiDual's second stream is not drawn, but the gradient that comes back through it is counted.",
    zh="打开未经训练的 Transformer 中的一个块，比较所有带残差连接的放置方式，权重相同。逐步测量其中的数据：残差流进入，支路取一份副本，归一化和缩放在各自的位置起作用，两部分相加；随后一个随机读出的梯度沿原路返回。梯度以到达该块输出处的梯度为单位。这里只有初始化时的一次前向和一次反向计算，宽度几十：它说明放置方式如何连接，而不是训练会怎样改变它。ResiDual 的第二条残差流没有画出，但经它返回的梯度已计入。",
)
REGIME = Text(
    en="Initialisation, unit-variance embeddings, bidirectional attention, random symbols, a random readout",
    zh="初始化时，单位方差的嵌入、双向注意力、随机符号、随机读出",
)
claim = partial(Claim, regime=REGIME)
XIONG = "Xiong et al. 2020 (arXiv:2002.04745), "
ROUNDING = 1e-5

CLAIMS = (
    claim(
        id="post_stream_normalised_after",
        statement=Text(
            en="In Post-Norm the stream has an RMS of 1 after each of the block's two norms.",
            zh="在 Post-Norm 中，残差流在块内两个归一化之后 RMS 都为 1。",
        ),
        metric="post_stream_rms",
        above=0.99,
        below=1.01,
        source="Vaswani et al. 2017 (arXiv:1706.03762), section 3.1",
    ),
    claim(
        id="pre_skip_untouched",
        statement=Text(
            en="In Pre-Norm what leaves the block, minus its two branches, is what came in, up to rounding.",
            zh="在 Pre-Norm 中，块的输出减去两个支路，就是它的输入（舍入误差以内）。",
        ),
        metric="pre_skip_change",
        below=ROUNDING,
        source="He et al. 2016 (arXiv:1603.05027), equation 4: an identity path",
    ),
    claim(
        id="gradient_splits_exactly",
        statement=Text(
            en="In every placement the gradient at a sublayer's input is the sum of the one through the skip path and the one through the branch.",
            zh="在每种放置方式中，子层输入处的梯度都等于经跳跃路径与经支路的两部分之和。",
        ),
        metric="split_error",
        below=ROUNDING,
        source="The chain rule; single precision rounds to about $10^{-7}$",
    ),
    claim(
        id="pre_skip_gradient_whole",
        statement=Text(
            en="In Pre-Norm the gradient through the skip path is the gradient at the sublayer's output, unchanged.",
            zh="在 Pre-Norm 中，经跳跃路径的梯度就是子层输出处的梯度，没有改变。",
        ),
        metric="pre_skip_gradient_change",
        below=ROUNDING,
        source="He et al. 2016 (arXiv:1603.05027), equation 5",
    ),
    claim(
        id="post_skip_gradient_scaled",
        statement=Text(
            en="In Post-Norm the norm on the stream scales it: through the skip path past feed-forward comes 0.6 to 0.97 of the gradient at the output.",
            zh="在 Post-Norm 中，残差流上的归一化会缩放它：经前馈跳跃路径返回的梯度是输出处的 0.6 到 0.97。",
        ),
        metric="post_skip_gradient",
        above=0.6,
        below=0.97,
        source=XIONG
        + "section 3.3: a norm divides by the size of the sum, here between 1 and $\\sqrt 2$",
    ),
)


class Params(controls.NetParams):
    depth: int = core.param(
        12,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(en="Layers of every stack.", zh="每个网络的层数。"),
        ge=4,
        le=24,
        step=4,
    )
    layer: int = core.param(
        8,
        title=Text(en="Block", zh="块"),
        about=Text(
            en="The block that is opened, counted from the bottom; in a shallower stack the last. Mix-LN and the hybrid differ from block to block.",
            zh="被打开的块，自底向上数；网络较浅时取最后一个。Mix-LN 与混合放置在各块之间不同。",
        ),
        ge=1,
        le=24,
        step=1,
    )


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    depth, layer = params.depth, min(params.layer, params.depth)
    pre = params.architecture(depth=depth)
    ids = chance.symbols(seeds, controls.SEQUENCES, params.length, controls.SYMBOLS)
    rows = controls.SEQUENCES * params.length
    readout = chance.readout(seeds, rows, params.width)  # (S, N, d)
    numbers = draw(pre, seeds)  # (S, W)
    opened: dict[str, Pipeline] = {}
    placements = [p for p, rule in blocks.RULES.items() if rule(layer, depth).skip]
    for done, placement in enumerate(placements, start=1):
        net = Transformer(replace(pre, placement=placement), seeds, numbers=numbers)
        opened[placement] = pipeline.follow(net, ids, readout, layer)
        progress(done / len(placements))
    metrics = {name: values.tolist() for name, values in _metrics(opened).items()}
    return Result(metrics=metrics, figures=_figures(opened))


def _metrics(opened: Mapping[str, Pipeline]) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    pre, post = opened["pre"], opened["post"]
    sizes = torch.stack([probes.rms(post.data[post.end(n)]) for n in (0, 1)])  # (2, S)
    farthest = (sizes - 1).abs().argmax(0, keepdim=True)  # (1, S)
    written = pre.data[0, "map"] + pre.data[1, "map"]  # (S, N, d)
    rest = pre.data[pre.end(1)] - written  # (S, N, d)
    split = [
        probes.apart(
            of.gradient[n, "keep"] + of.gradient[n, "read"],
            of.gradient[of.end(0) if n else (-1, "in")],
        )
        for of in opened.values()
        for n in (0, 1)
    ]
    through = [
        probes.apart(pre.gradient[n, "keep"], pre.gradient[pre.end(n)]) for n in (0, 1)
    ]
    kept, arrived = post.gradient[1, "keep"], post.gradient[post.end(1)]
    return {
        "post_stream_rms": sizes.gather(0, farthest)[0],
        "pre_skip_change": probes.apart(rest, pre.data[-1, "in"]),
        "split_error": torch.stack(split).amax(0),
        "pre_skip_gradient_change": torch.stack(through).amax(0),
        "post_skip_gradient": probes.rms(kept) / probes.rms(arrived),
        "pre_stream_rms": probes.rms(pre.data[-1, "in"]),
    }


def _figures(opened: Mapping[str, Pipeline]) -> tuple[Figure, ...]:
    names = [figures.NAMES[placement][0] for placement in opened]
    every = list(opened.values())
    past = [of.gradient[1, "keep"] for of in every]
    through = [of.gradient[1, "read"] for of in every]
    ends = [probes.rms(of.gradient[of.end(1)]) for of in every]
    size = Text(en="RMS, gradients relative to the output's", zh="RMS，梯度相对输出处")
    share = Text(en="Gradient RMS over that at the output", zh="梯度 RMS 与输出处之比")
    return (
        Figure(
            id="flow",
            kind="flow",
            title=Text(en="One block, step by step", zh="逐步看一个块"),
            alt=Text(
                en="The block as a diagram: the stream as a line, the branch leaving and joining it, norms where the placement has them; lines are as thick as the data, or the gradient, is large. The table lists every step with both sizes.",
                zh="块的示意图：残差流是一条线，支路从中离开再汇合，归一化位于各放置方式的位置；线的粗细表示数据或梯度的大小。表格列出每一步及两种大小。",
            ),
            x=Axis(label=Text(en="Step", zh="步骤")),
            y=Axis(label=size),
            series=list(chain.from_iterable(map(_pair, names, every))),
            steps=list(pipeline.STEPS.values()),
        ),
        Figure(
            id="paths",
            kind="points",
            title=Text(
                en="Gradient back through feed-forward's two paths",
                zh="经前馈子层两条路径返回的梯度",
            ),
            alt=Text(
                en="For each placement the gradient through the skip path and through the branch, relative to that at the block's output: the skip path's is 1 wherever no norm and no factor stands on the stream.",
                zh="各放置方式经跳跃路径与经支路返回的梯度（相对块输出处）：残差流上没有归一化也没有系数时，跳跃路径的恰为 1。",
            ),
            x=Axis(label=Text(en="Placement", zh="放置方式"), ticks=names),
            y=Axis(label=share),
            series=[
                _row(Text(en="skip path", zh="跳跃路径"), "3", past, ends),
                _row(Text(en="branch", zh="支路"), "4", through, ends),
            ],
        ),
    )


def _row(
    name: Text, key: core.Key, gradients: Sequence[Tensor], ends: Sequence[Tensor]
) -> Series:
    sizes = [probes.rms(g) / end for g, end in zip(gradients, ends, strict=True)]
    return figures.band(name, key, range(len(sizes)), torch.stack(sizes))


def _pair(name: Text, of: Pipeline) -> tuple[Series, Series]:
    """What a flow shows of one placement: forward, and the gradient relative to its end."""
    order = list(pipeline.STEPS)
    x = [order.index(place) for place in of.places]
    data = torch.stack([probes.rms(of.data[place]) for place in of.places])  # (P, S)
    sizes = torch.stack([probes.rms(of.gradient[place]) for place in of.places])
    back = Text(en=f"{name.en}, gradient", zh=f"{name.zh}，梯度")
    return (
        figures.band(name, "3", x, data),
        figures.band(back, "4", x, sizes / probes.rms(of.gradient[of.end(1)])),
    )
