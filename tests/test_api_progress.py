"""Progress and the review log as a file over HTTP."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, func, select
from werkzeug.test import TestResponse

from quizsvc.db import reading
from quizsvc.models import Review

from .api_helpers import NOW, V1, answer, choice, show, stock
from .factories import make_item

SLUG = "norm-position"
HEAD = "card_id,review_time,review_rating"
HISTORY = "\n".join(
    [HEAD]
    + [
        f"{SLUG},{(NOW - timedelta(days=days)).isoformat()},{rating}"
        for days, rating in ((30, 3), (20, 1), (19, 3), (10, 3))
    ]
)


@pytest.fixture(autouse=True)
def bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item(), make_item("other", topic="depth")])


def bring(client: FlaskClient, text: str | bytes, query: str = "") -> TestResponse:
    return client.post(
        f"{V1}/reviews/import{query}", data=text, content_type="text/csv"
    )


def stored(engine: Engine) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count(Review.id))) or 0


def told(client: FlaskClient) -> dict[str, Any]:
    reply = client.get(f"{V1}/progress")
    assert reply.status_code == 200, reply.text
    return dict(reply.get_json())


def test_progress_before_the_first_answer(client: FlaskClient) -> None:
    found = told(client)
    assert (found["answers"], found["retention"], found["calibration"]) == (0, None, [])
    assert found["recall"] == {"questions": 2, "met": 0, "mean": None, "known": 0}
    assert len(found["habit"]["days"]) == 28
    assert found["forecast"][0] == {"day": found["day"], "recall": found["recall"]}
    assert [topic["topic"] for topic in found["topics"]] == ["depth", "placement"]


def test_progress_after_answers_and_a_history(client: FlaskClient) -> None:
    assert bring(client, HISTORY).status_code == 200
    shown = show(client, SLUG)
    answer(
        client, shown, choices=choice(shown, "inside"), confidence="sure", seconds=30
    )
    found = told(client)

    assert found["answers"] == 5
    assert found["retention"]["share"]["answers"] == 4
    assert sum(one["share"]["right"] for one in found["calibration"]) == 3
    assert found["confidence"]["sure"]["right"] == 1
    assert found["habit"]["streak"] == 1
    assert found["habit"]["seconds_today"] == 30
    assert found["recall"]["met"] == 1
    assert [w["start"] for w in found["weeks"]] == sorted(
        w["start"] for w in found["weeks"]
    )


def test_a_dry_run_reports_and_changes_nothing(
    client: FlaskClient, engine: Engine
) -> None:
    dry = bring(client, HISTORY, "?dry_run=true")
    assert dry.status_code == 200
    assert stored(engine) == 0
    done = bring(client, HISTORY)
    assert done.get_json() == {**dry.get_json(), "dry_run": False}
    assert stored(engine) == done.get_json()["new"] == 4
    again = bring(client, HISTORY).get_json()
    assert (again["new"], again["known"], stored(engine)) == (0, 4, 4)


def test_mistakes_come_with_their_lines_and_nothing_is_stored(
    client: FlaskClient, engine: Engine
) -> None:
    reply = bring(client, f"{HISTORY}\n{SLUG},tomorrow,9")
    body = reply.get_json()
    assert reply.status_code == 422
    assert reply.mimetype == "application/problem+json"
    assert body["code"] == "invalid-file"
    assert [(e["pointer"], e["code"]) for e in body["errors"]] == [
        ("/lines/6/review_rating", "not-a-rating"),
        ("/lines/6/review_time", "not-a-time"),
    ]
    assert stored(engine) == 0


def test_times_without_an_offset_need_a_zone(client: FlaskClient) -> None:
    text = f"{HEAD}\n{SLUG},2026-01-05 12:00,3"
    assert bring(client, text).get_json()["errors"][0]["code"] == "no-zone"
    found = bring(client, text, "?zone=Asia/Shanghai").get_json()
    assert found["first"] == "2026-01-05T04:00:00Z"
    assert (
        bring(client, text, "?zone=Nowhere").get_json()["errors"][0]["pointer"]
        == "/zone"
    )


@pytest.mark.parametrize("kind", ["application/json", "text/plain", None])
def test_only_csv_is_taken(client: FlaskClient, kind: str | None) -> None:
    reply = client.post(f"{V1}/reviews/import", data=HISTORY, content_type=kind)
    assert reply.status_code == 415


def test_a_file_may_have_eight_mebibytes_and_no_more(client: FlaskClient) -> None:
    line = f"unknown-{'x' * 80},1700000000000,3,1000\n"
    text = f"{HEAD},review_duration\n" + line * (2 * 1024 * 1024 // len(line))
    assert bring(client, text).get_json()["repeated"] > 10_000
    assert bring(client, b"x" * (8 * 1024 * 1024 + 1)).status_code == 413
    assert client.post(f"{V1}/reviews/import").status_code == 415


def test_an_unknown_parameter_is_refused(client: FlaskClient) -> None:
    assert bring(client, HISTORY, "?dryrun=1").status_code == 400
    assert bring(client, HISTORY, "?dry_run=perhaps").status_code == 400


def test_the_log_is_exported_and_taken_back_unchanged(client: FlaskClient) -> None:
    bring(client, HISTORY)
    shown = show(client, SLUG)
    given = answer(client, shown, dont_know=True).get_json()
    reply = client.get(f"{V1}/reviews.csv")
    assert reply.mimetype == "text/csv"
    assert "attachment" in reply.headers["Content-Disposition"]
    rows = reply.text.splitlines()
    assert rows[0].startswith(f"{HEAD},review_duration")
    assert len(rows) == 6
    assert ",dont-know,0.0" in rows[-1]
    found = bring(client, reply.text).get_json()
    assert (found["new"], found["known"], found["unknown"]) == (0, 5, [])

    client.post(f"{V1}/reviews/{given['review']['id']}/undo")
    assert client.get(f"{V1}/reviews.csv").text.splitlines() == rows[:-1]


def test_an_imported_review_is_listed_and_cannot_be_undone(client: FlaskClient) -> None:
    bring(client, HISTORY)
    newest = client.get(f"{V1}/reviews").get_json()["data"][0]
    assert newest["answer"] is None
    reply = client.post(f"{V1}/reviews/{newest['id']}/undo")
    assert (reply.status_code, reply.get_json()["code"]) == (409, "imported-review")


def test_the_document_tells_of_the_body(client: FlaskClient) -> None:
    paths = client.get("/api/v1/openapi.json").get_json()["paths"]
    body = paths["/api/v1/reviews/import"]["post"]["requestBody"]
    assert list(body["content"]) == ["text/csv"]
    assert list(paths["/api/v1/reviews.csv"]["get"]["responses"]["200"]["content"]) == [
        "text/csv"
    ]
