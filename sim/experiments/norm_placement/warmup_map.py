"""Which learning rates and warmups each placement trains with: a map of both.

The same networks learn the same Markov chain at four peak rates and with three lengths of
warmup. A network trains if what is left to learn, the gap, falls below one half: 1 is a
model that knows only how frequent the symbols are, 0 one that knows every transition.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Key, Progress, Result, Series, Text
from sim.nets import controls, figures
from sim.nets.blocks import Placement
from sim.nets.learning.cells import Cell, Lessons, teach
from sim.nets.learning.training import Schedule

SECONDS = 8.5
BATCH = 16  # sequences of a training step
TRAINS = 0.5  # a gap below it counts as trained
PLACEMENTS: tuple[Placement, ...] = ("pre", "post")
FACTORS = (0.25, 0.5, 1.0, 2.0)  # the map's rates, relative to the parameter
LOW, HIGH = 0, 2  # places among them

TITLE = Text(en="A map of warmup and learning rate", zh="预热与学习率的地图")
ABOUT = Text(
    en="Small Transformers learn the next symbol of a Markov chain at four learning rates and with three lengths of warmup, as Pre-Norm and as Post-Norm from the same weights and data. One map for each placement shows what is left to learn after a fixed number of steps. The question is not which corner is best but how much of the map trains at all: warmup and a lower rate are two ways to the same end. Four layers of width 32 with Xavier initialisation and a hundred steps: the rates at which these networks fail are far above those of large models, and nothing is said about longer training.",
    zh="小型 Transformer 以四种学习率、三种预热长度学习马尔可夫链的下一个符号，Pre-Norm 与 Post-Norm 使用相同的权重和数据。每种放置方式一张地图，显示固定步数之后还有多少没有学到。要问的不是哪个角落最好，而是地图上有多大一部分根本能够训练：预热和降低学习率是通向同一目的的两条路。网络只有四层、宽度 32，采用 Xavier 初始化，训练一百步：它们失败时的学习率远高于大模型所用的，结论也不涉及更长的训练。",
)
claim = partial(
    Claim,
    regime=Text(
        en="Training, Adam, 4 layers of width 32, Xavier initialisation, rates 0.003 to 0.024, warmup of 0, 20 and 50 of 100 steps; medians over seeds",
        zh="训练，Adam，4 层、宽度 32，Xavier 初始化，学习率 0.003 至 0.024，100 步中预热 0、20 或 50 步；取各种子的中位数",
    ),
    over="median",
)

CLAIMS = (
    claim(
        id="post_needs_warmup_at_high_rate",
        statement=Text(
            en="At the high rate (0.012) the longest warmup lowers Post-Norm's gap by more than 0.3.",
            zh="在高学习率（0.012）下，最长的预热使 Post-Norm 的差距降低 0.3 以上。",
        ),
        metric="post_cold_minus_warm",
        above=0.3,
        source="Xiong et al. 2020 (arXiv:2002.04745), section 3.2, figure 2",
    ),
    claim(
        id="post_low_rate_trains_cold",
        statement=Text(
            en="At a quarter of the high rate Post-Norm trains without any warmup: its gap falls below 0.5.",
            zh="学习率降到高学习率的四分之一时，Post-Norm 不预热也能训练：差距降到 0.5 以下。",
        ),
        metric="post_low_cold_gap",
        below=TRAINS,
        source="Xiong et al. 2020 (arXiv:2002.04745), section 3.2: warmup keeps the first rates small",
    ),
    claim(
        id="pre_wide_plateau",
        statement=Text(
            en="Pre-Norm trains on a larger part of the map: its share exceeds Post-Norm's by more than 0.2.",
            zh="Pre-Norm 在地图上更大的范围内可以训练：所占比例比 Post-Norm 高出 0.2 以上。",
        ),
        metric="share_pre_minus_post",
        above=0.2,
        source="Xiong et al. 2020 (arXiv:2002.04745), section 4; Nguyen & Salazar 2019 (arXiv:1910.05895), table 2",
    ),
    claim(
        id="warmup_widens_post",
        statement=Text(
            en="Warmup widens the range of rates at which Post-Norm trains: with the longest the share of them is more than 0.1 larger than with none.",
            zh="预热扩大 Post-Norm 可训练的学习率范围：与不预热相比，用最长预热时可训练的学习率所占比例高出 0.1 以上。",
        ),
        metric="post_share_warm_minus_cold",
        above=0.1,
        source="Gotmare et al. 2018 (arXiv:1810.13243), known second-hand; Wortsman et al. 2023 (arXiv:2309.14322), section 3.2: longer warmup lowers the sensitivity to the rate",
    ),
)


class Params(controls.NetParams):
    width: Literal[16, 32] = controls.width(32)
    heads: Literal[1, 2, 4] = controls.heads(2)
    hidden: controls.Hidden = controls.hidden(2)
    length: Literal[2, 4] = controls.length(4)
    depth: int = core.param(
        4,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="Layers of every network; deeper Post-Norm fails at lower rates.",
            zh="每个网络的层数；Post-Norm 越深，失败的学习率越低。",
        ),
        ge=1,
        le=6,
        step=1,
    )
    steps: int = controls.steps(100, least=20, most=120, batch=BATCH)
    warmup: int = core.param(
        50,
        title=Text(en="Longest warmup", zh="最长预热"),
        unit=Text(en="steps", zh="步"),
        about=Text(
            en="The map's last row; the row before has two fifths of it, the first none.",
            zh="地图的最后一行；前一行为其五分之二，第一行不预热。",
        ),
        ge=5,
        le=120,
        step=5,
    )
    rate: float = core.param(
        0.012,
        title=Text(en="High learning rate", zh="高学习率"),
        about=Text(
            en="Adam's peak rate in the third column; the others have a quarter, half and twice of it.",
            zh="第三列中 Adam 的峰值学习率；其余各列为其四分之一、一半和两倍。",
        ),
        ge=0.0004,
        le=0.04,
        step=0.0004,
    )

    @property
    def rates(self) -> list[float]:
        return [self.rate * factor for factor in FACTORS]

    @property
    def warmups(self) -> list[int]:
        return [0, round(0.4 * self.warmup), self.warmup]


class Place(NamedTuple):
    """Where on which map a network stands."""

    placement: Placement
    warmup: int
    rate: float


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    pre = params.architecture(depth=params.depth, causal=True)
    cells = {
        place: Cell(
            architecture=replace(pre, placement=place.placement),
            schedule=Schedule(rate=place.rate, warmup=place.warmup),
        )
        for place in map(Place._make, product(PLACEMENTS, params.warmups, params.rates))
    }
    lessons = teach(cells, seeds, steps=params.steps, batch=BATCH, progress=progress)
    maps = {placement: _map(params, lessons, placement) for placement in PLACEMENTS}
    trained = {placement: (gap < TRAINS).double() for placement, gap in maps.items()}
    share = {placement: map_.mean((0, 1)) for placement, map_ in trained.items()}
    rows, post = trained["post"].mean(1), maps["post"]  # (W, S), (W, R, S)
    metrics = {
        "post_cold_minus_warm": post[0, HIGH] - post[-1, HIGH],
        "post_low_cold_gap": post[0, LOW],
        "share_pre_minus_post": share["pre"] - share["post"],
        "post_share_warm_minus_cold": rows[-1] - rows[0],
        "pre_share": share["pre"],
        "post_share": share["post"],
    }  # (S,) each
    return Result(
        metrics={name: value.tolist() for name, value in metrics.items()},
        figures=(
            *(_heat(params, placement, maps[placement]) for placement in PLACEMENTS),
            _ends(params, maps),
        ),
    )


def _map(params: Params, lessons: Lessons[Place], placement: Placement) -> Tensor:
    """What is left to learn for every warmup and rate, (W, R, S)."""
    rows = [
        torch.stack(
            [lessons.final_gap(Place(placement, w, rate)) for rate in params.rates]
        )
        for w in params.warmups
    ]
    return torch.stack(rows)


_RATE = Axis(label=Text(en="Peak learning rate", zh="峰值学习率"), scale="log")


def _heat(params: Params, placement: Placement, gaps: Tensor) -> Figure:
    name, _ = figures.NAMES[placement]
    return figures.heat(
        [Text(en=f"{w} steps", zh=f"{w} 步") for w in params.warmups],
        params.rates,
        gaps,
        id=f"map_{placement}",
        title=Text(
            en=f"{name.en}: what is left to learn", zh=f"{name.zh}：还有多少没学到"
        ),
        alt=Text(
            en=f"Heat map for {name.en}: median final gap for each warmup (rows, none at the top) and peak learning rate (columns, rising to the right). 1 is nothing learnt, 0 everything. Post-Norm darkens to failure from the upper right corner, Pre-Norm is even all over.",
            zh=f"{name.zh} 的热图：各预热长度（行，最上一行不预热）与峰值学习率（列，向右升高）下最终差距的中位数。1 表示什么也没学到，0 表示全部学会。Post-Norm 从右上角开始失败，Pre-Norm 各处相近。",
        ),
        x=_RATE,
        y=Axis(label=Text(en="Warmup", zh="预热")),
        value=figures.GAP,
    )


def _ends(params: Params, maps: dict[Placement, Tensor]) -> Figure:
    lines: tuple[tuple[Text, Key, Placement, int], ...] = (
        (Text(en="Pre-Norm, no warmup", zh="Pre-Norm，无预热"), "1", "pre", 0),
        (Text(en="Post-Norm, no warmup", zh="Post-Norm，无预热"), "2", "post", 0),
        (
            Text(en="Post-Norm, longest warmup", zh="Post-Norm，最长预热"),
            "3",
            "post",
            -1,
        ),
    )
    series: list[Series] = [
        figures.band(name, key, params.rates, maps[placement][row])
        for name, key, placement, row in lines
    ]
    trains = Text(en="Counts as trained below", zh="低于此线算作可训练")
    ends = [params.rates[0], params.rates[-1]]
    return Figure(
        id="rates",
        title=Text(en="Three rows of the maps", zh="地图中的三行"),
        alt=Text(
            en="Final gap against peak learning rate, median and range over the seeds: cold Post-Norm rises to 1 at the higher rates, warmed Post-Norm later, Pre-Norm stays low throughout.",
            zh="最终差距随峰值学习率的变化（中位数及各种子的范围）：无预热的 Post-Norm 在较高学习率下升到 1，有预热的更晚升高，Pre-Norm 始终较低。",
        ),
        x=_RATE,
        y=figures.GAP,
        series=[*series, figures.theory(trains, ends, [TRAINS, TRAINS])],
    )
