"""What Adam, RAdam, clipping, warmup and weight decay do to the size of a step.

Most of it is arithmetic, run rather than recalled: update rules on random gradients,
schedules over their steps, descent in a steep valley. The rest are small Transformers that
ask whether Post-Norm's need for warmup comes from Adam alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from sim import core
from sim.core import Claim, Progress, Result, Text
from sim.nets import controls
from sim.nets.learning import schedules, steps
from sim.nets.learning import step_figures as drawn
from sim.nets.learning.cells import Cell, teach
from sim.nets.learning.descent import descend
from sim.nets.learning.optimisers import SGD, Adam, RAdam
from sim.nets.learning.training import Schedule

SECONDS = 5.5
BATCH = 16  # sequences of a training step
SCALES = tuple(10.0**power for power in range(-5, 4))  # of a gradient's entries
TIGHTNESS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # value clipping, over the gradient's RMS
DECAYS = ((0.1, 0.1), (1.0, 0.01), (0.1, 0.025))
"""Rates and weight decays; the second is the first from weights √10 times shorter."""
RADAM = partial(RAdam, betas=(0.9, 0.999))  # the paper's

TITLE = Text(en="How far an optimiser steps", zh="优化器一步走多远")
ABOUT = Text(
    en="Update rules are run on random gradients of many sizes, learning-rate schedules over their steps, and gradient descent in the valley $x^4$: what Adam's first step, RAdam, clipping, warmup and weight decay do is arithmetic, and hardly differs between seeds. Then small Transformers ask whether Adam alone makes warmup necessary: Post-Norm under plain gradient descent with and without warmup, and under RAdam without. Those networks have five layers of width 32 and see 140 steps, so their rates are not those of large models.",
    zh="让各种更新规则作用于大小悬殊的随机梯度，让学习率调度走过它的每一步，让梯度下降走进山谷 $x^4$：Adam 的第一步、RAdam、裁剪、预热和权重衰减的作用都是算术，各种子之间几乎没有差别。然后用小型 Transformer 来问：需要预热是否只因为 Adam？比较普通梯度下降的 Post-Norm 有无预热，以及 RAdam 不预热的 Post-Norm。这些网络只有五层、宽度 32，训练 140 步，因此其学习率与大模型不可比。",
)
arithmetic = partial(
    Claim,
    regime=Text(
        en="Arithmetic in double precision: random gradients, schedules, a scale-invariant matrix",
        zh="双精度算术：随机梯度、学习率调度、尺度不变的矩阵",
    ),
)
trained = partial(
    Claim,
    regime=Text(
        en="Training, Post-Norm of 5 layers of width 32, Xavier initialisation, 140 steps, 80 of warmup where warmed; gradient descent at rate 0.7, Adam and RAdam at 0.014; medians over seeds",
        zh="训练，五层、宽度 32 的 Post-Norm，Xavier 初始化，140 步，预热时为 80 步；梯度下降学习率 0.7，Adam 与 RAdam 为 0.014；取各种子的中位数",
    ),
    over="median",
)

CLAIMS = (
    arithmetic(
        id="adam_first_step_is_rate",
        statement=Text(
            en="Adam's first step moves every weight by the learning rate, from gradients of 0.00001 to 1000 alike (to 1%).",
            zh="无论梯度是 0.00001 还是 1000，Adam 的第一步都使每个权重移动一个学习率（误差 1% 以内）。",
        ),
        metric="adam_first_step_error",
        below=0.01,
        source="Kingma & Ba 2015 (arXiv:1412.6980), section 2.1; off by ε over the gradient",
    ),
    arithmetic(
        id="radam_starts_at_five",
        statement=Text(
            en="RAdam follows momentum alone for four steps and adapts from the fifth.",
            zh="RAdam 的前四步只用动量，从第五步起才自适应。",
        ),
        metric="radam_first_adaptive_step",
        above=4.5,
        below=5.5,
        source="Liu et al. 2019 (arXiv:1908.03265), algorithm 2: ρ_t > 4 (PyTorch waits for ρ_t > 5, the sixth step)",
    ),
    arithmetic(
        id="clip_keeps_direction",
        statement=Text(
            en="Clipping a gradient's norm does not turn it, however tight.",
            zh="按范数裁剪不改变梯度的方向，无论裁剪得多紧。",
        ),
        metric="norm_clip_cosine",
        above=1 - 1e-9,
        source="A positive multiple has the same direction; Pascanu et al. 2013 (arXiv:1211.5063)",
    ),
    arithmetic(
        id="value_clip_turns",
        statement=Text(
            en="Clipping every entry to a hundredth of the gradient's RMS turns it: the cosine falls below 0.9.",
            zh="把每个分量裁剪到梯度均方根的百分之一会改变方向：余弦降到 0.9 以下。",
        ),
        metric="value_clip_cosine",
        below=0.9,
        source="Almost the sign of a Gaussian gradient: the cosine is √(2/π) = 0.80",
    ),
    arithmetic(
        id="clipping_tames_steep",
        statement=Text(
            en="Down $x^4$ from about 10, gradient descent at rate 0.01 flies off and clipped descent at ten times the rate arrives: they end more than six orders of magnitude apart.",
            zh="从 10 附近沿 $x^4$ 下降时，学习率 0.01 的梯度下降飞离，而学习率为其十倍的裁剪下降到达谷底：两者最终相差六个数量级以上。",
        ),
        metric="valley_orders_apart",
        above=6.0,
        source="Clipping where curvature grows with the gradient; Zhang et al. 2020 (arXiv:1905.11881), known second-hand",
    ),
    arithmetic(
        id="noam_peak",
        statement=Text(
            en="The schedule of Vaswani et al. peaks at 0.00070 for width 512 and 4000 steps of warmup.",
            zh="Vaswani 等人的调度在宽度 512、预热 4000 步时峰值为 0.00070。",
        ),
        metric="noam_peak",
        above=6.9e-4,
        below=7.1e-4,
        source="Vaswani et al. 2017 (arXiv:1706.03762), equation 3: the peak is (width · warmup)^−½",
    ),
    arithmetic(
        id="untuned_warmup_length",
        statement=Text(
            en="The linear warmup that leaves out as much as the exponential one of Adam's memory lasts $2/(1-\\beta_2)$ steps (to 5%): 40 at 0.95.",
            zh="与 Adam 记忆的指数预热省去同样多的线性预热长 $2/(1-\\beta_2)$ 步（误差 5% 以内）：$\\beta_2$ 为 0.95 时是 40 步。",
        ),
        metric="untuned_warmup_over_rule",
        above=0.95,
        below=1.05,
        source="Ma & Yarats 2019 (arXiv:1910.04209)",
    ),
    arithmetic(
        id="weight_decay_sets_step_angle",
        statement=Text(
            en="For a matrix that feeds a norm, rate η and weight decay λ settle the angle of a step at $\\sqrt{2\\eta\\lambda}$ (to 5%), whatever its first norm.",
            zh="对输出接归一化的矩阵，学习率 η 与权重衰减 λ 把每步转角稳定在 $\\sqrt{2\\eta\\lambda}$（误差 5% 以内），与初始范数无关。",
        ),
        metric="step_angle_over_theory",
        above=0.95,
        below=1.05,
        source="Steps at right angles to the weights balance decay; Wan et al. 2020 (arXiv:2006.08419), known second-hand",
    ),
    trained(
        id="sgd_post_needs_warmup_too",
        statement=Text(
            en="Under plain gradient descent too Post-Norm gains from warmup: it lowers the gap by more than 0.2.",
            zh="用普通梯度下降时 Post-Norm 同样受益于预热：差距降低 0.2 以上。",
        ),
        metric="sgd_cold_minus_warm",
        above=0.2,
        source="Xiong et al. 2020 (arXiv:2002.04745), section 3.2",
    ),
    trained(
        id="radam_trains_cold_post",
        statement=Text(
            en="RAdam trains Post-Norm without warmup: its gap falls below 0.5.",
            zh="RAdam 不预热也能训练 Post-Norm：差距降到 0.5 以下。",
        ),
        metric="radam_cold_gap",
        below=0.5,
        source="Xiong et al. 2020 (arXiv:2002.04745), section 4.2; Liu et al. 2019 (arXiv:1908.03265)",
    ),
)


class Params(controls.NetParams):
    width: Literal[16, 32] = controls.width(32)
    heads: Literal[1, 2, 4] = controls.heads(2)
    hidden: controls.Hidden = controls.hidden(2)
    length: Literal[2, 4] = controls.length(4)
    depth: int = controls.depth(5, most=6)
    steps: int = controls.steps(140, most=150, batch=BATCH)
    warmup: int = controls.warmup(80, most=150)
    rate: float = controls.rate(0.014, most=0.05)
    descent_rate: float = core.param(
        0.7,
        title=Text(en="Rate of gradient descent", zh="梯度下降的学习率"),
        about=Text(en="Of plain descent, no momentum.", zh="普通下降，无动量。"),
        ge=0.1,
        le=2.0,
        step=0.1,
    )
    beta2: float = core.param(
        0.95,
        title=Text(en="Adam's $\\beta_2$", zh="Adam 的 $\\beta_2$"),
        about=Text(
            en="Memory of squared gradients; sets the length of the untuned warmup.",
            zh="梯度平方的记忆；决定免调预热的长度。",
        ),
        ge=0.9,
        le=0.999,
        step=0.001,
    )
    noam_width: Literal[128, 256, 512, 1024, 2048, 4096] = core.param(
        512,
        title=Text(en="Width in the schedule", zh="调度中的宽度"),
        about=Text(
            en="$d$ of a schedule by Vaswani et al.", zh="Vaswani 等人调度中的 $d$。"
        ),
    )
    noam_warmup: int = core.param(
        4000,
        title=Text(en="Warmup in the schedule", zh="调度中的预热"),
        unit=Text(en="steps", zh="步"),
        about=Text(
            en="Where that schedule has its peak.", zh="该调度在这一步达到峰值。"
        ),
        ge=100,
        le=20000,
        step=100,
    )


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    lengths = steps.step_lengths({"adam": Adam, "sgd": SGD}, SCALES, seeds)
    cosines = steps.turning(TIGHTNESS, seeds)  # (limits, S) each
    steep = {
        "free": steps.valley(10.0, rate=0.01, clip=None, steps=200, seeds=seeds),
        "clipped": steps.valley(10.0, rate=0.1, clip=1.0, steps=200, seeds=seeds),
    }  # (steps + 1, S)
    angles = {
        (rate, decay): descend(
            seeds, "rms", width=16, rows=16, steps=400, rate=rate, decay=decay
        ).angles(rate)
        for rate, decay in DECAYS
    }  # (steps, S)
    warm = _count(20 / (1 - params.beta2))
    memory = schedules.exponential(warm, params.beta2)
    untuned = schedules.equal_linear(memory)
    noam = schedules.noam(
        _count(4 * params.noam_warmup), params.noam_width, params.noam_warmup
    )
    lessons = teach(
        _cells(params), seeds, steps=params.steps, batch=BATCH, progress=progress
    )
    gaps = {name: lessons.final_gap(name) for name in lessons.curves}  # (S,) each
    everywhere = torch.ones(len(seeds), dtype=torch.float64)  # (S,)
    metrics = {
        "adam_first_step_error": (lengths["adam"] - 1).abs().amax((0, 2)),
        "radam_first_adaptive_step": steps.first_adaptive_step(0.999, seeds),
        "norm_clip_cosine": cosines["norm"].amin(0),
        "value_clip_cosine": cosines["value"][0],
        "valley_orders_apart": (steep["free"][-1] / steep["clipped"][-1]).log10(),
        "noam_peak": noam.max() * everywhere,
        "noam_peak_step": (noam.argmax() + 1) * everywhere,
        "untuned_warmup_steps": untuned * everywhere,
        "untuned_warmup_over_rule": untuned * (1 - params.beta2) / 2 * everywhere,
        "step_angle_over_theory": _over_theory(angles),
        "sgd_cold_minus_warm": gaps["sgd_cold"] - gaps["sgd_warm"],
        **{f"{name}_gap": gap for name, gap in gaps.items()},
    }  # (S,) each
    return Result(
        metrics={name: value.tolist() for name, value in metrics.items()},
        figures=(
            drawn.first_steps(SCALES, {n: v.mean(2) for n, v in lengths.items()}),
            drawn.clipping(TIGHTNESS, cosines),
            drawn.valley(steep),
            drawn.warmups(params.beta2, untuned, warm),
            drawn.noam(noam),
            drawn.angles(angles),
            drawn.gaps(lessons),
        ),
    )


def _cells(params: Params) -> Mapping[str, Cell]:
    pre = params.architecture(depth=params.depth, causal=True)
    post = replace(pre, placement="post")
    plain = Schedule(rate=params.descent_rate)
    adam = Schedule(rate=params.rate)
    return {
        "sgd_cold": Cell(architecture=post, schedule=plain, optimiser=SGD),
        "sgd_warm": Cell(
            architecture=post,
            schedule=replace(plain, warmup=params.warmup),
            optimiser=SGD,
        ),
        "sgd_pre": Cell(architecture=pre, schedule=plain, optimiser=SGD),
        "adam_cold": Cell(architecture=post, schedule=adam),
        "radam_cold": Cell(architecture=post, schedule=adam, optimiser=RADAM),
    }


def _over_theory(angles: Mapping[tuple[float, float], Tensor]) -> Tensor:
    """The angle of the last hundred steps over √(2ηλ), farthest from 1 of all, (S,)."""
    ratios = torch.stack(
        [
            angle[-100:].mean(0) / (2 * rate * decay) ** 0.5
            for (rate, decay), angle in angles.items()
        ]
    )  # (settings, S)
    farthest = (ratios - 1).abs().argmax(0, keepdim=True)  # (1, S)
    return ratios.gather(0, farthest)[0]


def _count(last: float) -> Tensor:
    """1, 2 … last."""
    return torch.arange(1, round(last) + 1, dtype=torch.float64)
