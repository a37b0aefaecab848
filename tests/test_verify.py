"""Evidence held against verdicts."""

import pytest

from question_bank.content import EvidenceItem
from question_bank.verify import RunKey, needed_runs, run_key, verify
from tests.factories import EVIDENCE, make_item

RUN = RunKey("residual_growth", "{}")


def evidence(**changes: object) -> EvidenceItem:
    return EVIDENCE.model_copy(update=changes)


@pytest.mark.parametrize(
    ("expected", "actual", "problem"),
    [
        ("supported", "supported", ""),
        ("refuted", "refuted", ""),
        ("supported", "refuted", "not as expected"),
        ("supported", "inconclusive", "not as expected"),
        ("refuted", "supported", "not as expected"),
        ("supported", None, "no verdict"),
    ],
)
def test_a_verdict_must_be_the_one_that_agrees_with_the_key(
    expected: str, actual: str | None, problem: str
) -> None:
    item = make_item(evidence=[evidence(outcome=expected)])
    verdicts = {"post_stream_unit": actual} if actual else {}
    [check] = verify([item], {RUN: verdicts})
    assert (check.expected, check.actual, check.problem) == (expected, actual, problem)
    assert (check.slug, check.claim) == (item.slug, EVIDENCE.claim)


def test_a_run_that_failed_gives_no_verdict() -> None:
    [check] = verify([make_item()], {})
    assert (check.actual, check.problem) == (None, "no verdict")


def test_evidence_against_the_key_is_a_problem_whatever_the_verdict() -> None:
    item = make_item(evidence=[evidence(supports=("outside",), refutes=("inside",))])
    [check] = verify([item], {RUN: {"post_stream_unit": "supported"}})
    assert check.problem == "supports outside, refutes inside"


def test_each_run_is_needed_once() -> None:
    items = [
        make_item("one", evidence=[evidence(params={"depth": 2, "norm": "rms"})]),
        make_item("two", evidence=[evidence(params={"norm": "rms", "depth": 2})]),
        make_item(
            "three", evidence=[evidence(claim="residual_growth.other"), EVIDENCE]
        ),
        make_item("four", evidence=[]),
    ]
    runs = needed_runs(items)
    assert [(run.experiment, run.params) for run in runs] == [
        ("residual_growth", {"depth": 2, "norm": "rms"}),
        ("residual_growth", {}),
    ]


def test_parameters_choose_the_run_that_is_compared() -> None:
    deep = evidence(params={"depth": 24})
    verdicts = {
        RUN: {"post_stream_unit": "refuted"},
        run_key(deep): {"post_stream_unit": "supported"},
    }
    checks = verify([make_item(evidence=[EVIDENCE, deep])], verdicts)
    assert [c.problem for c in checks] == ["not as expected", ""]
    assert [c.params for c in checks] == ["", '{"depth": 24}']
