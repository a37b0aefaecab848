"""The same request is the same run, and what was asked once is not computed again."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from question_bank.models import Evidence
from quizsvc import lab, runs
from quizsvc.db import reading, writing
from quizsvc.jobs import queue
from quizsvc.lab import PERSON, START_UP
from quizsvc.models import Experiment, Run, Worker
from quizsvc.refusals import Conflict, Invalid, NotFound
from sim.registry import Entry

from .practice_factories import make_question
from .test_parameters import DEFAULTS, SCHEMA

AT = datetime(2026, 12, 1, 9, tzinfo=UTC)
LEASE = timedelta(seconds=15)


def make_entry(name: str = "stream", **changes: Any) -> Entry:
    words = {"en": name, "zh": name}
    entry = {
        "name": name,
        "topic": "norm_placement",
        "title": words,
        "about": words,
        "schema": SCHEMA,
        "claims": [],
        "seconds": 1.0,
        "source_hash": "a" * 64,
        "source": "…",
    }
    return Entry(**(entry | changes))


@pytest.fixture
def lab_session(session: Session) -> Session:
    lab.store_catalogue(session, [make_entry()])
    session.commit()
    return session


def test_the_content_key_depends_on_everything_that_determines_a_result() -> None:
    key = lab.content_key("stream", "a", {"x": 1, "y": 2.0}, [0, 1])
    assert key == lab.content_key("stream", "a", {"y": 2.0, "x": 1}, (0, 1))
    others = [
        lab.content_key("other", "a", {"x": 1, "y": 2.0}, [0, 1]),
        lab.content_key("stream", "b", {"x": 1, "y": 2.0}, [0, 1]),
        lab.content_key("stream", "a", {"x": 2, "y": 2.0}, [0, 1]),
        lab.content_key("stream", "a", {"x": 1, "y": 2.0}, [1, 0]),
    ]
    assert len({key, *others}) == 5


def test_the_catalogue_follows_the_sources(engine: Engine) -> None:
    old, gone = make_entry(), make_entry("gone")
    with writing(engine) as session:
        lab.store_catalogue(session, [old, gone])
        session.commit()
    new = make_entry(seconds=2.0, source_hash="b" * 64)
    with writing(engine) as session:
        lab.store_catalogue(session, [new, make_entry("added")])
        session.commit()
    with reading(engine) as session:
        rows = [(row.name, row.seconds) for row in lab.experiments(session)]
    assert rows == [("added", 1.0), ("stream", 2.0)]


def test_an_unknown_experiment_is_not_found(session: Session) -> None:
    with pytest.raises(NotFound):
        lab.submit(session, "nothing", {}, at=AT)


def test_a_run_is_queued_with_complete_parameters(
    engine: Engine, lab_session: Session
) -> None:
    submitted = lab.submit(lab_session, "stream", {"depth": 6.0}, at=AT)
    lab_session.commit()
    with reading(engine) as session:
        run = lab.find_run(session, submitted.run.id)
    assert not submitted.cached
    assert run.params == DEFAULTS | {"depth": 6}
    assert run.seeds == [0, 1, 2, 3, 4]
    assert (run.state, run.attempt, run.queued_at) == ("queued", 0, AT)


def test_wrong_parameters_and_seeds_are_refused_together(lab_session: Session) -> None:
    with pytest.raises(Invalid) as refusal:
        lab.submit(lab_session, "stream", {"depth": 1}, [1], at=AT)
    assert [error.pointer for error in refusal.value.errors] == [
        "/params/depth",
        "/seeds",
    ]
    assert lab_session.scalar(select(func.count(Run.id))) == 0


def test_the_same_request_is_the_same_run(lab_session: Session) -> None:
    first = lab.submit(lab_session, "stream", {"depth": 6}, at=AT)
    again = lab.submit(lab_session, "stream", {"gain": 1, "depth": 6.0}, at=AT)
    assert again.run.id == first.run.id
    assert not again.cached


def test_a_result_that_is_there_is_not_computed_again(lab_session: Session) -> None:
    run = lab.submit(lab_session, "stream", {}, at=AT).run
    queue.claim(lab_session, at=AT, lease=LEASE)
    result = {"metrics": {}, "verdicts": [], "figures": [], "seconds": 1.0}
    queue.finish(lab_session, run.id, 1, result, at=AT)
    again = lab.submit(lab_session, "stream", {}, at=AT)
    assert again.cached
    assert again.run.state == "succeeded"


def test_a_failed_run_waits_again_with_three_new_attempts(lab_session: Session) -> None:
    run = lab.submit(lab_session, "stream", {}, at=AT).run
    queue.claim(lab_session, at=AT, lease=LEASE)
    queue.fail(lab_session, run.id, 1, "No memory.", at=AT)
    later = AT + timedelta(hours=1)
    again = lab.submit(lab_session, "stream", {}, at=later)
    assert again.run.id == run.id
    assert not again.cached
    assert (run.state, run.error, run.queued_at) == ("queued", None, later)
    for _ in range(3):
        assert queue.claim(lab_session, at=later, lease=LEASE)
        queue.lose(lab_session, run.id, run.attempt, at=later)
    assert run.state == "failed"


def test_a_person_moves_a_start_up_run_ahead(lab_session: Session) -> None:
    lab.submit(lab_session, "stream", {}, at=AT, priority=START_UP)
    asked = lab.submit(lab_session, "stream", {}, at=AT, priority=PERSON)
    assert asked.run.priority == PERSON
    again = lab.submit(lab_session, "stream", {}, at=AT, priority=START_UP)
    assert again.run.priority == PERSON


def test_a_waiting_run_is_cancelled_at_once(lab_session: Session) -> None:
    run = lab.submit(lab_session, "stream", {}, at=AT).run
    lab.cancel(lab_session, run.id, at=AT)
    assert (run.state, run.finished_at) == ("cancelled", AT)
    assert queue.claim(lab_session, at=AT, lease=LEASE) is None


def test_a_running_run_is_asked_to_stop(lab_session: Session) -> None:
    run = lab.submit(lab_session, "stream", {}, at=AT).run
    queue.claim(lab_session, at=AT, lease=LEASE)
    lab.cancel(lab_session, run.id, at=AT)
    assert (run.state, run.cancel_requested) == ("running", True)
    lab.submit(lab_session, "stream", {}, at=AT)
    assert not run.cancel_requested


def test_a_run_that_is_over_cannot_be_cancelled(lab_session: Session) -> None:
    run = lab.submit(lab_session, "stream", {}, at=AT).run
    lab.cancel(lab_session, run.id, at=AT)
    with pytest.raises(Conflict):
        lab.cancel(lab_session, run.id, at=AT)
    with pytest.raises(NotFound):
        lab.cancel(lab_session, "run_0", at=AT)


def test_two_requests_at_one_moment_make_one_run(engine: Engine) -> None:
    with writing(engine) as session:
        lab.store_catalogue(session, [make_entry()])
        session.commit()

    def ask(_: int) -> str:
        with writing(engine) as session:
            run_id = lab.submit(session, "stream", {}, at=AT).run.id
            session.commit()
            return run_id

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(16)))) == 1


def test_a_run_is_known_by_its_parameters(lab_session: Session) -> None:
    row = lab.experiment(lab_session, "stream")
    assert lab.known_run(lab_session, row) is None
    run = lab.submit(lab_session, "stream", {}, at=AT).run
    deep = lab.submit(lab_session, "stream", {"depth": 24}, at=AT).run
    assert lab.known_run(lab_session, row) is run
    assert lab.known_run(lab_session, row, {"depth": 24.0}) is deep
    assert lab.known_run(lab_session, row, {"depth": 1000}) is None


def test_the_catalogue_stores_every_word(session: Session) -> None:
    lab.store_catalogue(session, [make_entry()])
    session.commit()
    session.expire_all()
    row = lab.experiment(session, "stream")
    assert isinstance(row, Experiment)
    assert lab.complete(row, {"gain": 2}) == DEFAULTS | {"gain": 2.0}
    with pytest.raises(Invalid):
        lab.complete(row, {"gain": 3})


def test_earlier_runs_are_the_newest_of_one_experiment(session: Session) -> None:
    lab.store_catalogue(session, [make_entry(), make_entry("other")])
    for minute in range(4):
        at = AT + timedelta(minutes=minute)
        lab.submit(session, "stream", {"depth": 4 + minute}, at=at)
        lab.submit(session, "other", {}, at=at)
        for priority in (lab.QUESTION, START_UP):  # would tell what questions show
            params = {"depth": 20 + 4 * minute + priority}
            lab.submit(session, "stream", params, at=at, priority=priority)
    found = runs.earlier_runs(session, "stream", 3)
    assert [run.params["depth"] for run in found] == [7, 6, 5]


def test_a_worker_counts_as_long_as_it_shows_itself(session: Session) -> None:
    assert not lab.worker_seen(session, at=AT)
    session.add(Worker(name="gone", seen_at=AT - timedelta(days=1)))
    assert not lab.worker_seen(session, at=AT)
    session.add(Worker(name="here", seen_at=AT))
    assert lab.worker_seen(session, at=AT + timedelta(seconds=10))
    assert not lab.worker_seen(session, at=AT + timedelta(seconds=20))


def test_questions_in_use_are_counted_once_for_an_experiment(session: Session) -> None:
    used, retired = make_question(session, "used"), make_question(session, "retired")
    retired.retired_at = AT
    for question in (used, retired):
        for position in range(2):
            proof = Evidence(
                revision_id=question.current_id,
                position=position,
                experiment="stream",
                claim="holds",
                params={},
                outcome="supported",
                supports=[],
                refutes=[],
            )
            session.add(proof)
    session.flush()
    assert lab.questions_using(session)["stream"] == 1
    assert lab.questions_using(session)["other"] == 0
