"""How the residual stream grows with depth at initialisation.

The same weights stand in stacks that differ in nothing but the block. The stream is followed
from layer to layer: its size, what each branch adds to it, how far each layer turns it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import chance, controls, figures, probes
from sim.nets.transformer import Transformer, branch_gains, draw

SECONDS = 2.0

TITLE = Text(en="Growth of the residual stream", zh="残差流的增长")
ABOUT = Text(
    en="Untrained Transformers share their weights and differ only in where the norm stands. Pre-Norm's stream gains about the same mean square in every layer, so each branch, which sees an input of unit size, changes it less and less; Post-Norm's stream is set back to unit size after every addition. Branches scaled by $1/\\sqrt{L}$ keep a Pre-Norm stream bounded, and without any norm it grows geometrically. All of this is about the first forward pass of networks a few dozen features wide; training moves the sizes of branches.",
    zh="未经训练的 Transformer 共用权重，只有归一化的位置不同。Pre-Norm 的残差流每层增加大致相同的均方值，而每个支路的输入都是单位大小，因此支路对它的改变越来越小；Post-Norm 的残差流在每次相加后都回到单位大小。把支路乘以 $1/\\sqrt{L}$ 可使 Pre-Norm 的残差流有界，完全没有归一化时则按几何级数增长。以上只涉及宽度几十的网络的第一次前向计算；训练会改变支路的大小。",
)
REGIME = Text(
    en="Xavier initialisation with unit-variance embeddings, bidirectional attention, random symbols",
    zh="Xavier 初始化、单位方差的嵌入、双向注意力、随机符号",
)
claim = partial(Claim, regime=REGIME)
XIONG = "Xiong et al. 2020 (arXiv:2002.04745), "

CLAIMS = (
    claim(
        id="post_stream_unit",
        statement=Text(
            en="Post-Norm's stream has an RMS of 1 after every block.",
            zh="Post-Norm 的残差流在每个块之后 RMS 都为 1。",
        ),
        metric="post_stream_rms",
        above=0.99,
        below=1.01,
        source="Vaswani et al. 2017 (arXiv:1706.03762), section 3.1",
    ),
    claim(
        id="pre_stream_grows",
        statement=Text(
            en="The mean square of Pre-Norm's stream grows by 0.3 to 3 a layer.",
            zh="Pre-Norm 残差流的均方值每层增长 0.3 到 3。",
        ),
        metric="pre_stream_slope",
        above=0.3,
        below=3.0,
        source=XIONG + "lemma 2: between 1/2 and 3/2 for ReLU and equal widths",
    ),
    claim(
        id="pre_ratio_falls",
        statement=Text(
            en="In Pre-Norm the feed-forward branch shrinks against the stream, about as $l^{-1/2}$.",
            zh="在 Pre-Norm 中，前馈支路相对残差流不断变小，大致为 $l^{-1/2}$。",
        ),
        metric="pre_ratio_slope",
        above=-0.8,
        below=-0.3,
        source=XIONG
        + "lemma 2: a branch of constant size on a stream growing linearly",
    ),
    claim(
        id="post_ratio_constant",
        statement=Text(
            en="In Post-Norm the feed-forward branch keeps its size against the stream.",
            zh="在 Post-Norm 中，前馈支路相对残差流的大小保持不变。",
        ),
        metric="post_ratio_slope",
        above=-0.1,
        below=0.1,
        source=XIONG + "lemma 2",
    ),
    claim(
        id="pre_change_falls",
        statement=Text(
            en="Pre-Norm's last layer turns the stream by less than half the angle of its first.",
            zh="Pre-Norm 最后一层使残差流转过的角度不到第一层的一半。",
        ),
        metric="pre_change_ratio",
        below=0.5,
        source="Sun et al. 2025 (arXiv:2502.05795), equation 1: angular distance",
    ),
    claim(
        id="pre_late_layers_matter_less",
        statement=Text(
            en="Leaving out the last layer changes Pre-Norm's output less than half as much as Post-Norm's.",
            zh="去掉最后一层，Pre-Norm 输出的变化不到 Post-Norm 的一半。",
        ),
        metric="last_layer_damage_ratio",
        below=0.5,
        source="Liu et al. 2020 (Admin, arXiv:2004.08249), section 4: dependency on branches",
    ),
    claim(
        id="scaled_stream_bounded",
        statement=Text(
            en="With branches scaled by $1/\\sqrt{L}$ the mean square at the end stays below 2.5 at every depth.",
            zh="支路乘以 $1/\\sqrt{L}$ 后，末端的均方值在任何深度都低于 2.5。",
        ),
        metric="scaled_stream_largest",
        below=2.5,
        source=XIONG + "lemma 2, upper end $(1 + 3l/2)$ with each step divided by $L$",
    ),
    claim(
        id="same_weights_differ",
        statement=Text(
            en="The same weights compute different functions: the outputs of Pre-Norm and Post-Norm have a cosine below 0.9.",
            zh="相同的权重计算的是不同的函数：Pre-Norm 与 Post-Norm 输出的余弦低于 0.9。",
        ),
        metric="output_cosine",
        below=0.9,
        source="The two formulas: Xiong et al. 2020 (arXiv:2002.04745), table 1",
    ),
    claim(
        id="unnormalised_grows_geometrically",
        statement=Text(
            en="Without norms the logarithm of the stream's mean square grows by more than 0.28 a layer.",
            zh="没有归一化时，残差流均方值的对数每层增长超过 0.28。",
        ),
        metric="unnormalised_log_slope",
        above=0.28,
        source="A ReLU branch alone multiplies it by $1 + 0.32$ (He et al. 2015, arXiv:1502.01852)",
    ),
)


class Params(controls.NetParams):
    depth: int = core.param(
        24,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="Layers of every stack; scaled branches are also tried at a half and a quarter.",
            zh="每个网络的层数；缩放支路还会在一半和四分之一深度上测试。",
        ),
        ge=4,
        le=48,
        step=4,
    )
    also: controls.Also = controls.also()


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    pre = params.architecture(depth=params.depth)
    stacks = {
        "pre": pre,
        "post": replace(pre, placement="post"),
        "scaled": replace(pre, placement="scaled"),
        "scaled, half": replace(pre, placement="scaled", depth=params.depth // 2),
        "scaled, quarter": replace(pre, placement="scaled", depth=params.depth // 4),
        "none": replace(pre, operator="none"),
    }
    if params.also != "none":
        stacks["also"] = replace(pre, placement=params.also)
    ids = chance.symbols(
        seeds, controls.SEQUENCES, params.length, controls.SYMBOLS
    )  # (S, B, T)
    numbers = draw(pre, seeds)  # (S, W)
    found = {}
    for done, (name, stack) in enumerate(stacks.items(), start=1):
        # Without norms single precision overflows in deep stacks.
        dtype = torch.float64 if name == "none" else torch.float32
        net = Transformer(stack, seeds, dtype, numbers=numbers)
        found[name] = probes.growth(net, ids)
        progress(done / len(stacks))
    metrics = {name: values.tolist() for name, values in _metrics(found).items()}
    return Result(
        metrics=metrics, figures=_figures(found, params.also, branch_gains(pre))
    )


def _metrics(found: Mapping[str, probes.Growth]) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    pre, post, none = found["pre"], found["post"], found["none"]
    layers = range(1, len(pre.change) + 1)
    sizes = post.squares[1:].sqrt()  # (L, S)
    farthest = (sizes - 1).abs().argmax(0, keepdim=True)  # (1, S)
    ends = [g.squares[-1] for name, g in found.items() if name.startswith("scaled")]
    return {
        "post_stream_rms": sizes.gather(0, farthest)[0],
        "pre_stream_slope": probes.slope([0, *layers], pre.squares),
        "pre_ratio_slope": probes.log_slope(layers, pre.feed_forward),
        "post_ratio_slope": probes.log_slope(layers, post.feed_forward),
        "pre_attention_slope": probes.log_slope(layers, pre.attention),
        "post_attention_slope": probes.log_slope(layers, post.attention),
        "pre_change_ratio": pre.change[-1] / pre.change[0],
        "post_change_ratio": post.change[-1] / post.change[0],
        "last_layer_damage_ratio": pre.loss_of_last / post.loss_of_last,
        "scaled_stream_largest": torch.stack(ends).amax(0),
        "output_cosine": probes.cosine(pre.output, post.output),
        "unnormalised_log_slope": probes.slope([0, *layers], none.squares.log()),
    }


def _figures(
    found: Mapping[str, probes.Growth], also: controls.Also, gains: tuple[float, float]
) -> tuple[Figure, ...]:
    """Theory: a layer adds its feed-forward gain and between none and all of attention's."""
    (attention, feed_forward), pre, post = gains, found["pre"], found["post"]
    layers = range(1, len(pre.change) + 1)
    steps = [0, *layers]
    layer = replace(figures.LAYER, scale="log")
    square = replace(figures.SQUARE, scale="log")
    share = Text(en="Branch over stream (RMS)", zh="支路与残差流之比（RMS）")
    turn = Text(
        en="Angle between input and output, over π", zh="输入与输出的夹角除以 π"
    )
    most = attention + feed_forward
    low, high = ([1 + gain * step for step in steps] for gain in (feed_forward, most))
    small, large = f"1 + {feed_forward:.2f}\\,l", f"1 + {most:.2f}\\,l"
    none = Text(en="No norm at all", zh="完全没有归一化")
    more = [(also, found["also"])] if "also" in found else []
    return (
        Figure(
            id="streams",
            title=Text(en="Size of the stream", zh="残差流的大小"),
            alt=Text(
                en="Mean square of the stream by layer: linear growth between the two theoretical lines in Pre-Norm, constant 1 in Post-Norm, bounded with scaled branches.",
                zh="逐层的残差流均方值：Pre-Norm 在两条理论线之间线性增长，Post-Norm 恒为 1，缩放支路时有界。",
            ),
            x=figures.PASSED,
            y=square,
            series=[
                figures.placed("pre", steps, pre.squares),
                figures.placed("post", steps, post.squares),
                figures.placed("scaled", steps, found["scaled"].squares),
                *(figures.placed(p, steps, g.squares, figures.ALSO) for p, g in more),
                figures.theory(figures.formula(f"${small}$"), steps, low),
                figures.theory(figures.formula(f"${large}$"), steps, high),
            ],
        ),
        Figure(
            id="ratios",
            title=Text(
                en="Feed-forward branch against the stream", zh="前馈支路与残差流之比"
            ),
            alt=Text(
                en="RMS of the feed-forward branch over that of the stream it joins, by layer, both logarithmic: falling about as one over the root of the layer in Pre-Norm, level in Post-Norm.",
                zh="逐层的前馈支路与所加残差流的 RMS 之比（双对数）：Pre-Norm 大致按层数的负二分之一次方下降，Post-Norm 持平。",
            ),
            x=layer,
            y=Axis(label=share, scale="log"),
            series=[
                figures.placed("pre", layers, pre.feed_forward),
                figures.placed("post", layers, post.feed_forward),
                figures.band(
                    Text(en="Post-Norm, attention branch", zh="Post-Norm，注意力支路"),
                    "4",
                    layers,
                    post.attention,
                ),
                figures.theory(
                    figures.formula(f"$\\sqrt{{{feed_forward:.2f}/({large})}}$"),
                    layers,
                    [(feed_forward / square) ** 0.5 for square in high[1:]],
                ),
            ],
        ),
        Figure(
            id="angles",
            title=Text(en="What each layer changes", zh="每一层的改变"),
            alt=Text(
                en="Angle between each layer's input and output: falling with the layer in Pre-Norm, not in Post-Norm.",
                zh="每层输入与输出的夹角：Pre-Norm 随层下降，Post-Norm 则不然。",
            ),
            x=figures.LAYER,
            y=Axis(label=turn),
            series=[
                figures.placed("pre", layers, pre.change),
                figures.placed("post", layers, post.change),
                *(figures.placed(p, layers, g.change, figures.ALSO) for p, g in more),
            ],
        ),
        Figure(
            id="unnormalised",
            title=Text(en="Without any norm", zh="完全没有归一化"),
            alt=Text(
                en="Mean square of the stream by layer, logarithmic: a straight rising line without norms, far above Pre-Norm's.",
                zh="逐层的残差流均方值（对数轴）：没有归一化时是一条上升的直线，远高于 Pre-Norm。",
            ),
            x=figures.PASSED,
            y=square,
            series=[
                figures.placed("pre", steps, pre.squares),
                figures.band(none, "4", steps, found["none"].squares),
                figures.theory(
                    figures.formula(f"$(1 + {feed_forward:.2f})^l$"),
                    steps,
                    [(1 + feed_forward) ** step for step in steps],
                ),
            ],
        ),
    )
