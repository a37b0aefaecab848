"""The data of one block, step by step: what stands where, and how its gradient comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from sim.core import Step, Text
from sim.nets import blocks
from sim.nets.transformer import Transformer

SUBLAYERS = (
    Text(en="attention", zh="注意力"),
    Text(en="feed-forward", zh="前馈"),
)


def _steps(of: Text) -> dict[str, Step]:
    """The places of one sublayer in their order; no placement has all of them."""
    en, zh = of.en, of.zh
    return {
        "read": Step(does="read", name=Text(en=f"Copy for {en}", zh=f"{zh}的输入")),
        "before": Step(
            does="norm", name=Text(en=f"Norm before {en}", zh=f"{zh}之前的归一化")
        ),
        "damp": Step(
            does="scale", name=Text(en=f"Scaling before {en}", zh=f"{zh}之前的缩放")
        ),
        "map": Step(does="map", name=Text(en=en.capitalize(), zh=zh)),
        "after": Step(
            does="norm", name=Text(en=f"Norm after {en}", zh=f"{zh}之后的归一化")
        ),
        "scale": Step(
            does="scale", name=Text(en=f"Scaling after {en}", zh=f"{zh}之后的缩放")
        ),
        "keep": Step(
            does="keep", name=Text(en=f"Skip path past {en}", zh=f"绕过{zh}的跳跃路径")
        ),
        "factor": Step(
            does="scale",
            name=Text(en=f"Scaling of the skip past {en}", zh=f"绕过{zh}的缩放"),
        ),
        "add": Step(does="add", name=Text(en=f"Sum with {en}", zh=f"与{zh}相加")),
        "outer": Step(
            does="norm",
            name=Text(en=f"Norm of the sum with {en}", zh=f"与{zh}相加后的归一化"),
        ),
    }


STEPS: Mapping[tuple[int, str], Step] = {
    (-1, "in"): Step(does="in", name=Text(en="Stream enters", zh="残差流进入"))
} | {
    (sublayer, place): step
    for sublayer, name in enumerate(SUBLAYERS)
    for place, step in _steps(name).items()
}
"""Every place that a block may have, by sublayer and what stands there."""

Walk = dict[tuple[int, str], Tensor]


def sublayer(  # noqa: PLR0913 - those of :func:`blocks.residual`, and where to write
    rule: blocks.Rule,
    x: Tensor,
    branch: blocks.Map,
    norms: Sequence[blocks.Map],
    gain: Tensor | None = None,
    *,
    found: dict[str, Tensor],
) -> Tensor:
    """:func:`blocks.residual`, leaving its data (M, N, d) at each place in ``found``.

    A copy is a node of its own, so that the gradient through one path can be told from
    that through the other.
    """
    left = list(norms)
    y = found["read"] = x.view_as(x)  # (M, N, d)
    if rule.before:
        y = found["before"] = left.pop(0)(y)
    if rule.damp != 1:
        y = found["damp"] = y * rule.damp
    y = found["map"] = branch(y)
    if rule.after:
        y = found["after"] = left.pop(0)(y)
    if gain is not None:
        y = found["scale"] = y * gain
    if rule.scale != 1:
        y = found["scale"] = y * rule.scale
    kept = found["keep"] = x.view_as(x)
    if rule.skip != 1:
        kept = found["factor"] = kept * rule.skip
    y = found["add"] = y + kept
    if rule.outer:
        y = found["outer"] = left.pop(0)(y)
    return y


def walk(net: Transformer, ids: Tensor, layer: int) -> tuple[Walk, Tensor]:
    """The data at each place of a layer, counted from 1, and the stack's output."""
    found = Walk()
    with torch.no_grad():  # below the layer nothing has to come back
        x = net.embed(ids)  # (M, N, d)
    written = [x]
    for place, (rule, weights) in enumerate(
        zip(net.architecture.rules, net.blocks, strict=True), start=1
    ):
        if place == layer:
            x = found[-1, "in"] = x.clone().requires_grad_()
        for number, branch in enumerate(_branches(net, weights)):
            here: dict[str, Tensor] = {}
            places = range(number * rule.norms, (number + 1) * rule.norms)
            maps = [partial(net.norm, weights, str(i)) for i in places]
            gain = weights.get(f"branch_gain{number}")
            with torch.set_grad_enabled(place >= layer):
                x = sublayer(rule, x, branch, maps, gain, found=here)
            written.append(here["map"])
            if place == layer:
                found |= {(number, name): y for name, y in here.items()}
    if net.architecture.rules[-1].dual:
        x = x + net.norm(net.outer, "", sum(written[1:], written[0]))
    return found, net.finish(x)


def _branches(net: Transformer, weights: Mapping[str, Tensor]) -> list[blocks.Map]:
    of = net.architecture
    return [
        partial(_attention, weights, of.heads, net.mask, of.qk_norm),
        partial(_feed_forward, weights, of.activation),
    ]


def _attention(
    weights: Mapping[str, Tensor], heads: int, mask: Tensor, qk_norm: bool, x: Tensor
) -> Tensor:
    return blocks.attention(weights, x, heads, mask, qk_norm=qk_norm)


def _feed_forward(
    weights: Mapping[str, Tensor], activation: blocks.Activation, x: Tensor
) -> Tensor:
    return blocks.feed_forward(weights, x, activation)


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """A block's data (M, N, d) and its gradient by place, in the order of the steps."""

    data: Walk
    gradient: Walk

    @property
    def places(self) -> list[tuple[int, str]]:
        return [place for place in STEPS if place in self.data]

    def end(self, number: int) -> tuple[int, str]:
        """Where a sublayer's result stands."""
        return number, "outer" if (number, "outer") in self.data else "add"


def follow(net: Transformer, ids: Tensor, readout: Tensor, layer: int) -> Pipeline:
    """Send (M, B, T) symbols up a stack and the gradient of a readout (M, N, d) down."""
    data, output = walk(net, ids, layer)
    loss = (output * readout).sum()  # models never mix
    found = torch.autograd.grad(loss, list(data.values()), materialize_grads=True)
    gradient = dict(zip(data, found, strict=True))
    return Pipeline(
        data={place: x.detach().double() for place, x in data.items()},
        gradient={place: g.double() for place, g in gradient.items()},
    )
