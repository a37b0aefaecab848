"""The laboratory: the catalogue, runs, their progress and results.

Experiments and runs are public, but nothing about them links a claim to a question or a
choice: that link is told with the answer.
"""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from threading import BoundedSemaphore
from typing import Any

from apiflask import APIBlueprint
from flask import Response, current_app, url_for
from flask.sansio.blueprints import BlueprintSetupState
from sqlalchemy import Engine

from quizsvc import db, figures, lab, practice
from quizsvc.api import paging
from quizsvc.idempotency import Reply, once
from quizsvc.models import Experiment, Run, RunResult
from quizsvc.refusals import Busy, Conflict, NotFound
from quizsvc.schemas import (
    ExperimentOut,
    ExperimentsOut,
    LangIn,
    PageIn,
    ResultOut,
    RunIn,
    RunOut,
)

bp = APIBlueprint("experiments", __name__, url_prefix="/api/v1", tag="Experiments")

EVENT_SECONDS = 0.25
Documented = dict[int | str, dict[str, str | dict[str, dict[str, Any]]]]
CSV: Documented = {
    200: {
        "description": "Comma-separated: series, x, x_name, y, low and high",
        "content": {"text/csv": {"schema": {"type": "string"}}},
    },
    404: {"description": "Not Found"},
    409: {"description": "Conflict"},
}
STREAM_SECONDS = 60  # a client that wants more connects again


@bp.record
def count_streams(state: BlueprintSetupState) -> None:
    streams = BoundedSemaphore(state.app.config["EVENT_STREAMS"])
    state.app.extensions["event_streams"] = streams


@bp.get("/experiments")
@bp.input(PageIn, location="query")
@bp.output(ExperimentsOut)
def experiments(query_data: PageIn) -> paging.Page[dict[str, Any]]:
    """The experiments by name."""
    after = paging.key_of(query_data.after, paging.NAME) or ""
    rows = sorted(lab.experiments(db.session()), key=lambda row: row.name)
    items = [
        {
            "name": row.name,
            "topic": row.topic,
            "title": row.title,
            "seconds": row.seconds,
            "claims": len(row.claims),
        }
        for row in rows
        if row.name > after
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
    found = _finished(run_id)
    return {
        "params": found.run.params,
        "seeds": found.run.seeds,
        "metrics": found.metrics,
        "verdicts": found.verdicts,
        "figures": found.figures,
        "seconds": found.seconds,
    }


def _finished(run_id: str) -> RunResult:
    row = lab.find_run(db.session(), run_id)
    if row.result is None:
        raise Conflict("not-finished", f"The run is {row.state}; it has no result.")
    return row.result


@bp.get("/runs/<run_id>/figures/<figure>.csv")
@bp.input(LangIn, location="query")
@bp.doc(responses=CSV)
def figure(run_id: str, figure: str, query_data: LangIn) -> Response:
    """A figure's data as a file: a line for each point of each of its series."""
    row = _finished(run_id)
    for one in row.figures:
        if one["id"] == figure:
            name = f"{run_id}-{figure}.csv"
            return Response(
                figures.as_csv(one, query_data.lang),
                mimetype="text/csv",
                headers={"Content-Disposition": f"attachment; filename={name}"},
            )
    raise NotFound("unknown-figure", f"The run has no figure {figure}.")


@bp.get("/runs/<run_id>/events")
@bp.doc(responses={200: "A stream of events named run", 404: "Not Found"})
def events(run_id: str) -> Response:
    """The run's states as server-sent events until it ends, at most for a minute.

    Each stream holds a thread of the web process, so only few are open at a time.
    """
    lab.find_run(db.session(), run_id)
    free = current_app.extensions["event_streams"]
    if not free.acquire(blocking=False):
        detail = "Enough streams are open. Read the run's state instead, or try again."
        raise Busy("too-many-streams", detail)
    response = Response(
        _stream(db.engine(), run_id),
        mimetype="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )
    response.call_on_close(free.release)  # also when nobody reads it to its end
    return response


def _stream(engine: Engine, run_id: str) -> Iterator[str]:
    last = ""
    for _ in range(int(STREAM_SECONDS / EVENT_SECONDS)):
        with db.reading(engine) as session:  # a fresh view of the row each time
            row = lab.find_run(session, run_id)
            said = RunOut.model_validate(vars_of(row)).model_dump_json()
        if said != last:
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
    body = vars_of(lab.cancel(session, run_id, at=datetime.now(UTC)))
    session.commit()
    return body


def vars_of(row: Run) -> dict[str, Any]:
    return {
        name: getattr(row, name) for name in RunOut.model_fields if name != "cached"
    }
