"""What questions take from experiments, held against what runs gave."""

from typing import Any

import pytest

from question_bank.content import EvidenceItem
from question_bank.verify import Given, RunKey, needed_runs, run_key, verify
from tests.factories import EVIDENCE, make_item

RUN = RunKey("residual_growth", "{}")
FIGURE = {"experiment": "residual_growth", "id": "ratio"}


def evidence(**changes: object) -> EvidenceItem:
    return EVIDENCE.model_copy(update=changes)


def given(outcome: str | None = None, **parts: Any) -> Given:
    verdict = {"outcome": outcome, "hits": 1, "seeds": 5, "effect": 3.14159}
    verdicts = {"post_stream_unit": verdict} if outcome else {}
    values: dict[str, Any] = {"verdicts": verdicts, "metrics": {}, "figures": []}
    return Given(**(values | parts))


@pytest.mark.parametrize(
    ("expected", "actual", "problem"),
    [
        ("supported", "supported", ""),
        ("refuted", "refuted", ""),
        (
            "supported",
            "refuted",
            "the key needs the claim supported, and it is refuted: "
            "1 of 5 seeds inside the bounds, median 3.142",
        ),
        ("supported", "inconclusive", "and it is inconclusive"),
        ("refuted", "supported", "needs the claim refuted, and it is supported"),
        ("supported", None, "residual_growth makes no claim 'post_stream_unit'"),
    ],
)
def test_a_verdict_must_be_the_one_that_agrees_with_the_key(
    expected: str, actual: str | None, problem: str
) -> None:
    item = make_item(evidence=[evidence(outcome=expected)])
    [check] = verify([item], {RUN: given(actual)})
    assert (check.expected, check.actual) == (expected, actual or "none")
    assert (check.slug, check.takes) == (item.slug, EVIDENCE.claim)
    assert problem in check.problem
    assert bool(problem) == bool(check.problem)


def test_a_run_that_failed_gives_its_reason() -> None:
    item = make_item(figure=FIGURE)
    checks = verify([item], {RUN: given(failure="depth: too large")})
    assert [c.problem for c in checks] == ["the run failed: depth: too large"] * 2


def test_evidence_against_the_key_is_a_problem_whatever_the_verdict() -> None:
    item = make_item(evidence=[evidence(supports=("outside",), refutes=("inside",))])
    [check] = verify([item], {RUN: given("supported")})
    assert check.problem == (
        "the key says 'outside' is wrong, and this supports it; "
        "the key says 'inside' is right, and this refutes it"
    )


@pytest.mark.parametrize(
    ("values", "tolerance", "actual", "problem"),
    [
        ([1, 2, 3, 2, 2], {"factor": 2}, "2", ""),
        ([-1, -2, -3, -2, -2], {"factor": 2}, "-2", ""),
        ([1, 2, 3], {"margin": 1}, "2", ""),
        (
            [1, 2, 5, 2, 2],
            {"factor": 1.5},
            "2",
            "2 of 5 seeds would be wrong answers: right is 1.333 to 3, "
            "they lie from 1 to 5",
        ),
        ([0, 0, 0], {"factor": 2}, "0", "a factor leaves no room"),
        ([1, None, 1], {"factor": 2}, "none", "1 seeds gave no finite number"),
        (None, {"factor": 2}, "none", "no metric 'slope'; there are: intercept"),
    ],
)
def test_a_key_is_a_number_that_every_seed_comes_near(
    values: list[float | None] | None,
    tolerance: dict[str, float],
    actual: str,
    problem: str,
) -> None:
    estimate = {"metric": "residual_growth.slope", **tolerance}
    metrics = {"intercept": [1.0]} if values is None else {"slope": values}
    item = make_item(type="estimate", estimate=estimate)
    [check] = verify([item], {RUN: given(metrics=metrics)})
    assert (check.takes, check.actual) == ("residual_growth.slope", actual)
    assert problem in check.problem
    assert bool(problem) == bool(check.problem)


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        (["ratio", "stream"], ""),
        (["stream"], "there is no figure 'ratio'; there are: stream"),
        ([], "there is no figure 'ratio'; there are: none"),
    ],
)
def test_a_figure_must_be_drawn(figures: list[str], problem: str) -> None:
    item = make_item(figure=FIGURE, evidence=[])
    [check] = verify([item], {RUN: given(figures=figures)})
    assert (check.takes, check.problem) == ("residual_growth.ratio", problem)


def test_each_run_is_needed_once() -> None:
    estimate = {"metric": "residual_growth.slope", "params": {}, "margin": 1}
    items = [
        make_item("one", evidence=[evidence(params={"depth": 2, "norm": "rms"})]),
        make_item("two", evidence=[evidence(params={"norm": "rms", "depth": 2})]),
        make_item(
            "three", evidence=[evidence(claim="residual_growth.other"), EVIDENCE]
        ),
        make_item("four", evidence=[], figure={**FIGURE, "params": {"depth": 4}}),
        make_item("five", type="estimate", estimate=estimate),
    ]
    runs = needed_runs(items)
    assert [(run.experiment, run.params) for run in runs] == [
        ("residual_growth", {"depth": 2, "norm": "rms"}),
        ("residual_growth", {"depth": 4}),
        ("residual_growth", {}),
    ]


def test_parameters_choose_the_run_that_is_compared() -> None:
    deep = evidence(params={"depth": 24})
    runs = {RUN: given("refuted"), run_key(deep): given("supported")}
    checks = verify([make_item(evidence=[EVIDENCE, deep])], runs)
    assert [bool(c.problem) for c in checks] == [True, False]
    assert [c.params for c in checks] == ["", '{"depth": 24}']
