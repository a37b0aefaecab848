"""Writers of SQLite: one at a time, each within its patience, and nobody waits for ever."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from quizsvc import db
from quizsvc.jobs.supervisor import UNREACHABLE


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "quiz.db"


@pytest.fixture
def engine(file: Path) -> Iterator[Engine]:
    """An engine of a process."""
    engine = db.make_engine(f"sqlite:///{file}")
    with db.writing(engine) as session:
        session.execute(text("CREATE TABLE said (number INTEGER)"))
        session.commit()
    yield engine
    engine.dispose()


def say(engine: Engine, number: int) -> None:
    with db.writing(engine) as session:
        session.execute(text("INSERT INTO said VALUES (:number)"), {"number": number})
        session.commit()


@contextmanager
def kept_elsewhere(file: Path) -> Iterator[None]:
    """The file while another process writes."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


def said(engine: Engine) -> list[int]:
    with db.reading(engine) as session:
        return list(session.scalars(text("SELECT number FROM said ORDER BY number")))


def test_a_file_that_others_keep_is_a_database_that_is_away(
    engine: Engine, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "PATIENCE", 0.05)
    with (
        kept_elsewhere(file),
        pytest.raises(OperationalError, match="locked") as away,
    ):
        say(engine, 1)
    assert isinstance(away.value, UNREACHABLE)  # a worker waits for it
    say(engine, 2)
    assert said(engine) == [2]


def test_a_turn_that_another_thread_keeps_is_a_database_that_is_away(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "PATIENCE", 0.05)
    with db.writing(engine) as session, ThreadPoolExecutor(1) as pool:
        session.execute(text("INSERT INTO said VALUES (1)"))
        with pytest.raises(OperationalError, match="locked"):
            pool.submit(say, engine, 2).result()
        session.commit()
    assert said(engine) == [1]


ADD = text("INSERT INTO said VALUES (:number)")
COUNT = text("SELECT count(*) FROM said")


@pytest.fixture
def request_to_write(engine: Engine) -> Iterator[None]:
    app = Flask(__name__)
    app.extensions["engine"] = engine
    app.teardown_appcontext(db.close_session)
    with app.test_request_context(method="POST"):
        yield


@pytest.mark.usefixtures("request_to_write")
def test_whoever_has_the_turn_writes_and_the_others_wait_for_it(engine: Engine) -> None:
    order: list[str] = []
    waiting = threading.Event()

    def other() -> None:
        waiting.set()
        say(engine, 2)
        order.append("other")

    with ThreadPoolExecutor(1) as pool:
        with db.turn() as write:
            done = pool.submit(other)
            waiting.wait()
            assert db.session().scalar(COUNT) == 0
            time.sleep(0.01)
            write()
            db.session().execute(ADD, {"number": 1})
            db.session().commit()
            order.append("turn")
        done.result()
    say(engine, 3)
    assert order == ["turn", "other"]
    assert said(engine) == [1, 2, 3]


@pytest.mark.usefixtures("request_to_write")
def test_a_turn_keeps_no_file_until_it_writes_and_then_sees_what_others_wrote(
    file: Path,
) -> None:
    second = db.make_engine(f"sqlite:///{file}")  # its turns are its own
    with db.turn() as write:
        assert db.session().scalar(COUNT) == 0
        say(second, 1)
        write()
        assert db.session().scalar(COUNT) == 1
        db.session().execute(ADD, {"number": 2})
        db.session().commit()
    assert said(second) == [1, 2]
    second.dispose()


@pytest.mark.usefixtures("request_to_write")
def test_a_turn_that_cannot_write_leaves_nothing_behind(
    engine: Engine, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "PATIENCE", 0.05)
    with kept_elsewhere(file), db.turn() as write:
        assert db.session().scalar(COUNT) == 0
        with pytest.raises(OperationalError, match="locked"):
            write()
    say(engine, 1)
    assert said(engine) == [1]


def test_many_writers_of_two_processes_lose_nothing(engine: Engine, file: Path) -> None:
    second = db.make_engine(f"sqlite:///{file}")  # its turns are its own
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(say, [engine, second] * 40, range(80)))
    assert said(engine) == list(range(80))
    second.dispose()
