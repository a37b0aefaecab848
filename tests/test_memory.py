"""The FSRS-6 kernel: equal to an independent implementation, and lawful by itself."""

from datetime import UTC, datetime, timedelta

import fsrs
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from quizsvc.scheduling.memory import (
    MAX_INTERVAL,
    MAX_STABILITY,
    Memories,
    Memory,
    Rating,
    after,
    after_many,
    first,
    first_many,
    interval,
    interval_many,
    retrievability,
)

HISTORIES = 10_000
ANSWERS = 10
MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)

stabilities = st.floats(0.001, 36500)
memories = st.builds(Memory, stabilities, st.floats(1, 10))
days = st.integers(0, 36500)
ratings = st.sampled_from(Rating)


@pytest.fixture(scope="module")
def histories() -> tuple[np.ndarray, np.ndarray]:
    """Days before each answer and ratings, (HISTORIES, ANSWERS); one in four same-day."""
    rng = np.random.default_rng(6)
    shape = (HISTORIES, ANSWERS)
    gaps = np.floor(10 ** rng.uniform(0, 2.3, shape)).astype(np.int64)
    gaps[rng.random(shape) < 0.25] = 0
    return gaps, rng.choice([1, 2, 3, 4], shape, p=[0.25, 0.15, 0.45, 0.15])


@pytest.fixture(scope="module")
def oracle(histories: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """(stability, difficulty, interval) by ``fsrs``, (HISTORIES, ANSWERS, 3).

    It takes elapsed time from instants, so every answer is at an exact midnight.
    """
    scheduler = fsrs.Scheduler(
        learning_steps=(), relearning_steps=(), enable_fuzzing=False
    )
    told = np.empty((HISTORIES, ANSWERS, 3))
    for i, (gaps, history) in enumerate(zip(*histories, strict=True)):
        card, at = fsrs.Card(card_id=i + 1), MIDNIGHT
        for j, (gap, rating) in enumerate(zip(gaps, history, strict=True)):
            at += timedelta(days=int(gap))
            card, _ = scheduler.review_card(card, fsrs.Rating(int(rating)), at)
            told[i, j] = card.stability, card.difficulty, (card.due - at).days
    assert told[..., 0].max() < MAX_STABILITY, "fsrs has no upper clamp to compare"
    return told


def test_one_card_agrees_with_fsrs(
    histories: tuple[np.ndarray, np.ndarray], oracle: np.ndarray
) -> None:
    ours = np.empty_like(oracle)
    for i, (gaps, history) in enumerate(
        zip(*(h.tolist() for h in histories), strict=True)
    ):
        memory = first(history[0])
        ours[i, 0] = *memory, interval(memory.stability)
        for j in range(1, ANSWERS):
            memory = after(memory, gaps[j], history[j])
            ours[i, j] = *memory, interval(memory.stability)
    assert_allclose(ours[..., :2], oracle[..., :2], rtol=1e-9, atol=0)
    assert_array_equal(ours[..., 2], oracle[..., 2])


def test_many_cards_agree_with_fsrs(
    histories: tuple[np.ndarray, np.ndarray], oracle: np.ndarray
) -> None:
    gaps, history = histories
    cards = first_many(history[:, 0])
    for j in range(ANSWERS):
        if j:
            cards = after_many(cards, gaps[:, j], history[:, j])
        assert_allclose(np.stack(cards, axis=1), oracle[:, j, :2], rtol=1e-9, atol=0)
        assert_array_equal(interval_many(cards.stability), oracle[:, j, 2])


def test_retrievability_agrees_with_fsrs() -> None:
    scheduler = fsrs.Scheduler()
    for stability in (0.001, 0.5, 2.3065, 100.0, 36500.0):
        card = fsrs.Card(card_id=1, stability=stability, last_review=MIDNIGHT)
        for elapsed in (0, 1, 7, 365, 36500):
            at = MIDNIGHT + timedelta(days=elapsed)
            expected = scheduler.get_card_retrievability(card, at)
            assert retrievability(elapsed, stability) == pytest.approx(
                expected, rel=1e-9
            )


@given(st.lists(st.tuples(memories, days, ratings), min_size=1))
def test_many_cards_are_as_many_single_ones(
    cards: list[tuple[Memory, int, Rating]],
) -> None:
    expected = [after(*card) for card in cards]
    olds, elapsed, rating = zip(*cards, strict=True)
    news = after_many(Memories(*np.array(olds).T), np.array(elapsed), np.array(rating))
    assert_allclose(np.stack(news, axis=1), expected, rtol=1e-9, atol=0)
    assert interval_many(news.stability).tolist() == [
        interval(s) for s in news.stability.tolist()
    ]


@given(memories, days, ratings)
@example(Memory(0.001, 10), 0, Rating.AGAIN)
@example(Memory(36500, 1), 36500, Rating.EASY)
def test_a_memory_stays_in_range(memory: Memory, elapsed: int, rating: Rating) -> None:
    stability, difficulty = after(memory, elapsed, rating)
    assert 0.001 <= stability <= 36500
    assert 1 <= difficulty <= 10


@given(memories, days)
@example(Memory(0.001, 1), 0)
def test_again_never_raises_stability(memory: Memory, elapsed: int) -> None:
    assert after(memory, elapsed, Rating.AGAIN).stability <= memory.stability


@given(memories, days, st.sampled_from([Rating.HARD, Rating.GOOD, Rating.EASY]))
@example(first(Rating.GOOD), 0, Rating.HARD)
def test_a_pass_never_lowers_stability(
    memory: Memory, elapsed: int, rating: Rating
) -> None:
    assert after(memory, elapsed, rating).stability >= memory.stability


@given(memories, days, st.floats(0.7, 0.99))
def test_a_better_rating_is_never_met_sooner(
    memory: Memory, elapsed: int, retention: float
) -> None:
    intervals = [
        interval(after(memory, elapsed, rating).stability, retention)
        for rating in Rating
    ]
    assert intervals == sorted(intervals)
    assert intervals[0] >= 1
    assert intervals[-1] <= MAX_INTERVAL


@given(memories, days)
def test_a_better_rating_never_leaves_a_card_more_difficult(
    memory: Memory, elapsed: int
) -> None:
    difficulties = [after(memory, elapsed, rating).difficulty for rating in Rating]
    assert difficulties == sorted(difficulties, reverse=True)


@given(stabilities, days, days)
def test_recall_only_falls_with_time(stability: float, one: int, other: int) -> None:
    sooner, later = sorted([one, other])
    assert (
        1 >= retrievability(sooner, stability) >= retrievability(later, stability) > 0
    )


@given(st.integers(1, 36500))
def test_recall_is_nine_tenths_when_the_stability_is_over(stability: int) -> None:
    assert retrievability(stability, float(stability)) == pytest.approx(0.9)
    assert interval(float(stability), 0.9) == stability


@given(st.floats(3, 10_000), st.floats(0.8, 0.97))
def test_an_interval_ends_at_the_target(stability: float, retention: float) -> None:
    length = interval(stability, retention)
    if 1 < length < MAX_INTERVAL:
        assert (
            retrievability(length - 1, stability)
            > retention
            > retrievability(length + 1, stability)
        )


def test_forgetting_again_and_again_leaves_something() -> None:
    memory = first(Rating.AGAIN)
    for elapsed in [0, 1] * 500:
        memory = after(memory, elapsed, Rating.AGAIN)
    assert memory.stability > 0
    assert interval(memory.stability) == 1


def test_ten_times_hard_keeps_the_difficulty_a_number_in_range() -> None:
    memory = first(Rating.HARD)
    for _ in range(10):
        memory = after(memory, 1, Rating.HARD)
        assert isinstance(memory.difficulty, float)
        assert 1 <= memory.difficulty <= 10


def test_a_raw_interval_above_the_maximum_is_capped() -> None:
    assert interval(MAX_STABILITY, 0.7) == MAX_INTERVAL
    assert interval_many(np.array([MAX_STABILITY]), 0.7).tolist() == [MAX_INTERVAL]


@pytest.mark.parametrize(
    ("memory", "elapsed", "rating"),
    [
        pytest.param(Memory(0.0, 0.0), 1, 3, id="a card that says it was reviewed"),
        pytest.param(Memory(float("nan"), 5.0), 1, 3, id="not a number"),
        pytest.param(Memory(1.0, 11.0), 1, 3, id="difficulty"),
        pytest.param(Memory(1.0, 5.0), -1, 3, id="time runs backwards"),
        pytest.param(Memory(1.0, 5.0), 1, 0, id="no rating"),
        pytest.param(Memory(1.0, 5.0), 1, 5, id="no such rating"),
    ],
)
def test_a_state_that_cannot_be_is_refused(
    memory: Memory, elapsed: int, rating: int
) -> None:
    with pytest.raises(ValueError, match="cannot get a"):
        after(memory, elapsed, rating)


@pytest.mark.parametrize("rating", [-1, 0, 5])
def test_a_first_rating_is_one_of_four(rating: int) -> None:
    with pytest.raises(ValueError, match="no such rating"):
        first(rating)
