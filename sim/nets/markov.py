"""The task that networks are trained on: the next symbol of a Markov chain of order one."""

import math
from collections.abc import Sequence

import numpy as np
from torch import Tensor

from sim.nets import chance

CONCENTRATION = 0.2  # of the Dirichlet rows: a few likely successors for each symbol
BALANCING = 500  # rounds of Sinkhorn's algorithm


class Chain:
    """One chain over V symbols for each seed.

    Transitions are doubly stochastic, so all symbols are equally frequent and a model that
    knows nothing but frequencies scores exactly ln V; no model can score below ``floor``,
    the entropy of a transition (S,), in nats.
    """

    def __init__(self, seeds: Sequence[int], vocabulary: int) -> None:
        self.rngs = [chance.generator(seed, "chain") for seed in seeds]
        concentration = np.full(vocabulary, CONCENTRATION)
        rows = [rng.dirichlet(concentration, vocabulary) for rng in self.rngs]
        matrix = np.stack(rows) + 1e-9  # (S, V, V)
        for _ in range(BALANCING):
            matrix /= matrix.sum(1, keepdims=True)
            matrix /= matrix.sum(2, keepdims=True)
        self.vocabulary = vocabulary
        self.matrix = matrix
        entropy = -(matrix * np.log(matrix)).sum(2).mean(1)  # (S,)
        self.floor = chance.tensor(list(entropy))  # (S,)

    def sample(self, steps: int, batch: int, length: int) -> Tensor:
        """Fresh sequences, (steps, S, B, T + 1); each call continues the random streams."""
        bounds = self.matrix.cumsum(2)  # (S, V, V)
        drawn = []
        for rng, rows in zip(self.rngs, bounds, strict=True):
            symbols = rng.integers(self.vocabulary, size=(steps, batch))  # (steps, B)
            sequence = [symbols]
            for _ in range(length):
                point = rng.random((steps, batch, 1))  # (steps, B, 1)
                symbols = (rows[symbols, :-1] < point).sum(2)  # (steps, B)
                sequence.append(symbols)
            drawn.append(np.stack(sequence, 2))  # (steps, B, T + 1)
        return chance.tensor(drawn, 1)  # (steps, S, B, T + 1)

    def gap(self, loss: Tensor) -> Tensor:
        """What is left to learn of (…, S) losses: 0 at the floor, 1 at symbol frequencies."""
        return (loss - self.floor) / (math.log(self.vocabulary) - self.floor)
