"""What to ask today, and why: the order obeys the date, the time left and the deck."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.scheduling.calibration import PRIOR, Calibration
from quizsvc.scheduling.memory import Memory, Rating, after, interval, retrievability
from quizsvc.scheduling.planner import Aim, Deck, Why, is_short, rank, worth

NEW = float("nan")
Card = tuple[float, float, int, int]  # stability, difficulty, elapsed, family

cards = st.tuples(
    st.one_of(st.just(NEW), st.floats(0.1, 2000)),
    st.floats(1, 10),
    st.integers(0, 400),
    st.integers(0, 8),
)
decks = st.lists(cards, min_size=1, max_size=12)
aims = st.builds(
    Aim,
    st.one_of(st.none(), st.integers(-5, 90)),
    st.floats(0, 7200),
    st.floats(0, 1),
)
calibrations = st.tuples(st.floats(0.6, 1.5), st.floats(-0.8, 0.8)).map(
    lambda pair: Calibration(*pair)
)


def deck(cards: list[Card], chance: float = 0.0) -> Deck:
    """A deck whose questions take 10 seconds when right and 30 when wrong."""
    n = len(cards)
    stability, difficulty, elapsed, family = (
        np.array(column) for column in zip(*cards, strict=True)
    )
    days = [0 if isnan(s) else interval(s) for s in stability.tolist()]
    return Deck(
        stability=stability.astype(float),
        difficulty=difficulty.astype(float),
        elapsed=elapsed,
        due_in=np.array(days) - elapsed,
        chance=np.full(n, chance),
        right_seconds=np.full(n, 10.0),
        wrong_seconds=np.full(n, 30.0),
        family=family,
        place=np.arange(n)[::-1],
    )


def apart(*cards: tuple[float, int]) -> Deck:
    """Questions of (stability, elapsed) without variants."""
    return deck([(s, 5.0, e, family) for family, (s, e) in enumerate(cards)])


@given(decks, aims, calibrations)
def test_every_question_is_ranked_at_most_once_with_its_reason(
    cards: list[Card], aim: Aim, calibration: Calibration
) -> None:
    ranking = rank(deck(cards), aim, calibration)
    assert len(set(ranking.order.tolist())) == len(ranking.order)
    assert len(ranking.why) == len(ranking.order) == len(ranking.gain)
    for place, why in zip(ranking.order.tolist(), ranking.why, strict=True):
        if why is Why.NEW:
            assert np.isnan(cards[place][0])
        elif why is not Why.SIBLING:
            assert cards[place][2] > 0, "answered today"


@given(decks, st.one_of(st.none(), st.integers(-100, -1)), st.floats(0, 7200))
def test_without_a_date_it_is_plain_fsrs(
    cards: list[Card], days: int | None, seconds: float
) -> None:
    asked = deck(cards)
    ranking = rank(asked, Aim(days, seconds))
    assert not ranking.short
    assert set(ranking.why) <= {Why.DUE, Why.NEW, Why.SIBLING}
    due = asked.met & (asked.elapsed > 0) & (asked.due_in <= 0)
    assert set(ranking.order.tolist()) == set(np.flatnonzero(due | ~asked.met).tolist())


@given(decks, aims, calibrations)
def test_reasons_come_in_the_order_of_urgency(
    cards: list[Card], aim: Aim, calibration: Calibration
) -> None:
    ranking = rank(deck(cards), aim, calibration)
    urgency = [Why.DUE, Why.NEW, Why.WEAK, Why.SIBLING]
    if not ranking.short:
        assert ranking.why == sorted(ranking.why, key=urgency.index)
    else:
        own = [
            gain
            for gain, why in zip(ranking.gain, ranking.why, strict=True)
            if why is Why.GAIN
        ]
        assert own == sorted(own, reverse=True)
        assert all(gain > 0 for gain in own)


@given(decks, aims, calibrations)
def test_variants_of_a_question_do_not_meet_on_one_day(
    cards: list[Card], aim: Aim, calibration: Calibration
) -> None:
    asked = deck(cards)
    ranking = rank(asked, aim, calibration)
    seen = set(asked.family[asked.met & (asked.elapsed < 1)].tolist())
    for place, why in zip(ranking.order.tolist(), ranking.why, strict=True):
        family = cards[place][3]
        assert (why is Why.SIBLING) == (family in seen)
        seen.add(family)


@given(decks, aims)
def test_the_order_of_the_deck_decides_nothing_but_ties(
    cards: list[Card], aim: Aim
) -> None:
    distinct = list(
        {(s, d, e): (s, d, e, i) for i, (s, d, e, _) in enumerate(cards)}.values()
    )
    asked = deck(distinct)
    turned = Deck(*(column[::-1] for column in asked))
    n = len(distinct)
    one, other = rank(asked, aim), rank(turned, aim)
    assert sorted(one.order.tolist()) == sorted((n - 1 - other.order).tolist())
    assert np.allclose(one.gain, other.gain)


def test_when_time_is_short_the_most_gained_in_a_second_comes_first() -> None:
    fragile, solid, forgotten = (1.5, 2), (200.0, 2), (0.3, 30)
    ranking = rank(apart(solid, fragile, forgotten, (NEW, 0)), Aim(14, 5.0))
    assert ranking.short
    assert ranking.order[0] == 3
    assert ranking.order.tolist().index(1) < ranking.order.tolist().index(0)
    assert ranking.why[0] is Why.NEW
    assert set(ranking.why[1:]) == {Why.GAIN}


def test_when_time_is_short_all_are_met_before_the_date() -> None:
    cards = [(NEW, 5.0, 0, family) for family in range(30)]
    known = [(0.5, 5.0, 3, 30 + family) for family in range(30)]
    ranking = rank(deck(cards + known), Aim(10, 60.0))
    assert ranking.short
    assert ranking.why == [Why.NEW] * 5 + [Why.GAIN] * 30 + [Why.NEW] * 25
    eve = rank(deck(cards + known), Aim(1, 60.0))
    assert eve.why == [Why.NEW] * 30 + [Why.GAIN] * 30


def test_time_to_spare_goes_to_what_will_be_recalled_least() -> None:
    ranking = rank(apart((100.0, 10), (5.0, 6), (NEW, 0), (30.0, 10)), Aim(20, 1800.0))
    assert not ranking.short
    assert ranking.order.tolist() == [1, 2, 3, 0]
    assert ranking.why == [Why.DUE, Why.NEW, Why.WEAK, Why.WEAK]


@given(decks, st.integers(0, 90), st.floats(0, 7200), st.floats(0, 7200))
def test_more_time_never_makes_it_short(
    cards: list[Card], days: int, one: float, other: float
) -> None:
    less, more = sorted([one, other])
    assert is_short(deck(cards), Aim(days, less)) >= is_short(
        deck(cards), Aim(days, more)
    )


def test_without_any_time_the_plan_still_has_an_order() -> None:
    for days in (0, 1, 30):
        ranking = rank(apart((5.0, 6), (NEW, 0)), Aim(days, 0.0))
        assert sorted(ranking.order.tolist()) == [0, 1]


def test_nothing_to_ask_is_an_empty_order() -> None:
    ranking = rank(apart((5.0, 0)), Aim(3, 600.0))
    assert ranking.order.tolist() == ranking.why == []


@given(st.floats(0.5, 500), st.floats(1, 10), st.integers(1, 60), st.integers(0, 60))
def test_a_gain_by_hand(
    stability: float, difficulty: float, elapsed: int, days: int
) -> None:
    exact = Calibration(1.0, 0.0, 0.0, 0.0, 0.0)
    value = worth(deck([(stability, difficulty, elapsed, 0)]), Aim(days), exact)

    def seen(recall: float) -> float:
        return min(max(recall, 0.001), 0.999)

    memory = Memory(stability, difficulty)
    p = seen(retrievability(elapsed, stability))
    good, again = (
        seen(retrievability(days, after(memory, elapsed, rating).stability))
        for rating in (Rating.GOOD, Rating.AGAIN)
    )
    left = seen(retrievability(days + elapsed, stability))
    # the offset's usual doubt shrinks every chance a little, the same on both sides
    assert value.gain[0] == pytest.approx(p * good + (1 - p) * again - left, abs=0.02)
    assert value.seconds[0] == pytest.approx(p * 10 + (1 - p) * 30, abs=0.5)


def test_what_can_be_guessed_takes_less_time_and_gains_no_more() -> None:
    open_question = worth(deck([(4.0, 5.0, 6, 0)]), Aim(10), PRIOR)
    choice = worth(deck([(4.0, 5.0, 6, 0)], chance=0.25), Aim(10), PRIOR)
    assert choice.seconds[0] < open_question.seconds[0]
    assert choice.gain[0] == open_question.gain[0]
