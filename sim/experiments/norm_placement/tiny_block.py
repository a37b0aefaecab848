"""A single run of a tiny block does not show which placement is better.

A branch of 4x4 weights with tanh on a residual path, trained by gradient descent on four
tokens of four features. The figures given for one demonstration of this kind, final losses
of .374 (Pre) and .4447 (Post) from one seed, could not be reproduced from its description.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Series, Text, param
from sim.nets import chance, figures
from sim.nets.blocks import RULES, Placement, residual
from sim.nets.norms import normalise

SECONDS = 0.6
SIZE = 4  # tokens, and features of a token
EARLY = 10  # steps in which the peak is looked for
NUDGE = 1e-5  # half the distance of a central difference, near the best for float64
_layer_norm = partial(normalise, operator="layer")
PLACEMENTS: tuple[Placement, ...] = ("pre", "post")
RATES = (0.01, 0.03, 0.1, 0.3, 1.0)

TITLE = Text(
    en="What one tiny run shows, and what many show",
    zh="一次小实验说明什么，许多次又说明什么",
)

ABOUT = Text(
    en="A residual branch $\\tanh(xW)$ with $4\\times4$ weights learns to turn four random tokens into four random targets, once as Pre-Norm, $x+\\tanh(\\mathrm{LN}(x)W)$, and once as Post-Norm, $\\mathrm{LN}(x+\\tanh(xW))$, from the same weights. Each seed averages over many such tasks, and a figure shows how single tasks scatter. With Gaussian targets part of the difference is one of reach, not of training: Post-Norm can put out only rows of mean 0 and variance 1, so compare with normalised targets. A block of this size says nothing about depth, warmup or real training.",
    zh="一个带 $4\\times4$ 权重的残差分支 $\\tanh(xW)$ 学习把四个随机 token 变成四个随机目标，从同样的权重出发，分别采用 Pre-Norm，即 $x+\\tanh(\\mathrm{LN}(x)W)$，和 Post-Norm，即 $\\mathrm{LN}(x+\\tanh(xW))$。每个随机种子对许多个这样的任务求平均，图中可以看到单个任务有多分散。目标为高斯行时，一部分差距来自能够输出的范围，而不是训练：Post-Norm 只能输出均值为 0、方差为 1 的行，因此请与归一化的目标对照。这么小的块说明不了深度、预热或真实训练的问题。",
)


class Params(core.Params):
    steps: int = param(
        60,
        ge=10,
        le=200,
        step=10,
        title=Text(en="Steps", zh="步数"),
        about=Text(en="Steps of gradient descent.", zh="梯度下降的步数。"),
        unit=Text(en="steps", zh="步"),
    )
    rate: float = param(
        0.1,
        ge=0.01,
        le=1.0,
        step=0.01,
        title=Text(en="Learning rate", zh="学习率"),
        about=Text(en="Constant, without warmup.", zh="恒定，不预热。"),
    )
    depth: int = param(
        1,
        ge=1,
        le=4,
        title=Text(en="Blocks", zh="块数"),
        about=Text(
            en="Blocks in a row, each with weights of its own; no norm after the last Pre block.",
            zh="依次相连的块数，每块有自己的权重；最后一个 Pre 块之后没有归一化。",
        ),
        unit=Text(en="blocks", zh="块"),
    )
    spread: float = param(
        0.5,
        ge=0.1,
        le=2.0,
        step=0.1,
        title=Text(en="Initial weights", zh="初始权重"),
        about=Text(
            en="Their standard deviation; 0.5 is $1/\\sqrt d$.",
            zh="其标准差；0.5 即 $1/\\sqrt d$。",
        ),
    )
    target: Literal["gaussian", "normalised"] = param(
        "gaussian",
        title=Text(en="Targets", zh="目标"),
        about=Text(
            en="Gaussian rows as drawn, or normalised to mean 0 and variance 1 like what Post-Norm puts out.",
            zh="直接使用高斯行，或先归一化为均值 0、方差 1，与 Post-Norm 的输出同类。",
        ),
    )
    tasks: int = param(
        64,
        ge=1,
        le=64,
        title=Text(en="Tasks a seed", zh="每个种子的任务数"),
        about=Text(
            en="Independent tasks that a seed averages over; 1 is the single-run demonstration.",
            zh="每个随机种子求平均的独立任务数；取 1 就是单次演示。",
        ),
        unit=Text(en="tasks", zh="个"),
    )


_claim = partial(
    Claim,
    regime=Text(
        en="Blocks of 4x4 weights, four tokens, Gaussian inputs, plain gradient descent, no gain or shift, mean squared error.",
        zh="4x4 权重的块，四个 token，高斯输入，普通梯度下降，无缩放和平移参数，均方误差。",
    ),
)

CLAIMS = (
    _claim(
        id="autograd_matches_differences",
        statement=Text(
            en="Automatic differentiation gives the gradient that finite differences give.",
            zh="自动求导得到的梯度与有限差分一致。",
        ),
        metric="gradient_error",
        below=1e-6,
        source="A central difference errs by h²/6 times the third derivative, h = 1e-5",
    ),
    _claim(
        id="pre_lower_final_loss",
        statement=Text(
            en="After training, the Pre-Norm block has the lower loss, averaged over tasks.",
            zh="训练结束时，按任务平均，Pre-Norm 块的损失更低。",
        ),
        metric="final_difference",
        above=0.0,
        source="What a demonstration with one seed suggests: .374 for Pre, .4447 for Post",
    ),
    _claim(
        id="pre_lower_peak_loss",
        statement=Text(
            en="The highest loss of the first ten steps is lower for the Pre-Norm block, averaged over tasks.",
            zh="按任务平均，Pre-Norm 块在前十步中的最高损失更低。",
        ),
        metric="peak_difference",
        above=0.0,
        source="What a demonstration with one seed suggests: maxima of 1.0973 for Pre, 1.5169 for Post",
    ),
)


class Tasks(NamedTuple):
    """M independent models, each with a task of its own; float64."""

    weights: Tensor  # (M, depth, 4, 4)
    x: Tensor  # (M, 4, 4)
    target: Tensor  # (M, 4, 4)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    """Trains every task of every seed under both placements, there and at other rates."""
    tasks = draw(params, seeds)
    shape = (len(seeds), params.tasks)
    curves, ends, errors = {}, {}, []
    for done, placement in enumerate(PLACEMENTS, 1):
        curve = train(placement, tasks, rate=params.rate, steps=params.steps)
        curves[placement] = curve.view(-1, *shape)  # (steps + 1, S, tasks)
        errors.append(gradient_error(placement, tasks).view(shape))
        swept = [train(placement, tasks, rate=r, steps=params.steps) for r in RATES]
        ends[placement] = torch.stack(swept)[:, -1].view(-1, *shape).mean(-1)  # (R, S)
        progress(done / len(PLACEMENTS))
    final = {p: curve[-1] for p, curve in curves.items()}  # (S, tasks) each
    difference = final["post"] - final["pre"]
    peak = {p: curve[:EARLY].amax(0) for p, curve in curves.items()}  # (S, tasks) each
    return Result(
        metrics={
            "gradient_error": torch.stack(errors).amax((0, 2)).tolist(),
            "final_difference": difference.mean(1).tolist(),
            "peak_difference": (peak["post"] - peak["pre"]).mean(1).tolist(),
            "pre_wins": (difference > 0).double().mean(1).tolist(),
            "pre_final_loss": final["pre"].mean(1).tolist(),
            "post_final_loss": final["post"].mean(1).tolist(),
        },
        figures=(
            _loss_figure({p: curve.mean(-1) for p, curve in curves.items()}),
            _scatter_figure(difference.flatten().sort().values.tolist()),
            _rate_figure(ends),
        ),
    )


def draw(params: Params, seeds: Sequence[int]) -> Tasks:
    """The seeds' tasks and initial weights, M = seeds x tasks, one seed after another."""
    size = (params.tasks, params.depth + 2, SIZE, SIZE)
    generators = [chance.generator(seed, "tiny block") for seed in seeds]
    normal = chance.tensor([g.standard_normal(size) for g in generators]).flatten(0, 1)
    x, target, *weights = normal.unbind(1)  # (M, 4, 4) each
    if params.target == "normalised":
        target = _layer_norm(target)
    return Tasks(params.spread * torch.stack(weights, 1), x, target)


def losses(placement: Placement, tasks: Tasks) -> Tensor:
    """The mean squared error of each model, (M,)."""
    weights, x, target = tasks
    depth = weights.shape[1]
    for number, layer in enumerate(weights.unbind(1), start=1):

        def branch(y: Tensor, layer: Tensor = layer) -> Tensor:
            return torch.tanh(y @ layer)  # (M, 4, 4)

        rule = RULES[placement](number, depth)
        x = residual(rule, x, branch, [_layer_norm])  # (M, 4, 4)
    return (x - target).square().mean((1, 2))


def _gradient(placement: Placement, tasks: Tasks) -> tuple[Tensor, Tensor]:
    """Each model's loss (M,) and its gradient (M, depth, 4, 4) by autograd."""
    weights = tasks.weights.clone().requires_grad_()
    loss = losses(placement, tasks._replace(weights=weights))
    (gradient,) = torch.autograd.grad(loss.sum(), weights)
    return loss.detach(), gradient


def train(placement: Placement, tasks: Tasks, *, rate: float, steps: int) -> Tensor:
    """Gradient descent; the loss before every step and after the last, (steps + 1, M)."""
    curve = []
    for _ in range(steps):
        loss, gradient = _gradient(placement, tasks)
        curve.append(loss)
        tasks = tasks._replace(weights=tasks.weights - rate * gradient)
    return torch.stack([*curve, losses(placement, tasks)])


def gradient_error(placement: Placement, tasks: Tasks) -> Tensor:
    """The largest difference of a model's gradient from central differences, (M,)."""
    _, gradient = _gradient(placement, tasks)  # (M, depth, 4, 4)
    columns = []
    for direction in torch.eye(gradient[0].numel(), dtype=gradient.dtype):
        nudge = NUDGE * direction.view_as(gradient[0])
        up = losses(placement, tasks._replace(weights=tasks.weights + nudge))
        down = losses(placement, tasks._replace(weights=tasks.weights - nudge))
        columns.append((up - down) / (2 * NUDGE))  # (M,)
    return (gradient.flatten(1) - torch.stack(columns, 1)).abs().amax(1)


_LOSS = Axis(label=Text(en="Mean squared error", zh="均方误差"))


def _loss_figure(curves: Mapping[Placement, Tensor]) -> Figure:
    return Figure(
        id="loss",
        title=Text(en="Loss, averaged over tasks", zh="损失（按任务平均）"),
        alt=Text(
            en="Mean squared error against training step, a curve for Pre-Norm and one for Post-Norm, each with the range over the seeds.",
            zh="均方误差随训练步数的曲线：Pre-Norm 与 Post-Norm 各一条，带各种子之间的范围。",
        ),
        x=figures.STEP,
        y=_LOSS,
        series=[
            figures.placed(p, range(len(curve)), curve) for p, curve in curves.items()
        ],
    )


def _scatter_figure(differences: Sequence[float]) -> Figure:
    last = max(len(differences) - 1, 1)
    share = [rank / last for rank in range(len(differences))]
    task, zero = Text(en="one task", zh="单个任务"), Text(en="equal", zh="相等")
    return Figure(
        id="single_tasks",
        title=Text(en="What single runs would have shown", zh="单次运行各自会显示什么"),
        alt=Text(
            en="The final loss of Post-Norm minus that of Pre-Norm for every single task, sorted; above zero a single run would favour Pre-Norm, below zero Post-Norm.",
            zh="每个单独任务的最终损失之差（Post-Norm 减 Pre-Norm），从小到大排列；零以上表示单次运行会偏向 Pre-Norm，零以下偏向 Post-Norm。",
        ),
        x=Axis(label=Text(en="Share of the runs", zh="运行所占比例")),
        y=Axis(label=Text(en="Post minus Pre", zh="Post 减 Pre")),
        series=(
            Series(name=task, key="3", x=share, y=differences),
            figures.theory(zero, (0, 1), (0, 0)),
        ),
    )


def _rate_figure(ends: Mapping[Placement, Tensor]) -> Figure:
    return Figure(
        id="learning_rates",
        title=Text(
            en="Final loss at other learning rates", zh="其他学习率下的最终损失"
        ),
        alt=Text(
            en="Final mean squared error against learning rate on a logarithmic axis, a curve for Pre-Norm and one for Post-Norm, each with the range over the seeds.",
            zh="最终均方误差随学习率（对数坐标）的曲线：Pre-Norm 与 Post-Norm 各一条，带各种子之间的范围。",
        ),
        x=Axis(label=Text(en="Learning rate", zh="学习率"), scale="log"),
        y=_LOSS,
        series=[figures.placed(p, RATES, end) for p, end in ends.items()],
    )
