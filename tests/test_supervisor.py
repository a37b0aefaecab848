"""Workers claim runs, compute them in children and record how they ended."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, select, text
from sqlalchemy.exc import OperationalError

from quizsvc import lab
from quizsvc.db import reading, writing
from quizsvc.jobs import queue
from quizsvc.jobs.attempt import CHANGED, Attempt, begin, run_job
from quizsvc.jobs.child import Limits, execute
from quizsvc.jobs.supervisor import work
from quizsvc.models import Run, Worker

from .runs import (
    AT,
    LEASE,
    has_ended,
    read_result,
    read_run,
    until,
    waiting_run,
)
from .targets import at_once, error, never, sign_and_sleep


@contextmanager
def worker(engine: Engine, target: Any, **options: Any) -> Iterator[None]:
    """A worker in a thread; it has stopped when the block is left."""
    stop = Event()
    options |= {"stop": stop, "target": target}
    thread = Thread(target=work, args=(engine,), kwargs=options)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def start(engine: Engine, target: Any) -> Attempt:
    attempt = begin(engine, limits=Limits(), target=target)
    assert attempt is not None
    return attempt


def test_a_job_is_run_to_its_end(engine: Engine) -> None:
    run_id = waiting_run(engine)
    assert run_job(engine, run_id, target=execute)
    assert read_run(engine, run_id).state == "succeeded"
    result = read_result(engine, run_id)
    assert result is not None
    assert result.verdicts


def test_a_message_that_comes_twice_changes_nothing(engine: Engine) -> None:
    run_id = waiting_run(engine)
    assert run_job(engine, run_id, target=at_once)
    assert not run_job(engine, run_id, target=error)
    assert not run_job(engine, "run_unknown", target=at_once)
    row = read_run(engine, run_id)
    assert (row.state, row.attempt) == ("succeeded", 1)


def test_an_error_fails_the_run_with_a_sentence(engine: Engine) -> None:
    run_id = waiting_run(engine)
    run_job(engine, run_id, target=error)
    row = read_run(engine, run_id)
    sentence = "The experiment stopped with an error (ZeroDivisionError)."
    assert (row.state, row.error) == ("failed", sentence)


def test_the_trace_of_an_error_is_logged(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    run_job(engine, waiting_run(engine), target=error)
    assert "secret detail" in caplog.text


def test_a_run_over_its_time_fails(engine: Engine) -> None:
    run_id = waiting_run(engine)
    run_job(engine, run_id, limits=Limits(seconds=0.2), target=never)
    row = read_run(engine, run_id)
    assert row.state == "failed"
    assert row.error == "The run was stopped: it took longer than 0.2 seconds."


@pytest.mark.parametrize(
    "changes", [{"source_hash": "0" * 64}, {"experiment": "no_longer_there"}]
)
def test_a_changed_experiment_is_not_run(
    engine: Engine, changes: dict[str, str]
) -> None:
    run_id = waiting_run(engine, **changes)
    assert not run_job(engine, run_id, target=at_once)
    row = read_run(engine, run_id)
    assert (row.state, row.error) == ("failed", CHANGED)


def test_a_run_whose_child_was_killed_is_run_again(engine: Engine) -> None:
    run_id = waiting_run(engine)
    attempt = start(engine, never)
    os.kill(attempt.child.pid, signal.SIGKILL)
    until(attempt.step)
    assert read_run(engine, run_id).state == "queued"
    assert run_job(engine, run_id, target=at_once)
    row = read_run(engine, run_id)
    assert (row.state, row.attempt) == ("succeeded", 2)


def test_a_cancel_ends_a_running_child(engine: Engine) -> None:
    run_id = waiting_run(engine)
    attempt = start(engine, never)
    with writing(engine) as session:
        lab.cancel(session, run_id, at=AT)
        session.commit()
    until(attempt.step)
    assert read_run(engine, run_id).state == "cancelled"
    assert attempt.child.outcome() is not None


def test_a_worker_that_lost_its_lease_stops_and_writes_nothing(engine: Engine) -> None:
    run_id = waiting_run(engine)
    attempt = start(engine, never)
    with writing(engine) as session:  # meanwhile another worker has taken it over
        run = session.get_one(Run, run_id)
        queue.lose(session, run_id, 1, at=AT)
        assert queue.claim(session, at=AT, lease=LEASE) is run
        session.commit()
    until(attempt.step)
    row = read_run(engine, run_id)
    assert (row.state, row.attempt, row.lease_until) == ("running", 2, AT + LEASE)


def test_a_worker_runs_what_waits(engine: Engine) -> None:
    ids = [waiting_run(engine) for _ in range(3)]
    with worker(engine, at_once, slots=2):
        until(lambda: all(read_run(engine, i).state == "succeeded" for i in ids))


def test_a_worker_takes_over_what_another_dropped(engine: Engine) -> None:
    run_id = waiting_run(engine)
    with writing(engine) as session:
        queue.claim(session, at=AT - 2 * LEASE, lease=LEASE)
        session.commit()
    with worker(engine, at_once):
        until(lambda: read_run(engine, run_id).state == "succeeded")
    assert read_run(engine, run_id).attempt == 2


def test_a_worker_runs_no_more_than_its_slots(engine: Engine) -> None:
    ids = [waiting_run(engine) for _ in range(3)]

    def states() -> list[str]:
        return [read_run(engine, i).state for i in ids]

    with worker(engine, never, slots=2):
        until(lambda: states().count("running") == 2)
        time.sleep(0.5)
        assert sorted(states()) == ["queued", "running", "running"]
    assert states() == ["queued"] * 3


def test_a_worker_that_stops_gives_its_runs_back(engine: Engine) -> None:
    run_id = waiting_run(engine)
    with worker(engine, never):
        until(lambda: read_run(engine, run_id).state == "running")
    row = read_run(engine, run_id)
    assert (row.state, row.lease_until, row.queued_at) == ("queued", None, AT)


def test_a_worker_shows_signs_of_life(engine: Engine) -> None:
    def names() -> list[str]:
        with reading(engine) as session:
            return list(session.scalars(select(Worker.name)))

    with worker(engine, at_once):
        until(lambda: len(names()) == 1)
        assert names()[0].endswith(f"-{os.getpid()}")
    assert names() == []


def test_every_run_keeps_its_limit_while_the_database_is_away(
    engine: Engine, tmp_path: Path
) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    ids = [waiting_run(engine, params={"folder": str(folder)}) for _ in range(2)]
    away = Event()

    @event.listens_for(engine, "begin")
    def refuse(_connection: Connection) -> None:
        if away.is_set():
            raise OperationalError("BEGIN", None, Exception("away"))

    with worker(engine, sign_and_sleep, slots=2, limits=Limits(seconds=2)):
        until(lambda: len(list(folder.iterdir())) == 2)
        away.set()
        until(lambda: all(has_ended(int(file.name)) for file in folder.iterdir()))
        away.clear()
        until(lambda: all(read_run(engine, i).state == "failed" for i in ids))


@pytest.mark.parametrize(
    "engine", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
def test_a_worker_outlives_lost_connections(engine: Engine) -> None:
    lose = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    admin = create_engine(engine.url, isolation_level="AUTOCOMMIT")
    with worker(engine, at_once), admin.connect() as connection:
        for _ in range(20):
            connection.execute(lose)
            time.sleep(0.05)
        run_id = waiting_run(engine)
        until(lambda: read_run(engine, run_id).state == "succeeded")
    admin.dispose()
