"""Databases with millions of reviews of 10,000 users, written as fast as they take them.

The real migrations, the real pack, and reviews in the order in which they are given, so
that one user's are scattered over the table.
"""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, Table, create_engine, insert, select, text
from sqlalchemy.orm import Session

from benchmarks.answers import finish_runs
from question_bank.models import Figure, Question
from question_bank.transfer import import_pack, pack_folder
from quizsvc import migrating
from quizsvc.db import make_engine, writing
from quizsvc.models import MemoryState, Review, Run, User
from quizsvc.practice.users import LOCAL
from quizsvc.scheduling.calibration import PRIOR

USERS = 10_000
A_DAY = 20  # reviews of each on a study day
MET = 0.8  # of the bank
FORGOTTEN = 1 / 8  # of the reviews
PRIME = 9973  # draws, enough that no pattern meets another
QUICK = {  # until the rows are written
    "sqlite": (
        "PRAGMA journal_mode = OFF",
        "PRAGMA synchronous = OFF",
        "PRAGMA cache_size = -1000000",
    ),
    "postgresql": (
        "SET session_replication_role = replica",  # no look at what rows refer to
        "SET maintenance_work_mem = '512MB'",
    ),
}

Lines = list[tuple[Any, ...]]


def build(url: str, each: int, name: str) -> None:
    """A database with the pack, USERS users, their memory and ``each`` reviews of each."""
    began, at = time.perf_counter(), datetime.now(UTC)
    if not url.startswith("sqlite"):
        _execute(url.rpartition("/")[0] + "/postgres", f"CREATE DATABASE {_name(url)}")
    migrating.upgrade(url)
    engine = make_engine(url)
    with writing(engine) as session:
        import_pack(session, pack_folder(), at=at)
        finish_runs(session, at)
        _draw_figures(session)
        session.execute(insert(User), list(_users(at)))
        questions = session.scalars(select(Question.id).order_by(Question.id)).all()
        session.commit()
    engine.dispose()
    met = questions[: int(MET * len(questions))]
    tables: dict[Any, Iterator[Lines]] = {
        MemoryState.__table__: _states(met, each, at),
        Review.__table__: _reviews(met, each, at, name),
    }
    bare = create_engine(url)
    with bare.connect() as connection:
        for line in QUICK[connection.dialect.name]:
            connection.exec_driver_sql(line)
        for table, blocks in tables.items():
            indexes = list(table.indexes)  # quicker to make at the end
            for index in indexes:
                index.drop(connection)
            _copy(connection, table, blocks)
            for index in indexes:
                index.create(connection)
        connection.commit()
    bare.dispose()
    if not url.startswith("sqlite"):
        _execute(url, "VACUUM ANALYZE")  # as the server does by itself
    spent = time.perf_counter() - began
    say(f"{name}: {_bytes(url) / 1e9:.2f} GB after {spent:.0f} s")


def _draw_figures(session: Session) -> None:
    """Give the runs the figures that questions show."""
    for drawn in session.scalars(select(Figure)):
        of_it = select(Run).where(Run.experiment == drawn.experiment)
        for run in session.scalars(of_it):
            if run.result is not None:
                run.result.figures = [*run.result.figures, {"id": drawn.figure}]


def _users(at: datetime) -> Iterator[dict[str, Any]]:
    """The candidate who is timed is in the middle."""
    for number in range(1, USERS + 1):
        yield {
            "name": LOCAL if number == USERS // 2 else f"user-{number}",
            "time_zone": "UTC",
            "chose_zone": True,
            "rollover_hour": 4,
            "target_retention": 0.9,
            "interview_date": at.date() + timedelta(days=30),
            "calibration": list(PRIOR),
            "created_at": at,
        }


def _last(each: int, user: int, place: int, of: int) -> int:
    """The number of a user's last review of the question at a place."""
    return each - (each + user - place) % of


def _day(each: int, number: int, at: datetime) -> datetime:
    """When a user's review was given: A_DAY on each day, a quarter of them today."""
    days, turn = divmod(each - number + A_DAY * 3 // 4, A_DAY)
    return at - timedelta(days=days, minutes=turn)


def _states(met: Sequence[int], each: int, at: datetime) -> Iterator[Lines]:
    """In the order of the columns."""
    reviews = each // len(met)
    lapses = np.random.default_rng(0).binomial(reviews, FORGOTTEN, PRIME).tolist()
    days = [_day(each, number, at).date() for number in range(each + 1)]
    for user in range(1, USERS + 1):
        yield [
            (
                *(user, question, 2.0 + user % 9, 5.0 + place % 4),
                *(days[last], days[last] + timedelta(days=2 + user % 9)),
                *(reviews, lapses[(user * 31 + place) % PRIME]),
            )
            for place, question in enumerate(met)
            for last in [_last(each, user, place, len(met))]
        ]


def _reviews(met: Sequence[int], each: int, at: datetime, what: str) -> Iterator[Lines]:
    """In the order of the columns and of time: all users' first ones, their second ones."""
    again = (np.random.default_rng(0).random(PRIME) < FORGOTTEN).tolist()
    kept = json.dumps(list(PRIOR))
    for number in range(1, each + 1):
        if number % 100 == 0:
            say(f"{what}: {number * USERS / 1e6:.0f} M reviews")
        given = _day(each, number, at)
        day, said = given.date().isoformat(), str(given.replace(tzinfo=None))
        state = {
            **{"stability": 2.0 + number / each, "difficulty": 5.0 + number / each},
            **{"last_day": day, "due": day, "reviews": number, "lapses": 1},
        }
        told = json.dumps(state)
        predicted = 0.87 if number > len(met) else None
        first, seconds = number * USERS, 20.0 + number % 31
        yield [
            (
                *(f"rev_{first + user:032x}", user, met[(number + user) % len(met)]),
                *(None, number, 1 if again[(first + user * 17) % PRIME] else 3),
                *(0.25, "sure", seconds, day, said, predicted, kept, told, told, None),
            )
            for user in range(1, USERS + 1)
        ]


def _copy(connection: Connection, table: Table, blocks: Iterable[Lines]) -> None:
    """Write rows as fast as the database takes them; what they refer to is not checked."""
    names = ", ".join(column.name for column in table.columns)
    raw: Any = connection.connection.driver_connection
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(table.columns))
        for lines in blocks:
            raw.executemany(
                f"INSERT INTO {table.name} ({names}) VALUES ({marks})", lines
            )
        return
    with raw.cursor().copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for lines in blocks:
            copy.write("".join(map(_line, lines)))


def _line(row: tuple[Any, ...]) -> str:
    return "\t".join("\\N" if one is None else str(one) for one in row) + "\n"


def _execute(url: str, statement: str) -> None:
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def _bytes(url: str) -> int:
    """What a database takes on disk."""
    if url.startswith("sqlite"):
        path = url.removeprefix("sqlite:///")
        return sum(
            one.stat().st_size for one in Path(path).parent.glob(f"{_name(url)}*")
        )
    engine = create_engine(url)
    with engine.connect() as connection:
        size = connection.scalar(text("SELECT pg_database_size(current_database())"))
    engine.dispose()
    return int(size or 0)


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
