"""Answers per second over HTTP, against a bare Flask and SQLAlchemy route.

Both run under the same gunicorn settings on SQLite files with the same rows, and get the
same requests from four keep-alive connections.
"""

import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from question_bank.models import Figure, Question, Revision
from question_bank.transfer import import_pack, pack_folder
from quizsvc import lab, migrating, practice
from quizsvc.db import make_engine, writing
from quizsvc.models import RunResult
from sim import registry

CONNECTIONS, REQUESTS = 4, 40  # short turns: a machine's speed changes within seconds
WARMING, REPEATS = 11, 15  # until either process has met every question
ROUNDS = WARMING + REPEATS


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        ours, peer = (prepare(f"sqlite:///{folder}/{n}.db") for n in ("ours", "peer"))
        with (
            serving("wsgi:app", *ours, folder) as our_port,
            serving("benchmarks.bare:app", *peer, folder) as peer_port,
        ):
            rates: dict[str, list[float]] = {"ours": [], "peer": []}
            for repeat in range(ROUNDS):
                share = slice(
                    repeat * CONNECTIONS * REQUESTS,
                    (repeat + 1) * CONNECTIONS * REQUESTS,
                )
                pairs = (("ours", our_port, ours[1]), ("peer", peer_port, peer[1]))
                for name, port, shown in pairs:
                    rate = load(port, shown[share])
                    if repeat >= WARMING:
                        rates[name].append(rate)
    mine, bare = (statistics.median(rates[n]) for n in ("ours", "peer"))
    return [
        {
            "name": "answers over HTTP (peer: bare route, select + insert + commit)",
            "ours": mine,
            "peer": bare,
            "ratio": mine / bare,
            "unit": "requests/s",
        }
    ]


def prepare(url: str) -> tuple[str, list[tuple[str, str]]]:
    """A database with enough presentations; returns them as (id, a choice)."""
    migrating.upgrade(url)
    engine = make_engine(url)
    at, rng = datetime.now(UTC), random.Random(0)
    with writing(engine) as session:
        import_pack(session, pack_folder(), at=at)
        finish_runs(session, at)
        user = practice.local_user(session, at=at)
        originals = session.scalars(
            select(Question)
            .join(Question.current)
            .outerjoin(Figure, Figure.revision_id == Revision.id)
            .where(Revision.type.in_(("single", "multi")), Figure.revision_id.is_(None))
        ).all()
        shown = []
        for n in range(ROUNDS * CONNECTIONS * REQUESTS):
            # An answer ends the other showings of its question, so each needs its own.
            like = originals[n % len(originals)]
            slug = f"copy-{n}"
            session.add(Question(slug=slug, pack_id=like.pack_id, current=like.current))
            card = practice.present(session, user, slug, "en", at=at, rng=rng)
            shown.append((card.id, card.choices[0][0]))
        session.commit()
    engine.dispose()
    return url, shown


def finish_runs(session: Session, at: datetime) -> None:
    """Give every piece of evidence a run that has ended, with results of the usual size."""
    lab.store_catalogue(session, registry.catalogue())
    claims = {row.name: row.claims for row in lab.experiments(session)}
    for run in lab.enqueue_defaults(session, at=at):
        run.state = "succeeded"
        run.result = RunResult(
            metrics={
                c["metric"]: [0.5] * len(run.seeds) for c in claims[run.experiment]
            },
            verdicts=[
                {"claim": c["id"], "outcome": "supported", "hits": 5, "effect": 0.5}
                for c in claims[run.experiment]
            ],
            figures=[],
            seconds=1.0,
        )
    session.flush()


@contextmanager
def serving(app: str, url: str, _shown: object, folder: str) -> Iterator[int]:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = int(s.getsockname()[1])
    environment = {**os.environ, "QUIZ_DATABASE_URL": url, "QUIZ_DATA": folder}
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "gunicorn", app, "--bind", f"127.0.0.1:{port}"),
            *("--worker-class", "gthread", "--workers", "2", "--threads", "4"),
            *("--log-level", "error"),
        ],
        env=environment,
        cwd=Path(__file__).parents[1],
    )
    try:
        for _ in range(200):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        else:
            raise RuntimeError(f"{app} does not start")
        yield port
    finally:
        server.terminate()
        server.wait(timeout=15)


def load(port: int, shown: list[tuple[str, str]]) -> float:
    """Answer everything that was shown; returns answers per second.

    Raises RuntimeError for an answer that was not recorded, OSError without a server.
    """
    lanes = [shown[n::CONNECTIONS] for n in range(CONNECTIONS)]
    began = time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        done = sum(pool.map(lambda lane: answer_all(port, lane), lanes))
    return done / (time.perf_counter() - began)


def answer_all(port: int, lane: list[tuple[str, str]]) -> int:
    """Answer one after the other; returns how many were recorded."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for presentation, choice in lane:
        connection.request(
            "POST",
            f"/api/v1/presentations/{presentation}/answers",
            json.dumps({"choices": [choice], "confidence": "sure"}),
            {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex},
        )
        reply = connection.getresponse()
        said = reply.read()
        if reply.status != 201:
            raise RuntimeError(f"an answer failed: {reply.status} {said[:200]!r}")
    connection.close()
    return len(lane)
