"""One gradient sent back through stacks of several placements and depths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from sim.core import Progress
from sim.nets import blocks, chance, probes
from sim.nets.controls import SEQUENCES
from sim.nets.transformer import Architecture, Transformer, draw


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What was measured: everything at the deepest stack, the last layer at every depth."""

    depths: Sequence[int]
    deepest: Mapping[str, probes.Gradients]
    skips: Mapping[str, Tensor]  # at the streams with every branch cut, (L + 1, S)
    last: Mapping[str, Tensor]  # at the last second matrix, (depths, S)


def sweep(
    deepest: Architecture,
    placements: Sequence[blocks.Placement],
    depths: Sequence[int],
    seeds: Sequence[int],
    progress: Progress,
) -> Sweep:
    """Probe gradients at initialisation; a seed's weights, symbols and readout are shared."""
    length, width = deepest.length, deepest.width
    ids = chance.symbols(seeds, SEQUENCES, length, deepest.vocabulary)  # (S, B, T)
    readout = chance.readout(seeds, SEQUENCES * length, width)  # (S, N, d)
    numbers = draw(deepest, seeds)  # (S, W)
    found: dict[str, probes.Gradients] = {}
    skips: dict[str, Tensor] = {}
    last: dict[str, Tensor] = {}
    done = 0
    for placement in placements:
        ends = []
        for depth in depths:
            architecture = replace(deepest, placement=placement, depth=depth)
            net = Transformer(architecture, seeds, numbers=numbers)
            found[placement] = probes.gradients(net, ids, readout)
            ends.append(found[placement].down[-1])
            done += depth
            progress(done / (len(placements) * sum(depths)))
        last[placement] = torch.stack(ends)
        if net.architecture.rules[-1].skip:
            skips[placement] = probes.gradients(net, ids, readout, cut=True).streams
    return Sweep(depths=depths, deepest=found, skips=skips, last=last)
