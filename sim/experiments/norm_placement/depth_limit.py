"""How deep each placement still trains, warmed up, at one learning rate.

Post-Norm, Pre-Norm and DeepNorm at three depths, with the same schedule, data and, for each
depth, the same weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from sim import core
from sim.core import Claim, Figure, Progress, Result, Text
from sim.nets import controls, figures
from sim.nets.blocks import Placement
from sim.nets.learning.cells import LAST, Cell, Lessons, shown_steps, teach
from sim.nets.learning.training import Schedule

SECONDS = 9.5
PLACEMENTS: tuple[Placement, ...] = ("pre", "post", "deepnorm")
DRAWN = 5  # every fifth step is drawn

TITLE = Text(en="The depth at which training stops", zh="训练在多深处停下")
ABOUT = Text(
    en="Stacks of three depths learn the same Markov chain with the same warmed-up schedule, as Post-Norm, Pre-Norm and DeepNorm. Warmup that suffices for a shallow Post-Norm stack no longer suffices for a deep one, which stays at what symbol frequencies explain, while the other two hardly notice the depth. The limit is one of this rate and these 140 steps: at an eighth of the rate and several times the steps Post-Norm of twelve layers has been seen to learn as well. Width 32; large models meet their limits at other depths.",
    zh="三种深度的网络以同样带预热的学习率调度学习同一个马尔可夫链，分别为 Post-Norm、Pre-Norm 和 DeepNorm。足以训练浅层 Post-Norm 的预热对深层不再够用：它停在符号频率所能解释的水平，而另外两种几乎不受深度影响。这个极限属于这一学习率和这 140 步：在八分之一的学习率和几倍的步数下，也见过十二层的 Post-Norm 学会。宽度为 32；大模型的极限在别的深度。",
)
claim = partial(
    Claim,
    regime=Text(
        en="Training, Adam, 3 to 12 layers of width 32, Xavier initialisation, peak rate 0.002, 140 steps, 40 of warmup; medians over seeds",
        zh="训练，Adam，3 至 12 层、宽度 32，Xavier 初始化，峰值学习率 0.002，140 步，其中预热 40 步；取各种子的中位数",
    ),
    over="median",
)

CLAIMS = (
    claim(
        id="deep_post_stuck_even_warm",
        statement=Text(
            en="Post-Norm of twelve layers is stuck even with warmup: its gap stays above 0.85.",
            zh="十二层的 Post-Norm 即使有预热也学不动：差距保持在 0.85 以上。",
        ),
        metric="post_deep_gap",
        above=0.85,
        source="Liu et al. 2020 (arXiv:2004.08249): 18 layers diverge; known second-hand",
    ),
    claim(
        id="deep_pre_trains",
        statement=Text(
            en="Pre-Norm of twelve layers trains: its gap falls below 0.4.",
            zh="十二层的 Pre-Norm 可以训练：差距降到 0.4 以下。",
        ),
        metric="pre_deep_gap",
        below=0.4,
        source="Wang et al. 2019 (arXiv:1906.01787): 20 and 30 layers with Pre-Norm",
    ),
    claim(
        id="deep_deepnorm_trains",
        statement=Text(
            en="DeepNorm of twelve layers trains, with its norms where Post-Norm has them: its gap falls below 0.4.",
            zh="十二层的 DeepNorm 可以训练，尽管它的归一化与 Post-Norm 同处一位：差距降到 0.4 以下。",
        ),
        metric="deepnorm_deep_gap",
        below=0.4,
        source="Wang et al. 2022 (DeepNet, arXiv:2203.00555), section 4",
    ),
    claim(
        id="shallow_post_trains",
        statement=Text(
            en="Post-Norm of three layers trains with the same schedule: its gap falls below 0.5.",
            zh="三层的 Post-Norm 用同样的调度可以训练：差距降到 0.5 以下。",
        ),
        metric="post_shallow_gap",
        below=0.5,
        source="Vaswani et al. 2017 (arXiv:1706.03762): six layers, with warmup",
    ),
)


class Params(controls.NetParams):
    width: Literal[16, 32] = controls.width(32)
    heads: Literal[1, 2, 4] = controls.heads(2)
    hidden: controls.Hidden = controls.hidden(2)
    length: Literal[4, 8] = controls.length(8)
    depth: Literal[4, 8, 12, 16] = core.param(
        12,
        title=Text(en="Greatest depth", zh="最大深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="The deepest stack; the others have a quarter and half of it.",
            zh="最深的网络；另外两种为其四分之一和一半。",
        ),
    )
    steps: int = controls.steps(140, most=150)
    warmup: int = controls.warmup(40, most=150)
    rate: float = controls.rate(0.002)

    @property
    def depths(self) -> list[int]:
        return [self.depth // 4, self.depth // 2, self.depth]


class Stack(NamedTuple):
    placement: Placement
    depth: int


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    schedule = Schedule(rate=params.rate, warmup=params.warmup)
    cells = {}
    for depth in params.depths:
        pre = params.architecture(depth=depth, causal=True)
        for placement in PLACEMENTS:
            architecture = replace(pre, placement=placement)
            cells[Stack(placement, depth)] = Cell(
                architecture=architecture, schedule=schedule
            )
    lessons = teach(
        cells, seeds, steps=params.steps, batch=controls.BATCH, progress=progress
    )
    gaps = {
        placement: torch.stack(
            [lessons.final_gap(Stack(placement, depth)) for depth in params.depths]
        )
        for placement in PLACEMENTS
    }  # (depths, S) each
    metrics = {
        f"{placement}_{name}_gap": gap[place].tolist()
        for placement, gap in gaps.items()
        for name, place in (("shallow", 0), ("middle", 1), ("deep", 2))
    }
    return Result(metrics=metrics, figures=_figures(params, lessons, gaps))


def _figures(
    params: Params, lessons: Lessons[Stack], gaps: Mapping[Placement, Tensor]
) -> tuple[Figure, ...]:
    deep = {p: lessons.gap(Stack(p, params.depth), DRAWN) for p in PLACEMENTS}
    return (
        Figure(
            id="depths",
            title=Text(en="What is left to learn, by depth", zh="各深度还有多少没学到"),
            alt=Text(
                en="Final gap against depth, median and range over the seeds: Post-Norm rises to 1 at the greatest depth, Pre-Norm and DeepNorm stay level.",
                zh="最终差距随深度的变化（中位数及各种子的范围）：Post-Norm 在最大深度处升到 1，Pre-Norm 与 DeepNorm 保持平稳。",
            ),
            x=figures.DEPTH,
            y=figures.GAP,
            series=[
                *(figures.placed(p, params.depths, gap) for p, gap in gaps.items()),
                figures.frequencies_only(params.depths),
            ],
        ),
        Figure(
            id="deepest",
            title=Text(en="The deepest stacks", zh="最深的网络"),
            alt=Text(
                en="Gap by step at the greatest depth: Post-Norm stays at 1 throughout, Pre-Norm and DeepNorm fall during warmup.",
                zh="最大深度下差距随步数的变化：Post-Norm 始终停在 1，Pre-Norm 与 DeepNorm 在预热期间就已下降。",
            ),
            x=figures.STEP,
            y=figures.GAP,
            series=[
                figures.placed(p, shown_steps(gap, DRAWN), gap)
                for p, gap in deep.items()
            ],
        ),
        Figure(
            id="blocks",
            title=Text(
                en="Every block's gradient in the deepest stacks, after the run",
                zh="训练后最深网络中每一块的梯度",
            ),
            alt=Text(
                en="Gradient norm of each block in the last ten steps at the greatest depth, logarithmic: Post-Norm's falls towards the first block, the others' stay of one size.",
                zh="最大深度下最后十步中每一块的梯度范数（对数坐标）：Post-Norm 朝第一块下降，另外两种各块大小相当。",
            ),
            x=figures.LAYER,
            y=figures.NORM,
            series=[
                figures.placed(
                    p,
                    range(1, params.depth + 1),
                    lessons.curves[Stack(p, params.depth)].blocks[-LAST:].mean(0),
                )
                for p in PLACEMENTS
            ],
        ),
    )
