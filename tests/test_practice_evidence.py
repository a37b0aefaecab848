"""Evidence: which run an answer shows, and what it proved."""

from typing import Any

import pytest
from sqlalchemy.orm import Session

from question_bank.models import Evidence
from quizsvc import lab
from quizsvc.models import Answer, Experiment, Presentation, Run, RunResult, User
from quizsvc.practice import (
    EvidenceView,
    Submission,
    feedback,
    submit_answer,
)
from sim.core import DEFAULT_SEEDS

from .practice_factories import AT, ask, ids, make_question, make_user

CLAIM = {
    "id": "stream_unit",
    "statement": {"en": "The stream stays at one.", "zh": "主干保持为一。"},
    "metric": "rms",
    "above": 0.99,
    "below": 1.01,
}
VERDICT = {"claim": "stream_unit", "outcome": "supported", "hits": 5, "seeds": 5}
RMS = [1.0, 1.001, 0.999, 1.0, 1.0]


def choose(session: Session, user: User, shown: Presentation, *names: str) -> Answer:
    said = Submission(choices=ids(shown, *names))
    return submit_answer(session, user, shown.id, said, at=AT)


def make_evidence(
    params: dict[str, Any] | None = None,
    claim: str = "stream_unit",
    supports: tuple[str, ...] = ("inside",),
) -> Evidence:
    return Evidence(
        position=0,
        experiment="growth",
        claim=claim,
        params=params or {},
        outcome="supported",
        supports=list(supports),
        refutes=["outside", "nowhere"],
    )


def make_experiment(session: Session) -> Experiment:
    experiment = Experiment(
        name="growth",
        topic="norm_placement",
        title={"en": "Growth", "zh": "增长"},
        about={"en": "About.", "zh": "说明。"},
        schema={
            "type": "object",
            "properties": {"depth": {"type": "integer", "default": 12, "minimum": 1}},
            "additionalProperties": False,
        },
        claims=[CLAIM],
        seconds=1.0,
        source_hash="a" * 64,
        source="…",
    )
    session.add(experiment)
    session.flush()
    return experiment


def make_run(
    session: Session, experiment: Experiment, depth: int, *, done: bool
) -> Run:
    params, seeds = {"depth": depth}, list(DEFAULT_SEEDS)
    run = Run(
        id=f"run_{depth}",
        content_key=lab.content_key(
            experiment.name, experiment.source_hash, params, seeds
        ),
        experiment=experiment.name,
        source_hash=experiment.source_hash,
        params=params,
        seeds=seeds,
        state="succeeded" if done else "queued",
        priority=1,
        attempt=0,
        progress=0.0,
        cancel_requested=False,
        queued_at=AT,
    )
    if done:
        run.result = RunResult(
            metrics={"rms": RMS}, verdicts=[VERDICT], figures=[], seconds=1.0
        )
    session.add(run)
    session.flush()
    return run


def proof(session: Session, evidence: Evidence, lang: str = "en") -> EvidenceView:
    user = make_user(session)
    make_question(session, evidence=[evidence])
    given = choose(session, user, ask(session, user), "inside")
    (view,) = feedback(session, given, lang=lang).evidence
    return view


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_evidence_shows_the_run_with_its_parameters(
    session: Session, lang: str
) -> None:
    experiment = make_experiment(session)
    make_run(session, experiment, 12, done=True)
    run = make_run(session, experiment, 24, done=True)
    view = proof(session, make_evidence({"depth": 24}), lang)
    assert (view.experiment, view.claim) == ("growth", "stream_unit")
    assert view.statement == CLAIM["statement"][lang]  # type: ignore[index]
    assert (view.expected, view.params) == ("supported", {"depth": 24})
    assert view.run_id == run.id
    assert view.verdict == VERDICT
    assert (view.values, view.above, view.below) == (RMS, 0.99, 1.01)


def test_evidence_names_choices_by_the_ids_of_the_presentation(
    session: Session,
) -> None:
    make_experiment(session)
    user = make_user(session)
    make_question(session, evidence=[make_evidence()])
    shown = ask(session, user)
    given = choose(session, user, shown, "inside")
    (view,) = feedback(session, given, lang="en").evidence
    assert view.supports == ids(shown, "inside")
    assert view.refutes == ids(shown, "outside", "nowhere")


def test_evidence_without_parameters_is_the_default_run(session: Session) -> None:
    run = make_run(session, make_experiment(session), 12, done=True)
    assert proof(session, make_evidence()).run_id == run.id


def test_evidence_is_unproven_while_its_run_waits(session: Session) -> None:
    run = make_run(session, make_experiment(session), 12, done=False)
    view = proof(session, make_evidence())
    assert (view.run_id, view.verdict, view.values) == (run.id, None, [])


def test_a_run_of_older_source_proves_nothing(session: Session) -> None:
    experiment = make_experiment(session)
    make_run(session, experiment, 12, done=True)
    experiment.source_hash = "b" * 64
    session.flush()
    view = proof(session, make_evidence())
    assert (view.run_id, view.verdict) == (None, None)
    assert view.statement == "The stream stays at one."


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(lambda: make_evidence(claim="gone"), id="claim"),
        pytest.param(lambda: make_evidence({"gone": 1}), id="parameter"),
    ],
)
def test_evidence_that_an_experiment_no_longer_gives_is_unproven(
    session: Session, evidence: Any
) -> None:
    make_run(session, make_experiment(session), 12, done=True)
    view = proof(session, evidence())
    assert (view.verdict, view.values) == (None, [])


def test_evidence_of_an_unknown_experiment_is_unproven(session: Session) -> None:
    view = proof(session, make_evidence())
    assert (view.statement, view.run_id, view.verdict) == ("", None, None)
