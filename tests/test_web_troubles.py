"""Nothing that a person entered is lost when the service cannot take it."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from question_bank.base import Base
from quizsvc import db
from quizsvc.app import create_app
from quizsvc.models import Answer, Worker

from .api_helpers import stock
from .factories import make_item
from .web_helpers import Page, begin, get

OURS = {"Origin": "http://localhost"}
WORDS = "The stream <b>is</b> normalised.\nIn both."


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FlaskClient]:
    """A visitor of a service that waits for the database but a moment."""
    monkeypatch.setattr(db, "PATIENCE", 0.05)
    url = f"sqlite:///{tmp_path}/quiz.sqlite"
    app = create_app({"TESTING": True, "DATABASE_URL": url, "SECRET_KEY": "test"})
    engine = app.extensions["engine"]
    Base.metadata.create_all(engine)
    stock(engine, tmp_path, [make_item(), make_item("talk", type="open")])
    yield app.test_client()
    engine.dispose()


@pytest.fixture
def other(tmp_path: Path, client: FlaskClient) -> Iterator[sqlite3.Connection]:
    """Another program with the same file open."""
    connection = sqlite3.connect(tmp_path / "quiz.sqlite", isolation_level=None)
    yield connection
    connection.close()


def fields(page: Page) -> list[tuple[str, str]]:
    hidden = page.all("input", type="hidden")
    return [(field["name"], field["value"]) for field in hidden]


def resend(client: FlaskClient, page: Page, address: str) -> TestResponse:
    assert page.all("form", action=address, method="post"), page.html
    data: dict[str, list[str]] = {}
    for name, value in fields(page):
        data.setdefault(name, []).append(value)
    return client.post(address, data=data, headers=OURS)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_answer_that_met_a_busy_database_is_sent_again_from_the_page(
    client: FlaskClient, other: sqlite3.Connection, lang: str
) -> None:
    address = begin(client, "talk")
    page = get(client, f"{address}?lang={lang}")
    said = {"csrf_token": page.values("csrf_token")[0], "text": WORDS, "seconds": "7"}
    other.execute("BEGIN IMMEDIATE")
    busy = client.post(address, data=said, headers=OURS)
    other.execute("ROLLBACK")

    assert busy.status_code == 503
    assert int(busy.headers["Retry-After"]) > 0
    shown = Page(busy)
    assert "normalised" in shown.text
    assert "<b>is</b>" not in shown.html
    assert ("All that you entered is kept" in shown.text) is (lang == "en")
    assert ("你填写的内容都保留" in shown.text) is (lang == "zh")
    for _ in range(2):
        again = resend(client, shown, address)
        assert again.status_code == 303
    with db.reading(client.application.extensions["engine"]) as session:
        given = session.scalars(select(Answer)).one()
        assert (given.text, given.seconds) == (WORDS, 7)


def test_reading_goes_on_while_another_program_writes(
    client: FlaskClient, other: sqlite3.Connection
) -> None:
    begin(client)
    other.execute("BEGIN IMMEDIATE")
    for address in ("/", "/questions", "/progress", "/offline"):
        assert get(client, address).status == 200, address
    other.execute("ROLLBACK")


def test_a_form_whose_session_is_lost_is_sent_again_under_a_new_one(
    client: FlaskClient,
) -> None:
    address = begin(client)
    token = get(client, address).values("csrf_token")[0]
    ticked = get(client, address).values("choice")[:2]
    client.delete_cookie("session")
    reply = client.post(
        address, data={"csrf_token": token, "choice": ticked}, headers=OURS
    )
    assert reply.status_code == 400
    shown = Page(reply)
    assert "lost its session" in shown.text
    assert [v for n, v in fields(shown) if n == "choice"] == ticked
    assert resend(client, shown, address).status_code == 303


@pytest.mark.parametrize("origin", [{}, {"Origin": "http://evil.example"}])
def test_a_form_that_no_page_of_ours_sent_is_not_offered_again(
    client: FlaskClient, origin: dict[str, str]
) -> None:
    address = begin(client)
    reply = client.post(address, data={"choice": "c_1"}, headers=origin)
    assert reply.status_code in {400, 403}
    assert not Page(reply).all("form", action=address)
    assert "c_1" not in reply.text


def test_a_question_that_waited_too_long_is_asked_anew_by_one_button(
    client: FlaskClient, other: sqlite3.Connection
) -> None:
    address = begin(client)
    token = get(client, address).values("csrf_token")[0]
    other.execute("UPDATE presentation SET expires_at = '2020-01-01 00:00:00'")
    reply = client.post(
        address, data={"csrf_token": token, "confidence": "none"}, headers=OURS
    )
    assert reply.status_code == 410
    shown = Page(reply)
    assert "shown too long ago" in shown.text
    assert shown.all("form", action="/practice", method="post")


@pytest.mark.parametrize("path", ["/experiments", "/experiments/coin"])
def test_pages_that_need_a_worker_say_when_none_is_there(
    client: FlaskClient, path: str
) -> None:
    away = "No worker has shown itself lately, so experiments do not start."
    assert away in get(client, path).text
    assert away not in get(client, "/questions").text
    with db.writing(client.application.extensions["engine"]) as session:
        session.add(Worker(name="w", seen_at=datetime.now(UTC)))
        session.commit()
    assert away not in get(client, path).text
