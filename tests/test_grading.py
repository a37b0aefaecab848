"""Scores of choice questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from question_bank.grading import RULES, interval, score

KEY = frozenset("ABC")


@pytest.mark.parametrize(
    ("rule", "scores"),
    [
        ("all-or-nothing", [1, 0, 0, 0, 0, 0]),
        ("net-correct", [1, 0.667, 0.333, 0, 0.333, 0]),
        ("each-option", [1, 0.8, 0.6, 0.4, 0.6, 0]),
    ],
)
def test_the_published_table_holds(rule: str, scores: list[float]) -> None:
    answers = ["ABC", "AB", "ABD", "AD", "ABCDE", ""]
    got = [score(rule, KEY, set(chosen), 5) for chosen in answers]
    assert got == pytest.approx(scores, abs=5e-4)


@st.composite
def graded(draw: st.DrawFn) -> tuple[str, frozenset[str], frozenset[str], int]:
    options = draw(st.integers(2, 8))
    names = [f"choice-{n}" for n in range(options)]
    key = draw(st.frozensets(st.sampled_from(names), min_size=1))
    chosen = draw(st.frozensets(st.sampled_from(names)))
    return draw(st.sampled_from(RULES)), key, chosen, options


@given(graded())
def test_a_score_lies_between_nothing_and_everything(
    case: tuple[str, frozenset[str], frozenset[str], int],
) -> None:
    rule, key, chosen, options = case
    assert 0 <= score(rule, key, chosen, options) <= 1


@given(graded())
def test_only_the_exact_key_is_worth_everything(
    case: tuple[str, frozenset[str], frozenset[str], int],
) -> None:
    rule, key, chosen, options = case
    assert (score(rule, key, chosen, options) == 1) == (chosen == key)


@given(graded())
def test_ticking_nothing_is_worth_nothing(
    case: tuple[str, frozenset[str], frozenset[str], int],
) -> None:
    rule, key, _, options = case
    assert score(rule, key, frozenset(), options) == 0


@given(graded())
def test_one_more_right_choice_never_costs_and_one_more_wrong_never_pays(
    case: tuple[str, frozenset[str], frozenset[str], int],
) -> None:
    rule, key, chosen, options = case
    before = score(rule, key, chosen, options)
    for name in key - chosen:
        assert score(rule, key, chosen | {name}, options) >= before
    if chosen:  # a blank is worth nothing under every rule, whatever the formula says
        for name in {f"choice-{n}" for n in range(options)} - key - chosen:
            assert score(rule, key, chosen | {name}, options) <= before


@pytest.mark.parametrize(
    ("rule", "key", "chosen", "options", "message"),
    [
        ("halves", {"a"}, {"a"}, 2, "no scoring rule"),
        ("net-correct", set(), {"a"}, 2, "without a key"),
        ("net-correct", {"a"}, {"b", "c"}, 2, "more choices"),
    ],
)
def test_a_question_that_makes_no_sense_is_not_scored(
    rule: str, key: set[str], chosen: set[str], options: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        score(rule, key, chosen, options)


@pytest.mark.parametrize(
    ("key", "tolerance", "low", "high"),
    [
        (2, {"factor": 2}, 1, 4),
        (-2, {"factor": 2}, -4, -1),
        (0.5, {"margin": 0.25}, 0.25, 0.75),
        (0, {"margin": 1}, -1, 1),
        (0, {"factor": 3}, 0, 0),
    ],
)
def test_a_tolerance_lies_around_the_key(
    key: float, tolerance: dict[str, float], low: float, high: float
) -> None:
    assert interval(key, **tolerance) == (low, high)


@given(st.floats(-1e6, 1e6), st.floats(1.001, 1e3), st.booleans())
def test_a_key_is_within_its_own_tolerance(
    key: float, size: float, relative: bool
) -> None:
    low, high = interval(key, **{"factor" if relative else "margin": size})
    assert low <= key <= high


@pytest.mark.parametrize("tolerance", [{}, {"factor": 2.0, "margin": 1.0}])
def test_there_is_one_tolerance(tolerance: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="either a factor or a margin"):
        interval(1, **tolerance)
