"""Which layers a trained network can do without.

Networks of both placements are trained; then one layer at a time is left out, or trades places
with the next one, and the loss is measured again without any further training.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import controls, figures, probes
from sim.nets.checkpoints import evaluate
from sim.nets.learning.training import Schedule, Training, train_all
from sim.nets.markov import Chain
from sim.nets.transformer import Trace, Transformer

HELD_OUT = 8  # batches that a gap is measured on
SECONDS = 5.0

TITLE = Text(en="Effective depth", zh="有效深度")
ABOUT = Text(
    en="How much does a network need each of its layers? Small networks learn a Markov chain; then each layer is left out, or exchanged with its neighbour, and the gap is measured anew. In large Pre-Norm language models late layers can often be removed at little cost, because each changes a grown stream only slightly. Here the stacks have eight layers and a task that a single layer can solve, so that many layers are dispensable wherever the norm stands; what is compared is early with late and Pre-Norm with Post-Norm, not the cost itself.",
    zh="网络对它的每一层依赖多少？小型网络学习马尔可夫链，然后逐一去掉每一层，或与相邻层互换，并重新测量差距。在大型 Pre-Norm 语言模型中，后面的层往往可以去掉而代价很小，因为残差流已经增长，每一层只能稍稍改变它。这里的网络只有八层，任务用一层就能解决，所以无论归一化在哪里，许多层都可有可无；可比较的是前与后、Pre-Norm 与 Post-Norm，而不是代价本身。",
)
REGIME = Text(
    en="Training, Adam, 8 layers of width 32, Xavier initialisation, peak rate 0.002, 200 steps with 75 of warmup, clipped at 1; late are the last two layers, early the first two; medians over seeds",
    zh="训练，Adam，8 层、宽度 32，Xavier 初始化，峰值学习率 0.002，200 步、其中预热 75 步，裁剪范数 1；“后面”指最后两层，“前面”指最初两层；取各种子的中位数",
)
claim = partial(Claim, regime=REGIME, over="median")
SUN = "Sun et al. 2025 (arXiv:2502.05795), "

CLAIMS = (
    claim(
        id="pre_late_drop_cheap",
        statement=Text(
            en="Leaving out one late layer raises a trained Pre-Norm network's gap by less than 0.1.",
            zh="去掉后面的一层，训练好的 Pre-Norm 网络差距增加不到 0.1。",
        ),
        metric="pre_late_drop",
        below=0.1,
        source=SUN + "pruning late layers of Pre-LN models, known second-hand",
    ),
    claim(
        id="post_late_drop_costly",
        statement=Text(
            en="In a trained Post-Norm network the same raises the gap by more than 0.1.",
            zh="在训练好的 Post-Norm 网络中，同样的做法使差距增加 0.1 以上。",
        ),
        metric="post_late_drop",
        above=0.1,
        source=SUN + "pruning layers of Post-LN models, known second-hand",
    ),
    claim(
        id="late_drop_costs_post_more",
        statement=Text(
            en="Leaving out a late layer costs Post-Norm more than Pre-Norm.",
            zh="去掉后面的一层，Post-Norm 的代价大于 Pre-Norm。",
        ),
        metric="late_post_minus_pre",
        above=0.0,
        source=SUN + "pruning in both placements, known second-hand",
    ),
    claim(
        id="pre_late_swap_cheap",
        statement=Text(
            en="Exchanging the last two layers raises a trained Pre-Norm network's gap by less than 0.1.",
            zh="互换最后两层，训练好的 Pre-Norm 网络差距增加不到 0.1。",
        ),
        metric="pre_late_swap",
        below=0.1,
        source="Veit et al. 2016 (arXiv:1605.06431): reordering residual blocks, known second-hand",
    ),
    claim(
        id="early_drop_costly",
        statement=Text(
            en="In a trained Pre-Norm network an early layer is missed more than a late one: leaving it out raises the gap by more, by over 0.1.",
            zh="在训练好的 Pre-Norm 网络中，前面的层比后面的层更不可缺：去掉它使差距多增加 0.1 以上。",
        ),
        metric="pre_early_minus_late",
        above=0.1,
        source=SUN + "angular distance and pruning, known second-hand",
    ),
    claim(
        id="angle_falls_after_training",
        statement=Text(
            en="In a trained Pre-Norm network the last layer turns the stream less than half as much as the first.",
            zh="在训练好的 Pre-Norm 网络中，最后一层使残差流转动的角度不到第一层的一半。",
        ),
        metric="pre_angle_ratio",
        below=0.5,
        source=SUN + "equation 1: angular distance",
    ),
)


class Params(controls.TrainParams):
    depth: int = core.param(
        8,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="Layers of every network; the first and last quarter are early and late.",
            zh="每个网络的层数；最初与最后的四分之一分别为前面与后面的层。",
        ),
        ge=4,
        le=8,
        step=1,
    )
    steps: int = controls.steps(200, most=200)
    rate: float = controls.rate(0.002)


@dataclass(frozen=True, kw_only=True)
class Needed:
    """What a network loses with each of its layers: gaps above its own, and angles."""

    gap: Tensor  # (S,)
    dropped: Tensor  # (L, S)
    swapped: Tensor  # (L - 1, S)
    angle: Tensor  # between a layer's input and output over π, (L, S)


def without(net: Transformer, layer: int) -> Transformer:
    """The same network with a layer left out."""
    return _rearranged(net, [b for i, b in enumerate(net.blocks) if i != layer])


def swapped(net: Transformer, layer: int) -> Transformer:
    """The same network with a layer and the next one exchanged."""
    blocks = list(net.blocks)
    blocks[layer : layer + 2] = blocks[layer : layer + 2][::-1]
    return _rearranged(net, blocks)


def _rearranged(net: Transformer, blocks: list[dict[str, Tensor]]) -> Transformer:
    other = copy.copy(net)
    other.blocks = blocks
    other.architecture = replace(net.architecture, depth=len(blocks))
    return other


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    chain = Chain(seeds, controls.SYMBOLS)
    batches = chain.sample(params.steps, controls.BATCH, params.length)
    held_out = chain.sample(HELD_OUT, controls.BATCH, params.length)
    pre = params.architecture(depth=params.depth, causal=True)
    nets = {
        "pre": Transformer(pre, seeds),
        "post": Transformer(replace(pre, placement="post"), seeds),
    }
    ids = held_out[0, ..., :-1]  # (S, B, T)
    fresh = {name: _angles(net, ids) for name, net in nets.items()}
    schedule = Schedule(rate=params.rate, warmup=params.warmup, clip=params.clip)
    schedules = [schedule] * len(seeds)
    trainings = [
        Training(net=net, schedules=schedules, batches=batches) for net in nets.values()
    ]
    train_all(trainings, lambda done: progress(0.9 * done))
    found = {name: _needed(net, chain, held_out) for name, net in nets.items()}
    progress(1.0)
    metrics = {name: values.tolist() for name, values in _metrics(found).items()}
    return Result(metrics=metrics, figures=_figures(found, fresh))


@torch.no_grad()
def _angles(net: Transformer, ids: Tensor) -> Tensor:
    trace = Trace()
    net.stream(net.embed(ids), trace)
    return torch.stack([probes.angle(a, b) for a, b in pairwise(trace.streams)])


def _needed(net: Transformer, chain: Chain, held_out: Tensor) -> Needed:
    def gap(net: Transformer) -> Tensor:
        return chain.gap(evaluate(net, held_out))

    own, depth = gap(net), len(net.blocks)
    return Needed(
        gap=own,
        dropped=torch.stack([gap(without(net, i)) for i in range(depth)]) - own,
        swapped=torch.stack([gap(swapped(net, i)) for i in range(depth - 1)]) - own,
        angle=_angles(net, held_out[0, ..., :-1]),
    )


def _metrics(found: Mapping[str, Needed]) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    pre, post = found["pre"], found["post"]
    quarter = len(pre.dropped) // 4
    early, late = pre.dropped[:quarter].mean(0), pre.dropped[-quarter:].mean(0)
    return {
        "pre_gap": pre.gap,
        "post_gap": post.gap,
        "pre_late_drop": late,
        "post_late_drop": post.dropped[-quarter:].mean(0),
        "late_post_minus_pre": post.dropped[-quarter:].mean(0) - late,
        "pre_early_drop": early,
        "post_early_drop": post.dropped[:quarter].mean(0),
        "pre_late_swap": pre.swapped[-1],
        "post_late_swap": post.swapped[-1],
        "pre_early_minus_late": early - late,
        "pre_angle_ratio": pre.angle[-1] / pre.angle[0],
        "post_angle_ratio": post.angle[-1] / post.angle[0],
    }


def _figures(
    found: Mapping[str, Needed], fresh: Mapping[str, Tensor]
) -> tuple[Figure, ...]:
    layers = range(1, len(found["pre"].dropped) + 1)
    more = Axis(label=Text(en="Gap added", zh="增加的差距"))
    angle = Text(
        en="Angle between input and output, over π", zh="输入与输出的夹角除以 π"
    )
    before: dict[str, tuple[Text, core.Key]] = {
        "pre": (Text(en="Pre-Norm, untrained", zh="Pre-Norm，未训练"), "3"),
        "post": (Text(en="Post-Norm, untrained", zh="Post-Norm，未训练"), "4"),
    }
    return (
        Figure(
            id="dropped",
            title=Text(en="A layer left out", zh="去掉一层"),
            alt=Text(
                en="Gap added by leaving out each layer of the trained networks, by layer and placement.",
                zh="从训练好的网络中去掉每一层所增加的差距，按层与归一化位置。",
            ),
            x=figures.LAYER,
            y=more,
            series=[
                figures.placed(name, layers, needed.dropped)
                for name, needed in found.items()
            ],
        ),
        Figure(
            id="swapped",
            title=Text(en="A layer exchanged with the next", zh="与下一层互换"),
            alt=Text(
                en="Gap added by exchanging each layer with the one after it, by layer and placement.",
                zh="把每一层与后一层互换所增加的差距，按层与归一化位置。",
            ),
            x=figures.LAYER,
            y=more,
            series=[
                figures.placed(name, layers[:-1], needed.swapped)
                for name, needed in found.items()
            ],
        ),
        Figure(
            id="angles",
            title=Text(en="What each layer changes", zh="每一层的改变"),
            alt=Text(
                en="Angle between each layer's input and output before and after training, by layer and placement.",
                zh="训练前后每层输入与输出的夹角，按层与归一化位置。",
            ),
            x=figures.LAYER,
            y=Axis(label=angle),
            series=[
                *(
                    figures.placed(n, layers, needed.angle)
                    for n, needed in found.items()
                ),
                *(figures.band(*before[n], layers, a) for n, a in fresh.items()),
            ],
        ),
    )
