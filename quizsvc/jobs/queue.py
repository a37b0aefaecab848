"""The row is the queue: claim a run, keep it, finish it, or give it back.

Sessions come from ``quizsvc.db.writing`` (SQLite's write lock) or stand on PostgreSQL,
where rows are locked one by one. A worker's every write names (id, attempt): when another
attempt has begun, or the run is over, the write is refused and changes nothing.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from quizsvc.models import Run, RunResult

MAX_ATTEMPTS = 3
STOPPED_TOO_OFTEN = "The run was stopped three times before it had a result."


def enqueue(run: Run, *, at: datetime) -> None:
    """Let a run wait for a worker, with a new round of attempts.

    ``attempt`` is a fence and never goes back, so rounds begin at its multiples of three.
    """
    run.state = "queued"
    run.attempt += -run.attempt % MAX_ATTEMPTS
    run.lease_until = None
    run.progress = 0.0
    run.cancel_requested = False
    run.error = None
    run.queued_at = at
    run.started_at = None
    run.finished_at = None


def waiting(session: Session, *, at: datetime) -> bool:
    """Whether there is something to claim or to reap: a read, so polling locks nothing."""
    ended = (Run.state == "running") & (Run.lease_until < at)
    query = select(Run.id).where(or_(Run.state == "queued", ended)).limit(1)
    return session.scalar(query) is not None


def claim(
    session: Session, *, at: datetime, lease: timedelta, run_id: str | None = None
) -> Run | None:
    """Take the next waiting run, what a person waits for first; or that one, if it waits."""
    query = select(Run).where(Run.state == "queued")
    if run_id is not None:
        query = query.where(Run.id == run_id)
    query = query.order_by(Run.priority, Run.queued_at, Run.id).limit(1)
    run = session.scalar(query.with_for_update(skip_locked=True))
    if run is not None:
        run.state = "running"
        run.attempt += 1
        run.lease_until = at + lease
        run.started_at = at
        session.flush()
    return run


def heartbeat(  # noqa: PLR0913 - a fenced write names whose it is and until when
    session: Session,
    run_id: str,
    attempt: int,
    *,
    progress: float,
    at: datetime,
    lease: timedelta,
) -> bool:
    """Extend the lease. False: the run is another's now, or a cancel was asked for."""
    run = _held(session, run_id, attempt)
    if run is None or run.cancel_requested:
        return False
    run.lease_until = at + lease
    run.progress = progress
    return True


def finish(
    session: Session,
    run_id: str,
    attempt: int,
    result: Mapping[str, Any],
    *,
    at: datetime,
) -> bool:
    """Store what was measured; False if the run is no longer this attempt's."""
    run = _held(session, run_id, attempt)
    if run is None:
        return False
    run.progress = 1.0
    _end(run, "succeeded", at)
    session.add(
        RunResult(
            run_id=run_id,
            metrics=result["metrics"],
            verdicts=result["verdicts"],
            figures=result["figures"],
            seconds=result["seconds"],
        )
    )
    return True


def fail(
    session: Session, run_id: str, attempt: int, error: str, *, at: datetime
) -> bool:
    """End a run with the reason; False if it is no longer this attempt's."""
    run = _held(session, run_id, attempt)
    if run is None:
        return False
    run.error = error
    _end(run, "failed", at)
    return True


def give_back(session: Session, run_id: str, attempt: int, *, at: datetime) -> bool:
    """Let a run that its worker stopped on purpose wait again; the attempt does not count.

    A run whose cancel was asked for ends here. False if it is no longer this attempt's.
    """
    run = _held(session, run_id, attempt)
    if run is None:
        return False
    if run.cancel_requested:
        _end(run, "cancelled", at)
    else:
        enqueue(run, at=run.queued_at)  # it keeps its place
    return True


def lose(session: Session, run_id: str, attempt: int, *, at: datetime) -> bool:
    """Record that an attempt died without a word; False if it is no longer this attempt's."""
    run = _held(session, run_id, attempt)
    if run is not None:
        _retry(run, at)
    return run is not None


def reap(session: Session, *, at: datetime) -> int:
    """Take back the runs whose lease has ended; how many."""
    query = select(Run).where(Run.state == "running", Run.lease_until < at)
    runs = session.scalars(query.with_for_update(skip_locked=True)).all()
    for run in runs:
        _retry(run, at)
    return len(runs)


def _held(session: Session, run_id: str, attempt: int) -> Run | None:
    query = select(Run).where(
        Run.id == run_id, Run.attempt == attempt, Run.state == "running"
    )
    # what the session remembers may be old: the row under the lock is what counts
    query = query.with_for_update().execution_options(populate_existing=True)
    return session.scalar(query)


def _retry(run: Run, at: datetime) -> None:
    if run.cancel_requested:
        _end(run, "cancelled", at)
    elif run.attempt % MAX_ATTEMPTS == 0:
        run.error = STOPPED_TOO_OFTEN
        _end(run, "failed", at)
    else:
        run.state = "queued"
        run.lease_until = None
        run.progress = 0.0


def _end(run: Run, state: str, at: datetime) -> None:
    run.state = state
    run.lease_until = None
    run.finished_at = at
