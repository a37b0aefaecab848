"""The due queue of one candidate among 10,000, with 1 and with 10 million reviews stored.

SQLite and PostgreSQL, each with the real migrations and the real pack. The reviews lie in
the order in which they were given, so that one candidate's are scattered over the table.
Timed are what ``GET /due`` and the page Today call, with a new session for every call,
and the two routes themselves. The candidate has an interview to come: then every question
is ranked, not only those that are due.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.stored_reviews import USERS, build, say
from quizsvc import practice
from quizsvc.app import create_app
from quizsvc.db import make_engine, reading
from tests import postgres

SIZES = {"1 M": 1_000_000, "10 M": 10_000_000}
SMALL, LARGE = SIZES
REPEATS, CALLS, WARM = 3, 20, 5
GOAL = 10.0  # ms

Call = Callable[[], object]


def rows() -> list[dict[str, Any]]:
    """A row for each database and each of: queue, Today, their routes, growth."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        calls: dict[tuple[str, str, str], Call] = {}
        built = {
            (kind, size): url.format(size.replace(" ", "_").lower())
            for kind, url in _servers(stack, folder)
            for size in SIZES
        }
        with ProcessPoolExecutor(2) as pool:  # both kinds at once
            made = [
                pool.submit(build, url, SIZES[size] // USERS, f"{kind}, {size}")
                for (kind, size), url in built.items()
            ]
            for one in made:
                one.result()
        for (kind, size), url in built.items():
            for what, call in _calls(stack, url):
                calls[kind, size, what] = call
        return list(_compared(_taking_turns(calls)))


def _taking_turns(calls: dict[tuple[str, str, str], Call]) -> dict[Any, float]:
    """The milliseconds of each call: all take turns, so that all meet the same machine."""
    turns: dict[Any, list[float]] = {name: [] for name in calls}
    for turn in range(-WARM, REPEATS * CALLS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if turn >= 0:
                turns[name].append(time.perf_counter() - start)
    return {name: median(some) * 1e3 for name, some in turns.items()}


def _compared(spent: dict[tuple[str, str, str], float]) -> Iterator[dict[str, Any]]:
    for (kind, size, what), ours in spent.items():
        yield {
            "name": f"{what}, {kind}, {size} reviews (peer: the goal)",
            "ours": ours,
            "peer": GOAL,
            "ratio": GOAL / ours,
            "unit": "ms",
        }
    for (kind, size, what), ours in spent.items():
        if size == LARGE:
            before = spent[kind, SMALL, what]
            yield {
                "name": f"{what}, {kind}, {LARGE} reviews (peer: {SMALL}; ratio: {LARGE} / {SMALL})",
                "ours": ours,
                "peer": before,
                "ratio": ours / before,
                "unit": "ms",
            }


def _calls(stack: ExitStack, url: str) -> Iterator[tuple[str, Call]]:
    engine = make_engine(url)
    stack.callback(engine.dispose)

    def asked(what: Callable[..., object]) -> Call:
        def call() -> object:
            with reading(engine) as session:
                at = datetime.now(UTC)
                return what(session, practice.local_user(session, at=at), at=at)

        return call

    yield "due queue", asked(practice.due)
    yield "Today", asked(practice.today)
    app = create_app({"DATABASE_URL": url, "SECRET_KEY": "benchmark"})
    stack.callback(app.extensions["engine"].dispose)
    client = app.test_client()

    def got(path: str) -> Call:
        def call() -> None:
            reply = client.get(path)
            if reply.status_code != 200:
                raise RuntimeError(f"{path}: {reply.status}")

        return call

    yield "GET /api/v1/due", got("/api/v1/due")
    yield "GET / (Today)", got("/")


def _servers(stack: ExitStack, folder: Path) -> Iterator[tuple[str, str]]:
    """The kinds of database, with a URL that takes a name."""
    yield "SQLite", f"sqlite:///{folder}/{{}}.sqlite"
    binaries = postgres.find_binaries()
    if binaries is None:
        say("no PostgreSQL here: SQLite alone")
        return
    address = stack.enter_context(postgres.server(binaries))
    yield "PostgreSQL", f"postgresql+psycopg://{address}/reviews{{}}"
