"""Figures about the size and direction of an optimiser's steps."""

import math
from collections.abc import Mapping, Sequence

from torch import Tensor

from sim.core import Axis, Figure, Key, Series, Text
from sim.nets import figures
from sim.nets.learning import schedules
from sim.nets.learning.cells import Lessons, shown_steps, smooth

ADAM, SGD = Text(en="Adam", zh="Adam"), Text(en="Gradient descent", zh="梯度下降")
DRAWN = 5  # every fifth step is drawn


def first_steps(scales: Sequence[float], lengths: Mapping[str, Tensor]) -> Figure:
    """``lengths`` of "adam" and "sgd" over the rate, (scales, S)."""
    return Figure(
        id="first_steps",
        title=Text(
            en="Length of the first step, over the rate",
            zh="第一步的长度，以学习率为单位",
        ),
        alt=Text(
            en="Mean move of a weight in the first step, over the learning rate, against the size of the gradient, both logarithmic: Adam's is 1 throughout, gradient descent's grows with the gradient.",
            zh="第一步中权重的平均移动量（以学习率为单位）随梯度大小的变化，双对数坐标：Adam 处处为 1，梯度下降则随梯度增大。",
        ),
        x=Axis(
            label=Text(en="Smallest gradient entry", zh="最小的梯度分量"), scale="log"
        ),
        y=Axis(label=Text(en="Step over rate", zh="步长与学习率之比"), scale="log"),
        series=[
            figures.band(ADAM, "1", scales, lengths["adam"]),
            figures.band(SGD, "2", scales, lengths["sgd"]),
        ],
    )


def clipping(tightness: Sequence[float], cosines: Mapping[str, Tensor]) -> Figure:
    """``cosines`` after clipping by "norm" and by "value", (limits, S)."""
    return Figure(
        id="clipping",
        title=Text(en="Does clipping turn the gradient?", zh="裁剪会改变梯度方向吗？"),
        alt=Text(
            en="Cosine between a Gaussian gradient and its clipped form against the limit: clipping the norm keeps 1, clipping values falls towards the square root of 2/π, 0.80, as the limit tightens.",
            zh="高斯梯度与其裁剪结果之间的余弦随界限的变化：按范数裁剪保持为 1，按值裁剪随界限收紧降向 2/π 的平方根，即 0.80。",
        ),
        x=Axis(
            label=Text(
                en="Limit (for values: over the gradient's RMS)",
                zh="界限（按值裁剪时以梯度均方根为单位）",
            ),
            scale="log",
        ),
        y=Axis(label=Text(en="Cosine", zh="余弦")),
        series=[
            figures.band(
                Text(en="Norm clipped", zh="按范数裁剪"),
                "1",
                tightness,
                cosines["norm"],
            ),
            figures.band(
                Text(en="Values clipped", zh="按值裁剪"),
                "2",
                tightness,
                cosines["value"],
            ),
            _level(
                figures.formula("$\\sqrt{2/\\pi}$"), tightness, math.sqrt(2 / math.pi)
            ),
        ],
    )


def valley(paths: Mapping[str, Tensor]) -> Figure:
    """``paths`` of descent "free" and "clipped" down x⁴, (steps + 1, S)."""
    names: tuple[tuple[str, Text, Key], ...] = (
        (
            "clipped",
            Text(en="Rate 0.1, clipped at norm 1", zh="学习率 0.1，裁剪到范数 1"),
            "1",
        ),
        ("free", Text(en="Rate 0.01", zh="学习率 0.01"), "2"),
    )
    return Figure(
        id="valley",
        title=Text(en="Down a steep valley, $x^4$", zh="沿陡峭山谷 $x^4$ 下降"),
        alt=Text(
            en="Distance from the minimum by step, logarithmic: without clipping it explodes within a few steps, with clipping it falls steadily at ten times the rate.",
            zh="离最小值的距离随步数的变化（对数坐标）：不裁剪时几步之内爆炸，裁剪后以十倍的学习率稳步下降。",
        ),
        x=figures.STEP,
        y=Axis(label=figures.formula("$|x|$"), scale="log"),
        series=[
            figures.band(
                name, key, range(0, len(paths[which]), DRAWN), paths[which][::DRAWN]
            )
            for which, name, key in names
        ],
    )


def warmups(beta2: float, length: int, steps: Tensor) -> Figure:
    """Three factors on the rate; ``steps`` count from 1."""
    shown = steps[: max(20, 2 * length)]
    shown = shown[:: max(1, len(shown) // 100)]
    x = shown.tolist()
    factors: tuple[tuple[Text, Key, Tensor], ...] = (
        (
            Text(en="RAdam's factor", zh="RAdam 的系数"),
            "1",
            schedules.rectified(shown, beta2),
        ),
        (
            Text(en="Exponential warmup", zh="指数预热"),
            "2",
            schedules.exponential(shown, beta2),
        ),
        (
            Text(en=f"Linear warmup, {length} steps", zh=f"线性预热，{length} 步"),
            "3",
            schedules.linear(shown, length),
        ),
    )
    return Figure(
        id="warmups",
        title=Text(
            en=f"Warmup that $\\beta_2 = {beta2:g}$ asks for",
            zh=f"$\\beta_2 = {beta2:g}$ 所要求的预热",
        ),
        alt=Text(
            en=f"Factor on the learning rate by step: RAdam's, an exponential warmup with Adam's memory, and the linear warmup of {length} steps that leaves out as much as the exponential one.",
            zh=f"学习率系数随步数的变化：RAdam 的系数、以 Adam 记忆为时标的指数预热，以及与其省去同样多的 {length} 步线性预热。",
        ),
        x=figures.STEP,
        y=Axis(label=Text(en="Factor on the rate", zh="学习率系数")),
        series=[
            Series(name=name, key=key, x=x, y=values.tolist())
            for name, key, values in factors
        ],
    )


def noam(rates: Tensor) -> Figure:
    """``rates`` at steps 1, 2 …"""
    every = max(1, len(rates) // 160)
    shown = rates[every - 1 :: every]
    return Figure(
        id="noam",
        title=Text(en="The schedule of Vaswani et al.", zh="Vaswani 等人的调度"),
        alt=Text(
            en="Learning rate by step: a straight rise up to the end of warmup, then a decline with one over the square root of the step.",
            zh="学习率随步数的变化：预热结束前直线上升，之后按步数平方根的倒数下降。",
        ),
        x=figures.STEP,
        y=Axis(label=Text(en="Learning rate", zh="学习率")),
        series=[
            Series(
                name=Text(en="Rate", zh="学习率"),
                key="1",
                x=[every * place for place in range(1, len(shown) + 1)],
                y=shown.tolist(),
            )
        ],
    )


def angles(found: Mapping[tuple[float, float], Tensor]) -> Figure:
    """Angles of steps (steps, S) for pairs of rate and weight decay."""
    keys: tuple[Key, ...] = ("1", "2", "3", "4")
    series = []
    for key, ((rate, decay), angle) in zip(keys, found.items(), strict=False):
        name = figures.formula(f"$\\eta={rate:g},\\ \\lambda={decay:g}$")
        drawn = smooth(angle, DRAWN)  # (steps', S)
        series.append(figures.band(name, key, shown_steps(drawn, DRAWN), drawn))
    ends = [series[0].x[0], series[0].x[-1]]
    levels = sorted({(2 * rate * decay) ** 0.5 for rate, decay in found})
    return Figure(
        id="angles",
        title=Text(
            en="The angle that weight decay settles", zh="权重衰减稳定下来的转角"
        ),
        alt=Text(
            en="Angle of a step by step, logarithmic, for three pairs of rate and weight decay: pairs with the same product meet at the same level, the square root of twice the product.",
            zh="三组学习率与权重衰减下每步转角随步数的变化（对数坐标）：乘积相同的组汇于同一水平，即乘积两倍的平方根。",
        ),
        x=figures.STEP,
        y=Axis(
            label=Text(en="Angle of a step (radians)", zh="每步转角（弧度）"),
            scale="log",
        ),
        series=[
            *series,
            *(
                _level(figures.formula("$\\sqrt{2\\eta\\lambda}$"), ends, y)
                for y in levels
            ),
        ],
    )


def gaps(lessons: Lessons[str]) -> Figure:
    """Cells "sgd_cold", "sgd_warm", "sgd_pre", "adam_cold" and "radam_cold"."""
    names: tuple[tuple[str, Text, Key], ...] = (
        (
            "sgd_pre",
            Text(en="Descent, Pre-Norm, no warmup", zh="梯度下降，Pre-Norm，无预热"),
            "1",
        ),
        (
            "sgd_cold",
            Text(en="Descent, Post-Norm, no warmup", zh="梯度下降，Post-Norm，无预热"),
            "2",
        ),
        (
            "sgd_warm",
            Text(en="Descent, Post-Norm, warmup", zh="梯度下降，Post-Norm，有预热"),
            "3",
        ),
        (
            "adam_cold",
            Text(en="Adam, Post-Norm, no warmup", zh="Adam，Post-Norm，无预热"),
            "4",
        ),
        (
            "radam_cold",
            Text(en="RAdam, Post-Norm, no warmup", zh="RAdam，Post-Norm，无预热"),
            "5",
        ),
    )
    curves = {which: lessons.gap(which, DRAWN) for which, _, _ in names}
    return Figure(
        id="gaps",
        title=Text(en="Is it only Adam?", zh="只是 Adam 的问题吗？"),
        alt=Text(
            en="What is left to learn by step, median and range over the seeds: Post-Norm without warmup stays near 1 under Adam and under plain descent, and trains with warmup or under RAdam; Pre-Norm trains at once.",
            zh="剩余差距随步数的变化（中位数及各种子的范围）：不预热的 Post-Norm 在 Adam 与普通梯度下降下都停在 1 附近，有预热或用 RAdam 时可以训练；Pre-Norm 立即下降。",
        ),
        x=figures.STEP,
        y=figures.GAP,
        series=[
            figures.band(name, key, shown_steps(curves[which], DRAWN), curves[which])
            for which, name, key in names
        ],
    )


def _level(name: Text, x: Sequence[float], y: float) -> Series:
    return figures.theory(name, [x[0], x[-1]], [y, y])
