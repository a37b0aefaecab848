"""Mock interviews over HTTP."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, func, select
from werkzeug.test import TestResponse

from quizsvc.db import reading
from quizsvc.models import MockInterview, MockQuestion, Review

from .api_helpers import V1, answer, stock
from .factories import make_item

BASE = f"{V1}/mock-interviews"


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    talks = [make_item(f"talk-{n}", type="open") for n in range(3)]
    stock(engine, tmp_path, [*talks, make_item()])


def start(client: FlaskClient, key: str | None = None, **wish: object) -> TestResponse:
    headers = {"Idempotency-Key": key or uuid.uuid4().hex}
    return client.post(BASE, json=wish, headers=headers)


def told(client: FlaskClient, made: dict[str, Any]) -> dict[str, Any]:
    return dict(client.get(f"{BASE}/{made['id']}").get_json())


def talk(client: FlaskClient, asked: dict[str, Any], rating: str = "good") -> None:
    """Answer a question of an interview and mark it."""
    said = answer(client, {"id": asked["presentation"]}, text="It mentions formula.")
    points = [p["id"] for p in said.get_json()["key_points"]]
    marks = {"points": points[:1], "rating": rating}
    reply = client.post(f"{V1}/answers/{said.get_json()['id']}/marks", json=marks)
    assert reply.status_code == 201, reply.text


def test_an_interview_is_started_gone_on_with_and_ended(
    client: FlaskClient, engine: Engine
) -> None:
    reply = start(client, minutes=10, lang="zh")
    made = reply.get_json()
    assert reply.status_code == 201
    assert reply.headers["Location"] == f"{BASE}/{made['id']}"
    assert (made["planned"], made["asked"], made["answered"]) == (3, 1, 0)
    assert made["questions"][0]["stage"] == "asked"

    talk(client, made["questions"][0])
    following = client.post(f"{BASE}/{made['id']}/questions", json={}).get_json()
    assert following["question"]["position"] == 2
    again = client.post(f"{BASE}/{made['id']}/questions", json={}).get_json()
    assert again == following
    talk(client, following["question"], rating="again")

    ended = client.post(f"{BASE}/{made['id']}/end").get_json()
    assert ended["ended_at"] is not None
    assert [one["outcome"] for one in ended["questions"]] == ["fair", "weak"]
    assert ended["questions"][0]["missed"]
    assert ended["report"] == [
        {"topic": "placement", "questions": 2, "score": 0.5, "weak": 1}
    ]
    refused = client.post(f"{BASE}/{made['id']}/questions", json={})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "mock-ended")
    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(Review)) == 2
        kept = session.get_one(MockInterview, made["id"])
        assert [one.position for one in kept.questions] == [1, 2]
        assert kept.ended_at is not None


def test_when_nothing_is_left_there_is_no_question(client: FlaskClient) -> None:
    made = start(client, minutes=5, topics=["placement"]).get_json()
    for _ in range(made["planned"]):
        asked = client.post(f"{BASE}/{made['id']}/questions", json={}).get_json()
        talk(client, asked["question"])
    asked = client.post(f"{BASE}/{made['id']}/questions", json={}).get_json()
    assert asked == {"question": None}


def test_a_request_sent_again_starts_no_second_interview(
    client: FlaskClient, engine: Engine
) -> None:
    first, again = start(client, "once"), start(client, "once")
    assert again.get_json() == first.get_json()
    assert again.headers["Idempotent-Replayed"] == "true"
    other = start(client, "once", minutes=20)
    assert other.get_json()["code"] == "idempotency-key-reused"
    missing = client.post(BASE, json={})
    assert missing.get_json()["code"] == "idempotency-key-required"
    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(MockInterview)) == 1
        assert session.scalar(select(func.count()).select_from(MockQuestion)) == 1


@pytest.mark.parametrize(
    ("wish", "pointer"),
    [
        ({"minutes": 4}, "/minutes"),
        ({"minutes": "10"}, "/minutes"),
        ({"lang": "de"}, "/lang"),
        ({"topics": ["cooking"]}, "/topics/0"),
        ({"levels": ["easy", "deadly"]}, "/levels/1"),
        ({"levels": ["extreme"]}, "/topics"),
        ({"seed": 1}, "/seed"),
    ],
)
def test_a_wish_that_cannot_be_granted_is_a_problem_with_a_pointer(
    client: FlaskClient, engine: Engine, wish: dict[str, Any], pointer: str
) -> None:
    reply = start(client, **wish)
    assert reply.status_code == 422
    assert reply.mimetype == "application/problem+json"
    assert [one["pointer"] for one in reply.get_json()["errors"]] == [pointer]
    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(MockInterview)) == 0


def test_a_refused_start_leaves_the_open_interview_open(client: FlaskClient) -> None:
    made = start(client).get_json()
    assert start(client, levels=["extreme"]).status_code == 422
    assert told(client, made)["ended_at"] is None
    start(client)
    assert told(client, made)["ended_at"] is not None


def test_only_a_follow_up_may_follow(client: FlaskClient) -> None:
    made = start(client).get_json()
    talk(client, made["questions"][0])
    reply = client.post(f"{BASE}/{made['id']}/questions", json={"follow": "none"})
    assert reply.status_code == 422
    assert reply.get_json()["errors"][0]["pointer"] == "/follow"


def test_interviews_are_listed_newest_first_in_pages(client: FlaskClient) -> None:
    made = [start(client).get_json()["id"] for _ in range(3)]
    first = client.get(f"{BASE}?limit=2")
    page = first.get_json()
    rest = client.get(f"{BASE}?limit=2&after={page['next']}").get_json()
    assert 'rel="next"' in first.headers["Link"]
    assert [one["id"] for one in page["data"] + rest["data"]] == made[::-1]
    assert (page["has_more"], rest["has_more"], rest["next"]) == (True, False, None)
    for wrong in ("nonsense", "Im1vY2tfbm9uZSI"):
        reply = client.get(f"{BASE}?after={wrong}")
        assert (reply.status_code, reply.get_json()["code"]) == (400, "bad-cursor")


def test_what_is_not_there_is_not_found(client: FlaskClient) -> None:
    for reply in (
        client.get(f"{BASE}/mock_none"),
        client.post(f"{BASE}/mock_none/end"),
        client.post(f"{BASE}/mock_none/questions", json={}),
    ):
        assert reply.status_code == 404
        assert reply.get_json()["code"] == "unknown-mock-interview"
