"""A real review log and what is judged on it: long-term reviews, and how well predicted.

The file is CSV with ``card_id, review_rating, review_time`` (ISO 8601 with an offset, or
milliseconds since 1970); ratings other than the four are no answers and left out. Study
days begin at 04:00 UTC. A long-term review is one on a later study day than the card's
last; those are predicted and judged, all teach.
"""

import csv
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quizsvc.scheduling.memory import (
    RATINGS,
    Floats,
    Ints,
    Memory,
    Rating,
    after,
    first,
    retrievability,
)

ROLLOVER = timedelta(hours=4)
RESAMPLES = 200


class Review(NamedTuple):
    """A long-term review, and what was known of its card before it."""

    card: str
    history: tuple[tuple[int, int], ...]  # (rating, days since the one before)
    elapsed: int
    rating: int
    recall: float  # by the default weights
    last: int  # how many long-term reviews there were when the interval was set


def path() -> Path | None:
    """The log named by the environment variable REVLOG, if it is there."""
    named = Path(os.environ.get("REVLOG", ""))
    return named if named.is_file() else None


def long_term(file: Path) -> list[Review]:
    """The long-term reviews of a log in the order of time."""
    with file.open(encoding="utf-8", newline="") as lines:
        answers = [
            (_moment(row["review_time"]), row["card_id"], int(row["review_rating"]))
            for row in csv.DictReader(lines)
        ]
    days: dict[str, int] = {}
    memories: dict[str, Memory] = {}
    histories: dict[str, list[tuple[int, int]]] = {}
    last: dict[str, int] = {}
    reviews: list[Review] = []
    for at, card, rating in sorted(answers, key=itemgetter(0)):
        if rating not in RATINGS:
            continue
        day = (at - ROLLOVER).date().toordinal()
        if card not in memories:
            memories[card], histories[card] = first(rating), [(rating, 0)]
        else:
            elapsed, memory = day - days[card], memories[card]
            if elapsed:
                recall = retrievability(elapsed, memory.stability)
                history = tuple(histories[card])
                reviews.append(
                    Review(card, history, elapsed, rating, recall, last[card])
                )
            memories[card] = after(memory, elapsed, rating)
            histories[card].append((rating, elapsed))
        days[card], last[card] = day, len(reviews)
    return reviews


def _moment(text: str) -> datetime:
    if text.isdigit():
        return datetime.fromtimestamp(int(text) / 1000, UTC)
    return datetime.fromisoformat(text)


class Judge:
    """Log loss, RMSE(bins) and AUC of predictions, with intervals over cards."""

    def __init__(self, reviews: list[Review]) -> None:
        self.right = np.array([r.rating > Rating.AGAIN for r in reviews], dtype=float)
        self.bins = _numbered([_bin(r) for r in reviews])
        self.cards = _numbered([r.card for r in reviews])

    def weights(self, chosen: slice = slice(None)) -> list[Floats]:
        """Once all reviews of the slice; then resamples of whole cards."""
        inside = np.zeros(len(self.right))
        inside[chosen] = 1.0
        rng = np.random.default_rng(0)
        cards = int(self.cards.max()) + 1
        drawn = rng.multinomial(cards, np.full(cards, 1 / cards), RESAMPLES)
        return [inside, *(inside * counts[self.cards] for counts in drawn)]

    def log_loss(self, predicted: Floats, weight: Floats) -> float:
        surprise = np.where(self.right == 1, predicted, 1 - predicted)
        return float(-(weight * np.log(surprise)).sum() / weight.sum())

    def rmse(self, predicted: Floats, weight: Floats) -> float:
        """Of predicted and true retention, in bins by interval, reviews and lapses."""
        size = np.bincount(self.bins, weight)
        error = np.bincount(self.bins, weight * (predicted - self.right))
        kept = size > 0
        return float(np.sqrt((error[kept] ** 2 / size[kept]).sum() / weight.sum()))

    def auc(self, predicted: Floats, weight: Floats) -> float:
        """The chance that a right answer was given more than a wrong one; 0.5 if there
        are none of either."""
        _, rank = np.unique(predicted, return_inverse=True)
        good = np.bincount(rank, weight * self.right)
        bad = np.bincount(rank, weight * (1 - self.right))
        below = np.cumsum(bad) - bad / 2
        if not good.any() or not bad.any():
            return 0.5
        return float((good * below).sum() / (good.sum() * bad.sum()))


Measure = Callable[[Floats, Floats], float]


def compared(
    measure: Measure, ours: Floats, peer: Floats, weights: list[Floats]
) -> tuple[float, float, float, float]:
    """Ours, the peer's, and where 95 % of the differences lie over resampled cards.

    Of the resamples those that hold a review are used.
    """
    drawn = [w for w in weights[1:] if w.any()] or weights[:1]
    differences = [measure(ours, w) - measure(peer, w) for w in drawn]
    low, high = np.quantile(differences, [0.025, 0.975])
    return measure(ours, weights[0]), measure(peer, weights[0]), float(low), float(high)


def _bin(review: Review) -> tuple[int, int, int]:
    """The bins of the open-spaced-repetition benchmark, by their numbers."""
    lapses = sum(rating == Rating.AGAIN for rating, gap in review.history if gap)
    return (
        _step(review.elapsed, 3.62),
        _step(len(review.history) + 1, 1.89),
        _step(lapses, 1.73) if lapses else -1,
    )


def _step(value: int, base: float) -> int:
    return int(np.floor(np.log(value) / np.log(base)))


def _numbered(keys: list[tuple[int, int, int]] | list[str]) -> NDArray[np.int64]:
    numbers: dict[object, int] = {}
    found: Ints = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    return found
