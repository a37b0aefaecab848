"""The fold of a review log: what is known of a card, from nothing but its reviews."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.scheduling.log import State, fold, step
from quizsvc.scheduling.memory import Rating, after, first, interval

DAY = date(2026, 3, 1)
UNDONE = datetime(2026, 3, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Line:
    rating: int
    study_day: date
    voided_at: datetime | None = None


def log(*entries: tuple[int, int]) -> list[Line]:
    """Lines from (rating, days since the first)."""
    return [Line(rating, DAY + timedelta(days=day)) for rating, day in entries]


def known(*entries: tuple[int, int]) -> State:
    state = fold(log(*entries))
    assert state is not None
    return state


lines = st.lists(
    st.builds(
        Line,
        st.sampled_from(Rating),
        st.dates(DAY, DAY + timedelta(days=3000)),
        st.sampled_from([None, None, None, UNDONE]),
    ),
    max_size=12,
)


def test_a_card_never_met_has_no_state() -> None:
    assert fold([]) is None


def test_the_first_review_sets_the_memory_and_the_due_day() -> None:
    assert known((Rating.GOOD, 0)) == State(
        *first(Rating.GOOD), DAY, DAY + timedelta(days=2), reviews=1, lapses=0
    )


def test_a_gap_of_two_days_counts_as_two_days() -> None:
    expected = after(first(Rating.GOOD), 2, Rating.GOOD)
    assert known((Rating.GOOD, 0), (Rating.GOOD, 2)).memory == expected


def test_the_third_review_of_a_day_follows_after_no_time() -> None:
    memory = first(Rating.AGAIN)
    for _ in range(2):
        memory = after(memory, 0, Rating.GOOD)
    assert known((Rating.AGAIN, 0), (Rating.GOOD, 0), (Rating.GOOD, 0)).memory == memory


def test_good_and_hard_on_one_day_keep_the_stability() -> None:
    good = known((Rating.GOOD, 0))
    hard = known((Rating.GOOD, 0), (Rating.HARD, 0))
    assert hard.stability == good.stability


@pytest.mark.parametrize(
    ("entries", "lapses"),
    [
        ([(Rating.AGAIN, 0)], 0),
        ([(Rating.AGAIN, 0), (Rating.GOOD, 1)], 0),
        ([(Rating.GOOD, 0), (Rating.AGAIN, 2)], 1),
        ([(Rating.GOOD, 0), (Rating.AGAIN, 2), (Rating.AGAIN, 3)], 2),
    ],
)
def test_only_what_was_known_can_lapse(
    entries: list[tuple[int, int]], lapses: int
) -> None:
    assert known(*entries).lapses == lapses


def test_a_review_dated_before_the_last_one_follows_after_no_time() -> None:
    state = known((Rating.GOOD, 5), (Rating.GOOD, 3))
    assert state.memory == after(first(Rating.GOOD), 0, Rating.GOOD)
    assert state.last_day == DAY + timedelta(days=5)
    assert state.due > state.last_day


def test_a_higher_target_is_met_sooner() -> None:
    entries = log((Rating.GOOD, 0), (Rating.GOOD, 3))
    modest, proud = fold(entries, 0.8), fold(entries, 0.95)
    assert modest is not None
    assert proud is not None
    assert proud.due < modest.due
    assert proud.memory == modest.memory


@given(lines)
def test_undone_reviews_count_for_nothing(entries: list[Line]) -> None:
    kept = [entry for entry in entries if entry.voided_at is None]
    assert fold(entries) == fold(kept)


@given(lines)
def test_a_fold_is_its_steps_one_by_one(entries: list[Line]) -> None:
    state = None
    for entry in entries:
        if entry.voided_at is None:
            state = step(state, entry.rating, entry.study_day)
    assert state == fold(entries)


@given(lines, st.floats(0.7, 0.97))
def test_nothing_is_scheduled_into_the_past(
    entries: list[Line], retention: float
) -> None:
    state = fold(entries, retention)
    if state is not None:
        counted = [e.study_day for e in entries if e.voided_at is None]
        assert state.last_day == max(counted)
        assert state.due == state.last_day + timedelta(
            days=interval(state.stability, retention)
        )
        assert state.due > max(counted)
        assert state.reviews == len(counted)
        assert state.lapses < state.reviews
