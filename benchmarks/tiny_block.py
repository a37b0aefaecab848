"""The 4 × 4 block trained by autograd, all tasks at once, against finite differences.

The peer is the demonstration as one finds it: numpy, one task after another, each weight's
gradient by central differences. Both have to end at the same losses.
"""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.experiments.norm_placement import tiny_block
from sim.experiments.norm_placement.tiny_block import Params, Tasks

SEEDS = range(5)
PEERS = 4  # tasks that the peer trains: it is slow
NUDGE = 1e-5
REPEATS = 3
EQUAL = 1e-6

Array = NDArray[np.float64]
Block = Callable[[Array, Array], Array]


def rows() -> list[dict[str, Any]]:
    """Tasks trained in a second, under both placements; medians of interleaved repeats.

    Raises RuntimeError when the two do not end at the same losses.
    """
    params = Params()
    tasks = tiny_block.draw(params, SEEDS)
    rates: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(REPEATS):
        began = perf_counter()
        ends = {
            placement: tiny_block.train(
                placement, tasks, rate=params.rate, steps=params.steps
            )[-1].numpy()
            for placement in tiny_block.PLACEMENTS
        }
        rates["ours"].append(len(tasks.x) / (perf_counter() - began))
        began = perf_counter()
        for placement, end in ends.items():
            block = pre if placement == "pre" else post
            losses = [descend(block, tasks, task, params) for task in range(PEERS)]
            if np.abs(losses - end[:PEERS]).max() > EQUAL:
                raise RuntimeError(f"{placement}: the losses differ")
        rates["peer"].append(PEERS / (perf_counter() - began))
    ours, peer = median(rates["ours"]), median(rates["peer"])
    name = "4 × 4 blocks trained by autograd (peer: finite differences, one at a time)"
    ratio = ours / peer
    return [
        {"name": name, "ours": ours, "peer": peer, "ratio": ratio, "unit": "tasks/s"}
    ]


def descend(block: Block, tasks: Tasks, task: int, params: Params) -> float:
    """The loss of one task after gradient descent by central differences."""
    x, target = tasks.x[task].numpy(), tasks.target[task].numpy()
    weights = tasks.weights[task, 0].numpy().copy()  # (4, 4)

    def loss() -> float:
        return float(((block(x, weights) - target) ** 2).mean())

    for _ in range(params.steps):
        gradient = np.empty_like(weights)
        for place in np.ndindex(weights.shape):
            kept = weights[place]
            weights[place] = kept + NUDGE
            up = loss()
            weights[place] = kept - NUDGE
            gradient[place] = (up - loss()) / (2 * NUDGE)
            weights[place] = kept
        weights -= params.rate * gradient
    return loss()


def layer_norm(x: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled: Array = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return scaled


def pre(x: Array, weights: Array) -> Array:
    branch: Array = np.tanh(layer_norm(x) @ weights)
    return x + branch


def post(x: Array, weights: Array) -> Array:
    branch: Array = np.tanh(x @ weights)
    return layer_norm(x + branch)
