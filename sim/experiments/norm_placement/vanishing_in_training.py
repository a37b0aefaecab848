"""Vanishing gradients in Post-Norm are made by training, not found at the start.

Every block's gradient and the size of what its norms receive, step by step, for Post-Norm
without and with warmup and for Pre-Norm without: in the regime of warmup_sensitivity.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import torch
from torch import Tensor

from sim.core import Axis, Claim, Figure, Key, Progress, Result, Text
from sim.nets import controls, figures, probes
from sim.nets.learning.cells import LAST, shown_steps, smooth
from sim.nets.learning.training import Curves, Schedule, Training, train_all
from sim.nets.markov import Chain
from sim.nets.transformer import Trace, Transformer

SECONDS = 6.0
EVERY = 10  # steps between two looks at what the norms receive
DRAWN = 5  # every fifth step is drawn

TITLE = Text(en="Vanishing gradients develop in training", zh="梯度消失是训练中形成的")
ABOUT = Text(
    en="At initialisation the gradients of a Post-Norm stack are of one size from the first block to the last. Without warmup the first large updates change that: branches grow, so the norms receive larger inputs, and as a norm's Jacobian is inversely proportional to its input, less and less gradient passes each block until the first ones no longer learn. The experiment follows every block's gradient and the norms' inputs through a short run, cold and warmed, and Pre-Norm for comparison. Six layers of width 32 at a rate that is high for them; in a large model the same chain may take other numbers.",
    zh="初始化时，Post-Norm 网络从第一块到最后一块的梯度大小相当。没有预热时，最初的大步更新改变了这一点：支路变大，归一化收到更大的输入，而归一化的雅可比与输入成反比，于是每经过一块，传回的梯度就更少，直到最前面的块不再学习。本实验在一次短训练中逐步跟踪每一块的梯度和归一化的输入：有、无预热的 Post-Norm，并以 Pre-Norm 对照。网络为六层、宽度 32，学习率对它们偏高；在大模型中，同样的链条可能是另一些数字。",
)
claim = partial(
    Claim,
    regime=Text(
        en="Training, Adam, 6 layers of width 32, Xavier initialisation, peak rate 0.005, 180 steps, 75 of warmup where warmed; the last ten steps, medians over seeds",
        zh="训练，Adam，6 层、宽度 32，Xavier 初始化，峰值学习率 0.005，180 步，预热时为 75 步；取最后十步，并取各种子的中位数",
    ),
    over="median",
)
DEEPNET = "Wang et al. 2022 (DeepNet, arXiv:2203.00555), section 3"

CLAIMS = (
    claim(
        id="cold_post_bottom_vanishes",
        statement=Text(
            en="Without warmup the gradient of Post-Norm's first block falls below a tenth of what it was at initialisation.",
            zh="没有预热时，Post-Norm 第一块的梯度降到初始化时的十分之一以下。",
        ),
        metric="cold_bottom",
        below=0.1,
        source=DEEPNET,
    ),
    claim(
        id="cold_ln_input_grows",
        statement=Text(
            en="Meanwhile what its norms receive grows: the largest RMS among them, about 1.4 at the start, exceeds 3.",
            zh="与此同时，归一化收到的输入变大：其中最大的均方根起初约为 1.4，最后超过 3。",
        ),
        metric="cold_norm_input",
        above=3.0,
        source=DEEPNET + ", figure 4",
    ),
    claim(
        id="warm_post_stays_alive",
        statement=Text(
            en="With warmup the first block keeps more than a twentieth of its initial gradient, though the loss has fallen.",
            zh="有预热时，尽管损失已经下降，第一块仍保有初始梯度的二十分之一以上。",
        ),
        metric="warm_bottom",
        above=0.05,
        source=DEEPNET,
    ),
    claim(
        id="balanced_at_start",
        statement=Text(
            en="At initialisation nothing has vanished: the first block's gradient is between a fifth and five times the last block's.",
            zh="初始化时梯度并未消失：第一块的梯度在最后一块的五分之一到五倍之间。",
        ),
        metric="first_over_last_at_start",
        above=0.2,
        below=5.0,
        source="Liu et al. 2020 (arXiv:2004.08249): Post-Norm encoders do not vanish",
    ),
    claim(
        id="pre_stays_alive",
        statement=Text(
            en="Pre-Norm's first block keeps more than a twentieth of its initial gradient without any warmup.",
            zh="Pre-Norm 不用预热，第一块也保有初始梯度的二十分之一以上。",
        ),
        metric="pre_bottom",
        above=0.05,
        source="Xiong et al. 2020 (arXiv:2002.04745), section 4",
    ),
)


class Params(controls.TrainParams):
    depth: int = controls.depth(6, most=8)


@dataclass(kw_only=True)
class Inputs:
    """Looks, during training, at the RMS of what a stack's norms receive."""

    net: Transformer
    batches: Tensor  # (steps, M, B, T + 1)
    seen: list[Tensor] = field(default_factory=list)  # (2 · depth, M) each

    @torch.no_grad()
    def watch(self, step: int) -> None:
        if step % EVERY == 0 or step + 1 == len(self.batches):
            self.seen.append(received(self.net, self.batches[step, ..., :-1]))


def received(net: Transformer, ids: Tensor) -> Tensor:
    """RMS of the input to the norm of each sublayer, Pre or Post, (2 · depth, M)."""
    trace = Trace()
    net.stream(net.embed(ids), trace)
    rules = [rule for rule in net.architecture.rules for _ in range(2)]
    parts = zip(rules, trace.inputs, trace.branches, strict=True)
    inputs = [x + branch if rule.outer else x for rule, x, branch in parts]
    return torch.stack([probes.rms(x) for x in inputs])


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One way to train, as its S seeds went through it."""

    curves: Curves
    inputs: Tensor  # RMS, the largest among the sublayers, (looks, S)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    cold = Schedule(rate=params.rate)
    warm = replace(cold, warmup=params.warmup)
    batches = Chain(seeds, controls.SYMBOLS).sample(
        params.steps, controls.BATCH, params.length
    )  # (steps, S, B, T + 1)
    pre = params.architecture(depth=params.depth, causal=True)
    post = replace(pre, placement="post")
    cells = {"cold": (post, cold), "warm": (post, warm), "pre": (pre, cold)}
    watched: dict[str, Inputs] = {}
    trainings = []
    for name, (architecture, schedule) in cells.items():
        net = Transformer(architecture, seeds)
        watched[name] = Inputs(net=net, batches=batches)
        trainings.append(
            Training(
                net=net,
                schedules=[schedule] * len(seeds),
                batches=batches,
                watch=watched[name].watch,
            )
        )
    found = {
        name: Seen(curves=curves, inputs=torch.stack(watched[name].seen).amax(1))
        for name, curves in zip(cells, train_all(trainings, progress), strict=True)
    }
    start = found["cold"].curves.blocks[0]  # (L, S)
    metrics = {
        **{f"{name}_bottom": _kept(seen.curves.bottom) for name, seen in found.items()},
        **{f"{name}_norm_input": seen.inputs[-1] for name, seen in found.items()},
        "norm_input_at_start": found["cold"].inputs[0],
        "first_over_last_at_start": start[0] / start[-1],
    }  # (S,) each
    return Result(
        metrics={name: value.tolist() for name, value in metrics.items()},
        figures=_figures(params, found),
    )


def _kept(norms: Tensor) -> Tensor:
    """Gradient norms (steps, S) of the last ten steps over the first, (S,)."""
    return norms[-LAST:].mean(0) / norms[0]


_NAMES: Mapping[str, tuple[Text, Key]] = {
    "pre": (Text(en="Pre-Norm, no warmup", zh="Pre-Norm，无预热"), "1"),
    "cold": (Text(en="Post-Norm, no warmup", zh="Post-Norm，无预热"), "2"),
    "warm": (Text(en="Post-Norm, warmup", zh="Post-Norm，有预热"), "3"),
}


def _figures(params: Params, found: Mapping[str, Seen]) -> tuple[Figure, ...]:
    looks = sorted({*range(0, params.steps, EVERY), params.steps - 1})
    layers = range(1, params.depth + 1)
    start = found["cold"].curves.blocks[0]  # (L, S)
    bottoms = {
        name: smooth(seen.curves.bottom / seen.curves.bottom[0], DRAWN)
        for name, seen in found.items()
    }
    return (
        Figure(
            id="bottom",
            title=Text(en="Gradient of the first block", zh="第一个块的梯度"),
            alt=Text(
                en="First block's gradient norm by step, relative to initialisation, logarithmic: it collapses in cold Post-Norm and stays within reach of 1 in the other two.",
                zh="第一个块的梯度范数随步数的变化（相对初始化时，对数坐标）：无预热的 Post-Norm 骤降，另外两者保持在 1 的附近。",
            ),
            x=figures.STEP,
            y=Axis(
                label=Text(en="Relative to initialisation", zh="相对初始化时"),
                scale="log",
            ),
            series=[
                figures.band(*named, shown_steps(bottoms[name], DRAWN), bottoms[name])
                for name, named in _NAMES.items()
            ],
        ),
        Figure(
            id="norm_inputs",
            title=Text(en="The largest input to a norm", zh="归一化收到的最大输入"),
            alt=Text(
                en="Largest RMS among the norms' inputs by step: in cold Post-Norm it rises steeply in the first steps, with warmup it rises less and later. In Pre-Norm it rises most of all and does no harm: the skip path passes no norm.",
                zh="各归一化输入中最大的均方根随步数的变化：无预热的 Post-Norm 在最初几步急剧上升，有预热的上升更少、更晚。Pre-Norm 上升得最多却无害：跳跃路径不经过归一化。",
            ),
            x=figures.STEP,
            y=Axis(label=Text(en="RMS", zh="均方根")),
            series=[
                figures.band(*named, looks, found[name].inputs)
                for name, named in _NAMES.items()
            ],
        ),
        Figure(
            id="blocks",
            title=Text(
                en="Every block's gradient after the run", zh="训练后每一块的梯度"
            ),
            alt=Text(
                en="Gradient norm of each block, logarithmic: nearly level in Post-Norm at initialisation; after the run falling towards the first block by orders of magnitude in cold Post-Norm only.",
                zh="每一块的梯度范数（对数坐标）：Post-Norm 初始化时几乎持平；训练后只有无预热的 Post-Norm 朝第一块下降几个数量级。",
            ),
            x=figures.LAYER,
            y=figures.NORM,
            series=[
                *(
                    figures.band(
                        *named, layers, found[name].curves.blocks[-LAST:].mean(0)
                    )
                    for name, named in _NAMES.items()
                ),
                figures.band(
                    Text(en="Post-Norm at initialisation", zh="Post-Norm 初始化时"),
                    "4",
                    layers,
                    start,
                ),
            ],
        ),
    )
