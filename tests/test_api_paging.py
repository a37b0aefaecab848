"""Pages of lists: cursors, and what happens to the items between two pages."""

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select

from question_bank.models import Question
from quizsvc import lab
from quizsvc.db import writing

from .api_helpers import COIN, NOW, V1, answer, show, stock
from .factories import make_item

ITEMS = ("in-words", "one-right", "two-right")


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item(slug) for slug in ITEMS])


def test_what_is_due_comes_with_a_reason_and_in_pages(client: FlaskClient) -> None:
    first = client.get(f"{V1}/due?limit=2")
    second = client.get(f"{V1}/due?limit=2&after={first.json['next']}")

    assert first.json["has_more"]
    assert 'rel="next"' in first.headers["Link"]
    assert not second.json["has_more"]
    items = first.json["data"] + second.json["data"]
    assert {item["slug"] for item in items} == set(ITEMS)
    # one claim proves them all
    assert [item["reason"] for item in items] == ["new", "sibling", "sibling"]


def pages(client: FlaskClient, path: str, between: Callable[[], object]) -> list[str]:
    """The slugs or names on two pages of one and all that is left."""
    first = client.get(f"{V1}/{path}?limit=1").get_json()
    between()
    rest = client.get(f"{V1}/{path}?after={first['next']}")
    assert rest.status_code == 200, rest.text
    items = first["data"] + rest.get_json()["data"]
    return [item.get("slug") or item["name"] for item in items]


def test_pages_go_on_behind_an_item_that_is_gone_by_then(
    client: FlaskClient, engine: Engine
) -> None:
    with writing(engine) as session:
        lab.store_catalogue(session, [COIN, replace(COIN, name="dice")])
        session.commit()
    due = [item["slug"] for item in client.get(f"{V1}/due").get_json()["data"]]

    def answer_the_first() -> None:
        answer(client, show(client, due[0]), dont_know=True)

    def retire_the_first() -> None:
        with writing(engine) as session:
            first = select(Question).where(Question.slug == ITEMS[0])
            session.scalars(first).one().retired_at = NOW
            session.commit()

    def remove_the_coin() -> None:
        with writing(engine) as session:
            lab.store_catalogue(session, [replace(COIN, name="dice")])
            session.commit()

    assert len(due) == 3
    assert pages(client, "due", answer_the_first) == due
    assert pages(client, "questions", retire_the_first) == [*ITEMS]
    assert pages(client, "experiments", remove_the_coin) == ["coin", "dice"]


def encoded(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


FOREIGN = [
    "!!",
    "eA",
    *map(
        encoded,
        [
            "9" * 30,
            str(2**63),
            str(2**31),
            "-1",
            "1.5",
            '"a\0b"',
            '"a\\u0000b"',
            '"\\ud800"',
            b'"\xff"',
            "{}",
            "[]",
            "null",
            '["2026-03-02", NaN, 0, "slug"]',
            '["2026-03-02", "0", 0, "slug"]',
        ],
    ),
]


@pytest.mark.parametrize("path", ["questions", "due", "reviews", "experiments"])
def test_a_cursor_that_no_page_gave_is_refused(client: FlaskClient, path: str) -> None:
    for after in FOREIGN:
        reply = client.get(f"{V1}/{path}?after={after}")
        assert (reply.status_code, reply.get_json()["code"]) == (400, "bad-cursor")
