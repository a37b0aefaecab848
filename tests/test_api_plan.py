"""The goal and the plan over HTTP, and the queue that follows from them."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from .api_helpers import NOW, V1, answer, choice, show, stock
from .factories import make_item

GOAL = {
    "interview_date": f"{NOW + timedelta(days=20):%Y-%m-%d}",
    "minutes_per_day": 25,
    "packs": [],
    "topics": ["depth"],
    "levels": [],
    "languages": ["en"],
    "target_retention": 0.85,
    "time_zone": "Asia/Shanghai",
    "rollover_hour": 3,
}


@pytest.fixture(autouse=True)
def bank(engine: Engine, tmp_path: Path) -> None:
    items = [
        make_item(),
        make_item("other", topic="depth", evidence=[]),
        make_item("third", evidence=[]),
    ]
    stock(engine, tmp_path, items)


def put(client: FlaskClient, **body: Any) -> dict[str, Any]:
    reply = send(client, **body)
    assert reply.status_code == 200, reply.text
    return dict(reply.get_json())


def send(client: FlaskClient, **body: Any) -> TestResponse:
    """Set the goal as one who has just read it."""
    etag = client.get(f"{V1}/plan").headers["ETag"]
    return client.put(f"{V1}/plan", json=body, headers={"If-Match": etag})


def told(client: FlaskClient) -> dict[str, Any]:
    return dict(client.get(f"{V1}/plan").get_json())


def test_a_plan_before_any_goal(client: FlaskClient) -> None:
    found = told(client)
    assert (found["interview_date"], found["minutes_per_day"]) == (None, 20)
    assert (found["days_left"], found["notes"], found["questions"]) == (None, [], 3)
    assert set(found["forecast"]) == {
        *("recall", "low", "high"),
        *("untouched", "without_today"),
    }
    assert set(found["days"][0]) == {"date", "days", "minutes", "reviews", "new"}
    assert [one["minutes_per_day"] for one in found["if_minutes"]] == [19, 20, 21]
    assert set(found["course"][0]) == {"date", "recall", "low", "high", "untouched"}
    assert found["course"][0]["date"] == found["today"]
    last = found["course"][-1]
    assert last.pop("date") == found["until"]
    assert last == {name: found["forecast"][name] for name in last}


def test_a_goal_is_set_and_told_with_its_plan(client: FlaskClient) -> None:
    found = put(client, **GOAL)
    assert {name: found[name] for name in GOAL} == GOAL
    assert found == told(client)
    assert (found["questions"], found["met"]) == (1, 0)
    assert found["until"] == GOAL["interview_date"]
    assert found["days_left"] in {19, 20}


def test_what_a_body_leaves_out_stays_as_it_is(client: FlaskClient) -> None:
    put(client, **GOAL)
    found = put(client, minutes_per_day=5)
    assert {name: found[name] for name in GOAL} == GOAL | {"minutes_per_day": 5}
    assert put(client, interview_date=None)["days_left"] is None


def test_a_goal_is_edited_by_who_has_read_it(client: FlaskClient) -> None:
    read = client.get(f"{V1}/plan")
    etag = read.headers["ETag"]
    assert etag == client.get(f"{V1}/plan").headers["ETag"]
    assert not etag.startswith("W/")
    blind = client.put(f"{V1}/plan", json={"minutes_per_day": 5})
    assert (blind.status_code, blind.mimetype) == (428, "application/problem+json")
    first = client.put(
        f"{V1}/plan", json={"minutes_per_day": 30}, headers={"If-Match": etag}
    )
    assert first.status_code == 200
    assert first.headers["ETag"] == client.get(f"{V1}/plan").headers["ETag"] != etag
    for stale in (etag, '"nothing"', "W/" + first.headers["ETag"]):
        late = client.put(
            f"{V1}/plan", json={"minutes_per_day": 5}, headers={"If-Match": stale}
        )
        assert (late.status_code, late.mimetype) == (412, "application/problem+json")
    assert told(client)["minutes_per_day"] == 30
    back = send(client, minutes_per_day=20)
    assert back.headers["ETag"] == etag, "the same goal again"


def test_an_answer_changes_the_plan_and_not_its_tag(client: FlaskClient) -> None:
    before = client.get(f"{V1}/plan")
    shown = show(client, "norm-position")
    answer(client, shown, choices=choice(shown, "inside"))
    after = client.get(f"{V1}/plan")
    assert after.get_json()["met"] == 1
    assert after.headers["ETag"] == before.headers["ETag"]
    etag = {"If-Match": before.headers["ETag"]}
    reply = client.put(f"{V1}/plan", json={"minutes_per_day": 5}, headers=etag)
    assert reply.status_code == 200, "only the forecast has moved since"


def test_a_plan_is_told_whole_to_who_has_its_tag(client: FlaskClient) -> None:
    """The tag is the goal's: 304 would pass an old forecast for today's."""
    etag = client.get(f"{V1}/plan").headers["ETag"]
    reply = client.get(f"{V1}/plan", headers={"If-None-Match": etag})
    assert (reply.status_code, reply.headers["ETag"]) == (200, etag)
    assert reply.get_json()["forecast"]
    assert "no-store" in reply.headers["Cache-Control"], "nor does a cache keep it"


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"time_zone": "Mars/Olympus"}, "/time_zone", "unknown-zone"),
        ({"minutes_per_day": -5}, "/minutes_per_day", "out-of-range"),
        ({"minutes_per_day": 1.5}, "/minutes_per_day", None),
        ({"interview_date": "2027-02-30"}, "/interview_date", None),
        ({"interview_date": "soon"}, "/interview_date", None),
        ({"interview_date": 0}, "/interview_date", None),
        ({"interview_date": 1796169600}, "/interview_date", None),
        ({"interview_date": "1796169600"}, "/interview_date", None),
        ({"interview_date": "2027-W01-1"}, "/interview_date", None),
        ({"interview_date": "2027-02-03T00:00:00"}, "/interview_date", None),
        ({"interview_date": "9999-01-01"}, "/interview_date", "out-of-range"),
        ({"topics": ["cooking"]}, "/topics/0", "not-an-option"),
        ({"date": "2027-01-01"}, "/date", "unknown-field"),
    ],
)
def test_a_refusal_points_to_its_field_and_changes_nothing(
    client: FlaskClient, body: dict[str, Any], pointer: str, code: str | None
) -> None:
    before = told(client)
    reply = send(client, **body)
    assert reply.status_code == 422
    assert reply.mimetype == "application/problem+json"
    (error,) = reply.get_json()["errors"]
    assert error["pointer"] == pointer
    assert code is None or error["code"] == code
    assert error["detail"]
    assert told(client) == before


def test_a_date_in_the_past_and_no_minutes_are_told_and_still_planned(
    client: FlaskClient,
) -> None:
    found = put(client, interview_date="2020-01-01", minutes_per_day=0)
    assert found["notes"] == ["past-date", "no-minutes"]
    assert (found["days_left"], len(found["days"])) == (None, 24)
    assert found["forecast"]["recall"] == 0
    due = client.get(f"{V1}/due").get_json()["data"]
    assert {item["reason"] for item in due} == {"new"}


def test_the_queue_says_why_and_what_is_gained(client: FlaskClient) -> None:
    shown = show(client, "norm-position")
    assert answer(client, shown, choices=choice(shown, "inside")).status_code == 201
    put(client, interview_date=GOAL["interview_date"], minutes_per_day=30)
    due = client.get(f"{V1}/due").get_json()["data"]
    assert [item["slug"] for item in due] == ["other", "third"]
    assert {item["reason"] for item in due} == {"new"}
    assert all(item["gain"] > 0 for item in due)
