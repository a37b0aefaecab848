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
    """The state after one more review; None is a card never met.

    Forgetting what was never known is no lapse. A review dated before the last one counts
    as made on the same day as it.
    """
    if state is None:
        memory, last_day, reviews, lapses = first(rating), day, 0, 0
    else:
        memory = after(state.memory, state.elapsed(day), rating)
        last_day = max(day, state.last_day)
        reviews = state.reviews
        lapses = state.lapses + (rating == Rating.AGAIN)
    return State(
        *memory,
        last_day=last_day,
        due=last_day + timedelta(days=interval(memory.stability, retention)),
        reviews=reviews + 1,
        lapses=lapses,
    )


def fold(entries: Iterable[Entry], retention: float = RETENTION) -> State | None:
    """The state after a whole log, in its order; None when nothing counts."""
    state = None
    for entry in entries:
        if entry.voided_at is None:
            state = step(state, entry.rating, entry.study_day, retention)
    return state
