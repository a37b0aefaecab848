"""What the report of a mock interview says on its page."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select

from quizsvc.db import reading, writing
from quizsvc.models import MockInterview, Review

from .mock_pages import count, home, mark, put_questions, said, start
from .web_helpers import get, post


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    put_questions(engine, tmp_path)


def test_what_an_early_end_leaves_out_was_not_asked(
    client: FlaskClient, engine: Engine
) -> None:
    address = start(client)
    said(client, address)
    mark(client, address, rating="good")
    post(client, f"{home(address)}/end")
    assert "1 question was not asked, since you ended early." in (
        get(client, home(address)).text
    )
    with writing(engine) as session:
        found = session.scalars(select(MockInterview)).one()
        found.minutes = 0
        session.commit()
    assert "1 question was not reached." in get(client, home(address)).text


def test_an_answer_taken_back_is_told_in_the_report(
    client: FlaskClient, engine: Engine
) -> None:
    address = start(client)
    said(client, address)
    mark(client, address, rating="good")
    with reading(engine) as session:
        review = session.scalars(select(Review)).one().id
    assert post(client, f"/reviews/{review}/undo").status_code == 303
    report = get(client, home(address))
    assert report.status == 200
    assert "taken back" in report.text


def test_an_unmarked_answer_is_named_in_the_report_and_marked_later(
    client: FlaskClient, engine: Engine
) -> None:
    address = start(client)
    said(client, address, "It mentions formula.")
    post(client, f"{home(address)}/end")
    report = get(client, home(address))
    assert "Question 1 is answered but not marked" in report.text
    assert mark(client, address, rating="good").status_code == 303
    assert "To the report" in get(client, address).text
    assert count(engine, Review) == 1
