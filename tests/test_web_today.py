"""Laws of the first page: what to do, for how long and why, in every state it can be in."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select

from quizsvc.db import writing
from quizsvc.models import User

from .api_helpers import NOW, stock
from .factories import make_item
from .measured import finished
from .test_web_measured import ESTIMATE
from .web_helpers import Page, answer, begin, get, post

SLUGS = ["norm-position", "other", "third"]


@pytest.fixture
def bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item(slug) for slug in SLUGS])


def aim(engine: Engine, **goal: Any) -> None:
    with writing(engine) as session:
        for user in session.scalars(select(User)):
            for name, value in goal.items():
                setattr(user, name, value)
        session.commit()


def in_days(days: int) -> Any:
    return (datetime.now(UTC) + timedelta(days=days)).date()


def starts(page: Page) -> int:
    """How many things Enter starts."""
    return len(page.all("button", **{"data-enter": ""})) + len(
        page.all("a", **{"data-enter": ""})
    )


def test_an_empty_bank_leads_to_the_goal(client: FlaskClient) -> None:
    page = get(client, "/")
    assert "The bank holds no questions yet" in page.text
    assert starts(page) == 1


@pytest.mark.usefixtures("bank")
def test_a_first_start_begins_small_and_asks_for_the_date(client: FlaskClient) -> None:
    page = get(client, "/")
    assert "Begin with 3 questions" in page.text
    assert "When is the interview?" in page.text
    assert page.all("a", href="/plan#interview_date")
    assert page.all("form", action="/practice", method="post")
    assert starts(page) == 1
    assert page.all("figure") == []


def test_a_small_beginning_is_told_as_a_part_of_the_day(
    client: FlaskClient, engine: Engine, tmp_path: Path
) -> None:
    stock(engine, tmp_path, [make_item(f"question-{n}") for n in range(8)])
    page = get(client, "/")
    told = re.search(r"Begin with (\d) of today’s (\d) questions", page.text)
    assert told is not None
    assert told[1] == "5"
    asked = get(client, begin(client, "question-0"))
    assert f"1 of {told[2]}" in asked.text


def test_questions_still_being_computed_are_counted_apart(
    client: FlaskClient, engine: Engine, tmp_path: Path
) -> None:
    waiting = make_item("guess", type="estimate", estimate=ESTIMATE, evidence=[])
    stock(engine, tmp_path, [make_item(), waiting])
    said = "1 more is being computed and joins once it is ready."
    for path in ("/", "/plan"):
        assert said in get(client, path).text, path
    assert "2 questions" in get(client, "/questions").text
    finished(engine, at=NOW, bias=0.75)
    for path in ("/", "/plan"):
        assert "being computed" not in get(client, path).text, path


@pytest.mark.usefixtures("bank")
def test_towards_an_interview_it_says_what_today_is_worth_and_where_it_leads(
    client: FlaskClient, engine: Engine
) -> None:
    answer(client, "inside")
    aim(engine, interview_date=in_days(10))
    page = get(client, "/")
    assert "2 questions, about" in page.text
    assert "days to the interview" in page.text
    assert "The first ones count most" in page.text
    assert "of the 3 questions of your goal you will likely recall" in page.text
    assert "90 % band: " in page.text
    assert "You practised on 1 of the last 7 days." in page.text
    assert "When is the interview?" not in page.text
    ids = [figure["id"] for figure in page.all("figure")]
    assert ids == ["today-course", "today-minutes"]


@pytest.mark.usefixtures("bank")
def test_the_groups_tell_why_and_for_how_long(client: FlaskClient) -> None:
    answer(client, "inside")
    text = get(client, "/").text
    groups = text.partition("What is in it")[2]
    assert re.match(r" ?[A-Z][a-z]+ ?\d questions?, \d minutes? ?[A-Z]", groups)
    assert "Done today" in text


@pytest.mark.usefixtures("bank")
def test_without_minutes_a_day_nothing_is_planned_and_all_is_allowed(
    client: FlaskClient, engine: Engine
) -> None:
    answer(client, "inside")
    aim(engine, interview_date=in_days(10), minutes_per_day=0)
    page = get(client, "/")
    assert "No time is planned for today" in page.text
    assert page.all("form", action="/practice", method="post")


@pytest.mark.usefixtures("bank")
def test_when_nothing_is_due_it_says_when_and_what_one_may_do_anyway(
    client: FlaskClient,
) -> None:
    for slug in SLUGS:
        post(client, begin(client, slug), confidence="none")
    page = get(client, "/")
    assert "Nothing is due" in page.text
    assert "The next question comes back on" in page.text
    for path in ("/questions", "/experiments", "/mock"):
        assert page.all("a", href=path)
    assert starts(page) == 1
    chinese = get(client, "/?lang=zh")
    assert "。 " not in "".join(chinese.words)


@pytest.mark.usefixtures("bank")
def test_without_a_date_today_and_the_plan_have_what_the_minutes_are_for(
    client: FlaskClient, engine: Engine
) -> None:
    begin(client, SLUGS[0])
    aim(engine, minutes_per_day=2)
    assert "Begin with 2 questions" in get(client, "/").text
    assert "2 questions left" in get(client, "/practice").text
    plan = get(client, "/plan").text
    assert "Today: 2 questions, about 2 minutes" in plan
    assert "1 more can wait" in plan
    aim(engine, minutes_per_day=0)
    assert "No time is planned for today" in get(client, "/").text
    assert "questions left" not in get(client, "/practice").text
