"""The pages of a mock interview, gone through without script."""

from pathlib import Path

from flask.testing import FlaskClient
from sqlalchemy import Engine, func, select
from werkzeug.test import TestResponse

from quizsvc.db import reading

from .api_helpers import stock
from .factories import make_item
from .web_helpers import Page, get, post


def put_questions(engine: Engine, folder: Path) -> None:
    """Two open questions and two with choices."""
    talks = [make_item(f"talk-{n}", type="open") for n in range(2)]
    stock(engine, folder, [*talks, make_item(), make_item("other", level="hard")])


def start(client: FlaskClient, **wish: object) -> str:
    """Start an interview; the address of its first question."""
    reply = post(
        client, "/mock", **{"minutes": "10", "mixed": "0", "lang": "en", **wish}
    )
    assert reply.status_code == 303, reply.text
    return reply.location


def home(address: str) -> str:
    return address.rsplit("/", 1)[0]


def said(client: FlaskClient, address: str, text: str = "", **more: object) -> Page:
    """Answer the question at an address; the page of its key points."""
    reply = post(client, address, text=text, **more)
    assert (reply.status_code, reply.location) == (303, address)
    return get(client, address)


def mark(client: FlaskClient, address: str, **fields: object) -> TestResponse:
    return post(client, address, marks="1", **fields)


def count(engine: Engine, table: type) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0
