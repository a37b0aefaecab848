"""Attention's logits: what bounds them and what does not.

Logits are products of queries and keys, so they grow with the square of the weights. Pre-Norm
normalises what the maps read, not what they write; QK-norm normalises queries and keys
themselves. First by hand at initialisation, then in training at a high rate.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import altered, chance, controls, figures
from sim.nets.architecture import Architecture
from sim.nets.learning.training import Schedule, Training, train_all
from sim.nets.markov import Chain
from sim.nets.scores import entropy, largest, scores, square
from sim.nets.transformer import Transformer, draw

FACTORS = 5  # on queries and keys, from 1 to the largest
LOOKS = 20  # at the logits, in the course of a training run
SEQUENCES = 8  # that are looked at
RUNS = {"high": (1.0, False), "high, QK-norm": (1.0, True), "low": (0.1, False)}
"""Factor on the rate, and whether with QK-norm, in the order in which they are drawn."""
SECONDS = 5.0

TITLE = Text(en="Attention logits and QK-norm", zh="注意力 logits 与 QK-norm")
ABOUT = Text(
    en="A logit is the product of a query and a key, so doubling the weights makes it four times as large, and large logits turn attention into a choice of one token. Pre-Norm bounds what queries and keys are computed from, not the logits; QK-norm normalises each head's queries and keys, which with a gain of 1 bounds a logit by $\\sqrt{d_h}$. Small causal networks of a few layers are then trained with Adam at a rate ten times too high, where logits grow without it. Divergence at logits above $10^4$, as reported for large models, is not reproduced here.",
    zh="logit 是查询与键的乘积，因此权重加倍会使它变为四倍，而过大的 logits 会让注意力只选中一个 token。Pre-Norm 约束的是计算查询与键所用的输入，而不是 logits；QK-norm 对每个头的查询与键做归一化，在增益为 1 时把 logit 限制在 $\\sqrt{d_h}$ 以内。随后用 Adam 以高出十倍的学习率训练几层的因果小网络：没有 QK-norm 时 logits 不断增大。大模型报告的 logits 超过 $10^4$ 时的发散，这里没有重现。",
)
START = Text(
    en="Pre-Norm, Xavier initialisation, queries' and keys' matrices multiplied by hand, 8 tokens, random symbols",
    zh="Pre-Norm、Xavier 初始化、手工放大查询与键的矩阵、8 个 token、随机符号",
)
TRAINED = Text(
    en="Four causal Pre-Norm layers of width 32, Markov chain over 16 symbols, 180 steps of Adam at 0.02 without warmup; medians",
    zh="四层宽度 32 的因果 Pre-Norm 网络、16 个符号的马尔可夫链、Adam 以 0.02 训练 180 步且无预热；取中位数",
)
WITH = Text(en="Pre-Norm with QK-norm", zh="Pre-Norm 加 QK-norm")
claim = partial(Claim, regime=START)
trained = partial(Claim, regime=TRAINED, over="median")
WORTSMAN = "Wortsman et al. 2023 (arXiv:2309.14322), section 3.1"

CLAIMS = (
    claim(
        id="logits_quadratic",
        statement=Text(
            en="Doubling the matrices of queries and keys makes the first layer's logits four times as large.",
            zh="把查询与键的矩阵加倍，第一层的 logits 变为四倍。",
        ),
        metric="doubled_logits",
        above=3.99,
        below=4.01,
        source=WORTSMAN + ".1",
    ),
    claim(
        id="large_weights_collapse_entropy",
        statement=Text(
            en="With much larger queries and keys attention keeps less than a fifth of its entropy.",
            zh="查询与键大得多时，注意力的熵不到原来的五分之一。",
        ),
        metric="entropy_kept",
        below=0.2,
        source=WORTSMAN + ".1; Zhai et al. 2023 (arXiv:2303.06296), as reported there",
    ),
    claim(
        id="qk_norm_bounds",
        statement=Text(
            en="With QK-norm and a gain of 1 no logit exceeds $\\sqrt{d_h}$, however large the weights.",
            zh="使用增益为 1 的 QK-norm 时，无论权重多大，logit 都不超过 $\\sqrt{d_h}$。",
        ),
        metric="qk_largest",
        below=1.0001,
        source="Cauchy–Schwarz: $\\lVert q\\rVert\\lVert k\\rVert/\\sqrt{d_h} \\le \\sqrt{d_h}$",
    ),
    claim(
        id="qk_norm_keeps_entropy",
        statement=Text(
            en="With QK-norm attention's entropy does not depend on the size of queries and keys.",
            zh="使用 QK-norm 时，注意力的熵与查询和键的大小无关。",
        ),
        metric="qk_entropy_kept",
        above=0.99,
        below=1.01,
        source="Scale invariance; " + WORTSMAN + ".1",
    ),
    claim(
        id="pre_norm_does_not_bound",
        statement=Text(
            en="Pre-Norm alone lets logits exceed $\\sqrt{d_h}$ more than tenfold.",
            zh="仅有 Pre-Norm 时，logits 可以超过 $\\sqrt{d_h}$ 的十倍。",
        ),
        metric="pre_largest",
        above=10.0,
        source="The norm stands before the maps; " + WORTSMAN + ".1",
    ),
    trained(
        id="logits_grow_in_training",
        statement=Text(
            en="At a high rate and without QK-norm the largest logit more than doubles in training.",
            zh="高学习率且没有 QK-norm 时，最大的 logit 在训练中增大一倍以上。",
        ),
        metric="growth",
        above=2.0,
        source=WORTSMAN + ".1, figure 3",
    ),
    trained(
        id="qk_norm_limits_training_growth",
        statement=Text(
            en="With QK-norm the same training ends with a largest logit less than half as large.",
            zh="使用 QK-norm 时，同样的训练结束时最大的 logit 不到一半。",
        ),
        metric="end_with_to_without",
        below=0.5,
        source=WORTSMAN + ".1",
    ),
    claim(
        id="z_loss_gradient",
        statement=Text(
            en="The gradient of the z-loss $\\log^2 Z$ at the logits is $2 \\log Z \\cdot p$.",
            zh="z-loss $\\log^2 Z$ 对 logits 的梯度为 $2 \\log Z \\cdot p$。",
        ),
        metric="z_loss_error",
        below=1e-12,
        source=WORTSMAN + ".2",
        regime=Text(en="Double precision, random logits", zh="双精度、随机 logits"),
    ),
)


class Params(controls.NetParams):
    width: Literal[16, 32] = controls.width(32)
    heads: Literal[1, 2, 4] = controls.heads(2)
    length: Literal[4, 8] = controls.length(8)
    steps: int = controls.steps(180, most=200)
    rate: float = controls.rate(0.02, most=0.05)
    depth: int = controls.depth(4, most=8)
    factor: int = core.param(
        10,
        title=Text(en="Factor on queries and keys", zh="查询与键的倍数"),
        about=Text(
            en="Largest factor on their matrices before training.",
            zh="训练之前，其矩阵所乘的最大倍数。",
        ),
        ge=4,
        le=40,
        step=2,
    )


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    plain = params.architecture(depth=params.depth)
    normed = replace(plain, qk_norm=True)
    ids = chance.symbols(seeds, SEQUENCES, params.length, controls.SYMBOLS)
    numbers = draw(plain, seeds)  # (S, W)

    def seen_at(architecture: Architecture, factor: float) -> Tensor:
        net = Transformer(architecture, seeds, numbers=numbers)
        return scores(altered.sharpen(net, factor), ids)  # (S, L, B, H, T, T)

    factors = [params.factor ** (place / (FACTORS - 1)) for place in range(FACTORS)]
    free = torch.stack([entropy(seen_at(plain, f)) for f in factors])  # (FACTORS, S)
    kept = torch.stack([entropy(seen_at(normed, f)) for f in factors])  # (FACTORS, S)
    once, twice = (square(seen_at(plain, factor)[:, 0]) for factor in (1, 2))
    bound = math.sqrt(params.width // params.heads)
    runs = _train(params, seeds, ids, progress)
    high, with_norm, low = runs.values()
    metrics = {
        "doubled_logits": (twice / once).sqrt(),
        "entropy_kept": free[-1] / free[0],
        "qk_entropy_kept": kept[-1] / kept[0],
        "qk_largest": largest(seen_at(normed, params.factor)) / bound,
        "pre_largest": largest(seen_at(plain, params.factor)) / bound,
        "growth": high[-1] / high[0],
        "qk_growth": with_norm[-1] / with_norm[0],
        "low_rate_growth": low[-1] / low[0],
        "end_with_to_without": with_norm[-1] / high[-1],
        "z_loss_error": torch.stack([_z_loss_error(seed) for seed in seeds]),
    }
    most = math.log(params.length)
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=[
            _entropy_figure(factors, free / most, kept / most),
            _training_figure(_looks(params.steps), runs, bound),
        ],
    )


def _looks(steps: int) -> list[int]:
    """Numbers of steps after which the logits are looked at; the last are all."""
    return [steps * look // LOOKS for look in range(LOOKS + 1)]


def _train(
    params: Params, seeds: Sequence[int], ids: Tensor, progress: Progress
) -> dict[str, Tensor]:
    """Largest logit at every look, (LOOKS + 1, S), for each of the runs."""
    causal = params.architecture(depth=params.depth, causal=True)
    sizes = (params.steps, controls.BATCH, params.length)
    batches = Chain(seeds, controls.SYMBOLS).sample(*sizes)  # (steps, S, B, T + 1)
    looks = _looks(params.steps)
    seen: dict[str, list[Tensor]] = {name: [] for name in RUNS}

    def look(name: str, net: Transformer, step: int) -> None:
        if step in looks:
            seen[name].append(largest(scores(net, ids)))

    nets = {
        name: Transformer(replace(causal, qk_norm=qk_norm), seeds)
        for name, (_, qk_norm) in RUNS.items()
    }
    trainings = [
        Training(
            net=net,
            schedules=[Schedule(rate=params.rate * RUNS[name][0])] * len(seeds),
            batches=batches,
            watch=partial(look, name, net),
        )
        for name, net in nets.items()
    ]
    train_all(trainings, progress)
    for name, net in nets.items():
        look(name, net, params.steps)
    return {name: torch.stack(found) for name, found in seen.items()}


def _z_loss_error(seed: int) -> Tensor:
    """Largest difference between autograd's gradient and the formula's."""
    drawn = chance.generator(seed, "logits").normal(0, 3, (SEQUENCES, controls.SYMBOLS))
    y = chance.tensor(list(drawn)).requires_grad_()  # (B, V)
    logs = y.logsumexp(-1, keepdim=True)  # (B, 1)
    (found,) = torch.autograd.grad(logs.square().sum(), y)
    return (found - 2 * logs * y.softmax(-1)).detach().abs().max()


def _entropy_figure(factors: Sequence[float], free: Tensor, kept: Tensor) -> Figure:
    return Figure(
        id="entropy",
        title=Text(en="Entropy of untrained attention", zh="未训练注意力的熵"),
        alt=Text(
            en="Entropy of attention, as a share of the largest possible, against the factor on queries and keys: it collapses without QK-norm and stays level with it.",
            zh="注意力的熵（占最大可能值的比例）随查询与键的倍数变化：没有 QK-norm 时坍缩，有则持平。",
        ),
        x=Axis(
            label=Text(en="Factor on queries and keys", zh="查询与键的倍数"),
            scale="log",
        ),
        y=Axis(label=Text(en="Entropy over its largest", zh="熵与最大值之比")),
        series=[
            figures.band(figures.PRE, "1", factors, free),
            figures.band(WITH, "3", factors, kept),
        ],
    )


def _training_figure(
    looks: Sequence[int], runs: Mapping[str, Tensor], bound: float
) -> Figure:
    high, with_norm, low = runs.values()
    tenth = Text(en="Pre-Norm, a tenth of the rate", zh="Pre-Norm，十分之一的学习率")
    return Figure(
        id="training",
        title=Text(en="Largest logit in training", zh="训练中最大的 logit"),
        alt=Text(
            en="Largest attention logit against training steps, logarithmic: it rises steadily at a high rate, hardly at a tenth of it, and with QK-norm stays below its bound.",
            zh="最大的注意力 logit 随训练步数变化（对数轴）：高学习率时不断上升，十分之一时几乎不变，使用 QK-norm 时始终低于上界。",
        ),
        x=figures.STEP,
        y=Axis(label=Text(en="Largest logit", zh="最大的 logit"), scale="log"),
        series=[
            figures.band(figures.PRE, "1", looks, high),
            figures.band(WITH, "3", looks, with_norm),
            figures.band(tenth, "4", looks, low),
            figures.theory(
                figures.formula("$\\sqrt{d_h}$"), looks, [bound] * len(looks)
            ),
        ],
    )
