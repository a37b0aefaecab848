"""How far the output moves when the weights move: by noise, and by a gradient step.

Stacks of six depths and three placements. Independent noise of a given size relative to the
weights adds up over the branches; the updates of one gradient step are no noise, because all
of them pull in one direction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import altered, chance, controls, ensembles, figures, probes
from sim.nets.architecture import Architecture, plan
from sim.nets.blocks import Placement
from sim.nets.transformer import Transformer, branch_gains, draw

PLACEMENTS: tuple[Placement, ...] = ("pre", "post", "deepnorm")
SECONDS = 7.0

TITLE = Text(en="Noise and gradient steps through depth", zh="噪声与梯度步随深度的放大")
ABOUT = Text(
    en="The matrices of untrained stacks are disturbed twice, once by small random noise and once by a single gradient step, and the change of the output is compared over depths. Random noise makes Post-Norm's output change in proportion to the depth and Pre-Norm's only with its logarithm. A gradient step does not follow that law, since its updates agree in direction: Pre-Norm's change then grows about as fast as the depth, and only DeepNorm's constants hold it still. The loss asks for random symbols, the networks are a few dozen features wide, and this is the first step, not a training run.",
    zh="对未训练网络的矩阵做两种扰动：一次是很小的随机噪声，一次是单步梯度下降，并比较不同深度下输出的变化。随机噪声使 Post-Norm 输出的变化与深度成正比，Pre-Norm 只随其对数增长。梯度步不遵循这一规律，因为各层的更新方向一致：这时 Pre-Norm 的变化几乎随深度同步增长，只有 DeepNorm 的常数能让它保持不变。损失要求预测随机符号，网络只有几十个特征宽，这只是第一步，而不是一次训练。",
)
NOISE = Text(
    en="Xavier initialisation, noise of 2% on every matrix, squared relative change of the output, feed-forward as wide as the stream, averages over 8 networks; medians",
    zh="Xavier 初始化、每个矩阵加 2% 的噪声、输出的相对变化平方、前馈与残差流等宽、对 8 个网络取平均；取中位数",
)
STEP = Text(
    en="Xavier initialisation, one small step of plain gradient descent on the branches' matrices, cross-entropy on random symbols, feed-forward as wide as the stream, averages over 8 networks; medians",
    zh="Xavier 初始化、对支路矩阵做一小步普通梯度下降、随机符号上的交叉熵、前馈与残差流等宽、对 8 个网络取平均；取中位数",
)
noise = partial(Claim, regime=NOISE, over="median")
step = partial(Claim, regime=STEP, over="median")
LIU = "Liu et al. 2020 (Admin, arXiv:2004.08249), theorem 2 and "
WANG = "Wang et al. 2022 (DeepNet, arXiv:2203.00555), "

CLAIMS = (
    noise(
        id="post_noise_linear",
        statement=Text(
            en="Under random noise the squared change of Post-Norm's output grows in proportion to the depth: its exponent is between 0.9 and 1.3.",
            zh="在随机噪声下，Post-Norm 输出变化的平方与深度成正比：指数在 0.9 到 1.3 之间。",
        ),
        metric="post_noise_slope",
        above=0.9,
        below=1.3,
        source=LIU + "corollary 2: $O(N)$",
    ),
    noise(
        id="pre_noise_logarithmic",
        statement=Text(
            en="Under random noise a Pre-Norm stack 32 times as deep changes less than ten times as much, in the square.",
            zh="在随机噪声下，深度为 32 倍的 Pre-Norm 网络，其变化的平方不到 10 倍。",
        ),
        metric="pre_noise_ratio",
        below=10.0,
        source=LIU + "corollary 1: $O(\\ln N)$, about 3 for these depths",
    ),
    noise(
        id="deepnorm_noise_flat",
        statement=Text(
            en="Under random noise DeepNorm's output changes no more in a stack 32 times as deep: less than 1.5 times as much, in the square.",
            zh="在随机噪声下，深度为 32 倍的 DeepNorm 网络输出变化并不更大：其平方不到 1.5 倍。",
        ),
        metric="deepnorm_noise_ratio",
        below=1.5,
        source=WANG + "figure 2: its $\\alpha$ and $\\beta$ give even $N^{-1/2}$",
    ),
    step(
        id="one_step_not_logarithmic",
        statement=Text(
            en="One gradient step changes the output of a Pre-Norm stack 16 times as deep more than 8 times as much: the logarithmic law does not hold for it.",
            zh="一步梯度下降后，深度为 16 倍的 Pre-Norm 网络输出变化超过 8 倍：对数规律对它不成立。",
        ),
        metric="pre_step_ratio",
        above=8.0,
        source="Updates that agree in direction add up without a root: "
        + WANG
        + "theorem 4.2",
    ),
    step(
        id="one_step_post_larger",
        statement=Text(
            en="The same step changes the output of a deep Post-Norm stack more than Pre-Norm's.",
            zh="同样的一步，深的 Post-Norm 网络输出变化大于 Pre-Norm。",
        ),
        metric="step_post_to_pre",
        above=1.0,
        source=WANG + "section 3 and figure 4: the exploding update of Post-LN",
    ),
    step(
        id="deepnorm_step_bounded",
        statement=Text(
            en="The same step changes the output of a DeepNorm stack 16 times as deep less than twice as much.",
            zh="同样的一步，深度为 16 倍的 DeepNorm 网络输出变化不到 2 倍。",
        ),
        metric="deepnorm_step_ratio",
        below=2.0,
        source=WANG + "theorem 4.2 and figure 5",
    ),
)


class Params(controls.NetParams):
    hidden: controls.Hidden = controls.hidden(1)
    networks: int = ensembles.size(8, most=8)
    depth: int = core.param(
        64,
        title=Text(en="Largest depth", zh="最大深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="The deepest stack; the sweep halves it five times. Steps are compared up to its half.",
            zh="最深的网络；扫描时依次减半五次。梯度步比较到它的一半为止。",
        ),
        ge=32,
        le=64,
        step=32,
    )
    noise: float = core.param(
        0.02,
        title=Text(en="Noise", zh="噪声"),
        about=Text(
            en="Standard deviation of the noise, relative to that of the matrix.",
            zh="噪声的标准差，相对于矩阵的标准差。",
        ),
        ge=0.001,
        le=0.2,
        step=0.001,
    )
    rate: float = core.param(
        0.001,
        title=Text(en="Learning rate", zh="学习率"),
        about=Text(
            en="Of the one step. Large rates change the output so much that nothing can grow further.",
            zh="单步的学习率。太大时输出已变得面目全非，再无增长的余地。",
        ),
        ge=0.0001,
        le=0.1,
        step=0.0001,
    )

    @property
    def depths(self) -> list[int]:
        return [self.depth >> halvings for halvings in range(5, -1, -1)]


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    deepest = params.architecture(depth=params.depth)
    each = ensembles.measure_each(seeds, partial(_measure, params, deepest), progress)
    changes, moves = torch.stack(each, -1)  # each (placements, depths, S)
    changed = dict(zip(PLACEMENTS, changes, strict=True))
    moved = dict(zip(PLACEMENTS, moves[:, :-1], strict=True))
    half = {p: moved[p][-1] for p in PLACEMENTS}
    metrics = {
        **{
            f"{p}_noise_slope": probes.log_slope(params.depths, changed[p])
            for p in PLACEMENTS
        },
        **{f"{p}_noise_ratio": changed[p][-1] / changed[p][0] for p in PLACEMENTS},
        **{f"{p}_step_ratio": half[p] / moved[p][0] for p in PLACEMENTS},
        "step_post_to_pre": half["post"] / half["pre"],
    }
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=_figures(params, changed, moved, sum(branch_gains(deepest))),
    )


def _measure(params: Params, deepest: Architecture, seed: int) -> Tensor:
    """Relative change of the output, squared by noise and plain by a step.

    Averages over a seed's networks, (2, placements, depths); no step in the deepest.
    """
    members = ensembles.members(seed, params.networks)
    others = [member + (params.networks << 32) for member in members]
    numbers, noise = draw(deepest, members), draw(deepest, others)  # (M, W)
    noise[:, : sum(weight.drawn for weight in plan(deepest)[0].values())] = 0
    disturbed = noise.mul_(params.noise).add_(numbers)  # the embedding stays as it is
    ids, targets = (
        chance.symbols(s, ensembles.SEQUENCES, params.length, controls.SYMBOLS)
        for s in (members, others)
    )

    def change(start: Tensor, end: Tensor) -> Tensor:
        return (probes.mean_square(end - start) / probes.mean_square(start)).mean()

    found = torch.full(
        (2, len(PLACEMENTS), len(params.depths)), torch.nan, dtype=torch.float64
    )
    for row, placement in enumerate(PLACEMENTS):
        for column, depth in enumerate(params.depths):
            architecture = replace(deepest, placement=placement, depth=depth)
            with torch.no_grad():
                net = Transformer(architecture, members, numbers=disturbed)
                noisy = net.output(ids)  # (M, N, d)
            net = Transformer(architecture, members, numbers=numbers)
            steps = depth < params.depth
            with torch.set_grad_enabled(steps):
                start = net.output(ids)  # (M, N, d)
            found[0, row, column] = change(start, noisy)
            if steps:
                altered.descend(
                    net, net.surprise(net.read(start), targets), params.rate
                )
                with torch.no_grad():
                    found[1, row, column] = change(start, net.output(ids)).sqrt()
    return found


def _figures(
    params: Params,
    changed: Mapping[Placement, Tensor],
    moved: Mapping[Placement, Tensor],
    gain: float,
) -> tuple[Figure, ...]:
    depths, halves = params.depths, params.depths[:-1]
    post, pre = (changed[p][0].median().item() for p in ("post", "pre"))
    logs = torch.tensor(depths, dtype=torch.float64).mul(gain).log1p()
    step = moved["post"][0].median().item()
    return (
        Figure(
            id="noise",
            title=Text(en="Change of the output by noise", zh="噪声引起的输出变化"),
            alt=Text(
                en="Squared relative change of the output under random noise against depth, both logarithmic: proportional to depth in Post-Norm, along its logarithm in Pre-Norm, falling in DeepNorm.",
                zh="随机噪声下输出相对变化的平方随深度变化（双对数）：Post-Norm 与深度成正比，Pre-Norm 沿其对数，DeepNorm 下降。",
            ),
            x=figures.DEPTH,
            y=Axis(
                label=Text(en="Relative change, squared", zh="相对变化的平方"),
                scale="log",
            ),
            series=[
                *(figures.placed(p, depths, changed[p]) for p in PLACEMENTS),
                figures.theory(
                    figures.formula("$L$"),
                    depths,
                    [post * d / depths[0] for d in depths],
                ),
                figures.theory(
                    figures.formula(f"$\\ln(1 + {gain:.2f}\\,L)$"),
                    depths,
                    (pre * logs / logs[0]).tolist(),
                ),
            ],
        ),
        Figure(
            id="step",
            title=Text(
                en="Change of the output by one gradient step",
                zh="一步梯度下降引起的输出变化",
            ),
            alt=Text(
                en="Relative change of the output after one gradient step against depth, both logarithmic: rising steeply in Post-Norm, about in proportion to depth in Pre-Norm, level in DeepNorm.",
                zh="一步梯度下降后输出的相对变化随深度变化（双对数）：Post-Norm 急剧上升，Pre-Norm 大致与深度成正比，DeepNorm 持平。",
            ),
            x=figures.DEPTH,
            y=Axis(label=Text(en="Relative change", zh="相对变化"), scale="log"),
            series=[
                *(figures.placed(p, halves, moved[p]) for p in PLACEMENTS),
                figures.theory(
                    figures.formula("$L$"),
                    halves,
                    [step * d / halves[0] for d in halves],
                ),
            ],
        ),
    )
