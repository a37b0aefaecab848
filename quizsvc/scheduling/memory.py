"""FSRS-6: how well a card is remembered, and how an answer changes that.

Each formula is written once, in operators alone, so that it holds for one card (floats)
and for many (arrays). What differs is the choice of branch: :func:`after` takes one
card's, :func:`after_many` computes each branch for the cards that are on it, which for
a single card takes 40 times as long. Numbers are written as floats, 1.0 and not 1: Python
is quicker with two of a kind. Time is in whole study days. Formulas and default weights:
FSRS-6 of open-spaced-repetition, as its package ``fsrs`` 6.3 has them.
"""

from enum import IntEnum
from functools import partial
from math import e
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Number = TypeVar("Number", float, Floats)


class Rating(IntEnum):
    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


class Memory(NamedTuple):
    """One card's memory: stability in days, and difficulty."""

    stability: float
    difficulty: float


_memory = partial(tuple.__new__, Memory)  # its own way takes an eighth of after()


class Memories(NamedTuple):
    """Many cards' memories, one place in both arrays for each card."""

    stability: Floats
    difficulty: Floats


# fmt: off
WEIGHTS = (
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796,
    1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
)
(
    W0, W1, W2, W3, W4, W5, W6, W7, W8, W9, W10,
    W11, W12, W13, W14, W15, W16, W17, W18, W19, W20,
) = WEIGHTS
# fmt: on

RETENTION = 0.9
MIN_STABILITY, MAX_STABILITY = 0.001, 36500.0
MIN_DIFFICULTY, MAX_DIFFICULTY = 1.0, 10.0
MAX_INTERVAL = 36500

FACTOR: float = 0.9 ** (-1 / W20) - 1
FORGET_CAP: float = e ** -(W17 * W18)


def _initial_difficulty(rating: int) -> float:
    shift: float = e ** (W5 * (rating - 1))
    return W4 - shift + 1


# What a formula takes from the rating, at the rating's place; place 0 is no rating.
RATINGS = tuple(Rating)
FIRST_STABILITY = (0.0, W0, W1, W2, W3)
FIRST_DIFFICULTY = (0.0, *(max(1.0, _initial_difficulty(g)) for g in RATINGS))
GAIN = (0.0, 0.0, e**W8 * W15, e**W8, e**W8 * W16)
SAME_DAY = (0.0, *(e ** (W17 * (g - 3 + W18)) for g in RATINGS))
SHIFT = (0.0, *(-W6 * (g - 3) / 9 for g in RATINGS))
REVERSION = W7 * _initial_difficulty(Rating.EASY)  # not clamped in here


def retrievability(elapsed: Number, stability: Number) -> Number:
    """The chance of recall after so many days; 0.9 when as many as the stability."""
    recall: Number = (1.0 + FACTOR * elapsed / stability) ** -W20
    return recall


def _raw_interval(stability: Number, retention: float) -> Number:
    stretch: float = retention ** (-1 / W20) - 1
    return stability / FACTOR * stretch


def _recalled(
    stability: Number, difficulty: Number, recall: Number, gain: Number
) -> Number:
    growth: Number = (
        (11.0 - difficulty) * stability**-W9 * (e ** (W10 * (1.0 - recall)) - 1.0)
    )
    return stability * (1.0 + gain * growth)


def _forgotten(stability: Number, difficulty: Number, recall: Number) -> Number:
    kept: Number = difficulty**-W12 * ((stability + 1.0) ** W13 - 1.0)
    eased: Number = e ** (W14 * (1.0 - recall))
    return W11 * kept * eased


def _same_day(stability: Number, jump: Number) -> Number:
    change: Number = jump * stability**-W19
    return change


def _next_difficulty(difficulty: Number, shift: Number) -> Number:
    return REVERSION + (1.0 - W7) * (difficulty + (10.0 - difficulty) * shift)


def _nearest(value: float, low: float, high: float) -> float:
    return low if value < low else high if value > high else value


def first(rating: int) -> Memory:
    """The memory of a new card after its first answer.

    Raises ValueError for a rating that is not one of the four.
    """
    if not 1 <= rating <= 4:
        raise ValueError(f"no such rating: {rating}")
    return Memory(FIRST_STABILITY[rating], FIRST_DIFFICULTY[rating])


def after(memory: Memory, elapsed: int, rating: int) -> Memory:
    """The memory after an answer, ``elapsed`` study days after the last one.

    Raises ValueError for a memory or a rating out of range, and for a negative time.
    """
    s, d = memory
    if not (
        MIN_STABILITY <= s <= MAX_STABILITY
        and MIN_DIFFICULTY <= d <= MAX_DIFFICULTY
        and elapsed >= 0
        and 1 <= rating <= 4
    ):
        raise ValueError(f"{memory} cannot get a {rating} after {elapsed} days")
    if elapsed < 1:
        change = _same_day(s, SAME_DAY[rating])
        stability = s if change < 1 and rating > 1 else s * change
    elif rating > 1:
        stability = _recalled(s, d, retrievability(elapsed, s), GAIN[rating])
    else:
        stability = _forgotten(s, d, retrievability(elapsed, s))
        cap = s * FORGET_CAP
        stability = cap if cap < stability else stability
    difficulty = _next_difficulty(d, SHIFT[rating])
    if not MIN_STABILITY <= stability <= MAX_STABILITY:
        stability = _nearest(stability, MIN_STABILITY, MAX_STABILITY)
    if not MIN_DIFFICULTY <= difficulty <= MAX_DIFFICULTY:
        difficulty = _nearest(difficulty, MIN_DIFFICULTY, MAX_DIFFICULTY)
    return _memory((stability, difficulty))


def interval(stability: float, retention: float = RETENTION) -> int:
    """Whole days until the chance of recall has fallen to ``retention``; 1 to 36500."""
    days = round(_raw_interval(stability, retention))
    return 1 if days < 1 else MAX_INTERVAL if days > MAX_INTERVAL else days


def first_many(rating: Ints) -> Memories:
    """:func:`first` for an array of ratings, which are trusted to be 1 to 4."""
    return Memories(
        np.array(FIRST_STABILITY)[rating], np.array(FIRST_DIFFICULTY)[rating]
    )


def after_many(memories: Memories, elapsed: Ints, rating: Ints) -> Memories:
    """:func:`after` for one answer of each card; arrays of one length, in and out.

    The arrays are trusted to be in range; :func:`after` checks what comes from outside.
    """
    s, d = memories
    days = elapsed.astype(np.float64)
    stability = _recalled(s, d, retrievability(days, s), np.array(GAIN)[rating])
    forgot = np.flatnonzero((rating == Rating.AGAIN) & (elapsed > 0))
    t = s[forgot]
    lapse = _forgotten(t, d[forgot], retrievability(days[forgot], t))
    stability[forgot] = np.minimum(lapse, t * FORGET_CAP)
    same = np.flatnonzero(elapsed < 1)
    change = _same_day(s[same], np.array(SAME_DAY)[rating[same]])
    least = np.where(rating[same] > Rating.AGAIN, 1.0, 0.0)
    stability[same] = s[same] * np.maximum(change, least)
    difficulty = _next_difficulty(d, np.array(SHIFT)[rating])
    return Memories(
        np.clip(stability, MIN_STABILITY, MAX_STABILITY),
        np.clip(difficulty, MIN_DIFFICULTY, MAX_DIFFICULTY),
    )


def interval_many(stability: Floats, retention: float = RETENTION) -> Ints:
    """:func:`interval` for an array of stabilities."""
    days = np.rint(_raw_interval(stability, retention))
    return np.clip(days, 1, MAX_INTERVAL).astype(np.int64)
