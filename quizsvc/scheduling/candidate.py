"""All that is known of a candidate, folded from the whole review log.

Cards and calibration move together: each answer is predicted with the calibration of
that moment, changes its card's memory, teaches the calibration and sets the due day by
what it then says. Whatever is stored of these is a cache of this fold.
"""

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
    retention: float = RETENTION,
) -> Met:
    """One more answer; a voided one is not to be given.

    The calibration learns from the first answer of a study day to a card met before.
    Raises ValueError as :func:`~quizsvc.scheduling.guessing.answered` does.
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
    days = interval(memory.stability, target(calibration, retention))
    after = log.moved(state, entry.rating, day, memory, days)
    return Met(after, calibration, before)


def fold(entries: Iterable[Entry], retention: float = RETENTION) -> Candidate:
    """The candidate after a whole log, in its order; voided entries count for nothing."""
    states: dict[int, State] = {}
    calibration = PRIOR
    for entry in entries:
        if entry.voided_at is None:
            number = entry.question_id
            met = meet(states.get(number), calibration, entry, retention)
            states[number], calibration = met.state, met.calibration
    return Candidate(states, calibration)
