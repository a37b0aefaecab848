"""Who leads early, and who has the lower loss in the end?

Pre-Norm and Post-Norm with the same warmup learn the same chain until little is left to
learn, each at two learning rates; in the end each is judged at its own better rate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from sim.core import Axis, Claim, Figure, Key, Progress, Result, Text
from sim.nets import controls, figures
from sim.nets.blocks import Placement
from sim.nets.learning.cells import LAST, Cell, Lessons, shown_steps, teach
from sim.nets.learning.training import Schedule

SECONDS = 9.5
BATCH = 16  # sequences of a training step
PLACEMENTS: tuple[Placement, ...] = ("pre", "post")
LOWER = 1 / 3  # the lower rate, relative to the parameter
EARLY = 5  # the early loss is that after a fifth of the steps
FINAL = 50  # steps that the final loss is averaged over
SMALL = 0.05  # of the gap
DRAWN = 10  # every tenth step is drawn

TITLE = Text(en="Early lead and final loss", zh="早期领先与最终损失")
ABOUT = Text(
    en="Post-Norm is said to end better where it trains at all, Pre-Norm to learn faster. Both get the same warmup, weights and data and 500 steps, in which almost everything there is to know of a Markov chain can be learnt; each trains at two rates and is judged at its better one. The claim that Post-Norm ends lower is asked honestly: evidence for it comes from converged, shallow translation models, and other settings point the other way. Four layers of width 32 on a task that both can solve say how training goes, not what a large model can represent or how it generalises.",
    zh="据说 Post-Norm 只要能训练，最终会更好，而 Pre-Norm 学得更快。两者使用相同的预热、权重和数据，训练 500 步，足以学到马尔可夫链中几乎全部可学的东西；各用两种学习率训练，以各自较好的一种评判。“Post-Norm 最终更低”是如实提出的问题：支持它的证据来自收敛的浅层翻译模型，其他条件下的结果则相反。四层、宽度 32 的网络做一个两者都能解决的任务，说明的是训练过程，而不是大模型能表示什么、泛化如何。",
)
claim = partial(
    Claim,
    regime=Text(
        en="Training, Adam, 4 layers of width 32, Xavier initialisation, 500 steps, 50 of warmup, constant rates 0.006 and 0.002; fresh data in every step; medians over seeds",
        zh="训练，Adam，4 层、宽度 32，Xavier 初始化，500 步，其中预热 50 步，恒定学习率 0.006 与 0.002；每步都是新数据；取各种子的中位数",
    ),
    over="median",
)

CLAIMS = (
    claim(
        id="pre_leads_early",
        statement=Text(
            en="After a fifth of the steps, at the same rate, Pre-Norm has the lower gap.",
            zh="走完五分之一的步数时，在同样的学习率下 Pre-Norm 的差距更低。",
        ),
        metric="early_pre_minus_post",
        below=0.0,
        source="Xiong et al. 2020 (arXiv:2002.04745), section 4: faster convergence",
    ),
    claim(
        id="post_final_better",
        statement=Text(
            en="In the end, each at its better rate, Post-Norm has the lower gap.",
            zh="最终，在各自较好的学习率下，Post-Norm 的差距更低。",
        ),
        metric="final_post_minus_pre",
        below=0.0,
        source="Nguyen & Salazar 2019 (arXiv:1910.05895), table 6: Post-Norm ahead on WMT14; Wang et al. 2022 (arXiv:2203.00555), section 5",
    ),
    claim(
        id="final_difference_small",
        statement=Text(
            en="The final gaps differ by less than 0.05 either way.",
            zh="最终差距之差不到 0.05，无论正负。",
        ),
        metric="final_post_minus_pre",
        above=-SMALL,
        below=SMALL,
        source="Liu et al. 2020 (arXiv:2004.08249): 35.64 and 35.50 BLEU on IWSLT, known second-hand",
    ),
)


class Params(controls.NetParams):
    width: Literal[16, 32] = controls.width(32)
    heads: Literal[1, 2, 4] = controls.heads(2)
    hidden: controls.Hidden = controls.hidden(2)
    length: Literal[2, 4] = controls.length(4)
    depth: int = controls.depth(4, most=6)
    steps: int = controls.steps(500, least=100, most=600, batch=BATCH)
    warmup: int = controls.warmup(50)
    rate: float = controls.rate(0.006)


class Way(NamedTuple):
    placement: Placement
    rate: float


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    pre = params.architecture(depth=params.depth, causal=True)
    rates = (params.rate, LOWER * params.rate)
    cells = {
        Way(placement, rate): Cell(
            architecture=replace(pre, placement=placement),
            schedule=Schedule(rate=rate, warmup=params.warmup),
        )
        for placement in PLACEMENTS
        for rate in rates
    }
    lessons = teach(cells, seeds, steps=params.steps, batch=BATCH, progress=progress)
    ends = {
        placement: torch.stack([_final(lessons, Way(placement, r)) for r in rates])
        for placement in PLACEMENTS
    }  # (rates, S) each
    best = {placement: end.amin(0) for placement, end in ends.items()}  # (S,) each
    early = {
        placement: lessons.gap(Way(placement, params.rate))[_early(params)]
        for placement in PLACEMENTS
    }  # (S,) each
    metrics = {
        "early_pre_minus_post": early["pre"] - early["post"],
        "final_post_minus_pre": best["post"] - best["pre"],
        "same_rate_post_minus_pre": ends["post"][0] - ends["pre"][0],
        "pre_final_gap": best["pre"],
        "post_final_gap": best["post"],
    }
    return Result(
        metrics={name: value.tolist() for name, value in metrics.items()},
        figures=_figures(lessons, rates),
    )


def _early(params: Params) -> int:
    """The place of the early loss among means over ten steps."""
    return params.steps // EARLY - LAST


def _final(lessons: Lessons[Way], way: Way) -> Tensor:
    """The gap of the last fifty steps, (S,)."""
    return lessons.chain.gap(lessons.curves[way].loss)[-FINAL:].mean(0)


def _figures(lessons: Lessons[Way], rates: tuple[float, float]) -> tuple[Figure, ...]:
    gaps: Mapping[Way, Tensor] = {
        way: lessons.gap(way, DRAWN) for way in lessons.curves
    }
    high, low = rates
    steps = shown_steps(next(iter(gaps.values())), DRAWN)
    ways: tuple[tuple[Way, Key], ...] = (
        (Way("pre", high), "1"),
        (Way("post", high), "2"),
        (Way("pre", low), "3"),
        (Way("post", low), "4"),
    )
    return (
        Figure(
            id="gaps",
            title=Text(en="What is left to learn", zh="还有多少没学到"),
            alt=Text(
                en="Gap by step, logarithmic, for both placements at both rates: Pre-Norm falls first, then all four curves draw together.",
                zh="两种放置方式、两种学习率下差距随步数的变化（对数坐标）：Pre-Norm 先下降，随后四条曲线逐渐靠拢。",
            ),
            x=figures.STEP,
            y=replace(figures.GAP, scale="log"),
            series=[
                figures.band(_name(way), key, steps, gaps[way].clamp(min=1e-3))
                for way, key in ways
            ],
        ),
        Figure(
            id="difference",
            title=Text(
                en="Post-Norm minus Pre-Norm, same rate",
                zh="Post-Norm 减 Pre-Norm，同一学习率",
            ),
            alt=Text(
                en="Difference of the gaps by step, at both rates: Post-Norm is behind early on, and the difference shrinks towards zero.",
                zh="两种学习率下差距之差随步数的变化：Post-Norm 早期落后，差值逐渐缩小到零附近。",
            ),
            x=figures.STEP,
            y=Axis(label=Text(en="Difference of gaps", zh="差距之差")),
            series=[
                *(
                    figures.band(
                        _rate(rate),
                        key,
                        steps,
                        gaps[Way("post", rate)] - gaps[Way("pre", rate)],
                    )
                    for rate, key in _keyed(rates)
                ),
                figures.theory(
                    Text(en="Equal", zh="相等"), [steps[0], steps[-1]], [0.0, 0.0]
                ),
            ],
        ),
    )


def _keyed(rates: tuple[float, float]) -> tuple[tuple[float, Key], ...]:
    return ((rates[0], "1"), (rates[1], "3"))


def _name(way: Way) -> Text:
    name, _ = figures.NAMES[way.placement]
    rate = _rate(way.rate)
    return Text(en=f"{name.en}, {rate.en}", zh=f"{name.zh}，{rate.zh}")


def _rate(rate: float) -> Text:
    return Text(en=f"rate {rate:.2g}", zh=f"学习率 {rate:.2g}")
