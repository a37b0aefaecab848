"""What a norm has learned can move into the next matrix, where nothing else reads it.

Untrained Transformers get random gains and shifts, as if training had moved them; a folded
copy with plain norms is held against the original, in double precision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import controls, figures
from sim.nets.blocks import Placement
from sim.nets.operators import folding
from sim.nets.operators.folding import Change, Stacks

SECONDS = 3.0
SPREADS = (0.0, 0.25, 0.5, 0.75, 1.0)
LEAST = 1e-17  # on a logarithmic axis, where no error at all is drawn
TO_RMS = (folding.fold, folding.centre, folding.as_rms)
FOLDS: Sequence[tuple[core.Key, Placement, Change, Text]] = (
    ("1", "pre", folding.fold, figures.PRE),
    ("2", "post", folding.fold, figures.POST),
    (
        "3",
        "output",
        folding.fold,
        Text(en="Norm on the output, forward", zh="支路输出归一化，向前折叠"),
    ),
    (
        "4",
        "output",
        folding.fold_back,
        Text(en="Norm on the output, back", zh="支路输出归一化，向后折回"),
    ),
)

TITLE = Text(
    en="Where can a norm's gain be folded away?", zh="归一化的增益能折叠到哪里？"
)
ABOUT = Text(
    en="A norm's gain and shift are linear, and so is the map that reads its output: in Pre-Norm the two become one, exactly. In Post-Norm and with a norm on the branch's output the same numbers are also the stream, or go into it, and the fold changes the function. After folding, a Pre-Norm stack with LayerNorm becomes one with RMSNorm if every matrix that writes to the stream is centred. This is algebra and holds for trained models of any size; how large the error of a wrong fold is depends on the gains, which are random here.",
    zh="归一化的增益和平移是线性的，读取其输出的映射也是线性的：在 Pre-Norm 中二者可以精确地合并。在 Post-Norm 中，或归一化放在支路输出上时，这些数同时就是残差流，或要加进残差流，折叠会改变函数。折叠之后，只要把每个写入残差流的矩阵中心化，带 LayerNorm 的 Pre-Norm 网络就变成带 RMSNorm 的网络。这是代数，对任何规模的训练好的模型都成立；错误折叠的误差有多大取决于增益，而这里的增益是随机的。",
)


class Params(controls.NetParams):
    depth: int = core.param(
        6,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(en="Layers of every stack.", zh="每个网络的层数。"),
        ge=2,
        le=16,
        step=2,
    )
    spread: float = core.param(
        0.5,
        title=Text(en="Spread of the gains", zh="增益的标准差"),
        about=Text(
            en="Standard deviation of gains around 1 and of shifts around 0.",
            zh="增益（均值 1）和平移（均值 0）的标准差。",
        ),
        ge=0.25,
        le=1.0,
        step=0.25,
    )


_JIANG = "Jiang et al. 2023 (arXiv:2305.14858), known second-hand"
_ERROR = Text(en="Relative error", zh="相对误差")
claim = partial(
    Claim,
    regime=Text(
        en="Untrained stacks with random gains and shifts, float64, random symbols; relative error of the logits.",
        zh="未经训练、增益和平移随机的网络，float64，随机符号；logits 的相对误差。",
    ),
)

CLAIMS = (
    claim(
        id="pre_gain_folds_exactly",
        statement=Text(
            en="In Pre-Norm every gain and shift folds into the next matrix without changing the output.",
            zh="在 Pre-Norm 中，每个增益和平移都能折叠进下一个矩阵，输出不变。",
        ),
        metric="pre_fold_error",
        below=1e-9,
        source="Algebra: $(x\\odot\\gamma+\\beta)W=x\\,\\mathrm{diag}(\\gamma)W+\\beta W$",
    ),
    claim(
        id="sandwich_input_gain_folds",
        statement=Text(
            en="So do the gains before the branches of Sandwich-Norm.",
            zh="Sandwich-Norm 中支路之前的增益也是如此。",
        ),
        metric="sandwich_fold_error",
        below=1e-9,
        source="The same algebra: only the branch reads that norm",
    ),
    claim(
        id="post_gain_cannot_fold",
        statement=Text(
            en="In Post-Norm the same fold changes the output by more than a tenth.",
            zh="在 Post-Norm 中，同样的折叠使输出改变超过十分之一。",
        ),
        metric="post_fold_error",
        above=0.1,
        source="The skip path reads the norm too and loses gains of spread .5 on .7 of the stream: .35 in one sublayer",
    ),
    claim(
        id="output_gain_cannot_fold",
        statement=Text(
            en="With a norm on the branch's output, $x+N(F(x))$, its gain folds neither into the next matrix nor back into the branch's last one.",
            zh="归一化在支路输出上，即 $x+N(F(x))$ 时，增益既不能折叠进下一个矩阵，也不能折回支路的最后一个矩阵。",
        ),
        metric="output_fold_error",
        above=0.05,
        source="Forward the stream misses the gain; back, the norm divides by $\\sqrt{1+.5^2}$, a tenth of the branch",
    ),
    claim(
        id="centred_writers_make_rms_equal_ln",
        statement=Text(
            en="Folded, and with every writer to the stream centred, Pre-Norm with RMSNorm computes what it did with LayerNorm.",
            zh="折叠之后，再把每个写入残差流的权重中心化，RMSNorm 的 Pre-Norm 网络与原来的 LayerNorm 网络输出相同。",
        ),
        metric="centred_rms_error",
        below=1e-9,
        source=_JIANG,
    ),
    claim(
        id="uncentred_differ",
        statement=Text(
            en="Exchanging LayerNorm for RMSNorm without centring changes the output.",
            zh="不做中心化就把 LayerNorm 换成 RMSNorm，输出会改变。",
        ),
        metric="uncentred_rms_error",
        above=0.05,
        source="Each norm alone differs by about $1/\\sqrt d$, .125 for 64 features",
    ),
    claim(
        id="division_commutes",
        statement=Text(
            en="RMSNorm's division may come after the matrix: $(x/r)W=(xW)/r$.",
            zh="RMSNorm 的除法可以放到矩阵乘法之后：$(x/r)W=(xW)/r$。",
        ),
        metric="division_error",
        below=1e-9,
        source="Algebra: $r$ is one number a row",
    ),
)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    stacks = Stacks(params.architecture(depth=params.depth), seeds)
    layer = Stacks(replace(stacks.architecture, operator="layer"), seeds)
    spread = params.spread
    found = {
        "pre": stacks.errors("pre", spread, folding.fold),
        "post": stacks.errors("post", spread, folding.fold),
        "sandwich": stacks.errors("sandwich", spread, folding.fold),
        "centred": layer.errors("pre", spread, *TO_RMS),
        "uncentred": layer.errors("pre", spread, folding.fold, folding.as_rms),
    }  # (L + 1, S) each
    progress(0.3)
    swept = []
    for done, (_, placement, change, _) in enumerate(FOLDS, 1):
        ends = [stacks.errors(placement, s, change)[-1] for s in SPREADS]
        swept.append(torch.stack(ends))  # (spreads, S)
        progress(0.3 + 0.7 * done / len(FOLDS))
    output = [
        stacks.errors("output", spread, change)[-1]
        for change in (folding.fold, folding.fold_back)
    ]
    metrics = {
        "pre_fold_error": found["pre"][-1],
        "sandwich_fold_error": found["sandwich"][-1],
        "post_fold_error": found["post"][-1],
        "output_fold_error": torch.stack(output).amin(0),
        "centred_rms_error": found["centred"][-1],
        "uncentred_rms_error": found["uncentred"][-1],
        "division_error": stacks.division(),
    }
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=(_layers(found), _spreads(swept)),
    )


def _layers(found: Mapping[str, Tensor]) -> Figure:
    layers = range(1, len(found["pre"]))
    names: Mapping[str, tuple[Text, core.Key]] = {
        "pre": (Text(en="Pre-Norm, folded", zh="Pre-Norm，已折叠"), "1"),
        "post": (Text(en="Post-Norm, folded", zh="Post-Norm，已折叠"), "2"),
        "centred": (
            Text(
                en="LayerNorm to RMSNorm, centred", zh="LayerNorm 换 RMSNorm，已中心化"
            ),
            "3",
        ),
        "uncentred": (
            Text(
                en="LayerNorm to RMSNorm, not centred",
                zh="LayerNorm 换 RMSNorm，未中心化",
            ),
            "4",
        ),
    }
    return Figure(
        id="error_by_layer",
        title=Text(en="Exact or not, layer by layer", zh="逐层看是否精确"),
        alt=Text(
            en="Relative error of the stream by layer, logarithmic: rounding errors near 1e-16 for folded Pre-Norm and for RMSNorm after centring, a tenth and more for folded Post-Norm and for RMSNorm without centring.",
            zh="逐层的残差流相对误差（对数轴）：折叠后的 Pre-Norm 和中心化后的 RMSNorm 只有 1e-16 左右的舍入误差；折叠后的 Post-Norm 和未中心化的 RMSNorm 达到十分之一以上。",
        ),
        x=figures.LAYER,
        y=Axis(label=_ERROR, scale="log"),
        series=[
            figures.band(*names[name], layers, found[name][:-1].clamp(LEAST))
            for name in names
        ],
    )


def _spreads(swept: Sequence[Tensor]) -> Figure:
    return Figure(
        id="error_by_spread",
        title=Text(en="The error of a wrong fold", zh="错误折叠的误差"),
        alt=Text(
            en="Relative error of the logits against the spread of the gains: none at 0, where all gains are 1, and rising for Post-Norm and for both folds of an output norm; Pre-Norm stays at 0.",
            zh="logits 的相对误差随增益标准差的变化：标准差为 0（增益全为 1）时没有误差；Post-Norm 以及输出归一化的两种折叠都随之上升；Pre-Norm 始终为 0。",
        ),
        x=Axis(label=Text(en="Spread of the gains", zh="增益的标准差")),
        y=Axis(label=_ERROR),
        series=[
            figures.band(name, key, SPREADS, values)
            for (key, _, _, name), values in zip(FOLDS, swept, strict=True)
        ],
    )
