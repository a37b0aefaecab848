"""What a checkpoint of one placement computes when it is read as the other.

Trained models are read as the other kind, whose weights have the same names, and trained on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor, nn

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Text
from sim.nets import blocks, chance, controls, figures, probes
from sim.nets.checkpoints import evaluate, read_as
from sim.nets.learning.training import Curves, Schedule, Training, train_all
from sim.nets.markov import Chain
from sim.nets.transformer import Architecture, Transformer, draw

DEPTHS = (2, 4, 6, 8, 12)  # of the untrained stacks
HELD_OUT = 16  # batches that a gap is measured on
OVER = 5  # steps that a drawn gap is averaged over
SECONDS = 5.0

TITLE = Text(
    en="A checkpoint read as the other placement", zh="把检查点当作另一种位置读入"
)
ABOUT = Text(
    en="Pre-Norm and Post-Norm blocks have the same weights, so a checkpoint of one loads into the other without an error; only Pre-Norm's final norm is new. Here both are trained on a Markov chain, read as the other kind and evaluated at once, then trained on for a quarter of the steps. Untrained stacks show how far the two functions lie apart at each depth. Networks this small relearn such a task quickly, so how large the damage is and how soon fine-tuning repairs it says little about large models; that the two functions differ does not depend on size.",
    zh="Pre-Norm 与 Post-Norm 的块具有相同的权重，因此一种的检查点可以毫无报错地读入另一种；只有 Pre-Norm 末端的归一化是新增的。这里两种网络都在马尔可夫链上训练，然后当作另一种读入并立即评估，再用四分之一的步数继续训练。未训练的网络则显示在各个深度上两个函数相差多远。如此小的网络很快就能重新学会这一任务，因此损害有多大、微调多快能弥补，对大模型说明不了什么；而两个函数不同这一点与规模无关。",
)
REGIME = Text(
    en="Training, Adam, 6 layers of width 32, Xavier initialisation, peak rate 0.005, 180 steps with 75 of warmup, clipped at 1; then 45 steps at a fifth of the rate; medians over seeds",
    zh="训练，Adam，6 层、宽度 32，Xavier 初始化，峰值学习率 0.005，180 步、其中预热 75 步，裁剪范数 1；之后以五分之一的学习率训练 45 步；取各种子的中位数",
)
UNTRAINED = Text(
    en="Xavier initialisation with unit-variance embeddings, causal attention, random symbols",
    zh="Xavier 初始化、单位方差的嵌入、因果注意力、随机符号",
)
FORMULAS = "The two formulas: Xiong et al. 2020 (arXiv:2002.04745), table 1"
claim = partial(Claim, regime=REGIME, over="median")

CLAIMS = (
    claim(
        id="same_names_and_shapes",
        statement=Text(
            en="Torch's encoder takes a checkpoint of the other placement: no name is missing or left over, no shape differs.",
            zh="PyTorch 的编码器接受另一种位置的检查点：没有缺少或多余的名称，形状也无一不同。",
        ),
        metric="mismatched_tensors",
        below=0.5,
        source="PyTorch, nn.TransformerEncoderLayer: norm_first changes no parameter",
        regime=Text(
            en="nn.TransformerEncoder without a final norm, of the same sizes",
            zh="不带末端归一化、尺寸相同的 nn.TransformerEncoder",
        ),
        over="seeds",
    ),
    claim(
        id="post_read_as_pre_differs",
        statement=Text(
            en="Untrained weights already compute another function when read as the other placement: the outputs' cosine is below 0.9.",
            zh="未训练的权重当作另一种位置读入时，算出的已是另一个函数：输出的余弦低于 0.9。",
        ),
        metric="untrained_cosine",
        below=0.9,
        source=FORMULAS,
        regime=UNTRAINED,
        over="seeds",
    ),
    claim(
        id="difference_grows_with_depth",
        statement=Text(
            en="The difference grows with depth: twelve layers have a cosine lower by more than 0.2 than two.",
            zh="差异随深度增大：12 层的余弦比 2 层低 0.2 以上。",
        ),
        metric="cosine_lost_with_depth",
        above=0.2,
        source=FORMULAS + "; each block's difference is passed on to the next",
        regime=UNTRAINED,
        over="seeds",
    ),
    claim(
        id="migration_destroys_training",
        statement=Text(
            en="A trained network read as the other placement loses what it has learnt, either way: the smaller gap of both exceeds 0.5.",
            zh="训练好的网络当作另一种位置读入后，无论哪个方向都会丢掉所学：两者中较小的差距也超过 0.5。",
        ),
        metric="smaller_migrated_gap",
        above=0.5,
        source=FORMULAS,
    ),
    claim(
        id="migration_costs_either_way",
        statement=Text(
            en="A trained network read as the other placement is worse than before, either way: its gap grows.",
            zh="训练好的网络当作另一种位置读入后，无论哪个方向都比原来差：差距变大。",
        ),
        metric="smaller_migration_cost",
        above=0.0,
        source=FORMULAS,
    ),
    claim(
        id="short_finetune_repairs",
        statement=Text(
            en="A quarter of the steps repairs it, either way: the larger gap of both is then less than 0.1 above the original's.",
            zh="四分之一的步数即可弥补，无论哪个方向：两者中较大的差距此时比原来的高出不到 0.1。",
        ),
        metric="larger_repaired_excess",
        below=0.1,
        source="Whether the weights remain a good start: a question put to this run",
    ),
)


class Params(controls.TrainParams):
    depth: int = core.param(
        6,
        title=Text(en="Depth", zh="深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="Layers of the trained networks; untrained ones are tried at several depths.",
            zh="所训练网络的层数；未训练的网络在多个深度上测试。",
        ),
        ge=2,
        le=8,
        step=1,
    )


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    pre = params.architecture(depth=params.depth, causal=True)
    post = replace(pre, placement="post")
    shapes: dict[str, Architecture] = {"pre": pre, "post": post}
    chain = Chain(seeds, controls.SYMBOLS)
    batches = chain.sample(params.steps, controls.BATCH, params.length)
    held_out = chain.sample(HELD_OUT, controls.BATCH, params.length)
    later = chain.sample(params.steps // 4, controls.BATCH, params.length)
    schedule = Schedule(rate=params.rate, warmup=params.warmup, clip=params.clip)
    gentle = replace(schedule, rate=params.rate / 5, warmup=0)

    def prepare(net: Transformer, schedule: Schedule, batches: Tensor) -> Training:
        return Training(net=net, schedules=[schedule] * len(seeds), batches=batches)

    def gaps(nets: Mapping[str, Transformer]) -> dict[str, Tensor]:
        return {k: chain.gap(evaluate(net, held_out)) for k, net in nets.items()}

    trained: dict[str, Transformer] = {
        place: Transformer(shape, seeds) for place, shape in shapes.items()
    }
    first = [prepare(net, schedule, batches) for net in trained.values()]
    train_all(first, lambda done: progress(0.7 * done))
    ways = {"post_to_pre": ("post", "pre"), "pre_to_post": ("pre", "post")}
    moved = {k: read_as(trained[a], shapes[b], seeds) for k, (a, b) in ways.items()}
    found = gaps(trained) | gaps(moved)
    second = [prepare(net, gentle, later) for net in moved.values()]
    fresh = prepare(Transformer(pre, seeds), replace(schedule, warmup=0), later)
    curves = train_all([*second, fresh], lambda done: progress(0.7 + 0.25 * done))
    found |= {f"{name}_repaired": gap for name, gap in gaps(moved).items()}
    cosines = _cosines(replace(pre, depth=max(DEPTHS)), seeds)  # (depths, S)
    progress(1.0)
    metrics = _metrics(found) | {
        "untrained_cosine": _cosines(pre, seeds, [params.depth])[0],
        "cosine_lost_with_depth": cosines[0] - cosines[-1],
        "mismatched_tensors": torch.full((len(seeds),), float(_mismatched(pre))),
    }
    drawn = dict(zip(("post_to_pre", "pre_to_post", "fresh"), curves, strict=True))
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=_figures(chain, found, drawn, cosines),
    )


def _cosines(
    deepest: Architecture, seeds: Sequence[int], depths: Sequence[int] = DEPTHS
) -> Tensor:
    """Between the outputs of both placements with the same untrained weights, (depths, S)."""
    ids = chance.symbols(
        seeds, controls.SEQUENCES, deepest.length, deepest.vocabulary
    )  # (S, B, T)
    numbers = draw(deepest, seeds)  # (S, W)

    def output(depth: int, placement: blocks.Placement) -> Tensor:
        shape = replace(deepest, depth=depth, placement=placement)
        net = Transformer(shape, seeds, numbers=numbers)
        return net.finish(net.stream(net.embed(ids)))  # (S, N, d)

    with torch.no_grad():
        return torch.stack(
            [probes.cosine(output(d, "pre"), output(d, "post")) for d in depths]
        )


def _mismatched(shape: Architecture) -> int:
    """Names and shapes of torch's Post-Norm encoder that its Pre-Norm one does not have."""

    def shapes(norm_first: bool) -> set[tuple[str, torch.Size]]:
        layer = nn.TransformerEncoderLayer(
            shape.width, shape.heads, shape.hidden, norm_first=norm_first
        )
        encoder = nn.TransformerEncoder(layer, shape.depth, enable_nested_tensor=False)
        return {(name, value.shape) for name, value in encoder.state_dict().items()}

    with torch.random.fork_rng():
        return len(shapes(False) ^ shapes(True))


def _metrics(gaps: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    return {
        **{f"{name}_gap": gap for name, gap in gaps.items()},
        "smaller_migration_cost": torch.minimum(
            gaps["post_to_pre"] - gaps["post"], gaps["pre_to_post"] - gaps["pre"]
        ),
        "smaller_migrated_gap": torch.minimum(gaps["post_to_pre"], gaps["pre_to_post"]),
        "larger_repaired_excess": torch.maximum(
            gaps["post_to_pre_repaired"] - gaps["post"],
            gaps["pre_to_post_repaired"] - gaps["pre"],
        ),
    }


def _figures(
    chain: Chain,
    gaps: Mapping[str, Tensor],
    curves: Mapping[str, Curves],
    cosines: Tensor,
) -> tuple[Figure, ...]:
    both = Text(en="Pre-Norm against Post-Norm", zh="Pre-Norm 对 Post-Norm")
    there = Text(
        en="Post-Norm weights read as Pre-Norm", zh="Post-Norm 权重读作 Pre-Norm"
    )
    back = Text(
        en="Pre-Norm weights read as Post-Norm", zh="Pre-Norm 权重读作 Post-Norm"
    )
    named: dict[str, tuple[Text, core.Key]] = {
        "post_to_pre": (there, "3"),
        "pre_to_post": (back, "4"),
        "fresh": (Text(en="Pre-Norm from scratch", zh="从头训练的 Pre-Norm"), "1"),
    }
    smooth = {
        name: chain.gap(curve.loss).unfold(0, OVER, 1).mean(-1)
        for name, curve in curves.items()
    }
    steps = range(OVER, OVER + len(smooth["fresh"]))
    phases = (
        Text(en="trained", zh="训练后"),
        Text(en="read as the other", zh="读作另一种"),
        Text(en="trained on", zh="继续训练后"),
    )
    return (
        Figure(
            id="cosines",
            title=Text(en="Two readings of the same weights", zh="同一权重的两种读法"),
            alt=Text(
                en="Cosine between the outputs of Pre-Norm and Post-Norm with the same untrained weights, by depth: it falls from near 1.",
                zh="相同未训练权重下 Pre-Norm 与 Post-Norm 输出的余弦随深度的变化：从接近 1 开始下降。",
            ),
            x=Axis(label=Text(en="Layers", zh="层数")),
            y=Axis(label=Text(en="Cosine of the outputs", zh="输出的余弦")),
            series=[figures.band(both, "3", DEPTHS, cosines)],
        ),
        Figure(
            id="phases",
            title=Text(en="Before, after, and trained on", zh="之前、之后与继续训练"),
            alt=Text(
                en="Gap of networks after training, read as the other placement, and after a quarter of the steps more; 1 is knowing symbol frequencies only.",
                zh="网络在训练后、读作另一种位置后、再训练四分之一步数后的差距；1 表示只知道符号频率。",
            ),
            x=Axis(label=Text(en="Phase", zh="阶段"), ticks=phases),
            y=figures.GAP,
            kind="points",
            series=[
                figures.band(
                    *named[way],
                    range(3),
                    torch.stack([gaps[place], gaps[way], gaps[f"{way}_repaired"]]),
                )
                for place, way in (("post", "post_to_pre"), ("pre", "pre_to_post"))
            ],
        ),
        Figure(
            id="repair",
            title=Text(en="Trained on", zh="继续训练"),
            alt=Text(
                en="Gap by step of further training for both migrated networks, beside a Pre-Norm network that starts from scratch.",
                zh="两种迁移网络继续训练时差距随步数的变化，旁边是从头开始的 Pre-Norm 网络。",
            ),
            x=figures.STEP,
            y=figures.GAP,
            series=[
                figures.band(*named[name], steps, values)
                for name, values in smooth.items()
            ],
        ),
    )
