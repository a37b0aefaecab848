"""The row is the queue: no run is lost, none is finished twice."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from quizsvc import lab
from quizsvc.db import writing
from quizsvc.jobs import queue
from quizsvc.jobs.queue import MAX_ATTEMPTS, STOPPED_TOO_OFTEN
from quizsvc.models import Run

from .runs import AT, LEASE, make_run, read_result, read_run, waiting_run
from .targets import RESULT

LATE = AT + LEASE + timedelta(seconds=1)


def take(session: Session) -> Run:
    run = queue.claim(session, at=AT, lease=LEASE)
    assert run is not None
    return run


def test_a_claim_is_a_first_attempt_with_a_lease(
    engine: Engine, session: Session
) -> None:
    make_run(session)
    run = take(session)
    session.commit()
    row = read_run(engine, run.id)
    assert (row.state, row.attempt, row.started_at) == ("running", 1, AT)
    assert row.lease_until == AT + LEASE


def test_nothing_is_claimed_from_an_empty_queue(session: Session) -> None:
    assert queue.claim(session, at=AT, lease=LEASE) is None


def test_what_a_person_waits_for_is_first_then_the_oldest(session: Session) -> None:
    hour = timedelta(hours=1)
    make_run(session, id="start-up", priority=1, queued_at=AT - hour)
    make_run(session, id="second", priority=0, queued_at=AT + hour)
    make_run(session, id="first", priority=0, queued_at=AT)
    assert [take(session).id for _ in range(3)] == ["first", "second", "start-up"]


def test_a_claim_may_name_its_run(session: Session) -> None:
    make_run(session, id="first")
    make_run(session, id="named", priority=1)
    run = queue.claim(session, at=AT, lease=LEASE, run_id="named")
    assert run is not None
    assert run.id == "named"
    assert queue.claim(session, at=AT, lease=LEASE, run_id="named") is None


def test_two_workers_never_get_the_same_run(engine: Engine) -> None:
    with writing(engine) as session:
        ids = {make_run(session).id for _ in range(20)}
        session.commit()

    def claim_all(_worker: int) -> list[str]:
        taken = []
        while True:
            with writing(engine) as session:
                run = queue.claim(session, at=AT, lease=LEASE)
                if run is None:
                    return taken
                taken.append(run.id)
                session.commit()

    with ThreadPoolExecutor(4) as pool:
        taken = Counter(run for part in pool.map(claim_all, range(4)) for run in part)
    assert taken == dict.fromkeys(ids, 1)


def test_a_heartbeat_extends_the_lease_and_tells_the_progress(
    engine: Engine, session: Session
) -> None:
    make_run(session)
    run = take(session)
    assert queue.heartbeat(session, run.id, 1, progress=0.4, at=LATE, lease=LEASE)
    session.commit()
    row = read_run(engine, run.id)
    assert (row.progress, row.lease_until) == (0.4, LATE + LEASE)


def test_a_heartbeat_learns_of_a_cancel(session: Session) -> None:
    make_run(session)
    run = take(session)
    lab.cancel(session, run.id, at=AT)
    assert not queue.heartbeat(session, run.id, 1, progress=0.4, at=AT, lease=LEASE)
    assert queue.give_back(session, run.id, 1, at=LATE)
    assert (run.state, run.finished_at) == ("cancelled", LATE)


def test_a_result_is_stored_once(engine: Engine) -> None:
    run_id = waiting_run(engine)
    with writing(engine) as session:
        take(session)
        assert queue.finish(session, run_id, 1, RESULT, at=LATE)
        assert not queue.finish(session, run_id, 1, RESULT, at=LATE)
        assert not queue.fail(session, run_id, 1, "No.", at=LATE)
        session.commit()
    row, result = read_run(engine, run_id), read_result(engine, run_id)
    assert (row.state, row.progress, row.finished_at) == ("succeeded", 1.0, LATE)
    assert (row.lease_until, row.error) == (None, None)
    assert result is not None
    assert (result.metrics, result.seconds) == ({"x": [1.0]}, 0.5)


def test_a_failure_has_its_reason(engine: Engine) -> None:
    run_id = waiting_run(engine)
    with writing(engine) as session:
        take(session)
        assert queue.fail(session, run_id, 1, "It took too long.", at=LATE)
        session.commit()
    row = read_run(engine, run_id)
    assert (row.state, row.error) == ("failed", "It took too long.")


def test_a_run_whose_lease_ended_goes_back(engine: Engine) -> None:
    run_id = waiting_run(engine)
    with writing(engine) as session:
        take(session)
        assert queue.reap(session, at=AT) == 0
        assert not queue.waiting(session, at=AT)
        assert queue.waiting(session, at=LATE)
        assert queue.reap(session, at=LATE) == 1
        session.commit()
    row = read_run(engine, run_id)
    assert (row.state, row.attempt, row.queued_at) == ("queued", 1, AT)


def test_a_zombie_changes_nothing(engine: Engine) -> None:
    run_id = waiting_run(engine)
    with writing(engine) as session:
        take(session)
        queue.reap(session, at=LATE)
        take(session)
        session.commit()
    with writing(engine) as zombie:
        attempt = queue.heartbeat(zombie, run_id, 1, progress=1, at=LATE, lease=LEASE)
        assert not attempt
        assert not queue.finish(zombie, run_id, 1, RESULT, at=LATE)
        assert not queue.fail(zombie, run_id, 1, "No.", at=LATE)
        assert not queue.lose(zombie, run_id, 1, at=LATE)
        assert not queue.give_back(zombie, run_id, 1, at=LATE)
        zombie.commit()
    row = read_run(engine, run_id)
    assert (row.state, row.attempt, row.progress) == ("running", 2, 0.0)
    assert read_result(engine, run_id) is None


def test_a_run_that_stops_three_times_has_failed(session: Session) -> None:
    run = make_run(session)
    for attempt in range(1, MAX_ATTEMPTS):
        take(session)
        assert queue.lose(session, run.id, attempt, at=AT)
        assert run.state == "queued"
    take(session)
    queue.reap(session, at=LATE)
    assert (run.state, run.error) == ("failed", STOPPED_TOO_OFTEN)


def test_stopping_a_worker_costs_no_attempt(session: Session) -> None:
    run = make_run(session)
    for _ in range(2 * MAX_ATTEMPTS):
        held = take(session)
        assert queue.give_back(session, run.id, held.attempt, at=LATE)
        assert (run.state, run.queued_at) == ("queued", AT)


def test_attempts_never_count_backwards(session: Session) -> None:
    run = make_run(session)
    take(session)
    queue.fail(session, run.id, 1, "No.", at=AT)
    queue.enqueue(run, at=LATE)
    assert take(session).attempt > 1
    assert not queue.finish(session, run.id, 1, RESULT, at=LATE)


def test_a_cancelled_run_that_lost_its_worker_ends(session: Session) -> None:
    run = make_run(session)
    take(session)
    lab.cancel(session, run.id, at=AT)
    queue.reap(session, at=LATE)
    assert run.state == "cancelled"
