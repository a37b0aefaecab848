"""Runs that wait, and what a child may be told to do instead of an experiment."""

import itertools
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from quizsvc.db import reading, writing
from quizsvc.models import Run, RunResult
from sim import registry

AT = datetime(2025, 12, 1, 9, tzinfo=UTC)  # long ago for a worker's clock
LEASE = timedelta(seconds=15)
EXPERIMENT = "batch_independence"

numbers = itertools.count()


def make_run(session: Session, **changes: Any) -> Run:
    """A run that waits, of content of its own."""
    number = next(numbers)
    values: dict[str, Any] = {
        "id": f"run_{number}",
        "content_key": f"{number:064}",
        "experiment": EXPERIMENT,
        "source_hash": registry.source_hash(EXPERIMENT),
        "params": {},
        "seeds": [0, 1, 2, 3, 4],
        "state": "queued",
        "priority": 0,
        "attempt": 0,
        "progress": 0.0,
        "cancel_requested": False,
        "queued_at": AT,
    }
    run = Run(**(values | changes))
    session.add(run)
    session.flush()
    return run


def waiting_run(engine: Engine, **changes: Any) -> str:
    """The id of a committed run that waits."""
    with writing(engine) as session:
        run_id = make_run(session, **changes).id
        session.commit()
    return run_id


def read_run(engine: Engine, run_id: str) -> Run:
    """The row as another process sees it."""
    with reading(engine) as session:
        return session.get_one(Run, run_id)


def read_result(engine: Engine, run_id: str) -> RunResult | None:
    with reading(engine) as session:
        return session.get(RunResult, run_id)


def until(condition: Callable[[], bool], patience: float = 60) -> None:
    """Wait for what another process does; fails when it never happens."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or a zombie that nobody has waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True
