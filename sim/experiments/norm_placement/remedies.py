"""Which single change makes a cold Post-Norm stack train?

One network that fails, and the same network with one thing changed at a time: warmup, a
lower rate, clipping, another placement, smaller initial weights, no residual connection.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import torch

from sim import core
from sim.core import Axis, Claim, Figure, Key, Progress, Result, Text
from sim.nets import controls, figures
from sim.nets.blocks import Placement
from sim.nets.learning.cells import Cell, Lessons, shown_steps, teach
from sim.nets.learning.training import Schedule

SECONDS = 9.5
BATCH = 16  # sequences of a training step
DRAWN = 5  # every fifth step is drawn
LOWER = 0.25  # the lower rate, relative to the high one

TITLE = Text(en="Remedies for a cold Post-Norm stack", zh="救治未预热的 Post-Norm 网络")
ABOUT = Text(
    en="A Post-Norm Transformer at a high learning rate without warmup learns nothing beyond symbol frequencies. From the same weights and data each remedy changes one thing: warmup, a quarter of the rate, clipping, DeepNorm, sandwich norms, Pre-Norm, PyTorch's smaller initial weights, or no residual connection. What is compared is the gap left after 130 steps, for networks of five layers and width 32. That a remedy works here says what the failure is made of, not that it suffices for a deep or large model.",
    zh="高学习率、不预热的 Post-Norm Transformer 除符号频率外什么也学不到。从同样的权重和数据出发，每种办法只改一处：预热、四分之一的学习率、梯度裁剪、DeepNorm、Sandwich-Norm、Pre-Norm、PyTorch 较小的初始权重，或去掉残差连接。比较的是五层、宽度 32 的网络训练 130 步之后剩下的差距。某种办法在这里有效，说明失败由什么造成，不说明它对深的或大的模型也足够。",
)
claim = partial(
    Claim,
    regime=Text(
        en="Training, Adam, 5 layers of width 32, Xavier initialisation unless changed, rate 0.008, 130 steps, 70 of warmup where warmed; medians over seeds",
        zh="训练，Adam，5 层、宽度 32，除非另有改动均用 Xavier 初始化，学习率 0.008，130 步，预热时为 70 步；取各种子的中位数",
    ),
    over="median",
)
XIONG = "Xiong et al. 2020 (arXiv:2002.04745), "

CLAIMS = (
    claim(
        id="cold_post_stuck",
        statement=Text(
            en="Untreated, the stack learns next to nothing: its gap stays above 0.85.",
            zh="不加处理时网络几乎学不到东西：差距保持在 0.85 以上。",
        ),
        metric="cold_gap",
        above=0.85,
        source=XIONG + "section 3.2",
    ),
    claim(
        id="warmup_cures",
        statement=Text(
            en="Warmup cures it: the gap falls below 0.5.",
            zh="预热能治好：差距降到 0.5 以下。",
        ),
        metric="warm_gap",
        below=0.5,
        source=XIONG + "section 3.2",
    ),
    claim(
        id="lower_rate_helps",
        statement=Text(
            en="A quarter of the learning rate helps: the gap is more than 0.3 lower.",
            zh="把学习率降到四分之一有效：差距降低 0.3 以上。",
        ),
        metric="cold_minus_lower_rate",
        above=0.3,
        source=XIONG + "section 3.2: warmup keeps the first rates small",
    ),
    claim(
        id="clipping_does_not_cure",
        statement=Text(
            en="Clipping the gradient's norm does not cure it: the gap stays above 0.8.",
            zh="按范数裁剪梯度治不好：差距仍在 0.8 以上。",
        ),
        metric="clipped_gap",
        above=0.8,
        source="Adam's first steps do not depend on the gradient's scale (Kingma & Ba 2015, arXiv:1412.6980, section 2.1)",
    ),
    claim(
        id="deepnorm_cures",
        statement=Text(
            en="DeepNorm cures it without warmup: the gap falls below 0.3.",
            zh="DeepNorm 不用预热就能治好：差距降到 0.3 以下。",
        ),
        metric="deepnorm_gap",
        below=0.3,
        source="Wang et al. 2022 (DeepNet, arXiv:2203.00555), section 4",
    ),
    claim(
        id="sandwich_cures",
        statement=Text(
            en="Norms before and after each branch cure it: the gap falls below 0.3.",
            zh="在每条支路前后都归一化能治好：差距降到 0.3 以下。",
        ),
        metric="sandwich_gap",
        below=0.3,
        source="Ding et al. 2021 (CogView, arXiv:2105.13290), known second-hand",
    ),
    claim(
        id="switch_to_pre_cures",
        statement=Text(
            en="Moving the norm in front of the branch cures it: the gap falls below 0.3.",
            zh="把归一化移到支路之前能治好：差距降到 0.3 以下。",
        ),
        metric="pre_gap",
        below=0.3,
        source=XIONG + "section 4",
    ),
    claim(
        id="smaller_init_cures",
        statement=Text(
            en="The smaller initial weights of PyTorch's encoder layer cure it, still Post-Norm and cold: the gap falls below 0.5.",
            zh="换成 PyTorch 编码器层较小的初始权重，仍是 Post-Norm 且不预热，也能治好：差距降到 0.5 以下。",
        ),
        metric="small_init_gap",
        below=0.5,
        source="Nguyen & Salazar 2019 (arXiv:1910.05895), table 2: SmallInit trains where Xavier fails",
    ),
    claim(
        id="no_residual_no_cure",
        statement=Text(
            en="Without the residual connection nothing trains either: the gap stays above 0.8.",
            zh="去掉残差连接同样无法训练：差距仍在 0.8 以上。",
        ),
        metric="no_residual_gap",
        above=0.8,
        source="He et al. 2016 (arXiv:1512.03385); Dong et al. 2021 (arXiv:2103.03404)",
    ),
)


class Params(controls.TrainParams):
    hidden: controls.Hidden = controls.hidden(4)
    length: Literal[4, 8] = controls.length(4)
    depth: int = controls.depth(5, most=6)
    steps: int = controls.steps(130, most=150, batch=BATCH)
    warmup: int = controls.warmup(70, most=150)
    rate: float = controls.rate(0.008)
    remedy_init: Literal["pytorch", "small", "normal"] = core.param(
        "pytorch",
        title=Text(en="Smaller initialisation", zh="较小的初始化"),
        about=Text(
            en="What the remedy of smaller weights draws them from: PyTorch's encoder layer, SmallInit or a std of 0.02.",
            zh="“较小权重”一法所用的初始化：PyTorch 编码器层、SmallInit 或标准差 0.02。",
        ),
    )


@dataclass(frozen=True, kw_only=True)
class Remedy:
    name: Text
    key: Key
    cell: Cell


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    remedies = _remedies(params)
    cells = {name: remedy.cell for name, remedy in remedies.items()}
    lessons = teach(cells, seeds, steps=params.steps, batch=BATCH, progress=progress)
    gaps = {name: lessons.final_gap(name) for name in cells}  # (S,) each
    metrics = {
        **{f"{name}_gap": gap for name, gap in gaps.items()},
        "cold_minus_lower_rate": gaps["cold"] - gaps["lower_rate"],
    }
    return Result(
        metrics={name: value.tolist() for name, value in metrics.items()},
        figures=(_ends(remedies, lessons), *_curves(remedies, lessons)),
    )


def _remedies(params: Params) -> dict[str, Remedy]:
    pre = params.architecture(depth=params.depth, causal=True)
    post = replace(pre, placement="post")
    high = Schedule(rate=params.rate)

    def placed(placement: Placement) -> Remedy:
        name, key = figures.NAMES[placement]
        cell = Cell(architecture=replace(pre, placement=placement), schedule=high)
        return Remedy(name=name, key=key, cell=cell)

    def scheduled(name: Text, key: Key, schedule: Schedule) -> Remedy:
        cell = Cell(architecture=post, schedule=schedule)
        return Remedy(name=name, key=key, cell=cell)

    small = Cell(architecture=replace(post, init=params.remedy_init), schedule=high)
    return {
        "cold": scheduled(Text(en="Untreated", zh="不处理"), "2", high),
        "clipped": scheduled(
            Text(en="Clipped", zh="裁剪"), "4", replace(high, clip=params.clip)
        ),
        "no_residual": placed("plain"),
        "lower_rate": scheduled(
            Text(en="Lower rate", zh="降低学习率"),
            "5",
            replace(high, rate=LOWER * params.rate),
        ),
        "warm": scheduled(
            Text(en="Warmup", zh="预热"), "6", replace(high, warmup=params.warmup)
        ),
        "small_init": Remedy(
            name=Text(en="Smaller weights", zh="较小的初始权重"), key="7", cell=small
        ),
        "deepnorm": placed("deepnorm"),
        "sandwich": placed("sandwich"),
        "pre": placed("pre"),
    }


def _ends(remedies: dict[str, Remedy], lessons: Lessons[str]) -> Figure:
    final = torch.stack([lessons.final_gap(name) for name in remedies])  # (R, S)
    places = range(len(remedies))
    return Figure(
        id="remedies",
        kind="points",
        title=Text(en="What is left after one change", zh="改动一处之后还剩多少"),
        alt=Text(
            en="Final gap for each remedy, median and range over the seeds: untreated, clipped and without residual connection near 1, all other remedies far below.",
            zh="每种办法的最终差距（中位数及各种子的范围）：不处理、裁剪和去掉残差连接都在 1 附近，其余办法远低于此。",
        ),
        x=Axis(
            label=Text(en="Change", zh="改动"),
            ticks=[remedy.name for remedy in remedies.values()],
        ),
        y=figures.GAP,
        series=[
            figures.band(Text(en="Final gap", zh="最终差距"), "1", places, final),
            figures.frequencies_only(places),
        ],
    )


def _curves(remedies: dict[str, Remedy], lessons: Lessons[str]) -> tuple[Figure, ...]:
    parts: tuple[tuple[str, Text, Text, tuple[str, ...]], ...] = (
        (
            "schedules",
            Text(en="Still Post-Norm", zh="仍是 Post-Norm"),
            Text(
                en="Gap by step for changes that keep Post-Norm: untreated and clipped stay near 1, a lower rate, warmup and smaller weights bring it down.",
                zh="保留 Post-Norm 的各种改动下差距随步数的变化：不处理与裁剪停在 1 附近，降低学习率、预热和较小的权重使其下降。",
            ),
            ("cold", "clipped", "lower_rate", "warm", "small_init"),
        ),
        (
            "placements",
            Text(en="Another block", zh="换一种块"),
            Text(
                en="Gap by step for other blocks at the same rate without warmup: DeepNorm, sandwich norms and Pre-Norm fall at once, without residual connection nothing happens.",
                zh="同样学习率、不预热时其他块结构的差距随步数的变化：DeepNorm、Sandwich-Norm 和 Pre-Norm 立即下降，没有残差连接则毫无进展。",
            ),
            ("cold", "no_residual", "deepnorm", "sandwich", "pre"),
        ),
    )
    return tuple(
        Figure(
            id=which,
            title=title,
            alt=alt,
            x=figures.STEP,
            y=figures.GAP,
            series=[_curve(remedies[name], lessons.gap(name, DRAWN)) for name in names],
        )
        for which, title, alt, names in parts
    )


def _curve(remedy: Remedy, gap: torch.Tensor) -> core.Series:
    return figures.band(remedy.name, remedy.key, shown_steps(gap, DRAWN), gap)
