"""Where Post-Norm's gradient does vanish at initialisation: cross-attention.

A decoder's layers attend to a memory. What that adds to the stream is divided out again by
the norm, but hands nothing back to the decoder's own stream, so the gradient gets smaller in
every layer. An encoder of the same blocks, and a memory that averages away, show the reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import chance, controls, decoder, ensembles, figures, probes
from sim.nets.blocks import Placement
from sim.nets.transformer import Architecture, Transformer

SEQUENCES = 8
CORRELATIONS = (0.0, 0.25, 0.5, 0.75, 1.0)  # between a memory's tokens
SECONDS = 2.5

TITLE = Text(en="Cross-attention at initialisation", zh="初始化时的交叉注意力")
ABOUT = Text(
    en="Untrained decoders attend to the output of an untrained encoder, and a random gradient is sent back along their stream. In Post-Norm the norm after cross-attention divides by the size of stream plus memory, while only the stream leads back: with a memory whose tokens are alike the gradient shrinks by about $1/\\sqrt{2}$ a layer. Pre-Norm divides nothing on that path, and an encoder's branches hand back what its norms take. The networks are a few dozen features wide, their symbols random; the first step is all that is shown.",
    zh="未训练的解码器对未训练的编码器的输出做注意力，并沿其残差流回传一个随机梯度。在 Post-Norm 中，交叉注意力之后的归一化要除以残差流与记忆之和的大小，而只有残差流通向来处：当记忆的 token 彼此相似时，梯度每层约缩小为 $1/\\sqrt{2}$。Pre-Norm 在这条通路上什么也不除；编码器的支路则把归一化拿走的又还了回来。网络只有几十个特征宽，符号是随机的；这里只展示第一步。",
)
REGIME = Text(
    en="Xavier initialisation, causal self-attention, memory from an untrained encoder of the same placement and depth, random symbols, Gaussian readout",
    zh="Xavier 初始化、因果自注意力、记忆来自相同放置与深度的未训练编码器、随机符号、高斯读出",
)
claim = partial(Claim, regime=REGIME)
LIU = "Liu et al. 2020 (Admin, arXiv:2004.08249), section 3"

CLAIMS = (
    claim(
        id="post_decoder_vanishes",
        statement=Text(
            en="In a Post-Norm decoder the gradient along the stream shrinks by a factor of 0.6 to 0.8 in every layer: it vanishes exponentially.",
            zh="在 Post-Norm 解码器中，沿残差流的梯度每层乘以 0.6 到 0.8：按指数消失。",
        ),
        metric="post_decoder_factor",
        above=0.6,
        below=0.8,
        source=LIU
        + "; with equal memory tokens a norm over stream plus memory gives $1/\\sqrt{2}$",
    ),
    claim(
        id="pre_decoder_holds",
        statement=Text(
            en="In a Pre-Norm decoder the gradient at the start of the stream is larger than at its end.",
            zh="在 Pre-Norm 解码器中，残差流起点处的梯度大于末端处。",
        ),
        metric="pre_decoder_net",
        above=1.0,
        source="The skip path carries it whole: Xiong et al. 2020 (arXiv:2002.04745), section 3.3",
    ),
    claim(
        id="independent_memory_no_decay",
        statement=Text(
            en="With a memory of independent tokens, which attention averages away, a Post-Norm decoder keeps 0.9 to 1.1 of the gradient per layer.",
            zh="若记忆的 token 相互独立，注意力会把它们平均掉，Post-Norm 解码器每层保留梯度的 0.9 到 1.1 倍。",
        ),
        metric="independent_factor",
        above=0.9,
        below=1.1,
        source="The same argument: averaging $n$ independent tokens leaves a branch of about $e/n$ in mean square",
    ),
    claim(
        id="encoder_does_not_vanish",
        statement=Text(
            en="An encoder of the same Post-Norm blocks keeps more than 0.9 of the gradient per layer.",
            zh="由同样的 Post-Norm 块组成的编码器，每层保留 0.9 倍以上的梯度。",
        ),
        metric="post_encoder_factor",
        above=0.9,
        source=LIU,
    ),
)


class Params(controls.NetParams):
    memory: Literal[8, 16, 32] = core.param(
        16,
        title=Text(en="Memory length", zh="记忆长度"),
        unit=Text(en="tokens", zh="token"),
        about=Text(
            en="Tokens of the encoder, to which the decoder attends.",
            zh="编码器的 token 数，解码器对这些 token 做注意力。",
        ),
    )
    depth: int = core.param(
        18,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="Layers of the encoder, and as many of the decoder.",
            zh="编码器的层数，解码器的层数与之相同。",
        ),
        ge=3,
        le=24,
        step=3,
    )


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Encoders and decoders of one placement, one of each for every seed."""

    own: Transformer
    across: Transformer
    encoder: Transformer
    ids: Tensor  # (S, B, T)
    source: Tensor  # (S, B, memory)
    readout: Tensor  # (S, N, d)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    post, pre = (_pair(params, seeds, placement) for placement in ("post", "pre"))
    shape = (SEQUENCES, params.memory, params.width)
    common = chance.normals(seeds, "topic", params.width)  # (S, d)
    drawn = chance.normals(seeds, "memory", *shape)  # (S, B, memory, d)
    kept = {}
    for done, (name, pair) in enumerate({"post": post, "pre": pre}.items(), start=1):
        memory = _memory(pair)
        kept[name] = _gradients(pair, memory)
        progress(done / (2 + len(CORRELATIONS)))
    factors = []
    for done, share in enumerate(CORRELATIONS, start=3):
        mixed = share**0.5 * common[:, None, None] + (1 - share) ** 0.5 * drawn
        norms = _gradients(post, functional.layer_norm(mixed, shape[2:]))
        kept.setdefault("independent", norms)
        factors.append(_factor(norms))
        progress(done / (2 + len(CORRELATIONS)))
    kept["encoder"] = probes.gradients(
        post.encoder,
        post.source,
        chance.readout(seeds, SEQUENCES * params.memory, params.width),
    ).streams
    metrics = {
        "post_decoder_factor": _factor(kept["post"]),
        "post_decoder_net": kept["post"][0] / kept["post"][-1],
        "pre_decoder_net": kept["pre"][0] / kept["pre"][-1],
        "independent_factor": _factor(kept["independent"]),
        "post_encoder_factor": _factor(kept["encoder"]),
        "post_memory_cosine": _likeness(_memory(post)),
        "pre_memory_cosine": _likeness(_memory(pre)),
    }
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=_figures(params, kept, torch.stack(factors)),
    )


def _pair(params: Params, seeds: Sequence[int], placement: Placement) -> Pair:
    """A seed's four parts have weights of their own, the same for each placement."""
    architecture: Architecture = replace(
        params.architecture(depth=params.depth, causal=True), placement=placement
    )
    encodes = replace(architecture, causal=False, length=params.memory)
    parts = [ensembles.members(seed, 3) for seed in seeds]
    own, across, encoder = zip(*parts, strict=True)
    return Pair(
        own=Transformer(architecture, own),
        across=Transformer(architecture, across),
        encoder=Transformer(encodes, encoder),
        ids=chance.symbols(own, SEQUENCES, params.length, controls.SYMBOLS),
        source=chance.symbols(encoder, SEQUENCES, params.memory, controls.SYMBOLS),
        readout=chance.readout(own, SEQUENCES * params.length, params.width),
    )


@torch.no_grad()
def _memory(pair: Pair) -> Tensor:
    """The encoders' output, (S, B, memory, d)."""
    encoder = pair.encoder
    output = encoder.finish(encoder.stream(encoder.embed(pair.source)))
    return output.view(*pair.source.shape, -1)


def _gradients(pair: Pair, memory: Tensor) -> Tensor:
    """Norm at the decoder's streams, (L + 1, S)."""
    streams = decoder.streams(
        pair.own, pair.across, pair.own.embed(pair.ids), memory
    )  # each (S, N, d)
    loss = (pair.own.finish(streams[-1]) * pair.readout).sum()  # models never mix
    found = torch.autograd.grad(loss, streams)
    return torch.stack([part.double().flatten(1).norm(dim=1) for part in found])


def _factor(norms: Tensor) -> Tensor:
    """What is left after a layer, on geometric average, of (L + 1, S): (S,)."""
    kept: Tensor = (norms[0] / norms[-1]) ** (1 / (len(norms) - 1))
    return kept


def _likeness(memory: Tensor) -> Tensor:
    """Mean cosine between a memory's tokens, (S,)."""
    rows = functional.normalize(memory.double(), dim=-1)  # (S, B, memory, d)
    return (rows @ rows.mT).mean((1, 2, 3))


def _figures(
    params: Params, kept: Mapping[str, Tensor], factors: Tensor
) -> tuple[Figure, ...]:
    passed = range(params.depth + 1)
    relative = {name: norms / norms[-1] for name, norms in kept.items()}
    averaged = torch.e / params.memory  # Σp² of softmax over logits of variance 1
    return (
        Figure(
            id="streams",
            title=Text(en="Gradient on its way down", zh="回传途中的梯度"),
            alt=Text(
                en="Gradient norm at each stream relative to the end, logarithmic: the Post-Norm decoder falls along a straight line of slope one over root two a layer; the Pre-Norm decoder, a Post-Norm decoder with independent memory and a Post-Norm encoder do not.",
                zh="各处残差流的梯度范数（相对末端，对数轴）：Post-Norm 解码器沿每层二的负二分之一次方的直线下降；Pre-Norm 解码器、记忆独立的 Post-Norm 解码器与 Post-Norm 编码器则不然。",
            ),
            x=figures.PASSED,
            y=figures.RELATIVE,
            series=[
                figures.placed("pre", passed, relative["pre"]),
                figures.placed("post", passed, relative["post"]),
                figures.band(
                    Text(en="Post-Norm, independent memory", zh="Post-Norm，独立记忆"),
                    "3",
                    passed,
                    relative["independent"],
                ),
                figures.band(
                    Text(en="Post-Norm encoder", zh="Post-Norm 编码器"),
                    "4",
                    passed,
                    relative["encoder"],
                ),
                figures.theory(
                    figures.formula("$2^{-(L-l)/2}$"),
                    passed,
                    [2 ** (-(params.depth - layer) / 2) for layer in passed],
                ),
            ],
        ),
        Figure(
            id="correlation",
            title=Text(
                en="The more alike the memory's tokens, the faster it vanishes",
                zh="记忆的 token 越相似，梯度消失得越快",
            ),
            alt=Text(
                en="Gradient kept per layer of a Post-Norm decoder against the correlation of its memory's tokens: it falls along the theoretical line from near 1 to one over root two.",
                zh="Post-Norm 解码器每层保留的梯度随记忆 token 相关性变化：沿理论线从接近 1 降到二的负二分之一次方。",
            ),
            x=Axis(
                label=Text(
                    en="Correlation of the memory's tokens", zh="记忆 token 的相关性"
                )
            ),
            y=Axis(
                label=Text(en="Gradient kept per layer", zh="每层保留的梯度"),
            ),
            series=[
                figures.placed("post", CORRELATIONS, factors),
                figures.theory(
                    figures.formula("$(1 + c + (1-c)\\,e/n)^{-1/2}$"),
                    CORRELATIONS,
                    [(1 + c + (1 - c) * averaged) ** -0.5 for c in CORRELATIONS],
                ),
            ],
        ),
    )
