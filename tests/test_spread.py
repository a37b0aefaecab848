"""Spreading: a full day is avoided, and nothing else is lost by it."""

from collections.abc import Mapping
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.scheduling.memory import MAX_INTERVAL, Memory, Rating, after, interval
from quizsvc.scheduling.spread import WIDEST, Crowd, spread

DAY = date(2026, 3, 1)

intervals = st.integers(1, MAX_INTERVAL)
seeds = st.integers(0, 2**40)
loads = st.dictionaries(st.integers(1, 400), st.integers(0, 3))


def full(days: Mapping[int, int]) -> Crowd:
    """Other cards, counted by the days from ``DAY`` on which they come back."""
    return lambda *_: {DAY + timedelta(days=n): many for n, many in days.items()}


def nobody(*_: date) -> Mapping[date, int]:
    return {}


@given(intervals, seeds)
def test_alone_a_card_keeps_its_interval(days: int, seed: int) -> None:
    assert spread(DAY, days, least=1, seed=seed, crowd=nobody) == days


@given(st.integers(1, 400), st.integers(1, 400), seeds, loads)
def test_an_interval_stays_inside_its_range(
    days: int, least: int, seed: int, busy: Mapping[int, int]
) -> None:
    chosen = spread(DAY, days, least=least, seed=seed, crowd=full(busy))
    assert abs(chosen - days) <= min(days // 10, WIDEST)
    assert chosen >= min(days, least)
    assert chosen >= 1
    around = range(max(days - min(days // 10, WIDEST), min(days, least)), days + 1)
    assert busy.get(chosen, 0) <= min(busy.get(day, 0) for day in around)


@pytest.mark.parametrize("days", range(1, 10))
def test_a_short_interval_is_not_moved(days: int) -> None:
    """Four days after Good stay four days, however many others come then."""
    assert spread(DAY, days, least=1, seed=1, crowd=full({days: 99})) == days


def test_a_passed_interval_never_shrinks() -> None:
    crowded = full(dict.fromkeys(range(30, 40), 9))
    assert spread(DAY, 30, least=1, seed=1, crowd=crowded) == 29
    assert spread(DAY, 30, least=30, seed=1, crowd=crowded) >= 30


def test_what_is_above_the_maximum_is_capped_before_it_is_moved() -> None:
    days = interval(36_500.0, 0.7)
    crowded = full({days: 9})
    assert days - WIDEST <= spread(DAY, days, least=1, seed=1, crowd=crowded) < days


def test_of_two_days_as_near_and_as_empty_the_seed_picks_one() -> None:
    crowded = full({20: 1})
    chosen = [spread(DAY, 20, least=1, seed=n, crowd=crowded) for n in range(200)]
    assert set(chosen) == {19, 21}
    assert 60 < chosen.count(19) < 140
    assert chosen == [
        spread(DAY, 20, least=1, seed=n, crowd=crowded) for n in range(200)
    ]


@given(
    st.builds(Memory, st.floats(0.1, 5000), st.floats(1, 10)),
    st.integers(0, 300),
    st.integers(1, 400),
    seeds,
    loads,
)
def test_a_better_rating_is_never_met_sooner_on_crowded_days_either(
    memory: Memory, elapsed: int, least: int, seed: int, busy: Mapping[int, int]
) -> None:
    chosen = []
    for rating in Rating:
        days = interval(after(memory, elapsed, rating).stability)
        chosen.append(
            spread(
                DAY,
                days,
                least=1 if rating is Rating.AGAIN else least,
                seed=seed,
                crowd=full(busy),
            )
        )
    assert chosen == sorted(chosen)
    assert chosen[-1] <= MAX_INTERVAL
