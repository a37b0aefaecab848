"""Pre-Norm, Post-Norm and a hybrid on a small stack that classifies images.

The hybrid is a Pre-Norm trunk whose stream is normalised once more after every fourth layer.
All learn from the same weights and images at the same peak rate; Post-Norm is given a long
warmup, and none for comparison.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import blocks, controls, figures, probes
from sim.nets.learning.cells import LAST, shown_steps, smooth
from sim.nets.learning.training import Curves, Schedule, Training, train_all
from sim.nets.transformer import Trace, Transformer
from sim.nets.vision import PIXELS, Images, Vision

DRAWN = 5  # every fifth step is drawn
HALF = 0.5  # the gap that a network has to pass
SECONDS = 8.0

TITLE = Text(en="A hybrid on images", zh="图像上的混合放置")
ABOUT = Text(
    en="Small stacks in the manner of vision Transformers see eight noisy patches, two of which show a pattern, and say which two. A hybrid, Pre-Norm with one more norm on the stream after every fourth layer, stands beside Pre-Norm and beside Post-Norm with a warmup of a hundred steps. The extra norms cut the skip path into segments of four layers: the stream cannot outgrow the branches, and gradients pass at most a few norms. Images, networks and budgets are tiny, so the comparison is about whether and how soon a placement trains at this rate, not about accuracy on real images.",
    zh="仿照视觉 Transformer 的小型网络看到八个带噪声的图块，其中两个含有图案，要说出是哪两个图案。混合放置是在 Pre-Norm 的基础上，每四层之后对残差流再归一化一次；与它对照的是 Pre-Norm，以及预热一百步的 Post-Norm。额外的归一化把跳跃路径切成四层一段：残差流不会比支路增长得太多，梯度也只需穿过少数几个归一化。图像、网络和训练步数都很小，因此比较的是在这一学习率下能否训练、多快训练，而不是真实图像上的准确率。",
)
REGIME = Text(
    en="Training, Adam, 8 bidirectional layers of width 32, Xavier initialisation, peak rate 0.002, 240 steps of 8 images, clipped at 1; warmup of 100 steps for Post-Norm where it is long, else none; medians over seeds",
    zh="训练，Adam，8 层双向网络、宽度 32，Xavier 初始化，峰值学习率 0.002，240 步、每步 8 幅图像，裁剪范数 1；Post-Norm 的长预热为 100 步，其余不预热；取各种子的中位数",
)
claim = partial(Claim, regime=REGIME, over="median")
XIONG = "Xiong et al. 2020 (arXiv:2002.04745), "

CLAIMS = (
    claim(
        id="hybrid_trains",
        statement=Text(
            en="The hybrid trains without warmup: its gap falls below 0.25.",
            zh="混合放置无需预热即可训练：差距降到 0.25 以下。",
        ),
        metric="hybrid_gap",
        below=0.25,
        source="Between its extra norms it is Pre-Norm: " + XIONG + "section 4",
    ),
    claim(
        id="hybrid_at_least_pre",
        statement=Text(
            en="The hybrid ends no worse than Pre-Norm: its gap exceeds Pre-Norm's by less than 0.02.",
            zh="混合放置的最终结果不逊于 Pre-Norm：差距最多高出不到 0.02。",
        ),
        metric="hybrid_minus_pre",
        below=0.02,
        source="Whether the extra norms cost anything: a question put to this run",
    ),
    claim(
        id="post_long_warmup_trains",
        statement=Text(
            en="With a long warmup Post-Norm trains: its gap falls below 0.5.",
            zh="有长预热时 Post-Norm 可以训练：差距降到 0.5 以下。",
        ),
        metric="post_long_gap",
        below=0.5,
        source=XIONG + "section 3.2",
    ),
    claim(
        id="post_costs_more_steps",
        statement=Text(
            en="Even so Post-Norm takes more than 1.5 times as many steps as Pre-Norm to halve the gap.",
            zh="即便如此，Post-Norm 把差距减半所用的步数仍是 Pre-Norm 的 1.5 倍以上。",
        ),
        metric="post_over_pre_steps",
        above=1.5,
        source=XIONG + "section 4: faster convergence of Pre-LN",
    ),
)


class Params(controls.TrainParams):
    depth: int = controls.depth(8, most=12)
    steps: int = controls.steps(240, most=300)
    warmup: int = controls.warmup(100)
    rate: float = controls.rate(0.002)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    cold = Schedule(rate=params.rate, clip=params.clip)
    stacks: dict[blocks.Placement, dict[str, Schedule]] = {
        "post": {"post_long": replace(cold, warmup=params.warmup), "post_cold": cold},
        "pre": {"pre": cold},
        "hybrid": {"hybrid": cold},
    }
    task = Images(seeds, params.length)
    batches = task.sample(params.steps, controls.BATCH)  # (steps, S, B, pixels + 1)
    shape = replace(params.architecture(depth=params.depth), vocabulary=PIXELS)
    trainings = [
        Training(
            net=Vision(replace(shape, placement=place), [*seeds] * len(cells)),
            schedules=[schedule for schedule in cells.values() for _ in seeds],
            batches=batches.repeat(1, len(cells), 1, 1),
        )
        for place, cells in stacks.items()
    ]
    trained = train_all(trainings, progress)
    found: dict[str, Curves] = {}
    for cells, curves in zip(stacks.values(), trained, strict=True):
        found |= zip(cells, curves.split(len(seeds)), strict=True)
    gaps = {name: smooth(task.gap(curves.loss)) for name, curves in found.items()}
    seen = task.sample(1, controls.BATCH)[0, ..., :-1]  # (S, B, pixels)
    streams = {
        next(iter(cells)): _streams(training.net, seen.repeat(len(cells), 1, 1))
        for cells, training in zip(stacks.values(), trainings, strict=True)
    }
    streams = {name: sizes[:, : len(seeds)] for name, sizes in streams.items()}
    metrics = {name: values.tolist() for name, values in _metrics(gaps).items()}
    return Result(metrics=metrics, figures=_figures(gaps, found, streams))


@torch.no_grad()
def _streams(net: Transformer, images: Tensor) -> Tensor:
    """RMS of the stream before the first layer and after each, (L + 1, M)."""
    trace = Trace()
    net.stream(net.embed(images), trace)
    return torch.stack([probes.rms(x) for x in trace.streams])


def _metrics(gaps: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    steps = {f"{name}_steps": _steps_to_half(gap) for name, gap in gaps.items()}
    return {
        **{f"{name}_gap": gap[-1] for name, gap in gaps.items()},
        **steps,
        "hybrid_minus_pre": gaps["hybrid"][-1] - gaps["pre"][-1],
        "post_over_pre_steps": steps["post_long_steps"] / steps["pre_steps"],
    }


def _steps_to_half(gap: Tensor) -> Tensor:
    """Steps until a smoothed gap (steps, S) passes ½; one more than all where it never does."""
    passed = gap < HALF  # (steps, S)
    first = passed.double().argmax(0).double()
    return torch.where(passed.any(0), first, len(gap)) + LAST


def _figures(
    gaps: Mapping[str, Tensor],
    curves: Mapping[str, Curves],
    streams: Mapping[str, Tensor],
) -> tuple[Figure, ...]:
    named: dict[str, tuple[Text, core.Key]] = {
        "pre": (figures.PRE, "1"),
        "hybrid": (figures.NAMES["hybrid"][0], "3"),
        "post_long": (Text(en="Post-Norm, long warmup", zh="Post-Norm，长预热"), "2"),
        "post_cold": (Text(en="Post-Norm, no warmup", zh="Post-Norm，无预热"), "4"),
    }
    gap = {name: values[::DRAWN] for name, values in gaps.items()}
    norm = {name: smooth(c.gradient, DRAWN) for name, c in curves.items()}
    steps = shown_steps(gap["pre"], DRAWN)
    passed = range(len(streams["pre"]))
    known = figures.theory(
        Text(en="Knowing nothing", zh="一无所知"), [steps[0], steps[-1]], [1.0, 1.0]
    )
    return (
        Figure(
            id="gaps",
            title=Text(en="What is left to learn", zh="还有多少没学到"),
            alt=Text(
                en="Gap by step: Pre-Norm and the hybrid fall together, Post-Norm with a long warmup follows later, Post-Norm without warmup falls least.",
                zh="差距随步数的变化：Pre-Norm 与混合放置一同下降，长预热的 Post-Norm 较晚跟上，无预热的 Post-Norm 下降最少。",
            ),
            x=figures.STEP,
            y=figures.GAP,
            series=[
                *(figures.band(*named[n], steps, gap[n]) for n in named),
                known,
            ],
        ),
        Figure(
            id="streams",
            title=Text(en="Size of the trained stream", zh="训练后残差流的大小"),
            alt=Text(
                en="RMS of the stream by layers passed after training: rising in Pre-Norm, set back after every fourth layer in the hybrid, level in Post-Norm.",
                zh="训练后残差流的 RMS 随所经层数的变化：Pre-Norm 上升，混合放置每四层之后回落，Post-Norm 持平。",
            ),
            x=figures.PASSED,
            y=Axis(label=Text(en="RMS of the stream", zh="残差流的 RMS")),
            series=[
                figures.band(*named[n], passed, streams[n])
                for n in ("pre", "hybrid", "post_long")
            ],
        ),
        Figure(
            id="gradients",
            title=Text(en="Gradient of all weights", zh="全部权重的梯度"),
            alt=Text(
                en="Global gradient norm by step for the four networks.",
                zh="四种网络的全局梯度范数随步数的变化。",
            ),
            x=figures.STEP,
            y=Axis(label=Text(en="Gradient norm", zh="梯度范数"), scale="log"),
            series=[figures.band(*named[n], steps, norm[n]) for n in named],
        ),
    )
