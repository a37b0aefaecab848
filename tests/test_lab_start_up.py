"""What start-up asks the laboratory for: all that pages, keys and figures need."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from question_bank.models import Estimate, Evidence, Figure, Question
from quizsvc import lab
from quizsvc.jobs import queue
from quizsvc.lab import START_UP
from quizsvc.models import Run

from .practice_factories import make_question
from .test_lab import make_entry

AT = datetime(2026, 12, 1, 9, tzinfo=UTC)
LEASE = timedelta(seconds=15)


def make_evidence(session: Session, slug: str, experiment: str, **params: Any) -> None:
    proof = Evidence(
        position=0,
        experiment=experiment,
        claim="c",
        params=params,
        outcome="supported",
        supports=[],
        refutes=[],
    )
    make_question(session, slug, evidence=[proof])


def test_start_up_asks_for_defaults_and_for_what_answers_show(session: Session) -> None:
    entries = [make_entry(seconds=5.0), make_entry("quick", seconds=0.5)]
    lab.store_catalogue(session, entries)
    make_evidence(session, "one", "stream", depth=24)
    make_evidence(session, "two", "stream")
    make_evidence(session, "three", "stream", depth=1000)
    make_evidence(session, "four", "gone")
    runs = lab.enqueue_defaults(session, at=AT)
    session.commit()
    assert len(runs) == 3
    asked = []
    while run := queue.claim(session, at=AT, lease=LEASE):
        asked.append((run.experiment, run.params["depth"], run.priority))
    assert asked[0] == ("quick", 12, START_UP)
    assert set(asked[1:]) == {("stream", 12, START_UP), ("stream", 24, START_UP)}
    assert len(lab.enqueue_defaults(session, at=AT)) == 3
    assert session.scalar(select(func.count(Run.id))) == 3


def test_an_experiment_that_is_gone_is_told_once(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    make_evidence(session, "one", "gone")
    make_evidence(session, "two", "gone")
    assert lab.enqueue_defaults(session, at=AT) == []
    assert [r.getMessage() for r in caplog.records] == [
        "a question names no experiment: gone"
    ]


def test_start_up_asks_for_what_gives_keys_and_figures(session: Session) -> None:
    lab.store_catalogue(session, [make_entry()])
    key = Estimate(experiment="stream", metric="m", params={"depth": 24}, margin=1)
    plot = Figure(experiment="stream", figure="f", params={"depth": 6})
    make_question(session, "one", type="estimate", estimate=key)
    make_question(session, "two", figure=plot)
    make_evidence(session, "three", "stream")
    lab.enqueue_defaults(session, at=AT)
    depths = [run.params["depth"] for run in session.scalars(select(Run))]
    assert sorted(depths) == [6, 12, 24]
    assert lab.questions_using(session)["stream"] == 3
    for question in session.scalars(select(Question)):
        question.retired_at = AT
    assert lab.questions_using(session)["stream"] == 0


def test_a_retired_question_asks_for_nothing(session: Session) -> None:
    lab.store_catalogue(session, [make_entry()])
    make_evidence(session, "one", "stream", depth=24)
    session.scalars(select(Question)).one().retired_at = AT
    assert len(lab.enqueue_defaults(session, at=AT)) == 1
