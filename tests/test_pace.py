"""How long an answer takes, from those before it."""

from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.scheduling.pace import (
    AWAY,
    ENOUGH,
    LONGEST,
    READING,
    USUAL,
    Pace,
    Timed,
    pace,
    spent,
)

seconds = st.floats(0, 1e6)
DAY, NOON = date(2026, 3, 4), datetime(2026, 3, 4, 12, tzinfo=UTC)
answers = st.lists(st.tuples(st.booleans(), seconds))


def test_until_anything_is_known_an_answer_takes_the_usual_time() -> None:
    assert pace([]) == Pace(USUAL, USUAL)


def test_right_and_wrong_answers_take_their_own_time() -> None:
    told = pace([(True, 12.0)] * ENOUGH + [(False, 45.0)] * ENOUGH)
    assert told == pytest.approx(Pace(12, 45))


def test_who_was_never_wrong_takes_as_long_for_it_as_for_the_rest() -> None:
    assert pace([(True, 12.0)] * 3 * ENOUGH) == pytest.approx(Pace(12, 12))


@given(st.integers(1, ENOUGH), st.floats(1, USUAL - 1))
def test_each_answer_moves_the_pace_towards_itself(many: int, spent: float) -> None:
    before = pace([(True, spent)] * (many - 1)).right
    assert spent - 1e-9 <= pace([(True, spent)] * many).right < before


@given(answers)
def test_a_pace_is_within_reason(recent: list[tuple[bool, float]]) -> None:
    for typical in pace(recent):
        assert 1 <= typical <= LONGEST + READING


@given(st.floats(1, 60), st.floats(0, 1e6), st.booleans())
def test_a_time_away_counts_for_little(usual: float, away: float, right: bool) -> None:
    calm = [(one, usual) for one in (True, False) for _ in range(2 * ENOUGH)]
    for typical in pace([*calm, (right, away)]):
        assert typical <= usual * (1 + AWAY / (2 * ENOUGH + 1))


@given(answers, st.randoms(use_true_random=False))
def test_the_order_of_the_answers_does_not_matter(
    recent: list[tuple[bool, float]], rng: Random
) -> None:
    mixed = list(recent)
    rng.shuffle(mixed)
    assert pace(mixed) == pytest.approx(pace(recent))


@given(st.floats(1, 600), st.floats(1, 600), st.floats(0, 1))
def test_what_is_expected_lies_between_right_and_wrong(
    right: float, wrong: float, chance: float
) -> None:
    expected = Pace(right, wrong).expected(chance)
    assert min(right, wrong) - 1e-9 <= expected <= max(right, wrong) + 1e-9


def sitting(*times: tuple[float, float]) -> list[Timed]:
    """Answers of a day, each so many seconds after noon and so long in the making."""
    return [Timed(DAY, NOON + timedelta(seconds=at), took) for at, took in times]


def test_an_answer_takes_the_reading_after_it_too() -> None:
    assert spent(sitting((30, 30), (120, 40), (140, 20))) == [30 + 50, 40, 20]


def test_reading_for_hours_counts_two_minutes_and_nothing_over_night() -> None:
    away = sitting((30, 30), (9_000, 10))
    assert spent(away) == [30 + READING, 10]
    assert spent([away[0], away[1]._replace(day=DAY + timedelta(days=1))]) == [30, 10]


moments = st.tuples(st.floats(0, 1e6), st.floats(-10, 1e6))


@given(st.lists(moments, max_size=20))
def test_time_spent_is_within_reason(times: list[tuple[float, float]]) -> None:
    for one in spent(sorted(sitting(*times))):
        assert 0 <= one <= LONGEST + READING
