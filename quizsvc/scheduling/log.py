"""The review log of one card, folded into what is known of it now."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import NamedTuple, Protocol

from quizsvc.scheduling.memory import RETENTION, Memory, Rating, after, first, interval


class Entry(Protocol):
    """One line of the log. A voided one was undone and counts for nothing."""

    @property
    def rating(self) -> int: ...
    @property
    def study_day(self) -> date: ...
    @property
    def voided_at(self) -> datetime | None: ...


class State(NamedTuple):
    """A card's state after its last review."""

    stability: float
    difficulty: float
    last_day: date
    due: date
    reviews: int
    lapses: int

    @property
    def memory(self) -> Memory:
        return Memory(self.stability, self.difficulty)

    def elapsed(self, day: date) -> int:
        """Days since the last review; 0 if a clock or a zone moved backwards."""
        return max((day - self.last_day).days, 0)


def step(
    state: State | None, rating: int, day: date, retention: float = RETENTION
) -> State:
    """The state after one more review by plain FSRS; None is a card never met."""
    if state is None:
        memory = first(rating)
    else:
        memory = after(state.memory, state.elapsed(day), rating)
    return moved(state, rating, day, memory, interval(memory.stability, retention))


def moved(
    state: State | None, rating: int, day: date, memory: Memory, days: int
) -> State:
    """The state after one more review that left a memory, to be asked again in ``days``.

    Forgetting what was never known is no lapse. A review dated before the last one counts
    as made on the same day as it.
    """
    last_day = day if state is None else max(day, state.last_day)
    reviews, lapses = (0, 0) if state is None else (state.reviews, state.lapses)
    return State(
        *memory,
        last_day=last_day,
        due=last_day + timedelta(days=days),
        reviews=reviews + 1,
        lapses=lapses + (state is not None and rating == Rating.AGAIN),
    )


def fold(entries: Iterable[Entry], retention: float = RETENTION) -> State | None:
    """The state after a whole log, in its order; None when nothing counts."""
    state = None
    for entry in entries:
        if entry.voided_at is None:
            state = step(state, entry.rating, entry.study_day, retention)
    return state
