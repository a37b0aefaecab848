"""The bank's rounds over what filters name, and its map of topics."""

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine

from .api_helpers import stock
from .factories import make_item
from .web_helpers import Page, answer, begin, choice, get, post


@pytest.fixture(autouse=True)
def bank(engine: Engine, tmp_path: Path) -> None:
    hard = make_item("all-of-them", type="multi", level="hard", topic="depth")
    stock(engine, tmp_path, [make_item(), hard, make_item("talk", type="open")])


def test_a_round_asks_what_the_filters_name_until_none_is_left(
    client: FlaskClient,
) -> None:
    page = get(client, "/questions?topic=placement&form=choice")
    assert "Practise this 1 question" in page.text
    reply = post(client, "/questions", topic="placement")
    asked = {}
    for _ in range(2):
        assert reply.status_code == 303
        page = get(client, reply.location)
        assert "/practice/pres_" in reply.location
        asked[reply.location] = page.text
        ticked = choice(page, "inside")
        said = {"choice": ticked} if ticked else {"text": "formula"}
        given = post(client, reply.location, confidence="sure", **said)
        if not ticked:
            marks = re.search(
                r'action="(/answers/[^"]+)"', get(client, given.location).html
            )
            given = post(client, given.location, rating="good") if marks else given
        feedback = get(client, given.location)
        assert feedback.values("topic") == ["placement"] or not ticked
        reply = post(client, "/questions", topic="placement")
    assert len(asked) == 2
    assert reply.status_code == 303
    assert "over=1" in reply.location
    assert "This round is over" in get(client, reply.location).text


def test_a_round_ends_when_practice_is_begun_elsewhere(client: FlaskClient) -> None:
    post(client, "/questions", level="hard")
    address = begin(client)
    reply = post(client, address, confidence="none")
    page = get(client, reply.location)
    assert page.all("form", action="/practice")
    assert page.values("level") == []


def test_a_round_over_filters_that_mean_nothing_is_refused(client: FlaskClient) -> None:
    reply = post(client, "/questions", topic="nonsense")
    assert reply.status_code == 400
    assert "Topic: there is no “nonsense”." in Page(reply).text


def test_the_map_has_a_cell_for_each_topic_and_level_in_words(
    client: FlaskClient,
) -> None:
    page = get(client, "/topics")
    cells = [
        a for a in page.all("a") if "topic=" in a["href"] and "level=" in a["href"]
    ]
    assert [cell["aria-label"] for cell in cells] == [
        "Placement, Easy: Not met; 0 of 2 met",
        "Depth, Hard: Not met; 0 of 1 met",
    ]
    assert len(page.all("th", scope="row")) == 2
    assert page.values("topic") == ["placement", "depth"]

    answer(client, "inside")
    (cell, _) = [a for a in get(client, "/topics").all("a") if "level=" in a["href"]]
    assert re.fullmatch(
        r"Placement, Easy: \w+; 1 of 2 met; recall tomorrow [01]\.\d\d",
        cell["aria-label"],
    )
    chinese = get(client, "/topics?lang=zh").text
    assert "主题地图" in chinese
    assert "Not met" not in chinese
