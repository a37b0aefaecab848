"""The laboratory: the catalogue, runs, their progress and results."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint
from flask import Response, current_app, json, stream_with_context, url_for

from quizsvc import db, lab, practice
from quizsvc.api import paging
from quizsvc.idempotency import Reply, once
from quizsvc.models import Experiment, Run
from quizsvc.refusals import Conflict
from quizsvc.schemas import (
    ExperimentOut,
    ExperimentsOut,
    PageIn,
    ResultOut,
    RunIn,
    RunOut,
)

bp = APIBlueprint("experiments", __name__, url_prefix="/api/v1", tag="Experiments")

EVENT_SECONDS = 0.25
STREAM_SECONDS = 60  # a client that wants more connects again


@bp.get("/experiments")
@bp.input(PageIn, location="query")
@bp.output(ExperimentsOut)
def experiments(query_data: PageIn) -> paging.Page[dict[str, Any]]:
    """The experiments by name."""
    rows = sorted(lab.experiments(db.session()), key=lambda row: row.name)
    rest = paging.following(rows, query_data.after, key=lambda row: row.name)
    items = [
        {
            "name": row.name,
            "topic": row.topic,
            "title": row.title,
            "seconds": row.seconds,
            "claims": len(row.claims),
        }
        for row in rest
    ]
    return paging.page(items, query_data.limit, key=lambda item: str(item["name"]))


@bp.get("/experiments/<name>")
@bp.output(ExperimentOut)
@bp.doc(responses=[404])
def experiment(name: str) -> dict[str, Any]:
    """One experiment: the schema of its parameters, its claims, its default run."""
    session = db.session()
    row = lab.experiment(session, name)
    default = lab.known_run(session, row)
    return {**_columns(row), "default_run": default.id if default else None}


def _columns(row: Experiment) -> dict[str, Any]:
    return {
        "name": row.name,
        "topic": row.topic,
        "title": row.title,
        "about": row.about,
        "schema_": row.schema,
        "claims": row.claims,
        "seconds": row.seconds,
        "source_hash": row.source_hash,
    }


@bp.post("/experiments/<name>/runs")
@bp.input(RunIn)
@bp.output(RunOut, status_code=202)
@bp.doc(responses=[404], extensions={"x-idempotency": False})
def submit(name: str, json_data: RunIn) -> Response:
    """Ask for a run. The same parameters and seeds give the same run; see ``cached``."""
    session, at = db.session(), datetime.now(UTC)

    def effect() -> Reply:
        asked = lab.submit(session, name, json_data.params, json_data.seeds, at=at)
        session.flush()
        out = {**vars_of(asked.run), "cached": asked.cached}
        body = RunOut.model_validate(out).model_dump_json()
        return Reply(body, 202, url_for(".run", run_id=asked.run.id))

    return once(
        session, practice.local_user(session, at=at), effect, at=at, required=False
    )


@bp.get("/runs/<run_id>")
@bp.output(RunOut)
@bp.doc(responses=[404])
def run(run_id: str) -> dict[str, Any]:
    """How far a run is."""
    return vars_of(lab.find_run(db.session(), run_id))


@bp.get("/runs/<run_id>/result")
@bp.output(ResultOut)
@bp.doc(responses=[404, 409])
def result(run_id: str) -> dict[str, Any]:
    """What a run measured: one value a seed for each metric, verdicts and figures."""
    row = lab.find_run(db.session(), run_id)
    if row.result is None:
        raise Conflict("not-finished", f"The run is {row.state}; it has no result.")
    return {
        "params": row.params,
        "seeds": row.seeds,
        "metrics": row.result.metrics,
        "verdicts": row.result.verdicts,
        "figures": row.result.figures,
        "seconds": row.result.seconds,
    }


@bp.get("/runs/<run_id>/events")
@bp.doc(responses={200: "A stream of events named run", 404: "Not Found"})
def events(run_id: str) -> Response:
    """The run's states as server-sent events until it ends, at most for a minute."""
    lab.find_run(db.session(), run_id)
    return Response(
        stream_with_context(_stream(run_id)),
        mimetype="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )


def _stream(run_id: str) -> Iterator[str]:
    engine = current_app.extensions["engine"]
    last = ""
    for _ in range(int(STREAM_SECONDS / EVENT_SECONDS)):
        with db.reading(engine) as session:  # a fresh view of the row each time
            row = lab.find_run(session, run_id)
            out = RunOut.model_validate(vars_of(row)).model_dump(mode="json")
        if (said := json.dumps(out)) != last:
            yield f"event: run\ndata: {said}\n\n"
            last = said
        if row.state in lab.ENDED:
            return
        time.sleep(EVENT_SECONDS)


@bp.delete("/runs/<run_id>")
@bp.output(RunOut)
@bp.doc(responses=[404, 409])
def cancel(run_id: str) -> dict[str, Any]:
    """Cancel a run: at once while it waits, within two seconds while it works."""
    session = db.session()
    row = lab.cancel(session, run_id, at=datetime.now(UTC))
    session.commit()
    return vars_of(row)


def vars_of(row: Run) -> dict[str, Any]:
    return {
        name: getattr(row, name) for name in RunOut.model_fields if name != "cached"
    }
