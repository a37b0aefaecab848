"""Online calibration: lawful at every answer, and right about candidates it never met."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from quizsvc.scheduling.calibration import (
    PRIOR,
    Calibration,
    learned,
    predicted,
    predicted_many,
    target,
)

recalls = st.floats(0, 1)
chances = st.sampled_from([0.0, 1 / 31, 1 / 15, 0.25, 0.5])
answers = st.lists(st.tuples(recalls, st.booleans(), chances), max_size=200)


def after_all(
    log: list[tuple[float, bool, float]], calibration: Calibration = PRIOR
) -> Calibration:
    for recall, right, chance in log:
        calibration = learned(calibration, recall, right, chance)
    return calibration


def candidate(
    a: float, b: float, chance: float, answers: int, seed: int = 0
) -> list[tuple[float, bool, float]]:
    """Answers of one whose recall is sigmoid(a·logit R + b), guessing what is forgotten."""
    rng = np.random.default_rng(seed)
    recall = rng.uniform(0.5, 0.98, answers)
    p = 1 / (1 + np.exp(-(a * np.log(recall / (1 - recall)) + b)))
    right = rng.random(answers) < chance + (1 - chance) * p
    return [
        (r, y, chance) for r, y in zip(recall.tolist(), right.tolist(), strict=True)
    ]


@given(answers)
def test_the_doubt_stays_a_covariance(log: list[tuple[float, bool, float]]) -> None:
    _, _, aa, ab, bb = after_all(log)
    assert aa > 0
    assert bb > 0
    assert aa * bb > ab * ab


@pytest.mark.parametrize("likely", [True, False])
def test_the_oddest_candidate_breaks_nothing(likely: bool) -> None:
    """He recalls all that is likely and nothing that is not, or the other way round."""
    odd = [(0.997, likely, 0.25), (0.35, not likely, 0.25)] * 6000
    calibration = after_all(odd)
    told = [predicted(calibration, recall) for recall in (0.0, 0.2, 0.5, 0.9, 1.0)]
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] < 1
    assert 0.70 <= target(calibration) <= 0.98


@given(answers, st.floats(0.05, 0.999), chances)
def test_a_right_answer_raises_and_a_wrong_one_lowers_what_is_predicted(
    log: list[tuple[float, bool, float]], recall: float, chance: float
) -> None:
    before = after_all(log)
    up, down = (learned(before, recall, right, chance) for right in (True, False))
    assert predicted(up, recall) >= predicted(down, recall)


@given(st.floats(0.02, 0.98))
def test_a_candidate_never_met_is_predicted_by_the_model_less_boldly(
    recall: float,
) -> None:
    p = predicted(PRIOR, recall)
    assert abs(p - 0.5) <= abs(recall - 0.5) + 1e-12
    assert p == pytest.approx(recall, abs=0.04)


@given(answers, st.lists(recalls, min_size=1), st.sampled_from([0.0, 30.0, inf]))
def test_many_are_predicted_as_one(
    log: list[tuple[float, bool, float]], many: list[float], ahead: float
) -> None:
    calibration = after_all(log)
    assert_allclose(
        predicted_many(calibration, np.array(many), ahead),
        [predicted(calibration, recall, ahead) for recall in many],
        rtol=1e-12,
    )


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (1.3, 0.3), (0.7, -0.3), (1.0, -0.7)])
@pytest.mark.parametrize("chance", [0.0, 0.25])
def test_what_is_predicted_approaches_the_candidate(
    a: float, b: float, chance: float
) -> None:
    calibration = after_all(candidate(a, b, chance, 2000))
    for recall in (0.6, 0.75, 0.9):
        truth = 1 / (1 + ((1 - recall) / recall) ** a * np.exp(-b))
        assert predicted(calibration, recall) == pytest.approx(truth, abs=0.1)


def test_lucky_guesses_are_not_taken_for_memory() -> None:
    lucky = candidate(1.0, 0.0, 0.25, 3000)
    blind = after_all([(recall, right, 0.0) for recall, right, _ in lucky])
    aware = after_all(lucky)
    assert abs(predicted(aware, 0.7) - 0.7) < abs(predicted(blind, 0.7) - 0.7)
    assert predicted(blind, 0.7) > 0.72


def test_the_form_of_the_hour_is_forgotten_and_the_memory_is_not() -> None:
    tired = after_all([(0.9, False, 0.0)] * 15)
    now, soon, other_day = (predicted(tired, 0.9, n) for n in (0, 100, inf))
    assert now < soon < other_day < 0.9


@pytest.mark.parametrize("a", [0.5, 0.8, 1.0, 1.3, 2.0])
def test_a_target_leans_towards_what_the_candidate_needs(a: float) -> None:
    needed = 1 / (1 + (1 / 9) ** (1 / a))  # sigmoid(a·logit R) = 0.9, solved for R
    low, high = sorted([needed, 0.9])
    aimed = target(Calibration(a), 0.9)
    assert low - 1e-12 <= aimed <= high + 1e-12
    assert (aimed > 0.9) == (a < 1) or aimed == pytest.approx(0.9)


@given(answers, st.floats(0.7, 0.97), st.floats(0.7, 0.97))
def test_a_higher_target_asks_for_more_recall_within_bounds(
    log: list[tuple[float, bool, float]], one: float, other: float
) -> None:
    calibration = after_all(log)
    low, high = sorted([one, other])
    assert 0.70 <= target(calibration, low) <= target(calibration, high) <= 0.98


def test_an_unfit_candidate_gets_the_model_as_it_is() -> None:
    assert target(PRIOR, 0.9) == pytest.approx(0.9)


@pytest.mark.parametrize(("recall", "chance"), [(-0.1, 0.0), (1.1, 0.0), (0.5, 1.5)])
def test_an_impossible_answer_teaches_nothing(recall: float, chance: float) -> None:
    with pytest.raises(ValueError, match="with a chance of"):
        learned(PRIOR, recall, True, chance)
