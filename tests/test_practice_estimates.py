"""Estimates: the key is what a run measured, and never leaves before the answer."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from question_bank.models import Estimate, Evidence
from quizsvc import lab
from quizsvc.db import reading
from quizsvc.models import Answer, Experiment, Presentation, Run, User
from quizsvc.practice import (
    NotComputed,
    Submission,
    compute,
    due,
    feedback,
    shown,
    submit_answer,
)
from quizsvc.refusals import Invalid

from .api_helpers import COIN
from .measured import VALUES, finish
from .practice_factories import AT, ask, make_question, make_user


@pytest.fixture
def user(session: Session) -> User:
    lab.store_catalogue(session, [COIN])
    return make_user(session)


def make_estimate(session: Session, **facts: Any) -> None:
    values = {"params": {}, "factor": 2.0, "margin": None, "unit": None} | facts
    estimate = Estimate(experiment="coin", metric="share", **values)
    make_question(session, type="estimate", estimate=estimate)


def say(session: Session, user: User, shown: Presentation, number: float) -> Answer:
    return submit_answer(session, user, shown.id, Submission(number=number), at=AT)


@pytest.mark.parametrize(
    ("tolerance", "number", "right"),
    [
        ({"factor": 2.0}, 0.5, True),
        ({"factor": 2.0}, 0.25, True),
        ({"factor": 2.0}, 1, True),
        ({"factor": 2.0}, 0.2, False),
        ({"factor": 2.0}, 1.1, False),
        ({"factor": 2.0}, -0.5, False),
        ({"factor": None, "margin": 0.25}, 0.75, True),
        ({"factor": None, "margin": 0.25}, 0.8, False),
    ],
)
def test_an_estimate_is_right_within_its_tolerance(
    engine: Engine,
    session: Session,
    user: User,
    tolerance: dict[str, Any],
    number: float,
    right: bool,
) -> None:
    make_estimate(session, **tolerance)
    finish(session, at=AT)
    answer = say(session, user, ask(session, user), number)
    session.commit()
    with reading(engine) as other:
        read = other.get_one(Answer, answer.id)
        assert (read.number, read.correct, read.score) == (number, right, float(right))
        assert read.review
        assert read.review.rating == (3 if right else 1)


def test_the_feedback_holds_number_key_and_every_seed(
    session: Session, user: User
) -> None:
    unit = {"en": "heads", "zh": "次正面"}
    make_estimate(session, params={"bias": 0.75}, unit=unit)
    run = finish(session, at=AT, bias=0.75)
    finish(session, at=AT, values=[0.1] * 5)
    answer = say(session, user, ask(session, user), 0.3)

    view = feedback(session, answer, lang="zh")
    measured = view.measured
    assert measured
    assert (view.number, view.correct, view.choices) == (0.3, True, [])
    assert (measured.value, measured.low, measured.high) == (0.5, 0.25, 1.0)
    assert (measured.unit, measured.values) == ("次正面", VALUES)
    assert (measured.experiment, measured.metric) == ("coin", "share")
    assert (measured.params, measured.run_id) == ({"bias": 0.75}, run.id)


def test_what_is_shown_before_says_how_near_and_not_what(
    session: Session, user: User
) -> None:
    make_estimate(session, unit={"en": "heads", "zh": "次正面"})
    run = finish(session, at=AT)
    view = shown(session, ask(session, user))
    assert view["estimate"] == {"unit": "heads", "factor": 2.0, "margin": None}
    assert (view["choices"], view["figure"]) == ([], None)
    assert not any(word in str(view) for word in ("coin", "share", run.id))


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (None, "not-computed"),
        ([0.5, None, 0.5, 0.5, 0.5], "not-measured"),
        ([], "not-measured"),
    ],
)
def test_without_a_key_it_is_not_asked_and_not_in_the_queue(
    session: Session, user: User, values: Sequence[float | None] | None, code: str
) -> None:
    make_estimate(session)
    make_question(session, "other")
    if values is None:
        lab.submit(session, "coin", {}, at=AT)
    else:
        finish(session, at=AT, values=values)
    assert [item.slug for item in due(session, user, at=AT)] == ["other"]
    with pytest.raises(NotComputed) as refused:
        ask(session, user)
    assert refused.value.code == code
    assert session.scalars(select(Presentation)).all() == []


def test_asked_for_too_early_its_run_goes_before_what_nobody_waits_for(
    session: Session, user: User
) -> None:
    make_estimate(session)
    lab.enqueue_defaults(session, at=AT)
    [run] = session.scalars(select(Run))
    assert run.priority == lab.START_UP
    compute(session, "norm-position", at=AT)
    assert [run.priority for run in session.scalars(select(Run))] == [lab.QUESTION]


def test_it_joins_the_queue_once_its_run_has_finished(
    session: Session, user: User
) -> None:
    make_estimate(session)
    assert due(session, user, at=AT) == []
    finish(session, at=AT)
    assert [item.type for item in due(session, user, at=AT)] == ["estimate"]


def test_a_key_measured_by_old_code_is_no_key(session: Session, user: User) -> None:
    make_estimate(session)
    finish(session, at=AT)
    pinned = ask(session, user)
    session.get_one(Experiment, "coin").source_hash = "1" * 64
    session.flush()
    assert due(session, user, at=AT) == []
    with pytest.raises(NotComputed):
        ask(session, user)
    # What was asked before is graded by what was measured then.
    assert say(session, user, pinned, 0.5).correct


def test_parameters_that_are_gone_give_no_key(session: Session, user: User) -> None:
    make_estimate(session, params={"colour": 3})
    finish(session, at=AT)
    assert due(session, user, at=AT) == []
    with pytest.raises(NotComputed):
        ask(session, user)


@pytest.mark.parametrize(
    ("kind", "said", "pointer", "code"),
    [
        ("estimate", {}, "/number", "missing"),
        ("estimate", {"number": 1, "text": "one"}, "/text", "not-accepted"),
        ("estimate", {"number": 1, "choices": ["c"]}, "/choices", "not-accepted"),
        ("single", {"number": 1}, "/number", "not-accepted"),
        ("open", {"number": 1, "text": "one"}, "/number", "not-accepted"),
    ],
)
def test_a_number_is_for_an_estimate_and_nothing_else_is(
    session: Session,
    user: User,
    kind: str,
    said: dict[str, Any],
    pointer: str,
    code: str,
) -> None:
    if kind == "estimate":
        make_estimate(session)
    else:
        make_question(session, type=kind)
    finish(session, at=AT)
    pres = ask(session, user)
    with pytest.raises(Invalid) as refused:
        submit_answer(session, user, pres.id, Submission(**said), at=AT)
    assert [(e.pointer, e.code) for e in refused.value.errors] == [(pointer, code)]


def test_not_knowing_a_number_is_an_answer(session: Session, user: User) -> None:
    make_estimate(session)
    finish(session, at=AT)
    said = Submission(number=0.5, dont_know=True)
    answer = submit_answer(session, user, ask(session, user).id, said, at=AT)
    assert (answer.number, answer.correct, answer.score) == (None, False, 0.0)


def test_evidence_can_bear_on_an_estimate(session: Session, user: User) -> None:
    estimate = Estimate(experiment="coin", metric="share", params={}, margin=1.0)
    proof = Evidence(
        position=0,
        experiment="coin",
        claim="fair",
        params={},
        outcome="supported",
        supports=["estimate"],
        refutes=[],
    )
    make_question(session, type="estimate", estimate=estimate, evidence=[proof])
    finish(session, at=AT)
    view = feedback(session, say(session, user, ask(session, user), 1), lang="en")
    assert [one.supports for one in view.evidence] == [["estimate"]]
