"""How many numbers a residual connection and its norm move, and what fusing them saves.

The kernels of a chain of sublayers run on a small machine that counts what it loads and
stores. What a fused kernel has to store follows from who reads it later.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

import torch

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Series, Text, param
from sim.nets import controls, figures
from sim.nets.blocks import Placement
from sim.nets.operators.fusion import Chain, projections
from sim.nets.operators.traffic import Machine

SECONDS = 0.3
SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
PLACEMENTS: tuple[Placement, ...] = ("pre", "post", "output", "sandwich")

_APART = Text(en="separate kernels", zh="分开的内核")
_FUSED = Text(en="one kernel", zh="一个内核")

TITLE = Text(
    en="How many tensors do a residual and a norm move?",
    zh="残差连接加归一化要搬运多少个张量？",
)
ABOUT = Text(
    en="Between two branches stand an addition and a norm. They compute little but read and write whole tensors, so on a GPU their time is that of memory. Fused into one kernel they need not write what nobody reads later: Post-Norm's sum is only normalised, Pre-Norm's is also the stream, so that Pre-Norm moves one tensor more. The counts come from running the kernels in small; how much time they save depends on the device and on its kernels, which `python -m benchmarks fusion`, run in the source tree, measures on the machine at hand.",
    zh="两个支路之间是一次加法和一次归一化。它们计算很少，却要读写整个张量，所以在 GPU 上花的是访存时间。融合成一个内核后，后面没人读取的结果就不必写出：Post-Norm 的和只用于归一化，Pre-Norm 的和同时就是残差流，因此 Pre-Norm 多搬运一个张量。这些数是小规模实际运行内核数出来的；能省多少时间取决于设备及其内核，可在源码目录中运行 `python -m benchmarks fusion`，在本机测量。",
)


class Params(core.Params):
    width: controls.Width = controls.width(64)
    rows: int = param(
        128,
        title=Text(en="Tokens", zh="token 数"),
        unit=Text(en="tokens", zh="个"),
        about=Text(en="Rows of every tensor.", zh="每个张量的行数。"),
        ge=64,
        le=1024,
        step=64,
    )
    tile: int = param(
        16,
        title=Text(en="Rows on chip", zh="片上行数"),
        unit=Text(en="tokens", zh="个"),
        about=Text(
            en="How many rows a kernel holds at a time.", zh="一个内核一次处理的行数。"
        ),
        ge=1,
        le=64,
        step=1,
    )
    operator: Literal["layer", "rms", "scale", "tanh", "batch"] = param(
        "rms",
        title=Text(en="Norm operator", zh="归一化算子"),
        about=Text(
            en="What the norm computes. BatchNorm needs all rows at once, and goes wrong a few at a time.",
            zh="归一化的算法。BatchNorm 需要同时看到所有行，分块计算会出错。",
        ),
    )


_COUNT = "Counting in multiples of a tensor; gain and shift add 2 in 64 at most"
claim = partial(
    Claim,
    regime=Text(
        en="What stands between two branches, per tensor of 64 tokens or more; matrices not counted.",
        zh="两个支路之间的部分，以一个张量（不少于 64 个 token）为单位；不计矩阵。",
    ),
)

CLAIMS = (
    claim(
        id="unfused_moves_five",
        statement=Text(
            en="Addition and norm as two kernels move five tensors, in Pre-Norm and Post-Norm alike.",
            zh="加法和归一化分成两个内核时要搬运五个张量，Pre-Norm 和 Post-Norm 都一样。",
        ),
        metric="unfused_moved",
        above=4.9,
        below=5.1,
        source=f"{_COUNT}: two in and one out, one in and one out",
    ),
    claim(
        id="pre_moves_four",
        statement=Text(
            en="Fused, Pre-Norm moves four: it stores the stream and its normalised copy.",
            zh="融合之后 Pre-Norm 搬运四个：要写出残差流及其归一化副本。",
        ),
        metric="pre_moved",
        above=3.9,
        below=4.1,
        source=f"{_COUNT}: two in and two out",
    ),
    claim(
        id="post_moves_three",
        statement=Text(
            en="Fused, Post-Norm moves three: the sum itself is never read again.",
            zh="融合之后 Post-Norm 搬运三个：相加的和本身不再被读取。",
        ),
        metric="post_moved",
        above=2.9,
        below=3.1,
        source=f"{_COUNT}: two in and one out",
    ),
    claim(
        id="fused_equals_unfused",
        statement=Text(
            en="Fused kernels, a few rows at a time, compute what the block computes.",
            zh="融合内核分块逐行计算，结果与原来的块相同。",
        ),
        metric="fusion_error",
        below=1e-5,
        source="The same operations in float32; only sums in matrix products may be ordered differently",
    ),
    claim(
        id="fused_qkv_moves_less",
        statement=Text(
            en="Queries, keys and values from one matrix move less than from three: their input is read once.",
            zh="用一个矩阵同时算查询、键和值，比用三个矩阵搬运得少：输入只读一次。",
        ),
        metric="qkv_ratio",
        below=0.8,
        source="$(4Nd+3d^2)/(6Nd+3d^2)$ for $N$ tokens: 7/9 where $N=d$, towards 2/3",
    ),
)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    rows, width, tile = params.rows, params.width, params.tile
    chain = Chain(seeds, params.operator, rows, width)
    tensor = len(seeds) * rows * width
    meters: dict[str, Machine] = {}
    errors = []
    for done, placement in enumerate(PLACEMENTS, 1):
        for name, fused in ((f"{placement}, apart", False), (placement, True)):
            meters[name], error = chain.run(placement, tile, fused=fused)
            errors.append(error)
        progress(done / (len(PLACEMENTS) + 1))
    ratio, error = projections(seeds, rows, width, tile)
    count = {name: meter.moved / tensor for name, meter in meters.items()}
    exact = {f"{placement}_moved": count[placement] for placement in PLACEMENTS}
    exact["unfused_moved"] = max(
        count["pre, apart"], count["post, apart"], key=lambda moved: abs(moved - 5)
    )
    exact["qkv_ratio"] = ratio
    metrics: dict[str, Sequence[float]] = {
        name: [value] * len(seeds) for name, value in exact.items()
    }
    metrics["fusion_error"] = torch.stack([*errors, error]).amax(0).tolist()
    return Result(
        metrics=metrics,
        figures=(_counts(count), _values(meters, tensor), _projections(params, seeds)),
    )


def _counts(count: Mapping[str, float]) -> Figure:
    places = range(len(PLACEMENTS))
    return Figure(
        id="tensors_moved",
        title=Text(en="What fusing saves", zh="融合节省了什么"),
        alt=Text(
            en="Tensors moved between two branches, by placement, as separate kernels and as one: five and four in Pre-Norm, five and three in Post-Norm and with a norm on the output, seven and four in Sandwich-Norm.",
            zh="两个支路之间搬运的张量数，按归一化位置列出，分开的内核与融合的内核：Pre-Norm 五和四，Post-Norm 与支路输出归一化五和三，Sandwich-Norm 七和四。",
        ),
        x=Axis(
            label=Text(en="Placement", zh="归一化的位置"),
            ticks=[figures.NAMES[placement][0] for placement in PLACEMENTS],
        ),
        y=Axis(label=Text(en="Tensors moved", zh="搬运的张量数")),
        series=[
            Series(
                name=_APART,
                key="2",
                x=places,
                y=[count[f"{p}, apart"] for p in PLACEMENTS],
            ),
            Series(name=_FUSED, key="1", x=places, y=[count[p] for p in PLACEMENTS]),
        ],
        kind="points",
    )


def _values(meters: Mapping[str, Machine], tensor: int) -> Figure:
    """Names of values that the first branch leaves and the second one needs."""
    rows = [
        (Text(en=f"{placed.en}, {how.en}", zh=f"{placed.zh}，{how.zh}"), meters[name])
        for placed, how, name in (
            (figures.PRE, _APART, "pre, apart"),
            (figures.PRE, _FUSED, "pre"),
            (figures.POST, _APART, "post, apart"),
            (figures.POST, _FUSED, "post"),
        )
    ]
    counts = [
        [
            sum(meter.loaded[name] for name in ("x", "branch 0")),
            meter.stored["sum 0"],
            meter.loaded["sum 0"],
            meter.stored["norm 1"] + meter.stored["stream 0"],
        ]
        for _, meter in rows
    ]
    return figures.heat(
        [name for name, _ in rows],
        range(4),
        torch.tensor(counts)[..., None] / tensor,
        id="what_moves",
        title=Text(en="Which tensors move", zh="搬运的是哪些张量"),
        alt=Text(
            en="Tensors read and written between two branches. Fusing spares both placements the reading back of the sum; only Post-Norm need not write it either.",
            zh="两个支路之间读写的张量。融合之后两种位置都不必再读回相加的和；只有 Post-Norm 连写出也省去。",
        ),
        x=Axis(
            label=Text(en="What moves", zh="搬运的内容"),
            ticks=(
                Text(en="stream and branch read", zh="读残差流与支路"),
                Text(en="sum written", zh="写和"),
                Text(en="sum read back", zh="读回和"),
                Text(en="normalised written", zh="写归一化结果"),
            ),
        ),
        y=Axis(label=Text(en="Plan", zh="方案")),
        value=Axis(label=Text(en="Tensors", zh="张量数")),
    )


def _projections(params: Params, seeds: Sequence[int]) -> Figure:
    width = params.width
    ratios = [projections(seeds[:1], n, width, params.tile)[0] for n in SIZES]
    return Figure(
        id="projections",
        title=Text(
            en="One matrix for queries, keys and values", zh="查询、键、值共用一个矩阵"
        ),
        alt=Text(
            en="What one matrix moves over what three move, against the number of tokens: near 1 for few tokens, where the matrices weigh most, falling towards two thirds.",
            zh="一个矩阵与三个矩阵的搬运量之比随 token 数的变化：token 少时矩阵占大头，接近 1，之后降向三分之二。",
        ),
        x=Axis(label=Text(en="Tokens $N$", zh="token 数 $N$"), scale="log"),
        y=Axis(
            label=Text(en="Moved, over three matrices", zh="与三个矩阵的搬运量之比")
        ),
        series=[
            Series(name=Text(en="counted", zh="实数"), key="1", x=SIZES, y=ratios),
            figures.theory(
                figures.formula("$(4N+3d)/(6N+3d)$"),
                SIZES,
                [(4 * n + 3 * width) / (6 * n + 3 * width) for n in SIZES],
            ),
        ],
    )
