"""Power laws in depth at initialisation: streams and gradients.

The simplified network of Xiong et al. 2020: uniform attention, or none at all, and a
feed-forward sublayer as wide as the stream. Each seed averages many networks, as the theory
does, in stacks that differ in depth and in where the norm stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from sim import core
from sim.core import Axis, Claim, Figure, Progress, Result, Series, Text
from sim.nets import altered, chance, controls, ensembles, figures, probes
from sim.nets.blocks import Placement
from sim.nets.transformer import Architecture, Transformer, branch_gains, draw

SECONDS = 6.0
STABLE = (0.3, 1.5)  # bounds of Post-Norm's gradient at the start over that at the end
PLACEMENTS: tuple[Placement, ...] = ("pre", "post")
Kind = tuple[Placement, bool]  # where the norm stands, and with attention?
KINDS: tuple[Kind, ...] = tuple((p, a) for a in (True, False) for p in PLACEMENTS)
SLOPES = ("post_last_slope", "pre_last_slope", "pre_stream_slope")

TITLE = Text(en="Depth laws at initialisation", zh="初始化时的深度规律")
ABOUT = Text(
    en="The simplified network that the theory is about: attention averages all tokens evenly, or is left out, and the feed-forward sublayer is as wide as the stream. Stacks of four depths are compared: how large Pre-Norm's stream gets, how the last layer's gradient depends on depth, and whether Post-Norm's gradient vanishes on its way down. Theory speaks of averages over wide random networks, so each seed averages sixteen of them; single networks of this width stray by tens of percent, and nothing here is trained.",
    zh="这是理论所讨论的简化网络：注意力对所有 token 均匀取平均，或者干脆去掉；前馈子层与残差流等宽。比较四种深度的网络：Pre-Norm 的残差流长到多大，最后一层的梯度如何随深度变化，Post-Norm 的梯度在回传途中是否消失。理论说的是对宽随机网络的平均，因此每个种子取十六个网络的平均；这种宽度的单个网络会偏离百分之几十，而且这里没有任何训练。",
)
REGIME = Text(
    en="Xavier initialisation, uniform or no attention, feed-forward as wide as the stream, averages over 16 networks of width 64, Gaussian readout",
    zh="Xavier 初始化、均匀注意力或无注意力、前馈与残差流等宽、对 16 个宽度为 64 的网络取平均、高斯读出",
)
claim = partial(Claim, regime=REGIME)
XIONG = "Xiong et al. 2020 (arXiv:2002.04745), "

CLAIMS = (
    claim(
        id="post_last_slope_zero",
        statement=Text(
            en="The gradient at Post-Norm's last feed-forward matrix does not change with depth: its exponent is 0.",
            zh="Post-Norm 最后一个前馈矩阵的梯度不随深度变化：指数为 0。",
        ),
        metric="post_last_slope",
        above=-0.1,
        below=0.1,
        source=XIONG + "theorem 1: $O(d\\sqrt{\\ln d})$",
    ),
    claim(
        id="pre_last_slope_half",
        statement=Text(
            en="The gradient at Pre-Norm's last feed-forward matrix falls as $L^{-1/2}$.",
            zh="Pre-Norm 最后一个前馈矩阵的梯度按 $L^{-1/2}$ 下降。",
        ),
        metric="pre_last_slope",
        above=-0.57,
        below=-0.43,
        source=XIONG + "theorem 1: $O(d\\sqrt{\\ln d / L})$",
    ),
    claim(
        id="pre_stream_slope_half",
        statement=Text(
            en="Without attention the mean square of Pre-Norm's stream grows by 1/2 a layer.",
            zh="没有注意力时，Pre-Norm 残差流的均方值每层增长 1/2。",
        ),
        metric="pre_stream_slope",
        above=0.45,
        below=0.55,
        source=XIONG + "lemma 2, lower end $1 + l/2$",
    ),
    claim(
        id="post_net_gradient_stable",
        statement=Text(
            en="Post-Norm's gradient does not vanish in an untrained encoder: with attention and without, the one at the start is 0.3 to 1.5 times that at the end.",
            zh="未训练的编码器中 Post-Norm 的梯度并不消失：无论有无注意力，起点处都是末端处的 0.3 到 1.5 倍。",
        ),
        metric="post_net",
        above=STABLE[0],
        below=STABLE[1],
        source="Liu et al. 2020 (Admin, arXiv:2004.08249), section 3: encoders do not vanish",
    ),
    claim(
        id="pre_first_over_last",
        statement=Text(
            en="In Pre-Norm the first feed-forward matrix gets more than 2.5 times the gradient of the last.",
            zh="在 Pre-Norm 中，第一个前馈矩阵的梯度是最后一个的 2.5 倍以上。",
        ),
        metric="pre_first_to_last",
        above=2.5,
        source="Shleifer et al. 2021 (NormFormer, arXiv:2110.09456), abstract",
    ),
)


class Params(controls.NetParams):
    hidden: controls.Hidden = controls.hidden(1)
    networks: int = ensembles.size(16)
    depth: int = core.param(
        32,
        title=Text(en="Largest depth", zh="最大深度"),
        unit=Text(en="layers", zh="层"),
        about=Text(
            en="The deepest stack; the sweep halves it three times.",
            zh="最深的网络；扫描时依次减半三次。",
        ),
        ge=8,
        le=48,
        step=8,
    )

    @property
    def depths(self) -> list[int]:
        return [self.depth // 8, self.depth // 4, self.depth // 2, self.depth]


@dataclass(frozen=True, kw_only=True)
class Found:
    """One kind of stack, averaged over a seed's networks (root mean square)."""

    last: Tensor  # gradient at the last second matrix, (depths,)
    streams: Tensor  # at x_0 … x_L of the deepest stack, (L + 1,)
    down: Tensor  # at the second matrices of the deepest stack, (L,)
    squares: Tensor  # mean square of x_0 … x_L of the deepest stack, (L + 1,)


def run(params: Params, seeds: Sequence[int], progress: Progress) -> Result:
    deepest = params.architecture(depth=params.depth)
    each = ensembles.measure_each(seeds, partial(_measure, params, deepest), progress)
    found = {kind: _together([one[kind] for one in each]) for kind in KINDS}
    metrics = _metrics(params, found)
    return Result(
        metrics={name: values.tolist() for name, values in metrics.items()},
        figures=_figures(params, found, metrics, *branch_gains(deepest)),
    )


def _measure(params: Params, deepest: Architecture, seed: int) -> dict[Kind, Found]:
    members = ensembles.members(seed, params.networks)
    ids = chance.symbols(members, ensembles.SEQUENCES, params.length, controls.SYMBOLS)
    readout = chance.readout(members, ensembles.SEQUENCES * params.length, params.width)
    numbers = draw(deepest, members)  # (M, W)
    found = {}
    for placement, attends in KINDS:
        last = []
        for depth in params.depths:
            architecture = replace(deepest, placement=placement, depth=depth)
            net = Transformer(architecture, members, numbers=numbers)
            altered.mix(net, "uniform" if attends else "none")
            gradients = probes.gradients(net, ids, readout)
            last.append(gradients.down[-1])
        found[placement, attends] = Found(
            last=_average(torch.stack(last)),
            streams=_average(gradients.streams),
            down=_average(gradients.down),
            squares=probes.growth(net, ids).squares.mean(1),
        )
    return found


def _average(norms: Tensor) -> Tensor:
    """Root mean square over the networks of (K, M), (K,)."""
    return norms.square().mean(1).sqrt()


def _together(each: Sequence[Found]) -> Found:
    """All seeds' values as columns, (…, S)."""
    columns = {n: [getattr(f, n) for f in each] for n in Found.__dataclass_fields__}
    return Found(**{name: torch.stack(values, 1) for name, values in columns.items()})


def _metrics(params: Params, found: Mapping[Kind, Found]) -> dict[str, Tensor]:
    """One value for each seed, (S,)."""
    pre, post = found["pre", True], found["post", True]
    layers = range(params.depth + 1)
    nets = torch.stack([_kept(found["post", attends])[0] for attends in (True, False)])
    middle = (STABLE[0] * STABLE[1]) ** 0.5
    farthest = (nets / middle).log().abs().argmax(0, keepdim=True)  # (1, S)
    alone = found["pre", False]
    return {
        "post_last_slope": probes.log_slope(params.depths, post.last),
        "pre_last_slope": probes.log_slope(params.depths, pre.last),
        "pre_last_slope_without_attention": probes.log_slope(params.depths, alone.last),
        "pre_stream_slope": probes.slope(layers, alone.squares),
        "pre_stream_slope_with_attention": probes.slope(layers, pre.squares),
        "pre_end_square": alone.squares[-1],
        "post_net": nets.gather(0, farthest)[0],
        "post_net_with_attention": nets[0],
        "post_net_without_attention": nets[1],
        "pre_net": _kept(pre)[0],
        "pre_first_to_last": pre.down[0] / pre.down[-1],
        "post_first_to_last": post.down[0] / post.down[-1],
    }


def _kept(found: Found) -> Tensor:
    """Gradient at each stream over that at the end, (L + 1, S)."""
    return found.streams / found.streams[-1]


def _figures(
    params: Params,
    found: Mapping[Kind, Found],
    metrics: Mapping[str, Tensor],
    attention: float,
    feed_forward: float,
) -> tuple[Figure, ...]:
    depths, steps = params.depths, range(params.depth + 1)
    most = attention + feed_forward
    start = found["pre", True].last[0].median().item()
    return (
        Figure(
            id="last",
            title=Text(en="Last layer against depth", zh="最后一层随深度的变化"),
            alt=Text(
                en="Gradient norm of the last feed-forward matrix against depth, both logarithmic: level in Post-Norm, falling along one over the root of depth in Pre-Norm.",
                zh="最后一个前馈矩阵的梯度范数随深度变化（双对数）：Post-Norm 持平，Pre-Norm 沿深度的负二分之一次方下降。",
            ),
            x=figures.DEPTH,
            y=figures.NORM,
            series=[
                *(_band(kind, depths, found[kind].last) for kind in KINDS),
                figures.theory(
                    figures.formula("$L^{-1/2}$"),
                    depths,
                    [start * (depths[0] / depth) ** 0.5 for depth in depths],
                ),
            ],
        ),
        Figure(
            id="slopes",
            title=Text(en="Measured exponents and theory", zh="测得的指数与理论值"),
            alt=Text(
                en="Three slopes with their 95% bootstrap intervals beside the theoretical values 0, minus a half and a half.",
                zh="三个斜率及其 95% 自助法区间，旁边是理论值 0、负二分之一与二分之一。",
            ),
            x=Axis(
                label=Text(en="Quantity", zh="量"),
                ticks=(
                    Text(en="Post: last gradient", zh="Post：末层梯度"),
                    Text(en="Pre: last gradient", zh="Pre：末层梯度"),
                    Text(en="Pre: stream per layer", zh="Pre：残差流每层"),
                ),
            ),
            y=Axis(label=Text(en="Slope", zh="斜率")),
            kind="points",
            series=[
                figures.theory(Text(en="Theory", zh="理论"), range(3), [0, -0.5, 0.5]),
                figures.interval(
                    Text(en="Median, 95% interval", zh="中位数与 95% 区间"),
                    "1",
                    range(3),
                    torch.stack([metrics[name] for name in SLOPES]),
                ),
            ],
        ),
        Figure(
            id="streams",
            title=Text(en="Size of the stream", zh="残差流的大小"),
            alt=Text(
                en="Mean square of the stream by layer: Pre-Norm without attention grows along one plus half the layer, with attention up to three times as fast, Post-Norm stays at 1.",
                zh="逐层的残差流均方值：无注意力的 Pre-Norm 沿 1 加二分之层数增长，有注意力时最多快三倍，Post-Norm 保持为 1。",
            ),
            x=figures.PASSED,
            y=figures.SQUARE,
            series=[
                *(_band(kind, steps, found[kind].squares) for kind in KINDS[:3]),
                *(_line(gain, steps) for gain in (feed_forward, most)),
            ],
        ),
        Figure(
            id="gradients",
            title=Text(en="Gradient on its way down", zh="回传途中的梯度"),
            alt=Text(
                en="Gradient norm at each stream relative to the end: Post-Norm stays near 1 without attention and settles with it, Pre-Norm rises towards the start.",
                zh="各处残差流的梯度范数（相对末端）：Post-Norm 无注意力时保持在 1 附近，有注意力时趋于稳定；Pre-Norm 越靠近起点越大。",
            ),
            x=figures.PASSED,
            y=figures.RELATIVE,
            series=[_band(kind, steps, _kept(found[kind])) for kind in KINDS],
        ),
    )


def _band(kind: Kind, x: Sequence[float], values: Tensor) -> Series:
    placement, attends = kind
    name, key = figures.NAMES[placement]
    if attends:
        return figures.band(name, key, x, values)
    alone = Text(en=f"{name.en}, no attention", zh=f"{name.zh}，无注意力")
    return figures.band(alone, "3" if placement == "pre" else "4", x, values)


def _line(gain: float, steps: Sequence[int]) -> Series:
    values = [1 + gain * step for step in steps]
    return figures.theory(figures.formula(f"$1 + {gain:.2f}\\,l$"), steps, values)
