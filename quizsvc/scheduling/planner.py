"""What to ask today, in order, and why: towards an interview, or for good.

There are three ways. Without a date: plain FSRS, what has fallen to the target and then
what was never met. With a date and too little time to do all: as many new ones as it
takes to meet all in time, then most recall gained at the date per second. With time to
spare: plain FSRS and then, until the time is up, what will be recalled least at the
date. ``python -m benchmarks interview`` compares the latter two with plain FSRS.
"""

from enum import StrEnum
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quizsvc.scheduling.calibration import (
    PRIOR,
    Calibration,
    Calibrations,
    predicted_many,
)
from quizsvc.scheduling.guessing import NEVER_MET, right
from quizsvc.scheduling.memory import (
    FIRST_STABILITY,
    Floats,
    Ints,
    Memories,
    Rating,
    after_many,
    retrievability,
)

MET_BY = 0.6  # of the days left: when all is to be met once, if time is short
PASSES = 2  # right answers to each question, beyond the first, that a plan has room for


class Why(StrEnum):
    """Why a question stands where it stands."""

    DUE = "due"  # recall has fallen to the target
    NEW = "new"  # never met
    WEAK = "weak"  # time to spare: will be recalled least at the date
    GAIN = "gain"  # time is short: raises recall at the date most for what it takes
    SIBLING = "sibling"  # a variant of it comes first, or came today
    LEECH = "leech"  # forgotten more often than chance explains: not told here


KINDS = tuple(Why)
DUE, NEW, WEAK, GAIN, SIBLING = range(5)
AFTER = 1e7  # sets groups apart in one number: above any place, delay or gain


class Deck(NamedTuple):
    """Questions, one place in each array for each; no stability (nan): never met."""

    stability: Floats
    difficulty: Floats
    elapsed: Ints  # study days since the last answer
    due_in: Ints  # days until it is due, 0 or less when it is
    chance: Floats  # of a right guess
    right_seconds: Floats  # what a right answer takes, feedback included
    wrong_seconds: Floats
    family: Ints  # variants of one question share a number
    place: Ints  # order in which those never met are introduced

    @property
    def met(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.stability)


class Aim(NamedTuple):
    """What the candidate wants: ``days`` until the interview, None or past: no date."""

    days: int | None = None
    seconds: float = 1200.0  # a day
    knows: float = NEVER_MET  # share of questions never met that he answers

    @property
    def dated(self) -> bool:
        return self.days is not None and self.days >= 0


class Worth(NamedTuple):
    """What an answer today is worth, for each question."""

    recall: Floats  # at the date, if it is not asked any more; 0 if never met
    gain: Floats  # of that by asking today
    seconds: Floats  # that asking takes, expected


class Ranking(NamedTuple):
    """Places in the deck, most urgent first, and why each is there."""

    order: Ints
    why: list[Why]
    gain: Floats  # of recall at the date per minute, in this order; 0 without a date
    short: bool  # there is a date, and time does not suffice for all


def worth(
    deck: Deck, aim: Aim, calibration: Calibration | Calibrations = PRIOR
) -> Worth:
    """What asking each question today does to its recall at the date (or tomorrow's).

    gain = p·R(T, S_good) + (1-p)·R(T, S_again) - R(T + elapsed, S), with T days to go and
    every recall calibrated for another day.
    """
    met, days = deck.met, float(_days(aim))

    def at_the_date(stability: Floats, elapsed: Floats | float) -> Floats:
        return predicted_many(
            calibration, retrievability(np.asarray(elapsed), stability), inf
        )

    stability = np.where(met, deck.stability, 1.0)
    memories = Memories(stability, np.where(met, deck.difficulty, 5.0))
    elapsed = np.where(met, deck.elapsed, 0)
    knows = np.where(met, at_the_date(stability, elapsed.astype(float)), aim.knows)
    outcome = []
    for rating in (Rating.GOOD, Rating.AGAIN):
        ratings = np.full(met.shape, int(rating))
        asked = after_many(memories, elapsed, ratings).stability
        outcome.append(at_the_date(np.where(met, asked, FIRST_STABILITY[rating]), days))
    recall = np.where(met, at_the_date(stability, elapsed + days), 0.0)
    gain = knows * outcome[0] + (1 - knows) * outcome[1] - recall
    passes = right(knows, deck.chance)
    seconds = passes * deck.right_seconds + (1 - passes) * deck.wrong_seconds
    return Worth(recall, gain, seconds)


def needed_seconds(deck: Deck, aim: Aim) -> Floats:
    """What each question still takes: its first answer, if that is to come, and passes."""
    passes = right(np.full(len(deck.chance), aim.knows), deck.chance)
    first = passes * deck.right_seconds + (1 - passes) * deck.wrong_seconds
    return np.where(deck.met, 0.0, first) + PASSES * deck.right_seconds


def is_short(deck: Deck, aim: Aim) -> bool:
    """Whether the time to the date is less than first answers and a few passes take."""
    needed = needed_seconds(deck, aim).sum()
    return aim.dated and bool(aim.seconds * max(_days(aim), 1) < needed)


def urgency(
    deck: Deck,
    value: Worth,
    aim: Aim,
    short: bool | NDArray[np.bool_],
    plans: int = 1,
) -> Floats:
    """A number for each question, the lower the sooner; inf: not today.

    What was answered today rests. A deck may hold several ``plans`` of equal length, one
    after another, of which ``short`` says by question whether time is short.
    """
    new = ~deck.met
    useful = value.gain > 0
    hurried = np.where(
        new,
        np.where(_today(new, deck.place, aim, plans), -AFTER, AFTER) + deck.place,
        np.where(useful, -value.gain / value.seconds, inf),
    )
    weak = np.where(aim.dated & useful, value.recall, inf)
    due = deck.due_in + value.recall - 10 * AFTER
    in_turn = np.where(new, deck.place - AFTER, np.where(deck.due_in <= 0, due, weak))
    rests = deck.met & (deck.elapsed < 1)
    return np.where(rests, inf, np.where(short, hurried, in_turn))


def _today(
    new: NDArray[np.bool_], place: Ints, aim: Aim, plans: int
) -> NDArray[np.bool_]:
    """Which of those never met are to be met today to have met all in time."""
    waiting = np.where(new, place, inf).reshape(plans, -1)
    turn = waiting.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    left = new.reshape(plans, -1).sum(axis=1, keepdims=True)
    today: NDArray[np.bool_] = turn < left / max(1.0, MET_BY * _days(aim))
    return today.ravel() & new


def rank(deck: Deck, aim: Aim, calibration: Calibration = PRIOR) -> Ranking:
    """What to ask today, most urgent first; what was answered today rests.

    Without a date only what is due or new; with one also what can be raised before it.
    """
    value = worth(deck, aim, calibration)
    short = is_short(deck, aim)
    key = urgency(deck, value, aim, short)
    order = np.lexsort((deck.place, key))
    order = order[np.isfinite(key[order])]
    spread = _siblings(deck.family[order], deck.family[deck.met & (deck.elapsed < 1)])
    order = np.concatenate([order[~spread], order[spread]])
    kinds = np.where(deck.met, GAIN if short else WEAK, NEW)
    if not short:
        kinds[deck.met & (deck.due_in <= 0)] = DUE
    codes = np.where(np.sort(spread), SIBLING, kinds[order])
    gain = 60 * value.gain / value.seconds if aim.dated else np.zeros(len(key))
    return Ranking(order, [KINDS[code] for code in codes.tolist()], gain[order], short)


def _days(aim: Aim) -> int:
    return aim.days if aim.days is not None and aim.dated else 1


def _siblings(family: Ints, today: Ints) -> NDArray[np.bool_]:
    """Which of the ordered questions come after a variant of theirs, or one of today."""
    first = np.zeros(len(family), dtype=bool)
    first[np.unique(family, return_index=True)[1]] = True
    return ~first | np.isin(family, today)
