"""Simulated candidates, whose memory is never the one that the scheduler believes in.

Each learns by a memory of the FSRS-6 form with weights of his own, each card by a rate of
its own, and forgets along a curve of his own: a power of time, or exponentially. He knows
some of the questions beforehand.
"""

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quizsvc.scheduling.memory import WEIGHTS, Floats, Ints


class Kind(NamedTuple):
    """How far candidates depart from the default memory (standard deviations of logs)."""

    weights: float  # of the weights
    cards: float  # of how well a card sticks
    curve: float | None  # of the exponent of forgetting; None: exponential


KINDS = {
    "near": Kind(0.1, 0.2, 0.3),
    "far": Kind(0.25, 0.3, 0.4),
    "exponential": Kind(0.1, 0.2, None),
}
RIGHT_SECONDS, WRONG_SECONDS = 10.0, 27.0


class Learner:
    """One candidate and his true memory of each question; times in study days."""

    def __init__(self, kind: Kind, questions: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.w = np.array(WEIGHTS) * np.exp(rng.normal(0, kind.weights, 21))
        self.w[5:7] = WEIGHTS[5:7]
        self.exponent = None
        if kind.curve is not None:
            self.exponent = float(WEIGHTS[20] * np.exp(rng.normal(0, kind.curve)))
        self.sticks = np.exp(rng.normal(0, kind.cards, questions))
        self.knows = float(rng.uniform(0.3, 0.6))
        self.stability = np.full(questions, np.nan)
        self.difficulty = np.full(questions, np.nan)
        self.last = np.zeros(questions, dtype=np.int64)

    def recall(self, day: int) -> Floats:
        """The true chance of recall of each question; 0 for one never met."""
        elapsed = day - self.last
        stability = np.where(np.isnan(self.stability), 1.0, self.stability)
        if self.exponent is None:
            recall = 0.9 ** (elapsed / stability)
        else:
            factor = 0.9 ** (-1 / self.exponent) - 1
            recall = (1 + factor * elapsed / stability) ** -self.exponent
        return np.where(np.isnan(self.stability), 0.0, recall)

    def ask(
        self, order: Ints, day: int, seconds: float = inf, chance: float = 0.0
    ) -> tuple[Ints, NDArray[np.bool_]]:
        """Ask in this order while the time lasts: which were asked, and which were right.

        What he does not recall he guesses; memory learns by what was recalled alone.
        """
        new = np.isnan(self.stability[order])
        knows = np.where(new, self.knows, self.recall(day)[order])
        recalled = self.rng.random(len(order)) < knows
        right = recalled | (self.rng.random(len(order)) < chance)
        spent = np.cumsum(np.where(right, RIGHT_SECONDS, WRONG_SECONDS))
        asked = order[spent <= seconds]
        self._learn(asked, recalled[spent <= seconds], day)
        return asked, right[spent <= seconds]

    def _learn(self, asked: Ints, recalled: NDArray[np.bool_], day: int) -> None:
        w, recall = self.w, self.recall(day)[asked]
        new = np.isnan(self.stability[asked])
        s = np.where(new, 1.0, self.stability[asked])
        d = np.where(new, 5.0, self.difficulty[asked])
        growth = (11 - d) * s ** -w[9] * (np.exp(w[10] * (1 - recall)) - 1)
        good = s * (1 + np.exp(w[8]) * growth * self.sticks[asked])
        kept = w[11] * d ** -w[12] * ((s + 1) ** w[13] - 1)
        again = np.minimum(s, kept * np.exp(w[14] * (1 - recall)))
        started = np.where(recalled, w[2], w[0]) * self.sticks[asked]
        after = np.where(new, started, np.where(recalled, good, again))
        easy, hard = w[4] - np.exp(2 * w[5]) + 1, w[4]
        moved = d + np.where(recalled, 0.0, (10 - d) / 9 * 2 * w[6])
        harder = np.where(new, np.where(recalled, easy, hard), moved)
        self.stability[asked] = np.clip(after, 0.001, 36500)
        self.difficulty[asked] = np.clip(harder, 1, 10)
        self.last[asked] = day
