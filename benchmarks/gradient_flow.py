"""Sixty untrained networks: ours as one stack against a loop over torch's encoder layers.

Both draw the weights, send one gradient back and read its norm at every layer's second
feed-forward matrix, for ten seeds, two placements and three depths, on one thread.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import nn

from sim.nets import blocks, chance, probes
from sim.nets.transformer import Architecture, Transformer, draw

SEEDS = range(10)
DEPTHS = (6, 12, 24)
PLACEMENTS: tuple[blocks.Placement, ...] = ("post", "pre")
NETWORKS = len(SEEDS) * len(DEPTHS) * len(PLACEMENTS)
BATCH = 8
REPEATS = 3
SHAPE = Architecture(
    depth=1, width=64, heads=4, hidden=256, length=8, vocabulary=16, init="pytorch"
)


def rows() -> list[dict[str, Any]]:
    """Networks probed in a second, median of interleaved repeats."""
    runs = {"ours": stacked, "peer": looped}
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(REPEATS):
        for name, run in runs.items():
            spent[name].append(_seconds(run))
    ours, peer = (NETWORKS / median(spent[name]) for name in runs)
    name = f"gradient norms of {NETWORKS} networks at initialisation, one thread"
    return [
        {
            "name": name,
            "ours": ours,
            "peer": peer,
            "ratio": ours / peer,
            "unit": "networks/s",
        }
    ]


def stacked() -> int:
    """All seeds of a placement and depth in one pass."""
    ids = chance.symbols(SEEDS, BATCH, SHAPE.length, SHAPE.vocabulary)  # (S, B, T)
    size = (BATCH * SHAPE.length, SHAPE.width)
    readout = chance.readout(SEEDS, *size)
    numbers = draw(replace(SHAPE, depth=max(DEPTHS)), SEEDS)  # (S, W)
    count = 0
    for placement, depth in product(PLACEMENTS, DEPTHS):
        shape = replace(SHAPE, placement=placement, depth=depth)
        net = Transformer(shape, SEEDS, numbers=numbers)
        count += probes.gradients(net, ids, readout).down.numel()
    return count


def looped() -> int:
    """One network after another, as one would write it with ``torch.nn``."""
    count = 0
    for placement, depth, seed in product(PLACEMENTS, DEPTHS, SEEDS):
        torch.manual_seed(seed)
        embedding = nn.Embedding(SHAPE.vocabulary, SHAPE.width)
        layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                SHAPE.width,
                SHAPE.heads,
                SHAPE.hidden,
                dropout=0,
                batch_first=True,
                norm_first=placement == "pre",
            )
            for _ in range(depth)
        )
        ids = torch.randint(SHAPE.vocabulary, (BATCH, SHAPE.length))  # (B, T)
        x = embedding(ids)  # (B, T, d)
        for layer in layers:
            x = layer(x)  # (B, T, d)
        if placement == "pre":
            x = nn.functional.layer_norm(x, x.shape[-1:])
        (x * torch.randn_like(x)).sum().backward()
        norms = [_gradient_norm(layer.linear2) for layer in layers]
        count += len(norms)
    return count


def _gradient_norm(layer: Any) -> float:
    return float(layer.weight.grad.norm())


def _seconds(run: Callable[[], int]) -> float:
    start = perf_counter()
    if run() != len(SEEDS) * len(PLACEMENTS) * sum(DEPTHS):
        raise RuntimeError("a gradient norm is missing")
    return perf_counter() - start
