"""The forecast: lawful, repeatable, and honest about what the plan can reach."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizsvc.scheduling.calibration import Calibration
from quizsvc.scheduling.forecast import HORIZON, STEPS, forecast
from quizsvc.scheduling.planner import Aim
from tests.test_planner import NEW, Card, aims, apart, calibrations, deck, decks


def fresh(questions: int) -> list[Card]:
    """Questions never met."""
    return [(NEW, 5.0, 0, family) for family in range(questions)]


@given(decks, aims, calibrations)
@settings(max_examples=15)
def test_a_forecast_is_a_chance_within_its_band(
    cards: list[Card], aim: Aim, calibration: Calibration
) -> None:
    told = forecast(deck(cards), aim, calibration)
    assert 0 <= told.low <= told.recall <= told.high <= 1
    assert told.minute_less <= 0 <= told.minute_more
    assert 0 <= told.untouched <= 1
    assert told == forecast(deck(cards), aim, calibration)
    days = [load.day for load in told.loads]
    assert days == sorted(set(days))
    assert len(days) <= STEPS
    assert told.without_today <= told.recall
    course = [point.day for point in told.course]
    assert course == ([*days, told.days] if told.days else [0])
    for point in told.course:
        assert 0 <= point.low <= point.recall <= point.high <= 1
    last = told.course[-1]
    assert last[1:] == (told.recall, told.low, told.high, told.untouched)
    for load in told.loads:
        assert load.answers >= load.new >= 0
        assert load.minutes >= 0


@given(decks, st.integers(1, STEPS), st.floats(0, 3600))
@settings(max_examples=15)
def test_no_more_time_is_planned_than_there_is(
    cards: list[Card], days: int, seconds: float
) -> None:
    told = forecast(deck(cards), Aim(days, seconds))
    assert len(told.loads) == days
    assert sum(load.minutes for load in told.loads) <= days * seconds / 60 + 1e-6


def test_asking_does_not_change_the_deck() -> None:
    cards = deck([(4.0, 5.0, 3, 0), (NEW, 5.0, 0, 1)])
    before = [column.copy() for column in cards]
    forecast(cards, Aim(10, 600.0))
    for column, kept in zip(cards, before, strict=True):
        np.testing.assert_array_equal(column, kept)


@pytest.mark.parametrize("days", [None, -3])
def test_without_a_date_a_month_is_looked_ahead(days: int | None) -> None:
    told = forecast(deck(fresh(50)), Aim(days, 1200.0))
    assert told.days == HORIZON
    assert not told.short
    assert 0.8 < told.recall < 1


def test_more_time_leads_further() -> None:
    recalls = [
        forecast(deck(fresh(200)), Aim(20, 60.0 * minutes)).recall
        for minutes in (2, 5, 10, 20, 40)
    ]
    assert recalls == sorted(recalls)
    assert recalls[0] < 0.5
    assert recalls[-1] > 0.9


def test_a_minute_more_is_worth_much_when_time_is_short_and_little_when_not() -> None:
    hurried = forecast(deck(fresh(300)), Aim(14, 300.0))
    idle = forecast(deck(fresh(30)), Aim(14, 3600.0))
    assert hurried.short
    assert hurried.minute_more > 0.02
    assert hurried.minute_less < -0.02
    assert not idle.short
    assert idle.minute_more < 0.001


def test_the_course_begins_with_what_is_known_now_and_no_further_answer_lets_it_fall() -> (
    None
):
    known = [(20.0, 5.0, 3, family) for family in range(20)]
    told = forecast(deck(known), Aim(30, 600.0))
    first, last = told.course[0], told.course[-1]
    assert first.recall == pytest.approx(first.untouched)
    untouched = [point.untouched for point in told.course]
    assert untouched == sorted(untouched, reverse=True)
    assert last.recall > first.recall > last.untouched


def test_today_is_a_step_of_its_own_however_far_the_date() -> None:
    for days in (1, 2, 24, 25, 365):
        told = forecast(deck(fresh(50)), Aim(days, 300.0))
        assert (told.loads[0].day, told.loads[0].days) == (0, 1)
        assert sum(load.days for load in told.loads) == days


def test_a_day_left_out_costs_most_when_days_are_few() -> None:
    def cost(days: int) -> float:
        told = forecast(deck(fresh(300)), Aim(days, 600.0))
        return told.recall - told.without_today

    assert cost(1) > cost(3) > cost(10) > 0
    idle = forecast(deck(fresh(10)), Aim(30, 3600.0))
    assert idle.recall - idle.without_today < 0.01


def test_who_knows_more_beforehand_is_told_more() -> None:
    little, much = (
        forecast(deck(fresh(200)), Aim(10, 600.0, knows)).recall for knows in (0.1, 0.9)
    )
    assert little < much


def test_no_minutes_lead_where_nothing_is_touched() -> None:
    told = forecast(apart((5.0, 2), (50.0, 9), (NEW, 0)), Aim(14, 0.0))
    assert told.recall == pytest.approx(told.untouched)
    assert told.minute_less == 0
    assert all(load.answers == 0 for load in told.loads)


def test_on_the_day_itself_only_today_is_left() -> None:
    told = forecast(apart((5.0, 9), (5.0, 20)), Aim(0, 600.0))
    assert told.days == 0
    assert [load.day for load in told.loads] == [0]
    assert told.recall > told.untouched
    assert told.without_today == pytest.approx(told.untouched)


def test_more_doubt_about_the_candidate_is_a_wider_band() -> None:
    def width(doubt: float) -> float:
        told = forecast(deck(fresh(100)), Aim(20, 600.0), Calibration(1, 0, doubt))
        return told.high - told.low

    assert width(0.001) < width(0.04) < width(0.2)


def test_a_large_deck_is_played_by_some_that_stand_for_it() -> None:
    few, many = (
        forecast(deck(fresh(n)), Aim(30, seconds))
        for n, seconds in ((200, 600.0), (2000, 6000.0))
    )
    assert many.recall == pytest.approx(few.recall, abs=0.02)
    assert sum(load.new * load.days for load in many.loads) == pytest.approx(
        2000, rel=0.05
    )


def test_a_long_way_is_played_in_strides() -> None:
    told = forecast(deck(fresh(100)), Aim(365, 300.0))
    assert len(told.loads) <= STEPS
    assert sum(load.days for load in told.loads) == 365
    assert told.recall > 0.9


def test_there_is_nothing_to_forecast_without_questions() -> None:
    empty = type(deck(fresh(1)))(*(column[:0] for column in deck(fresh(1))))
    with pytest.raises(ValueError, match="no questions"):
        forecast(empty, Aim(10, 600.0))
