"""Which layer broke: a monitor of every layer against an alarm on the loss.

Every run of a seed starts from the same weights and sees the same data. After some healthy
steps a fault begins in one layer, another one in each run. The monitor holds each step's
readings against the healthy ones before; the alarm on the loss waits for a value far outside
the healthy ones.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import controls, figures
from sim.nets.monitoring.faults import AFTER, WARMUP, WINDOW, Fault, Watched, watch
from sim.nets.monitoring.readings import LOGIT, UPDATE

MOST = 1e4  # the highest reading drawn
SECONDS = 6.0

TITLE = Text(en="A fault and its monitor", zh="故障与监测")
ABOUT = Text(
    en="A small Transformer trains without trouble until something goes wrong in one layer and grows from step to step. A monitor reads the attention logits, branches, stream, gradient and update of every layer and names the earliest value that leaves its healthy range fivefold, in the order in which a step computes them; beside it stands an alarm on the loss, set off four standard deviations above its healthy mean. Every layer takes its turn. The faults are put in by hand, at one place and faster than most real ones grow, so the experiment says what such a monitor can see and not how often real runs fail this way.",
    zh="一个小型 Transformer 正常训练，直到某一层出了问题，并逐步加重。监测器读取每一层的注意力 logit、支路、残差流、梯度和更新量，按一步之内的计算顺序，指出最早超出健康范围五倍的数值；与之对照的是损失警报，损失高出健康均值四个标准差时触发。每一层都轮流出一次故障。故障是人为加入的，只在一处，而且比大多数真实故障发展得快，因此本实验说明这种监测能看到什么，而不说明真实训练多常以这种方式失败。",
)
REGIME = Text(
    en="Training, Adam, 6 Pre-Norm layers of width 32, queries and keys of one layer growing by half in every step after 140 healthy ones",
    zh="训练，Adam，6 层 Pre-Norm、宽度 32，140 个健康步之后某一层的查询与键每步增大一半",
)
READINGS: tuple[tuple[Text, core.Key], ...] = (
    (Text(en="Attention logit", zh="注意力 logit"), "3"),
    (Text(en="Branch over stream", zh="支路与残差流之比"), "4"),
    (Text(en="Activation RMS", zh="激活 RMS"), "5"),
    (Text(en="Gradient norm", zh="梯度范数"), "6"),
    (Text(en="Update over weight", zh="更新量与权重之比"), "7"),
)
BRANCH = "branch feed-forward over stream"
SIGNS = {"logits": LOGIT, "branch": BRANCH, "precision": BRANCH, "rate": UPDATE}
"""The sign of the monitor on which a fault acts."""
claim = partial(Claim, regime=REGIME)
WORTSMAN = "Wortsman et al. 2023 (arXiv:2309.14322), "

CLAIMS = (
    claim(
        id="earliest_layer_named",
        statement=Text(
            en="The monitor's first alarm names the layer with the fault, in more than nine of ten runs.",
            zh="十次运行中有九次以上，监测器的第一次警报指出的正是有故障的那一层。",
        ),
        metric="named_share",
        above=0.9,
        source="The order of computation: a value depends only on what is computed before it",
    ),
    claim(
        id="first_sign_fits",
        statement=Text(
            en="The first alarm is set off by the reading on which the fault acts, in more than nine of ten runs.",
            zh="十次运行中有九次以上，触发第一次警报的正是故障直接作用的那种读数。",
        ),
        metric="fitting_share",
        above=0.9,
        source="The order of computation: what a fault acts on is computed before its effects",
    ),
    claim(
        id="loss_alone_is_late",
        statement=Text(
            en="The alarm on the loss comes later than the monitor's.",
            zh="损失警报晚于监测器的警报。",
        ),
        metric="loss_lag",
        above=0.0,
        source=WORTSMAN
        + "section 3: growth of attention logits foretells instabilities",
    ),
    claim(
        id="healthy_run_silent",
        statement=Text(
            en="In the healthy run the monitor never raises an alarm.",
            zh="健康的运行中监测器从不报警。",
        ),
        metric="healthy_alarms",
        below=0.5,
        source="The monitor's own promise: no value leaves its healthy range fivefold",
    ),
    claim(
        id="gradient_norm_jumps",
        statement=Text(
            en="With the fault the largest gradient norm exceeds ten times the healthy median.",
            zh="出现故障后，最大梯度范数超过健康中位数的十倍。",
        ),
        metric="gradient_jump",
        above=10.0,
        source=WORTSMAN + "section 3.1: growing attention logits make runs diverge",
    ),
)


class Params(controls.NetParams):
    width: Literal[16, 32] = controls.width(32)
    heads: Literal[1, 2, 4] = controls.heads(2)
    length: Literal[4, 8] = controls.length(8)
    depth: int = core.param(
        6,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="Layers of every network; each has the fault in a run of its own.",
            zh="每个网络的层数；每一层都在一次单独的运行中出现故障。",
        ),
        ge=2,
        le=8,
        step=1,
    )
    placement: Literal["pre", "post", "sandwich", "output", "deepnorm"] = core.param(
        "pre",
        title=Text(en="Norm placement", zh="归一化的位置"),
        about=Text(
            en="Where the norm stands in every block.", zh="每个块中归一化的位置。"
        ),
    )
    fault: Fault = core.param(
        "logits",
        title=Text(en="Fault", zh="故障"),
        about=Text(
            en="What grows: the weights of queries and keys, the second feed-forward matrix, the units in which half precision overflows; or one step a hundred times too long.",
            zh="加重的是：查询与键的权重、第二个前馈矩阵、使半精度溢出的单位；或者只走一步，但步长大了一百倍。",
        ),
    )
    layer: int = core.param(
        3,
        title=Text(en="Layer shown", zh="所示的层"),
        about=Text(
            en="The run that figures show has the fault in this layer, or the last one if there are fewer.",
            zh="图中所示的运行，故障在这一层；层数不足时在最后一层。",
        ),
        ge=1,
        le=8,
        step=1,
    )
    growth: float = core.param(
        1.5,
        title=Text(en="Growth", zh="增长"),
        about=Text(
            en="Factor by which the fault grows in a step.", zh="故障每步增大的倍数。"
        ),
        ge=1.05,
        le=3.0,
        step=0.05,
    )
    rate: float = core.param(
        0.002,
        title=Text(en="Learning rate", zh="学习率"),
        about=Text(
            en=f"Adam's, reached after {WARMUP} steps and kept.",
            zh=f"Adam 的学习率，{WARMUP} 步后达到，此后保持不变。",
        ),
        ge=0.0001,
        le=0.01,
        step=0.0001,
    )


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    shape = params.architecture(depth=params.depth, causal=True)
    shape = replace(shape, placement=params.placement)
    watched = watch(shape, seeds, params.fault, params.growth, params.rate, progress)
    found = _metrics(watched, SIGNS.get(params.fault))
    metrics = {name: values.tolist() for name, values in found.items()}
    if params.fault == "none":  # then nothing is there to be found
        missing = ("named_share", "fitting_share", "alarm_delay", "loss_lag")
        metrics |= dict.fromkeys(missing, [math.nan] * len(seeds))
    shown = min(params.layer, params.depth)
    return Result(metrics=metrics, figures=_figures(watched, shown))


def _metrics(watched: Watched, sign: str | None) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    runs, seeds = watched.loss.shape[1:]
    first = [[watched.first(v, s)[1] for s in range(seeds)] for v in range(1, runs)]
    named = [
        [bool(b and b.layer == str(v)) for b in row] for v, row in enumerate(first, 1)
    ]
    fitting = [[bool(b and b.sign == sign) for b in row] for row in first]
    healthy = [
        sum((0, seed) in found for found in watched.alarms) for seed in range(seeds)
    ]
    gradient = watched.gradient[:, 1:].double()  # (T, L, S)
    jump = gradient[WINDOW:].amax(0) / gradient[:WINDOW].median(0).values  # (L, S)
    alarms = watched.alarm_steps()
    return {
        "named_share": torch.tensor(named, dtype=torch.float64).mean(0),
        "fitting_share": torch.tensor(fitting, dtype=torch.float64).mean(0),
        "alarm_delay": alarms.quantile(0.5, dim=0),
        "loss_lag": (watched.loss_steps() - alarms).quantile(0.5, dim=0),
        "healthy_alarms": torch.tensor(healthy),
        "gradient_jump": jump.quantile(0.5, dim=0),
    }


def _figures(watched: Watched, shown: int) -> tuple[Figure, ...]:
    """All words leave open what the fault is and where: questions show these figures."""
    ratios = watched.ratios(shown)  # (T, 5, L, S)
    layers = range(1, ratios.shape[2] + 1)
    steps = range(1 - WINDOW, AFTER + 1)
    at = watched.alarm_steps()[shown - 1].clamp(max=AFTER - 1).long() + WINDOW  # (S,)
    alarm = torch.stack([ratios[t, ..., s] for s, t in enumerate(at.tolist())], -1)
    worst = ratios.nan_to_num(nan=MOST).amax(1).clamp(max=MOST)  # (T, L, S)
    usual = Text(en="Times the usual value", zh="相对平常值的倍数")
    times = Axis(label=usual, scale="log")

    def relative(curve: Tensor) -> Tensor:
        own = curve[:, shown].double()  # (T, S)
        return own / own[:WINDOW].median(0).values

    return (
        Figure(
            id="monitor",
            title=Text(
                en="Readings of each layer at one step", zh="某一步中各层的读数"
            ),
            alt=Text(
                en="Five readings of each layer at the step of the first alarm, as multiples of their usual values on a logarithmic axis; a reading that is not finite is left out.",
                zh="首次报警那一步各层的五种读数，以相对平常值的倍数表示（对数轴）；非有限的读数不画。",
            ),
            x=figures.LAYER,
            y=times,
            series=[
                figures.band(*named, layers, values)
                for named, values in zip(READINGS, alarm, strict=True)
            ],
        ),
        Figure(
            id="curves",
            title=Text(en="The run over time", zh="运行过程"),
            alt=Text(
                en="Loss, gradient norm and the highest reading of any layer by step, each as a multiple of its usual value; up to step 0 they are the usual ones.",
                zh="损失、梯度范数和各层中最高的读数随步数的变化，均以相对平常值的倍数表示；第 0 步及以前为平常值。",
            ),
            x=figures.STEP,
            y=times,
            series=[
                figures.band(
                    Text(en="Loss", zh="损失"), "3", steps, relative(watched.loss)
                ),
                figures.band(
                    Text(en="Gradient norm", zh="梯度范数"),
                    "6",
                    steps,
                    relative(watched.gradient),
                ),
                figures.band(
                    Text(en="Highest reading of a layer", zh="各层中最高的读数"),
                    "8",
                    steps,
                    worst.amax(1),
                ),
            ],
        ),
        figures.heat(
            [Text(en=f"Layer {layer}", zh=f"第 {layer} 层") for layer in layers],
            steps,
            worst.permute(1, 0, 2),
            id="spread",
            title=Text(en="Each layer, step by step", zh="逐步看每一层"),
            alt=Text(
                en="Highest reading of each layer (row) at each step (column) as a multiple of its usual value; what is not finite counts as 10 000.",
                zh="每一层（行）在每一步（列）的最高读数，以相对平常值的倍数表示；非有限的读数记为一万。",
            ),
            x=figures.STEP,
            y=figures.LAYER,
            value=times,
        ),
        Figure(
            id="alarms",
            title=Text(en="When the alarms go off", zh="警报何时触发"),
            alt=Text(
                en=f"Steps until the first alarm of the monitor and of the loss, by layer; {AFTER} stands for never.",
                zh=f"各层从开始到监测器与损失首次报警的步数；{AFTER} 表示从未报警。",
            ),
            x=figures.LAYER,
            y=Axis(label=Text(en="Steps until the alarm", zh="到报警为止的步数")),
            kind="points",
            series=[
                figures.band(
                    Text(en="Monitor", zh="监测器"), "3", layers, watched.alarm_steps()
                ),
                figures.band(
                    Text(en="Loss", zh="损失"), "4", layers, watched.loss_steps()
                ),
            ],
        ),
    )
