"""Moving what norms have learned into the matrices around them, exactly or not.

Every function changes the models it is given, and gives them back.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from sim.nets import chance, norms
from sim.nets.architecture import Architecture, draw
from sim.nets.blocks import Placement
from sim.nets.controls import SEQUENCES
from sim.nets.probes import apart
from sim.nets.transformer import Trace, Transformer

Change = Callable[[Transformer], Transformer]
WRITERS = ("token", "position", "out", "out_bias", "down", "down_bias")
"""What is added to the stream: the last axis is the stream's features."""


@torch.no_grad()
def learned(
    architecture: Architecture, seeds: Sequence[int], spread: float, numbers: Tensor
) -> Transformer:
    """Models in float64 with gains and shifts as if learned: Gaussian, of this spread
    around their first values; a seed always gives the same. ``numbers`` make the weights.
    """
    net = Transformer(architecture, seeds, torch.float64, numbers=numbers)
    for number, part in enumerate((net.outer, *net.blocks)):
        for name, weight in part.items():
            if name.startswith(("gain", "shift")):
                columns, purpose = weight.shape[-1], f"{name} of {number}"
                drawn = chance.normals(seeds, purpose, 1, columns)  # (M, 1, columns)
                moved = spread * drawn.double()
                weight.copy_(weight * (1 + moved) if "gain" in name else moved)
    return net


@torch.no_grad()
def fold(net: Transformer) -> Transformer:
    """Move each norm's gain and shift into the next linear map that reads its output.

    Exact where nothing else reads it, as before a branch or a head. A norm whose output is
    the stream, or is added to it, has the next branch's map changed all the same.
    """
    maps = [
        (block[name], block[f"{name}_bias"])
        for block in net.blocks
        for name in ("qkv", "up")
    ]
    maps.append((net.outer["head"], net.outer["head_bias"]))
    for layer, rule in enumerate(net.architecture.rules):
        for sublayer in range(2 if rule.norms else 0):
            reader = 2 * layer + sublayer + (not rule.before)
            if reader < len(maps) - net.architecture.ends_in_norm:
                first = str(sublayer * rule.norms)
                _into(net.blocks[layer], first, *maps[reader])
    if net.architecture.ends_in_norm:
        _into(net.outer, "", *maps[-1])
    return net


@torch.no_grad()
def fold_back(net: Transformer) -> Transformer:
    """Move the gain of each norm that stands after a branch into the branch's last matrix."""
    for rule, block in zip(net.architecture.rules, net.blocks, strict=True):
        for sublayer, name in enumerate(("out", "down") if rule.after else ()):
            gain = block[f"gain{sublayer * rule.norms + rule.before}"]  # (M, 1, d or 1)
            block[name].mul_(gain)
            block[f"{name}_bias"].mul_(gain)
            gain.fill_(1)
    return net


@torch.no_grad()
def centre(net: Transformer) -> Transformer:
    """Take its mean out of every row that is added to the stream, so that the stream's own
    mean over the features is 0 for whatever input.
    """
    for part in (net.outer, *net.blocks):
        for name in WRITERS:
            if name in part:
                part[name].sub_(part[name].mean(-1, keepdim=True))
    return net


def as_rms(net: Transformer) -> Transformer:
    """Let RMSNorm take the place of every norm."""
    net.architecture = replace(net.architecture, operator="rms")
    return net


def _into(weights: dict[str, Tensor], place: str, matrix: Tensor, bias: Tensor) -> None:
    gain, shift = weights.get(f"gain{place}"), weights.get(f"shift{place}")
    if shift is not None:
        bias.add_(shift @ matrix)  # (M, 1, columns)
        shift.zero_()
    if gain is not None:
        matrix.mul_(gain.mT)  # (M, d or 1, 1)
        gain.fill_(1)


class Stacks:
    """Models of several placements, with the weights and symbols of their seeds."""

    def __init__(self, architecture: Architecture, seeds: Sequence[int]) -> None:
        self.architecture, self.seeds = architecture, seeds
        length, vocabulary = architecture.length, architecture.vocabulary
        self.ids = chance.symbols(seeds, SEQUENCES, length, vocabulary)
        self.numbers = draw(architecture, seeds)  # (S, W)

    def net(self, placement: Placement, spread: float) -> Transformer:
        architecture = replace(self.architecture, placement=placement)
        return learned(architecture, self.seeds, spread, self.numbers)

    @torch.no_grad()
    def errors(self, placement: Placement, spread: float, *changes: Change) -> Tensor:
        """Relative change of the centred stream after every layer, then of the logits,
        (L + 1, S).
        """
        net = self.net(placement, spread)
        before = _states(net, self.ids)
        for change in changes:
            net = change(net)
        after = _states(net, self.ids)
        pairs = zip(after, before, strict=True)
        return torch.stack([apart(new, old) for new, old in pairs])

    @torch.no_grad()
    def division(self) -> Tensor:
        """How far RMSNorm before the first map is from its division after it, (S,)."""
        net = self.net("pre", 0.0)
        x, matrix = net.embed(self.ids), net.blocks[0]["qkv"]
        size = (x.square().mean(-1, keepdim=True) + norms.EPS).sqrt()  # (S, N, 1)
        return apart((x @ matrix) / size, norms.normalise(x, "rms") @ matrix)


def _states(net: Transformer, ids: Tensor) -> list[Tensor]:
    trace = Trace()
    output = net.finish(net.stream(net.embed(ids), trace))  # (S, N, d)
    centred = [x - x.mean(-1, keepdim=True) for x in trace.streams[1:]]
    return [*centred, output @ net.outer["head"] + net.outer["head_bias"]]
