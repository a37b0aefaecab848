"""All that is known of a candidate, folded from the whole review log.

Cards and calibration move together: each answer is predicted with the calibration of
that moment, changes its card's memory, teaches the calibration and sets the due day by
what it then says and by how full the days around it are. Whatever is stored of these is
a cache of this fold.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple, Protocol

from quizsvc.scheduling import log
from quizsvc.scheduling.calibration import (
    PRIOR,
    Calibration,
    learned,
    predicted,
    target,
)
from quizsvc.scheduling.guessing import answered
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import RETENTION, Rating, interval, retrievability
from quizsvc.scheduling.spread import Crowd, spread

CARDS = 1_000_003  # sets cards apart in a seed: above the reviews of one


class Entry(log.Entry, Protocol):
    """One line of the log: also which question, and how far a right answer proves it."""

    @property
    def question_id(self) -> int: ...
    @property
    def chance(self) -> float: ...
    @property
    def confidence(self) -> str | None: ...


class Met(NamedTuple):
    """What one answer leaves behind, and the recall predicted just before it."""

    state: State
    calibration: Calibration
    predicted: float | None  # None for a card never met


class Candidate(NamedTuple):
    """The cards met, by question, and the calibration."""

    states: dict[int, State]
    calibration: Calibration


def recall(state: State, day: date, calibration: Calibration = PRIOR) -> float:
    """The calibrated chance of recall on a study day, the form of now included."""
    return predicted(calibration, retrievability(state.elapsed(day), state.stability))


def meet(
    state: State | None,
    calibration: Calibration,
    entry: Entry,
    retention: float,
    crowd: Crowd,
) -> Met:
    """One more answer; a voided one is not to be given.

    The calibration learns from the first answer of a study day to a card met before. The
    ``crowd`` counts the other cards. Raises ValueError as
    :func:`~quizsvc.scheduling.guessing.answered` does.
    """
    day = entry.study_day
    before = None if state is None else recall(state, day, calibration)
    elapsed = 0 if state is None else state.elapsed(day)
    if state is not None and elapsed > 0:
        calibration = learned(
            calibration,
            retrievability(elapsed, state.stability),
            entry.rating != Rating.AGAIN,
            entry.chance,
        )
    memory = answered(
        None if state is None else state.memory,
        elapsed,
        entry.rating,
        entry.chance,
        entry.confidence,
    )
    days = spread(
        day if state is None else max(day, state.last_day),
        interval(memory.stability, target(calibration, retention)),
        least=_least(state, entry),
        seed=entry.question_id * CARDS + (state.reviews if state else 0),
        crowd=crowd,
    )
    after = log.moved(state, entry.rating, day, memory, days)
    return Met(after, calibration, before)


def _least(state: State | None, entry: Entry) -> int:
    """The interval that a passed card is not moved below: the one that it had."""
    if state is None or entry.rating == Rating.AGAIN:
        return 1
    return (state.due - state.last_day).days


class Folding:
    """A log as it is folded, line by line."""

    def __init__(self, retention: float = RETENTION) -> None:
        self.retention = retention
        self.states: dict[int, State] = {}
        self.calibration = PRIOR
        self._due: Counter[date] = Counter()

    def meet(self, entry: Entry) -> Met:
        """One more answer, as :func:`meet` has it."""
        number = entry.question_id
        state = self.states.get(number)
        if state is not None:
            self._due[state.due] -= 1
        met = meet(state, self.calibration, entry, self.retention, lambda *_: self._due)
        self.states[number], self.calibration = met.state, met.calibration
        self._due[met.state.due] += 1
        return met


def fold(entries: Iterable[Entry], retention: float = RETENTION) -> Candidate:
    """The candidate after a whole log, in its order; voided entries count for nothing."""
    folding = Folding(retention)
    for entry in entries:
        if entry.voided_at is None:
            folding.meet(entry)
    return Candidate(folding.states, folding.calibration)
