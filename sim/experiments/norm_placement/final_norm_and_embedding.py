"""The two ends of a Pre-Norm stack: its final norm, and the size of its embedding.

The stream grows with depth, so without a final norm the logits do too. At the other end the
first norm divides by the embedding's size, so a small embedding gets a large gradient.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import log

import torch
from torch import Tensor
from torch.nn import functional

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import chance, controls, figures, norms, probes
from sim.nets.operators import jacobians
from sim.nets.transformer import Architecture, Transformer, branch_gains, draw

SYMBOLS = 256  # many enough for the std of a seed's logits to be a steady number
SIZES = 6  # of the embedding, from the smallest to 1
SECONDS = 2.5

TITLE = Text(en="Final norm and embedding size", zh="末端归一化与嵌入大小")
ABOUT = Text(
    en="Untrained Pre-Norm stacks are looked at from both ends. At the output the stream has grown with depth; a final norm keeps the logits at unit size, and without it they widen as $\\sqrt{1 + cL}$, so the first loss is far above that of guessing. At the input the first norm's Jacobian goes as one over the embedding's size $\\sigma$: a small embedding, such as a std of 0.02, receives a gradient many times larger. Width, symbols and readout are those of a toy, and what an optimiser makes of a large gradient is another matter: Adam's step does not depend on its size.",
    zh="从两端观察未训练的 Pre-Norm 网络。在输出端，残差流已随深度增长；末端归一化使 logits 保持单位大小，没有它则按 $\\sqrt{1 + cL}$ 变宽，于是初始损失远高于随机猜测。在输入端，第一个归一化的雅可比矩阵与嵌入大小 $\\sigma$ 成反比：较小的嵌入（例如标准差 0.02）得到的梯度大许多倍。宽度、符号与读出都只是玩具规模；优化器如何对待大梯度是另一回事：Adam 的步长与梯度大小无关。",
)
REGIME = Text(
    en="Pre-Norm, Xavier initialisation, bidirectional attention, random symbols, head of std $d^{-1/2}$",
    zh="Pre-Norm、Xavier 初始化、双向注意力、随机符号、输出头标准差 $d^{-1/2}$",
)
WITH = Text(en="With a final norm", zh="有末端归一化")
WITHOUT = Text(en="Without", zh="没有")
claim = partial(Claim, regime=REGIME)
XIONG = "Xiong et al. 2020 (arXiv:2002.04745), "
TAKASE = "Takase et al. 2023 (Spike No More, arXiv:2312.16903), known second-hand"

CLAIMS = (
    claim(
        id="no_final_norm_widens_logits",
        statement=Text(
            en="Without the final norm the logits of the deepest stack have more than 4 times the std they have with it.",
            zh="去掉末端归一化后，最深网络 logits 的标准差是有它时的 4 倍以上。",
        ),
        metric="logits_ratio",
        above=4.0,
        source=XIONG
        + "lemma 2: a stream of mean square $1 + cL$ with $c$ above 0.3; measured here up to 64 layers",
    ),
    claim(
        id="final_norm_keeps_logits",
        statement=Text(
            en="With the final norm the logits have a std of 0.8 to 1.2 at every depth.",
            zh="有末端归一化时，任何深度的 logits 标准差都在 0.8 到 1.2 之间。",
        ),
        metric="normed_logits",
        above=0.8,
        below=1.2,
        source="A normalised row times a head of std $d^{-1/2}$ has unit variance",
    ),
    claim(
        id="small_embedding_amplifies",
        statement=Text(
            en="With the smallest embedding the gradient at it is more than ten times that with an embedding of size 1.",
            zh="嵌入最小时，嵌入处的梯度是嵌入大小为 1 时的十倍以上。",
        ),
        metric="embedding_amplification",
        above=10.0,
        source=TAKASE,
    ),
    claim(
        id="jacobian_inverse_in_sigma",
        statement=Text(
            en="The first norm's Jacobian goes as $1/\\sigma$ with the size of the embedding: its exponent is $-1$.",
            zh="第一个归一化的雅可比矩阵随嵌入大小按 $1/\\sigma$ 变化：指数为 $-1$。",
        ),
        metric="jacobian_slope",
        above=-1.05,
        below=-0.95,
        source=XIONG + "lemma 3; " + TAKASE,
    ),
)


class Params(controls.NetParams):
    depth: int = core.param(
        64,
        title=Text(en="Largest depth", zh="最大深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="The deepest stack; the sweep halves it four times. Embeddings are compared at its quarter.",
            zh="最深的网络；扫描时依次减半四次。嵌入在其四分之一深度上比较。",
        ),
        ge=16,
        le=64,
        step=16,
    )
    sigma: float = core.param(
        0.02,
        title=Text(en="Smallest embedding", zh="最小的嵌入"),
        about=Text(
            en="Std of an embedding, compared with others up to 1.",
            zh="嵌入的标准差，与直到 1 的其他取值比较。",
        ),
        ge=0.005,
        le=0.5,
        step=0.005,
    )

    @property
    def depths(self) -> list[int]:
        return [self.depth >> halvings for halvings in range(4, -1, -1)]

    @property
    def sigmas(self) -> list[float]:
        """Evenly spaced on a logarithmic scale, the last is 1."""
        last = SIZES - 1
        return [self.sigma ** (1 - place / last) for place in range(SIZES)]


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    deepest = replace(params.architecture(depth=params.depth), vocabulary=SYMBOLS)
    ids = chance.symbols(seeds, controls.SEQUENCES, params.length, SYMBOLS)
    numbers = draw(deepest, seeds)  # (S, W)
    normed, bare, loss = [], [], []
    for done, depth in enumerate(params.depths, start=1):
        with_norm, without = (
            _logits(replace(deepest, depth=depth, final_norm=norm), ids, numbers, seeds)
            for norm in (True, False)
        )  # (S, N, V) each
        normed.append(_std(with_norm))
        bare.append(_std(without))
        loss.append(torch.stack([_surprise(with_norm), _surprise(without)]))
        progress(0.7 * done / len(params.depths))
    quarter = replace(deepest, depth=params.depth // 4)
    gradients = _gradients(params, quarter, ids, numbers, seeds)  # (SIZES, S)
    spectral = _spectral(params, seeds)  # (SIZES, S)
    progress(1)
    found = torch.stack(normed), torch.stack(bare)  # (depths, S) each
    farthest = found[0].log().abs().argmax(0, keepdim=True)  # (1, S)
    metrics = {
        "logits_ratio": bare[-1] / normed[-1],
        "normed_logits": found[0].gather(0, farthest)[0],
        "bare_logits": bare[-1],
        "normed_first_loss": loss[-1][0],
        "bare_first_loss": loss[-1][1],
        "embedding_amplification": gradients[0] / gradients[-1],
        "jacobian_slope": probes.log_slope(params.sigmas, spectral),
    }
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=[
            _logits_figure(params.depths, *found, sum(branch_gains(deepest))),
            _losses_figure(params.depths, torch.stack(loss, 1)),
            _embedding_figure(params.sigmas, gradients, spectral),
        ],
    )


@torch.no_grad()
def _logits(
    architecture: Architecture, ids: Tensor, numbers: Tensor, seeds: Sequence[int]
) -> Tensor:
    return Transformer(architecture, seeds, numbers=numbers).logits(ids)


def _std(logits: Tensor) -> Tensor:
    """Over rows and symbols of (S, N, V), (S,)."""
    return logits.double().flatten(1).std(1)


def _surprise(logits: Tensor) -> Tensor:
    """Mean cross-entropy in nats when each symbol is as likely, (S,)."""
    surprise: Tensor = -functional.log_softmax(logits.double(), -1)  # (S, N, V)
    return surprise.mean((1, 2))


def _gradients(
    params: Params,
    architecture: Architecture,
    ids: Tensor,
    numbers: Tensor,
    seeds: Sequence[int],
) -> Tensor:
    """Norm of a random readout's gradient at the embedding, for each size."""
    readout = chance.readout(seeds, controls.SEQUENCES * params.length, params.width)
    found = []
    for sigma in params.sigmas:
        sized = replace(architecture, embedding=sigma)
        net = Transformer(sized, seeds, numbers=numbers)
        found.append(probes.gradients(net, ids, readout).streams[0])
    return torch.stack(found)


def _spectral(params: Params, seeds: Sequence[int]) -> Tensor:
    """Spectral norm at a seed's row of embeddings, for each size, in double precision."""

    def largest(seed: int, sigma: float) -> Tensor:
        row = chance.generator(seed, "row").standard_normal(params.width)
        x = chance.tensor([row])[0] * sigma  # (d,)
        found = jacobians.at(x, params.operator, norms.EPS)
        norm: Tensor = torch.linalg.matrix_norm(found, ord=2)
        return norm

    return torch.stack(
        [torch.stack([largest(s, sigma) for s in seeds]) for sigma in params.sigmas]
    )


def _logits_figure(
    depths: Sequence[int], normed: Tensor, bare: Tensor, gain: float
) -> Figure:
    return Figure(
        id="logits",
        title=Text(en="Size of the logits", zh="logits 的大小"),
        alt=Text(
            en="Std of the logits against depth, both logarithmic: 1 with the final norm, rising with the root of depth without it.",
            zh="logits 的标准差随深度变化（双对数）：有末端归一化时为 1，没有时随深度的平方根上升。",
        ),
        x=figures.DEPTH,
        y=Axis(label=Text(en="Std of the logits", zh="logits 的标准差"), scale="log"),
        series=[
            figures.band(WITH, "1", depths, normed),
            figures.band(WITHOUT, "2", depths, bare),
            figures.theory(
                figures.formula(f"$\\sqrt{{1 + {gain:.2f}\\,L}}$"),
                depths,
                [(1 + gain * depth) ** 0.5 for depth in depths],
            ),
        ],
    )


def _losses_figure(depths: Sequence[int], losses: Tensor) -> Figure:
    return Figure(
        id="losses",
        title=Text(en="Loss before the first step", zh="第一步之前的损失"),
        alt=Text(
            en="Cross-entropy on random symbols against depth: a little above the logarithm of the number of symbols with the final norm, several times that without it.",
            zh="随机符号上的交叉熵随深度变化：有末端归一化时略高于符号数的对数，没有时是其数倍。",
        ),
        x=figures.DEPTH,
        y=Axis(label=Text(en="Cross-entropy (nats)", zh="交叉熵（奈特）")),
        series=[
            figures.band(WITH, "1", depths, losses[0]),
            figures.band(WITHOUT, "2", depths, losses[1]),
            figures.theory(
                Text(en="Guessing", zh="随机猜测"),
                depths,
                [log(SYMBOLS)] * len(depths),
            ),
        ],
    )


def _embedding_figure(
    sigmas: Sequence[float], gradients: Tensor, spectral: Tensor
) -> Figure:
    relative = gradients / gradients[-1], spectral / spectral[-1]
    at = Text(en="Gradient at the embedding", zh="嵌入处的梯度")
    first = Text(en="Jacobian of the first norm", zh="第一个归一化的雅可比矩阵")
    label = Text(en="Norm, relative to size 1", zh="范数，相对大小 1")
    return Figure(
        id="embedding",
        title=Text(en="Small embedding, large gradient", zh="嵌入小，梯度大"),
        alt=Text(
            en="Norm of the gradient at the embedding and of the first norm's Jacobian against the embedding's size, both logarithmic: the Jacobian follows one over the size, the gradient comes close to it for small ones.",
            zh="嵌入处的梯度范数与第一个归一化的雅可比范数随嵌入大小变化（双对数）：雅可比与大小成反比，梯度在嵌入较小时与之接近。",
        ),
        x=Axis(label=Text(en="Std of the embedding", zh="嵌入的标准差"), scale="log"),
        y=Axis(label=label, scale="log"),
        series=[
            figures.band(at, "1", sigmas, relative[0]),
            figures.band(first, "3", sigmas, relative[1]),
            figures.theory(
                figures.formula("$1/\\sigma$"), sigmas, [1 / sigma for sigma in sigmas]
            ),
        ],
    )
