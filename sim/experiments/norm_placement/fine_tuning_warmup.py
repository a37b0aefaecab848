"""Whether a short warmup matters when a trained network learns a related task.

Networks of both placements learn a Markov chain, then a chain in which half of the symbols
have changed places as successors, with and without a warmup of 6 % of the steps. Networks
without the first training learn the second chain under the warmed schedule.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import blocks, chance, controls, figures
from sim.nets.learning.cells import LAST, shown_steps, smooth
from sim.nets.learning.training import Curves, Schedule, Training, train_all
from sim.nets.markov import Chain
from sim.nets.transformer import Transformer

PLACEMENTS: Sequence[blocks.Placement] = ("pre", "post")
DRAWN = 2  # every second step is drawn
SHARE = 0.06  # of the steps of fine-tuning are warmup
SECONDS = 6.0

TITLE = Text(en="Warmup in fine-tuning", zh="微调时的预热")
ABOUT = Text(
    en="Six per cent of warmup is a common recipe for fine-tuning BERT-like models, which are Post-Norm. Here small networks of both placements first learn one Markov chain, with a long warmup, and then a related one at twice the peak rate, with six per cent of warmup and with none; at the rate of the first training no difference shows in either. The second task keeps the frequencies and the entropy of the first; half of the symbols trade places as successors. Networks of this size learn the new chain within some dozen steps, so six per cent are a handful; what warmup does for pretrained models of hundreds of millions of weights is not decided here.",
    zh="用 6% 的步数预热是微调 BERT 一类模型（均为 Post-Norm）的常见做法。这里两种位置的小网络先用较长的预热学会一条马尔可夫链，再以两倍的峰值学习率学习一条相关的链，分别采用 6% 的预热和不预热；若用先前训练的学习率，两种位置都看不出差别。第二个任务保留了第一个任务的频率和熵，只是有一半符号作为后继互换了位置。如此大小的网络几十步就能学会新的链，因此 6% 只有寥寥几步；对数亿参数的预训练模型，预热有何作用不能由此断定。",
)
REGIME = Text(
    en="Training, Adam, 6 layers of width 32, Xavier initialisation, 180 steps with 75 of warmup, then 100 steps on the second chain with 6 or none of warmup, peak rates 0.005 and 0.01, clipped at 1; medians over seeds",
    zh="训练，Adam，6 层、宽度 32，Xavier 初始化，先训练 180 步（其中预热 75 步），再在第二条链上训练 100 步（预热 6 步或不预热），峰值学习率分别为 0.005 和 0.01，裁剪范数 1；取各种子的中位数",
)
claim = partial(Claim, regime=REGIME, over="median")
RECIPE = (
    "Liu et al. 2019 (RoBERTa, arXiv:1907.11692): warmup over 6 % of the steps on GLUE"
)

CLAIMS = (
    claim(
        id="post_gains_from_warmup",
        statement=Text(
            en="Six per cent of warmup lower Post-Norm's gap after fine-tuning by more than 0.05.",
            zh="6% 的预热使 Post-Norm 微调后的差距降低 0.05 以上。",
        ),
        metric="post_cold_minus_warm",
        above=0.05,
        source=RECIPE,
    ),
    claim(
        id="pre_changes_little",
        statement=Text(
            en="For Pre-Norm the same warmup changes the gap by less than 0.05 either way.",
            zh="对 Pre-Norm，同样的预热使差距变化不到 0.05，无论正负。",
        ),
        metric="pre_cold_minus_warm",
        above=-0.05,
        below=0.05,
        source="Xiong et al. 2020 (arXiv:2002.04745), section 4",
    ),
    claim(
        id="both_transfer",
        statement=Text(
            en="The first training helps in both placements: fine-tuned networks end below networks that start from scratch under the same schedule.",
            zh="无论哪种位置，先前的训练都有帮助：微调的网络最终低于以相同调度从头训练的网络。",
        ),
        metric="larger_tuned_minus_scratch",
        below=0.0,
        source="Devlin et al. 2018 (BERT, arXiv:1810.04805): fine-tuning",
    ),
)


class Params(controls.TrainParams):
    depth: int = controls.depth(6, most=8)
    tuning: int = core.param(
        100,
        title=Text(en="Steps of fine-tuning", zh="微调步数"),
        unit=Text(en="steps", zh="步"),
        about=Text(
            en="Batches of the second task; six per cent of them are warmup where there is one.",
            zh="第二个任务的批数；有预热时其中 6% 为预热。",
        ),
        ge=30,
        le=100,
        step=10,
    )
    tuning_rate: float = core.param(
        0.01,
        title=Text(en="Peak rate of fine-tuning", zh="微调的峰值学习率"),
        about=Text(
            en="Adam's, kept after warmup.", zh="Adam 的学习率，预热后保持不变。"
        ),
        ge=0.0001,
        le=0.02,
        step=0.0001,
    )


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    chain = Chain(seeds, controls.SYMBOLS)
    batches = chain.sample(params.steps, controls.BATCH, params.length)
    later = shifted(chain, seeds).sample(params.tuning, controls.BATCH, params.length)
    first = Schedule(rate=params.rate, warmup=params.warmup, clip=params.clip)
    cold = replace(first, rate=params.tuning_rate, warmup=0)
    warm = replace(cold, warmup=round(SHARE * params.tuning))
    cells = {"cold": cold, "warm": warm, "scratch": warm}
    shape = params.architecture(depth=params.depth, causal=True)

    def prepare(
        net: Transformer, schedules: Sequence[Schedule], data: Tensor
    ) -> Training:
        per_seed = [schedule for schedule in schedules for _ in seeds]
        return Training(
            net=net, schedules=per_seed, batches=data.repeat(1, len(schedules), 1, 1)
        )

    trained = [
        Transformer(replace(shape, placement=place), seeds) for place in PLACEMENTS
    ]
    train_all(
        [prepare(net, [first], batches) for net in trained],
        lambda done: progress(0.5 * done),
    )
    tuned = [Transformer(net.architecture, [*seeds] * len(cells)) for net in trained]
    for net, start in zip(tuned, trained, strict=True):
        with torch.no_grad():
            net.flat[: 2 * len(seeds)] = start.flat.repeat(2, 1)
    schedules = list(cells.values())
    curves = train_all(
        [prepare(net, schedules, later) for net in tuned],
        lambda done: progress(0.5 + 0.5 * done),
    )
    found: dict[str, Curves] = {}
    for place, curve in zip(PLACEMENTS, curves, strict=True):
        names = [f"{place}_{cell}" for cell in cells]
        found |= zip(names, curve.split(len(seeds)), strict=True)
    gaps = {name: chain.gap(curve.loss) for name, curve in found.items()}
    metrics = {name: values.tolist() for name, values in _metrics(gaps).items()}
    return Result(metrics=metrics, figures=_figures(gaps))


def shifted(chain: Chain, seeds: Sequence[int]) -> Chain:
    """The same chain, with half of the symbols changing places as successors.

    Rows and columns still sum to one, so the floor and the frequencies stay.
    """
    other = copy.copy(chain)
    columns = []
    for seed in seeds:
        moving = chance.generator(seed, "shift").permutation(chain.vocabulary)
        moving = moving[: chain.vocabulary // 2]
        column = np.arange(chain.vocabulary)
        column[moving] = np.roll(moving, 1)
        columns.append(column)
    other.matrix = np.take_along_axis(chain.matrix, np.stack(columns)[:, None], 2)
    return other


def _metrics(gaps: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    ends = {name: gap[-LAST:].mean(0) for name, gap in gaps.items()}
    saved = [ends[f"{place}_warm"] - ends[f"{place}_scratch"] for place in PLACEMENTS]
    return {
        **{f"{name}_gap": end for name, end in ends.items()},
        **{f"{name}_peak": gap.amax(0) for name, gap in gaps.items()},
        "post_cold_minus_warm": ends["post_cold"] - ends["post_warm"],
        "pre_cold_minus_warm": ends["pre_cold"] - ends["pre_warm"],
        "larger_tuned_minus_scratch": torch.stack(saved).amax(0),
    }


def _figures(gaps: Mapping[str, Tensor]) -> tuple[Figure, ...]:
    named: dict[str, tuple[Text, core.Key]] = {
        "pre_cold": (Text(en="Pre-Norm, no warmup", zh="Pre-Norm，无预热"), "1"),
        "pre_warm": (Text(en="Pre-Norm, warmup", zh="Pre-Norm，有预热"), "3"),
        "post_cold": (Text(en="Post-Norm, no warmup", zh="Post-Norm，无预热"), "2"),
        "post_warm": (Text(en="Post-Norm, warmup", zh="Post-Norm，有预热"), "4"),
        "pre_scratch": (
            Text(en="Pre-Norm, from scratch", zh="Pre-Norm，从头训练"),
            "5",
        ),
        "post_scratch": (
            Text(en="Post-Norm, from scratch", zh="Post-Norm，从头训练"),
            "6",
        ),
    }
    curves = {name: smooth(gap, DRAWN) for name, gap in gaps.items()}
    steps = shown_steps(curves["pre_cold"], DRAWN)
    step = Axis(label=Text(en="Step of fine-tuning", zh="微调的步"))
    known = figures.frequencies_only(steps)

    def series(*cells: str) -> list[core.Series]:
        return [figures.band(*named[name], steps, curves[name]) for name in cells]

    first = {name: gap[:LAST] for name, gap in gaps.items()}
    return (
        Figure(
            id="tuning",
            title=Text(en="With and without warmup", zh="有预热与无预热"),
            alt=Text(
                en="Gap on the second chain by step of fine-tuning, for both placements with and without warmup.",
                zh="两种位置在有预热与无预热时，第二条链上的差距随微调步数的变化。",
            ),
            x=step,
            y=figures.GAP,
            series=series("pre_cold", "pre_warm", "post_cold", "post_warm"),
        ),
        Figure(
            id="start",
            title=Text(en="The first steps", zh="最初几步"),
            alt=Text(
                en="Gap in each of the first ten steps: without warmup the first step already moves every weight by the full rate.",
                zh="前十步中每一步的差距：没有预热时，第一步就以完整的学习率移动每个权重。",
            ),
            x=step,
            y=figures.GAP,
            series=[
                figures.band(*named[name], range(1, LAST + 1), first[name])
                for name in ("pre_cold", "pre_warm", "post_cold", "post_warm")
            ],
        ),
        Figure(
            id="scratch",
            title=Text(
                en="What the first training is worth", zh="先前的训练有多大价值"
            ),
            alt=Text(
                en="Gap by step for fine-tuned networks and for networks that start from scratch under the same warmed schedule.",
                zh="微调的网络与以相同预热调度从头训练的网络的差距随步数的变化。",
            ),
            x=step,
            y=figures.GAP,
            series=[
                *series("pre_warm", "post_warm", "pre_scratch", "post_scratch"),
                known,
            ],
        ),
    )
