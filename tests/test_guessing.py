"""Guessing: chance levels, and a memory that believes a right answer only so far."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.scheduling.guessing import (
    NEVER_MET,
    answered,
    chance,
    how_often_right,
    known,
    knows,
    right,
)
from quizsvc.scheduling.memory import Memory, Rating, after, first, retrievability

memories = st.builds(Memory, st.floats(0.001, 36500), st.floats(1, 10))
days = st.integers(0, 3650)
chances = st.floats(0, 0.5)
recalls = st.floats(0.01, 1)
confidences = st.sampled_from([None, "sure", "unsure"])
passes = st.sampled_from([Rating.HARD, Rating.GOOD, Rating.EASY])


@pytest.mark.parametrize(
    ("kind", "choices", "expected"),
    [
        ("single", 2, 1 / 2),
        ("single", 4, 1 / 4),
        ("multi", 4, 1 / 15),
        ("multi", 5, 1 / 31),
        ("open", 0, 0),
        ("estimate", 0, 0),
    ],
)
def test_the_chance_level_of_a_question(
    kind: str, choices: int, expected: float
) -> None:
    assert chance(kind, choices) == expected
    assert chance(kind, choices, dont_know=True) == 0


@pytest.mark.parametrize(("kind", "choices"), [("single", 1), ("multi", 0), ("odd", 4)])
def test_a_question_that_cannot_be_has_no_chance_level(kind: str, choices: int) -> None:
    with pytest.raises(ValueError, match=r"choice among|no such kind"):
        chance(kind, choices)


@given(recalls, chances)
def test_a_right_answer_is_what_was_recalled_or_guessed(
    recall: float, guess: float
) -> None:
    seen = right(recall, guess)
    assert max(recall, guess) - 1e-12 <= seen <= 1
    assert recall / seen == pytest.approx(known(recall, guess))


@given(recalls, chances)
def test_a_sure_answer_was_known_more_likely_than_an_unsure_one(
    recall: float, guess: float
) -> None:
    sure, silent, unsure = (known(recall, guess, c) for c in ("sure", None, "unsure"))
    assert 1 >= sure >= silent >= unsure > 0


@given(memories, days, st.sampled_from(Rating), confidences)
def test_without_a_chance_of_guessing_it_is_the_plain_update(
    memory: Memory, elapsed: int, rating: Rating, confidence: str | None
) -> None:
    assert answered(memory, elapsed, rating, 0.0, confidence) == after(
        memory, elapsed, rating
    )
    assert answered(None, 0, rating, 0.0, confidence) == first(rating)


@given(memories, days, chances, confidences)
def test_a_wrong_answer_proves_itself(
    memory: Memory, elapsed: int, guess: float, confidence: str | None
) -> None:
    expected = after(memory, elapsed, Rating.AGAIN)
    assert answered(memory, elapsed, Rating.AGAIN, guess, confidence) == expected
    assert answered(None, 0, Rating.AGAIN, guess) == first(Rating.AGAIN)


@given(memories, days, passes, chances, confidences)
def test_a_right_answer_lies_between_known_and_guessed(
    memory: Memory, elapsed: int, rating: Rating, guess: float, confidence: str | None
) -> None:
    new = answered(memory, elapsed, rating, guess, confidence)
    worst, best = (after(memory, elapsed, r) for r in (Rating.AGAIN, rating))
    assert worst.stability * 0.999999 <= new.stability <= best.stability * 1.000001
    assert best.difficulty - 1e-9 <= new.difficulty <= worst.difficulty + 1e-9


@given(memories, days, chances, chances)
def test_the_easier_to_guess_the_less_is_believed(
    memory: Memory, elapsed: int, one: float, other: float
) -> None:
    fewer, more = sorted([one, other])
    believed, doubted = (
        answered(memory, elapsed, Rating.GOOD, g).stability for g in (fewer, more)
    )
    assert believed >= doubted * 0.999999


def test_the_soft_update_by_hand() -> None:
    memory, elapsed = Memory(4.0, 6.0), 6
    recall = retrievability(elapsed, 4.0)
    k = recall / (recall + 0.25 * (1 - recall))
    good, again = (after(memory, elapsed, r) for r in (Rating.GOOD, Rating.AGAIN))
    new = answered(memory, elapsed, Rating.GOOD, 0.25)
    assert log(new.stability) == pytest.approx(
        k * log(good.stability) + (1 - k) * log(again.stability)
    )
    assert new.difficulty == pytest.approx(
        k * good.difficulty + (1 - k) * again.difficulty
    )


@pytest.mark.parametrize("guess", [-0.1, 1.0, float("nan")])
def test_a_chance_is_a_chance(guess: float) -> None:
    with pytest.raises(ValueError, match="no chance of guessing"):
        answered(None, 0, Rating.GOOD, guess)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("guess", [0.0, 0.25, 0.5])
def test_what_is_known_beforehand_is_told_without_lucky_guesses(
    share: float, guess: float
) -> None:
    n = 2000
    rights = round(n * (guess + (1 - guess) * share))
    log = [(place < rights, guess) for place in range(n)]
    assert knows(log) == pytest.approx(share, abs=0.02)


@given(st.lists(st.tuples(st.booleans(), chances), max_size=60))
def test_a_share_known_beforehand_is_a_chance_that_answers_move(
    log: list[tuple[bool, float]],
) -> None:
    before = knows(log)
    assert 0 < before < 1
    assert knows([*log, (False, 0.0)]) < before < knows([*log, (True, 0.0)])
    assert knows([]) == NEVER_MET


def test_how_often_sure_was_right() -> None:
    said = (
        [("sure", True)] * 8 + [("sure", False)] * 2 + [("unsure", False), (None, True)]
    )
    shares = how_often_right(said)
    assert shares["sure"][:2] == (10, 8)
    assert shares["sure"].low == pytest.approx(0.490, abs=0.001)  # Wilson's by hand
    assert shares["sure"].high == pytest.approx(0.943, abs=0.001)
    assert shares["unsure"][:3] == (1, 0, 0.0)
    assert set(shares) == {"sure", "unsure"}
