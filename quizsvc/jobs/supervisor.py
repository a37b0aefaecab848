"""The embedded worker: claims runs itself and keeps one child for each slot.

Each run goes the way of :mod:`quizsvc.jobs.attempt`, as one that a carrier names does.
"""

import os
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from logging import getLogger
from typing import Protocol

from sqlalchemy import Engine, delete, select
from sqlalchemy.exc import InterfaceError, OperationalError

from quizsvc.db import reading, writing
from quizsvc.jobs import queue
from quizsvc.jobs.attempt import Attempt, begin
from quizsvc.jobs.child import Limits, Target, execute, server
from quizsvc.models import Worker

log = getLogger(__name__)

POLL = 0.15  # seconds between two looks at the queue
PAUSE = 1.0  # seconds before asking a database again that did not answer
SIGN_OF_LIFE = 5.0  # seconds between two updates of the worker's row
FORGOTTEN = timedelta(days=1)  # after which a silent worker's row goes
UNREACHABLE = (OperationalError, InterfaceError)


class Stop(Protocol):
    """A threading.Event, or what behaves like one."""

    def wait(self, timeout: float) -> bool: ...


def work(
    engine: Engine,
    *,
    stop: Stop,
    slots: int | None = None,
    limits: Limits | None = None,
    target: Target = execute,
) -> None:
    """Run what waits, until told to stop; then unfinished runs wait for another worker.

    A database that is away is waited for; children go on meanwhile.
    """
    server()
    name = f"{socket.gethostname()[:80]}-{os.getpid()}"
    held: list[Attempt] = []
    seen = -SIGN_OF_LIFE
    try:
        while not stop.wait(POLL):
            away: OperationalError | InterfaceError | None = None
            for attempt in list(held):
                try:
                    if attempt.step():
                        held.remove(attempt)
                except UNREACHABLE as error:  # the others have limits to keep, too
                    away = error
            try:
                if time.monotonic() - seen >= SIGN_OF_LIFE:
                    _sign_of_life(engine, name)
                    seen = time.monotonic()
                if len(held) < (slots or os.cpu_count() or 1):
                    held += _claim(engine, limits or Limits(), target)
            except UNREACHABLE as error:
                away = error
            if away is not None:
                log.warning("the database is away: %s", away.orig)
                stop.wait(PAUSE)
    finally:
        for attempt in held:
            with suppress(*UNREACHABLE):
                attempt.give_back()
        with suppress(*UNREACHABLE), writing(engine) as session:
            session.execute(delete(Worker).where(Worker.name == name))
            session.commit()


def _claim(engine: Engine, limits: Limits, target: Target) -> list[Attempt]:
    """At most one new attempt, after putting back what other workers have dropped."""
    with reading(engine) as session:
        if not queue.waiting(session, at=datetime.now(UTC)):
            return []
    with writing(engine) as session:
        queue.reap(session, at=datetime.now(UTC))
        session.commit()
    attempt = begin(engine, limits=limits, target=target)
    return [attempt] if attempt else []


def _sign_of_life(engine: Engine, name: str) -> None:
    at = datetime.now(UTC)
    with writing(engine) as session:
        row = session.scalar(select(Worker).where(Worker.name == name))
        if row is None:
            session.execute(delete(Worker).where(Worker.seen_at < at - FORGOTTEN))
            row = Worker(name=name)
            session.add(row)
        row.seen_at = at
        session.commit()
