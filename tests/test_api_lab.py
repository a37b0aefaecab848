from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine

from quizsvc.db import writing
from quizsvc.models import Run, RunResult

from .api_helpers import V1, stock
from .factories import make_item
from .web_helpers import HEAT, finish_run

RUNS = f"{V1}/experiments/coin/runs"


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item()])


def finish(engine: Engine, run_id: str) -> None:
    """What a worker does at the end of a run."""
    with writing(engine) as session:
        row = session.get_one(Run, run_id)
        row.state, row.progress, row.finished_at = "succeeded", 1.0, datetime.now(UTC)
        row.result = RunResult(
            metrics={"share": [0.5] * 5}, verdicts=[], figures=[], seconds=0.1
        )
        session.commit()


def test_the_catalogue_tells_parameters_and_claims(client: FlaskClient) -> None:
    listed = client.get(f"{V1}/experiments").get_json()["data"]
    one = client.get(f"{V1}/experiments/coin").get_json()

    assert [row["name"] for row in listed] == ["coin"]
    assert one["schema"]["properties"]["tosses"]["maximum"] == 1000
    assert one["claims"][0]["below"] == 0.7


def test_a_run_is_accepted_queued_and_found_again(client: FlaskClient) -> None:
    asked = client.post(RUNS, json={"params": {"tosses": 10}})

    assert asked.status_code == 202
    body = asked.get_json()
    assert body["state"] == "queued"
    assert not body["cached"]
    assert body["params"] == {"tosses": 10, "bias": 0.5, "side": "heads"}
    assert body["seeds"] == [0, 1, 2, 3, 4]
    assert client.get(asked.headers["Location"]).get_json()["id"] == body["id"]
    assert client.get(f"{V1}/runs/{body['id']}/result").status_code == 409


def test_the_same_request_is_the_same_run_and_then_a_cache_hit(
    client: FlaskClient, engine: Engine
) -> None:
    first = client.post(RUNS, json={"params": {"tosses": 100}}).get_json()
    same = client.post(RUNS, json={}).get_json()
    finish(engine, first["id"])
    cached = client.post(RUNS, json={"params": {"bias": 0.5}}).get_json()

    assert first["id"] == same["id"] == cached["id"]
    assert (same["cached"], cached["cached"]) == (False, True)
    result = client.get(f"{V1}/runs/{first['id']}/result").get_json()
    assert result["metrics"] == {"share": [0.5] * 5}


def test_a_figure_can_be_had_as_comma_separated_values(
    client: FlaskClient, engine: Engine
) -> None:
    waiting = client.post(RUNS, json={"params": {"tosses": 7}}).get_json()["id"]
    run = finish_run(engine, [0.5] * 5, "supported", [HEAT])
    reply = client.get(f"{V1}/runs/{run}/figures/map.csv")

    assert reply.status_code == 200
    assert reply.mimetype == "text/csv"
    assert reply.headers["Content-Disposition"].endswith(f"filename={run}-map.csv")
    assert reply.text.splitlines()[2] == '"none, w = 0",1,high,1.0,0.9,1.1'
    for path, status, code in (
        (f"{run}/figures/other.csv", 404, "unknown-figure"),
        ("run_none/figures/map.csv", 404, "unknown-run"),
        (f"{waiting}/figures/map.csv", 409, "not-finished"),
    ):
        refused = client.get(f"{V1}/runs/{path}")
        assert (refused.status_code, refused.get_json()["code"]) == (status, code)
    assert client.get(f"{V1}/runs/{run}/figures/map.csv?lang=fr").status_code == 400


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"params": {"tosses": 1001}}, "/params/tosses"),
        ({"params": {"tosses": True}}, "/params/tosses"),
        ({"params": {"tosses": "10"}}, "/params/tosses"),
        ({"params": {"tosses": 10**6}}, "/params/tosses"),
        ({"params": {"bias": -0.1}}, "/params/bias"),
        ({"params": {"side": "edge"}}, "/params/side"),
        ({"params": {"layers": 3}}, "/params/layers"),
        ({"seeds": [1, 2, 3]}, "/seeds"),
        ({"seeds": [1, 1, 2, 3, 4]}, "/seeds"),
        ({"seeds": [0, 1, 2, 3, -4]}, "/seeds"),
        ({"seeds": [0, 1, 2, 3, "4"]}, "/seeds"),
        ({"steps": 3}, "/steps"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_named(
    client: FlaskClient, body: dict[str, Any], pointer: str
) -> None:
    reply = client.post(RUNS, json=body)

    assert reply.status_code == 422, reply.text
    assert any(e["pointer"].startswith(pointer) for e in reply.get_json()["errors"])


def test_a_waiting_run_is_cancelled_at_once_and_may_be_asked_for_again(
    client: FlaskClient,
) -> None:
    run = client.post(RUNS, json={}).get_json()
    cancelled = client.delete(f"{V1}/runs/{run['id']}").get_json()
    again = client.post(RUNS, json={}).get_json()

    assert cancelled["state"] == "cancelled"
    assert (again["id"], again["state"]) == (run["id"], "queued")


def test_pages_stay_answerable_however_many_watch_a_run(client: FlaskClient) -> None:
    run = client.post(RUNS, json={}).get_json()
    path = f"{V1}/runs/{run['id']}/events"
    client.head(path).close()
    watching = [client.get(path) for _ in range(2)]
    refused = client.get(path)

    assert [reply.status_code for reply in watching] == [200, 200]
    assert refused.status_code == 503
    assert refused.get_json()["code"] == "too-many-streams"
    assert refused.headers["Retry-After"]
    assert client.get("/healthz").status_code == 200
    watching.pop().close()
    again = client.get(path)
    assert again.status_code == 200
    for reply in (*watching, again):
        reply.close()


def test_events_tell_the_state_until_the_end(
    client: FlaskClient, engine: Engine
) -> None:
    run = client.post(RUNS, json={}).get_json()
    finish(engine, run["id"])

    events = client.get(f"{V1}/runs/{run['id']}/events")

    assert events.mimetype == "text/event-stream"
    assert events.text.startswith("event: run\ndata: {")
    assert '"succeeded"' in events.text
