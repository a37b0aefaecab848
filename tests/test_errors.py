import sqlite3
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, event

from quizsvc import db
from quizsvc.web.problems import problem

from .api_helpers import V1, stock
from .factories import make_item


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item()])


@pytest.mark.parametrize(
    ("method", "path", "send", "status", "code"),
    [
        ("GET", "/questions/none", {}, 404, "unknown-question"),
        ("GET", "/nowhere", {}, 404, "not-found"),
        ("GET", "/runs/run_none", {}, 404, "unknown-run"),
        ("GET", "/experiments/none", {}, 404, "unknown-experiment"),
        ("POST", "/reviews/rev_none/undo", {}, 404, None),
        ("DELETE", "/questions", {}, 405, "method-not-allowed"),
        ("GET", "/questions?answer=b", {}, 400, "unknown-parameter"),
        ("GET", "/questions?limit=0", {}, 400, "invalid"),
        ("GET", "/questions?limit=x", {}, 400, "invalid"),
        ("GET", "/questions?level=9", {}, 400, "invalid"),
        ("GET", "/questions?q=%00", {}, 400, "bad-request"),
        (
            "POST",
            "/experiments/coin/runs",
            {"data": "{}"},
            415,
            "unsupported-media-type",
        ),
        ("POST", "/experiments/coin/runs", {"json": []}, 400, "bad-request"),
        ("POST", "/experiments/coin/runs", {"json": {"x": 1}}, 422, "invalid-input"),
        (
            "POST",
            "/experiments/coin/runs",
            {"data": b"[" * 2**21, "content_type": "application/json"},
            413,
            "request-entity-too-large",
        ),
    ],
)
def test_every_error_is_a_problem(
    client: FlaskClient,
    method: str,
    path: str,
    send: dict[str, object],
    status: int,
    code: str | None,
) -> None:
    reply = client.open(V1 + path, method=method, **send)  # type: ignore[arg-type]

    assert reply.status_code == status, reply.text
    assert reply.mimetype == "application/problem+json"
    body = reply.get_json()
    assert body["status"] == status
    assert body["code"] == code or code is None
    assert body["request_id"] == reply.headers["X-Request-Id"]
    assert "Traceback" not in reply.text
    assert "SELECT" not in reply.text


def test_a_wrong_method_says_which_are_right(client: FlaskClient) -> None:
    assert "GET" in client.delete(f"{V1}/questions").headers["Allow"]


def test_local_mode_answers_on_every_name_of_this_machine(client: FlaskClient) -> None:
    for host in [
        "localhost",
        "LOCALHOST:8000",
        "127.0.0.1:8000",
        "127.0.0.2",
        "127.8.9.1:80",
        "[::1]",
        "[::1]:8000",
    ]:
        assert client.get("/healthz", headers={"Host": host}).status_code == 200, host


def test_local_mode_answers_only_on_loopback_names(client: FlaskClient) -> None:
    for host in [
        "quiz.example",
        "evil.localhost.example",
        "localhost.example:8000",
        "127.0.0.1.example",
        "10.0.0.1",
        "0.0.0.0:8000",
        "[2001:db8::1]:8000",
        "[::]",
        "[localhost",
        "localhost@quiz.example",
    ]:
        for path in ("/", f"{V1}/due"):
            assert client.get(path, headers={"Host": host}).status_code == 403, host


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://[", "https://localhost", "null", "localhost"],
)
def test_a_foreign_page_cannot_post(client: FlaskClient, origin: str) -> None:
    foreign = {"Origin": origin}
    own = {"Origin": "http://localhost"}
    path = f"{V1}/experiments/coin/runs"

    assert client.post(path, json={}, headers=foreign).status_code == 403
    assert client.post(path, json={}, headers=own).status_code == 202


def test_a_crash_is_a_problem_without_its_cause(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.application.config |= {"TESTING": False, "PROPAGATE_EXCEPTIONS": False}
    monkeypatch.setattr("quizsvc.lab.experiments", lambda _: 1 / 0)

    reply = client.get(f"{V1}/experiments")

    assert (reply.status_code, reply.mimetype) == (500, "application/problem+json")
    assert "division" not in reply.text


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_locked_database_is_503_and_says_when_to_come_back(
    client: FlaskClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "PATIENCE", 0.05)
    with engine.connect() as other:
        other.exec_driver_sql("ROLLBACK")
        other.exec_driver_sql("BEGIN IMMEDIATE")
        client.application.extensions["engine"].dispose()
        reply = client.post(f"{V1}/experiments/coin/runs", json={})

    assert reply.status_code == 503
    assert reply.headers["Retry-After"]
    assert reply.get_json()["code"] == "database-unavailable"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_full_disk_is_told_and_what_was_saved_can_be_read(
    client: FlaskClient, engine: Engine
) -> None:
    def fill(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")

    ours = client.application.extensions["engine"]
    event.listen(ours, "connect", fill)
    ours.dispose()
    for _ in range(200):  # until the last page is full
        reply = client.post(f"{V1}/questions/{make_item().slug}/presentations", json={})
        if reply.status_code >= 500:
            break

    assert (reply.status_code, reply.get_json()["code"]) == (503, "storage-full")
    assert client.get(f"{V1}/due").status_code == 200
    with client.application.test_request_context("/"):
        assert problem(503, "storage-full").title == "The disk is full"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
@pytest.mark.parametrize("harm", ["damaged", "no tables"])
def test_a_broken_database_is_not_called_busy(
    client: FlaskClient, engine: Engine, harm: str
) -> None:
    ours = client.application.extensions["engine"]
    ours.dispose()
    engine.dispose()
    file = Path(ours.url.database)
    file.with_name(f"{file.name}-wal").unlink(missing_ok=True)
    if harm == "damaged":
        whole = file.read_bytes()
        file.write_bytes(whole[:200] + b"x" * (len(whole) - 200))
    else:
        file.write_bytes(b"")

    reply = client.get(f"{V1}/due")

    assert (reply.status_code, reply.get_json()["code"]) == (503, "database-broken")
    assert "kept" not in client.get("/").text
    reply = client.post(f"{V1}/questions/{make_item().slug}/presentations", json={})
    assert (reply.status_code, reply.get_json()["code"]) == (503, "database-broken")


def test_replies_forbid_foreign_content_and_shared_caches(client: FlaskClient) -> None:
    headers = client.get(f"{V1}/due").headers

    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "private, no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
