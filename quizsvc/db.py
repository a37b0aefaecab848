"""Engines and sessions. SQLite by default, PostgreSQL by URL; the same rules on both."""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from threading import Lock, local

from flask import Flask, current_app, g, request
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

log = logging.getLogger(__name__)

WRITE = {"quizsvc_write": True}
PATIENCE = 15  # seconds that a writer waits for its turn
LOOK = 0.0005  # seconds after which it looks again whether the file is free


def make_engine(url: str) -> Engine:
    """An engine whose SQLite connections wait for each other and check foreign keys."""
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": PATIENCE})
    event.listen(engine, "connect", _prepare)
    turns = _Turns()
    event.listen(engine, "begin", turns.begin)
    event.listen(engine, "checkin", turns.end)
    return engine.execution_options(quizsvc_turns=turns)


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves, see _Turns.begin
    connection.execute("PRAGMA foreign_keys = ON")
    _log_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")  # an acknowledged answer survives


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Turn to WAL. Who turns a new file at the same moment as another is told that it is
    locked without having waited."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if (
                error.sqlite_errorcode != sqlite3.SQLITE_BUSY
                or time.monotonic() > until
            ):
                raise
            time.sleep(LOOK)
        else:
            return


class _Turns:
    """The writers of this process take turns; only one contends for the file.

    SQLite lets whoever finds the file locked sleep and look again, ever more rarely:
    with two busy processes the file is idle for a third of the time. A lock hands over
    at once within the process; to the other one the way is half a millisecond long.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.mine = local()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the turn. What begins on this thread meanwhile reads until :meth:`write`."""
        self._wait()
        self.mine.held = True
        try:
            yield
        finally:
            self.mine.held = False
            self.lock.release()

    def begin(self, connection: Connection) -> None:
        # A transaction that reads and then writes must take the write lock at once: with
        # a plain BEGIN two of them lose updates or fail with "database is locked".
        writes = connection.get_execution_options().get("quizsvc_write", False)
        if not writes or getattr(self.mine, "held", False):
            connection.connection.cursor().execute(
                "BEGIN"
            )  # takes no lock, cannot fail
            return
        self._wait()
        connection.info["quizsvc_turn"] = True
        _take(connection, until=time.monotonic() + PATIENCE)

    def write(self, connection: Connection) -> None:
        """Let a transaction that has only read until now write, in a new one."""
        connection.connection.cursor().execute("COMMIT")
        _take(connection, until=time.monotonic() + PATIENCE)

    def end(self, _connection: object, record: ConnectionPoolEntry) -> None:
        if record.info.pop("quizsvc_turn", False):
            self.lock.release()

    def _wait(self) -> None:
        if not self.lock.acquire(timeout=PATIENCE):
            raise _locked()


def _take(connection: Connection, *, until: float) -> None:
    """Take the write lock. Raises OperationalError while another process holds it."""
    cursor = connection.connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 0")
    try:
        while not _free(cursor):
            if time.monotonic() > until:
                raise _locked()
            time.sleep(LOOK)
    finally:
        cursor.execute(f"PRAGMA busy_timeout = {round(PATIENCE * 1000)}")


def _locked() -> OperationalError:
    """What SQLite says when it has waited for long enough."""
    locked = sqlite3.OperationalError("database is locked")
    locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return OperationalError("BEGIN IMMEDIATE", None, locked)


def _free(cursor: DBAPICursor) -> bool:
    try:
        cursor.execute("BEGIN IMMEDIATE")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            return False
        raise DBAPIError.instance(
            "BEGIN IMMEDIATE", None, error, sqlite3.Error
        ) from error
    return True


def writing(engine: Engine) -> Session:
    """A session whose transactions hold SQLite's write lock from their start.

    What was read or written stays readable after the commit: to read it anew would take
    another transaction, and fail if the database is busy by then.
    """
    return Session(_writer(engine), expire_on_commit=False)


@lru_cache(maxsize=1)  # a process has one engine
def _writer(engine: Engine) -> Engine:
    return engine.execution_options(**WRITE)


def reading(engine: Engine) -> Session:
    """A session for reads alone; several may run beside one writer."""
    return Session(engine, expire_on_commit=False)


def engine() -> Engine:
    """The application's engine."""
    return current_app.extensions["engine"]  # type: ignore[no-any-return]


def session() -> Session:
    """The session of the current request: a writing one unless the method is safe.

    Whoever handles the request commits; what is not committed is rolled back.
    """
    if "session" not in g:
        safe = request.method in {"GET", "HEAD", "OPTIONS"}
        g.session = reading(engine()) if safe else writing(engine())
    return g.session  # type: ignore[no-any-return]


@contextmanager
def turn() -> Iterator[Callable[[], None]]:
    """The turn to write, taken before the request's session begins to read.

    For a request that reads much and then writes: others write while it reads, until it
    calls what it is given; after that its reads are of what it holds. While it holds the
    file, a thread that only prepares to do so would take the interpreter from it. Raises
    OperationalError, and so does the call.
    """
    turns: _Turns | None = engine().get_execution_options().get("quizsvc_turns")
    with turns.held() if turns else nullcontext():
        try:
            yield lambda: turns.write(session().connection()) if turns else None
        finally:
            session().rollback()  # what was not committed must not keep the file


def close_session(_error: BaseException | None) -> None:
    if opened := g.pop("session", None):
        try:
            opened.close()
        except DBAPIError as error:  # the connection was lost; the reply has been made
            log.warning("a session could not be closed: %s", error.orig)
            opened.invalidate()


def init_app(app: Flask) -> None:
    app.extensions["engine"] = make_engine(app.config["DATABASE_URL"])
    app.teardown_appcontext(close_session)
