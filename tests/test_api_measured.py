"""Estimates and figures over the API: asked, answered, explained, and silent before."""

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select

from quizsvc import lab
from quizsvc.db import reading
from quizsvc.models import Answer, Run

from .api_helpers import NOW, V1, answer, show, stock
from .factories import make_item
from .measured import VALUES, finished
from .web_helpers import FIGURE

ESTIMATE = {"metric": "coin.share", "params": {"bias": 0.75}, "factor": 2.0}
UNIT = {"en": "heads", "zh": "次正面"}
PLOT = {"experiment": "coin", "id": "share", "params": {"side": "tails"}}


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    items = [
        make_item("how-many", type="estimate", estimate={**ESTIMATE, "unit": UNIT}),
        make_item("which-curve", figure=PLOT),
    ]
    stock(engine, tmp_path, items)


def test_an_estimate_is_asked_answered_and_explained(
    client: FlaskClient, engine: Engine
) -> None:
    run_id = finished(engine, at=NOW, bias=0.75)
    shown = show(client, "how-many", "zh")
    assert (shown["type"], shown["choices"], shown["scoring"]) == (
        "estimate",
        [],
        "tolerance",
    )
    assert shown["estimate"] == {"unit": "次正面", "factor": 2.0, "margin": None}

    reply = answer(client, shown, number=0.3, confidence="sure")
    assert reply.status_code == 201, reply.text
    body = reply.get_json()
    assert (body["number"], body["correct"], body["score"]) == (0.3, True, 1)
    assert body["measured"] == {
        "value": 0.5,
        "low": 0.25,
        "high": 1.0,
        "unit": "次正面",
        "factor": 2.0,
        "margin": None,
        "values": VALUES,
        "experiment": "coin",
        "metric": "share",
        "params": {"bias": 0.75},
        "run": run_id,
    }
    assert body["review"]["rating"] == "good"
    again = client.get(f"{V1}/answers/{body['id']}").get_json()
    assert again["measured"]["unit"] == "heads"
    with reading(engine) as session:
        assert session.get_one(Answer, body["id"]).number == 0.3


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ('{"number": "0.5"}', 422, "invalid-input"),
        ('{"number": true}', 422, "invalid-input"),
        ('{"number": [1]}', 422, "invalid-input"),
        ('{"number": NaN}', 400, "bad-request"),
        ('{"number": -Infinity}', 400, "bad-request"),
        ('{"number": 1e999}', 400, "bad-request"),
        ('{"number": 9223372036854775808}', 400, "bad-request"),
        ('{"number": null}', 422, "invalid-input"),
        ("{}", 422, "invalid-input"),
        ('{"number": 1, "choices": ["c_1"]}', 422, "invalid-input"),
        ('{"number": 1, "text": "one"}', 422, "invalid-input"),
    ],
)
def test_only_a_finite_number_is_a_number(
    client: FlaskClient, engine: Engine, said: str, status: int, code: str
) -> None:
    finished(engine, at=NOW, bias=0.75)
    shown = show(client, "how-many")
    reply = client.post(
        f"{V1}/presentations/{shown['id']}/answers",
        data=said,
        headers={"Idempotency-Key": "one", "Content-Type": "application/json"},
    )
    assert (reply.status_code, reply.get_json()["code"]) == (status, code)
    assert answer(client, shown, number=10**15).get_json()["correct"] is False


def test_a_number_is_no_answer_to_a_choice(client: FlaskClient, engine: Engine) -> None:
    finished(engine, at=NOW, side="tails")
    reply = answer(client, show(client, "which-curve"), number=1)
    assert reply.status_code == 422
    assert reply.get_json()["errors"][0]["pointer"] == "/number"


@pytest.mark.parametrize("slug", ["how-many", "which-curve"])
def test_a_question_that_is_being_computed_is_refused_and_its_run_goes_ahead(
    client: FlaskClient, engine: Engine, slug: str
) -> None:
    reply = client.post(f"{V1}/questions/{slug}/presentations", json={})
    problem = reply.get_json()
    assert (reply.status_code, problem["code"]) == (409, "not-computed")
    assert "being computed" in problem["detail"]
    assert client.get(f"{V1}/due").get_json()["data"] == []
    with reading(engine) as session:
        [run] = session.scalars(select(Run))
        assert (run.state, run.priority) == ("queued", lab.QUESTION)
        assert run.id not in reply.text


def test_a_figure_is_inline_and_explained_after_the_answer(
    client: FlaskClient, engine: Engine
) -> None:
    run_id = finished(engine, at=NOW, side="tails")
    shown = show(client, "which-curve")
    assert shown["figure"] == {k: v for k, v in FIGURE.items() if k != "id"}
    assert "coin" not in str(shown)

    body = answer(client, shown, dont_know=True).get_json()
    assert body["figure"] == {
        "experiment": "coin",
        "id": "share",
        "params": {"side": "tails"},
        "run": run_id,
        "data": FIGURE,
    }
    assert body["measured"] is None


def test_a_question_in_the_bank_tells_form_and_tolerance(client: FlaskClient) -> None:
    def read(slug: str) -> dict[str, Any]:
        return dict(client.get(f"{V1}/questions/{slug}").get_json())

    estimate, plot = read("how-many"), read("which-curve")
    assert estimate["estimate"] == {"unit": "heads", "factor": 2.0, "margin": None}
    assert (estimate["figure"], plot["figure"], plot["estimate"]) == (False, True, None)
    found = client.get(f"{V1}/questions?type=estimate").get_json()["data"]
    assert [one["slug"] for one in found] == ["how-many"]
    assert "coin" not in str((estimate, plot))
