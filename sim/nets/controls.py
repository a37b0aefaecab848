"""The parameters that experiments on these networks share, with their words."""

from typing import Any, Literal

from sim.core import Params, Text, param
from sim.nets.blocks import Activation
from sim.nets.norms import Operator
from sim.nets.transformer import Architecture, Init

SYMBOLS = 16
BATCH = 8  # sequences of a training step
SEQUENCES = 16  # of a pass at initialisation

Width = Literal[16, 32, 64]
Heads = Literal[1, 2, 4, 8]
Hidden = Literal[1, 2, 4]
Length = Literal[2, 4, 8]
FinalNorm = Literal["placement", "always", "never"]
Also = Literal[
    "none",
    "sandwich",
    "output",
    "deepnorm",
    "residual_dual",
    "mix",
    "hybrid",
    "scaled",
    "gpt2",
    "ln_scaling",
    "layer_scale",
    "rezero",
]
"""A placement beside those that every run compares, or none."""


def width(default: int) -> Any:
    return param(
        default,
        title=Text(en="Width", zh="宽度"),
        about=Text(en="Features of a token, $d$.", zh="每个 token 的特征数 $d$。"),
    )


def heads(default: int) -> Any:
    return param(
        default,
        title=Text(en="Attention heads", zh="注意力头数"),
        about=Text(
            en="Heads that share the width. Independent of where the norm stands.",
            zh="共同分享宽度的注意力头。与归一化的位置无关。",
        ),
    )


def hidden(default: int) -> Any:
    return param(
        default,
        title=Text(en="Feed-forward ratio", zh="前馈宽度比"),
        about=Text(
            en="Hidden width of the feed-forward sublayer, as a multiple of $d$.",
            zh="前馈子层的隐藏宽度，以 $d$ 的倍数计。",
        ),
    )


def length(default: int) -> Any:
    return param(
        default,
        title=Text(en="Sequence length", zh="序列长度"),
        unit=Text(en="tokens", zh="token"),
        about=Text(
            en="Tokens of a sequence, which attention mixes.",
            zh="一个序列的 token 数，注意力在其间混合信息。",
        ),
    )


def depth(default: int, *, most: int) -> Any:
    return param(
        default,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(en="Layers of every network.", zh="每个网络的层数。"),
        ge=1,
        le=most,
        step=1,
    )


def steps(default: int, *, least: int = 30, most: int, batch: int = BATCH) -> Any:
    return param(
        default,
        title=Text(en="Training steps", zh="训练步数"),
        unit=Text(en="steps", zh="步"),
        about=Text(
            en=f"Batches seen, each of {batch} fresh sequences.",
            zh=f"看过的批数，每批 {batch} 个新序列。",
        ),
        ge=least,
        le=most,
        step=10,
    )


def warmup(default: int, *, most: int = 200) -> Any:
    return param(
        default,
        title=Text(en="Warmup", zh="预热"),
        unit=Text(en="steps", zh="步"),
        about=Text(
            en="Steps over which a warmed network's rate rises to its peak.",
            zh="有预热的网络，其学习率升到峰值所用的步数。",
        ),
        ge=1,
        le=most,
        step=1,
    )


def rate(default: float, *, most: float = 0.02) -> Any:
    return param(
        default,
        title=Text(en="Peak learning rate", zh="峰值学习率"),
        about=Text(
            en="Adam's, kept after warmup.", zh="Adam 的学习率，预热后保持不变。"
        ),
        ge=0.0001,
        le=most,
        step=0.0001,
    )


def also() -> Any:
    return param(
        "none",
        title=Text(en="Shown as well", zh="另外显示"),
        about=Text(
            en="A further placement with the same weights, as a curve of its own; no claim is about it.",
            zh="另一种放置方式，权重相同，单独画一条曲线；没有论断涉及它。",
        ),
    )


class NetParams(Params):
    """What every one of these experiments lets one change, whatever it sweeps itself."""

    width: Width = width(64)
    hidden: Hidden = hidden(4)
    heads: Heads = heads(4)
    length: Length = length(8)
    operator: Operator = param(
        "layer",
        title=Text(en="Norm operator", zh="归一化算子"),
        about=Text(
            en="What the norm computes; independent of where it stands.",
            zh="归一化的算法；与它所在的位置无关。",
        ),
    )
    activation: Activation = param(
        "relu",
        title=Text(en="Activation", zh="激活函数"),
        about=Text(
            en="Nonlinearity of the feed-forward sublayer.",
            zh="前馈子层的非线性函数。",
        ),
    )
    init: Init = param(
        "xavier",
        title=Text(en="Initialisation", zh="初始化"),
        about=Text(
            en="Xavier for every matrix, the smaller variances of PyTorch's encoder layer, one std of $\\sqrt{2/5d}$ (SmallInit) or one of 0.02.",
            zh="每个矩阵都用 Xavier，或采用 PyTorch 编码器层较小的方差，或统一的标准差 $\\sqrt{2/5d}$（SmallInit）或 0.02。",
        ),
    )
    final_norm: FinalNorm = param(
        "placement",
        title=Text(en="Final norm", zh="末端归一化"),
        about=Text(
            en="One more norm after the stack: where the placement leaves the stream unnormalised, always or never.",
            zh="整个网络之后再做一次归一化：仅当放置方式未归一化残差流时、总是，或从不。",
        ),
    )

    def architecture(self, *, depth: int, causal: bool = False) -> Architecture:
        """The Pre-Norm stack of these parameters."""
        return Architecture(
            depth=depth,
            width=self.width,
            heads=self.heads,
            hidden=self.hidden * self.width,
            length=self.length,
            vocabulary=SYMBOLS,
            operator=self.operator,
            activation=self.activation,
            init=self.init,
            causal=causal,
            final_norm={"placement": None, "always": True, "never": False}[
                self.final_norm
            ],
        )


class TrainParams(NetParams):
    """The same for training runs, whose largest is kept short by narrower bounds."""

    width: Literal[16, 32] = width(32)
    heads: Literal[1, 2, 4] = heads(2)
    length: Literal[4, 8] = length(8)
    steps: int = steps(180, most=200)
    warmup: int = warmup(75)
    rate: float = rate(0.005)
    clip: float = param(
        1.0,
        title=Text(en="Clipping norm", zh="裁剪范数"),
        about=Text(
            en="Largest gradient norm of a clipped network.",
            zh="被裁剪网络的最大梯度范数。",
        ),
        ge=0.1,
        le=10.0,
        step=0.1,
    )
