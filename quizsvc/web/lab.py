"""The lab: the experiments, one of them, and any run of it."""

from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from quizsvc import db, lab
from quizsvc.models import Experiment, Run
from quizsvc.refusals import Conflict, Invalid, NotFound
from quizsvc.web import controls, evidence

bp = Blueprint("lab", __name__)

EARLIER = 12  # runs of an experiment that its page lists


@bp.get("/experiments")
def index() -> str:
    """Every experiment with its default run."""
    session = db.session()
    rows, uses = lab.experiments(session), lab.questions_using(session)
    runs = lab.default_runs(session, rows)
    shelf = [
        (row, run, evidence.claims(row, run), uses[row.name])
        for row in rows
        for run in [runs.get(row.name)]
    ]
    return render_template("experiments.html", shelf=shelf)


@bp.get("/experiments/<name>")
def show(name: str) -> str:
    """An experiment at the parameters of the address, and the run that is known there."""
    session = db.session()
    row = lab.experiment(session, name)
    values = controls.read(row.schema, request.args)
    run = lab.known_run(session, row, values)
    shown = run or lab.known_run(session, row)
    form = controls.form(row, values)
    return _page(session, row, shown, form, elsewhere=run is None)


@bp.post("/experiments/<name>")
def submit(name: str) -> Response | tuple[str, int]:
    """Ask for a run and go to its page."""
    session, at = db.session(), datetime.now(UTC)
    row = lab.experiment(session, name)
    values, seeds = (
        controls.read(row.schema, request.form),
        controls.read_seeds(request.form),
    )
    try:
        run = lab.submit(session, name, values, seeds, at=at).run
    except Invalid as refusal:
        form = controls.form(row, values, request.form.get("seeds"), refusal.errors)
        shown = lab.known_run(session, row)
        return _page(session, row, shown, form, elsewhere=True), 422
    session.commit()
    return redirect(url_for(".run", run_id=run.id), 303)


@bp.get("/runs/<run_id>")
def run(run_id: str) -> str:
    """A run: how far it is, or what it measured. Its address may be shared."""
    session = db.session()
    found = lab.find_run(session, run_id)
    try:
        row = lab.experiment(session, found.experiment)
    except NotFound:
        return render_template(
            "run.html",
            run=found,
            claims=evidence.kept(found),
            differs=[(f"`{n}`", controls.shown(v)) for n, v in found.params.items()],
            lively=lab.worker_seen(session, at=datetime.now(UTC)),
        )
    form = controls.form(row, found.params, len(found.seeds))
    return _page(session, row, found, form, own=True)


@bp.post("/runs/<run_id>/cancel")
def cancel(run_id: str) -> Response:
    session, at = db.session(), datetime.now(UTC)
    try:
        lab.cancel(session, run_id, at=at)
    except Conflict:  # it ended first; its page says how
        session.rollback()
    session.commit()
    return redirect(url_for(".run", run_id=run_id), 303)


def _page(
    session: Session,
    row: Experiment,
    run: Run | None,
    form: controls.Form,
    **more: Any,
) -> str:
    earlier = lab.earlier_runs(session, row.name, EARLIER)
    return render_template(
        "experiment.html",
        experiment=row,
        form=form,
        run=run,
        claims=evidence.claims(row, run),
        differs=controls.settings(row.schema, run) if run else [],
        earlier=[(r, controls.settings(row.schema, r)) for r in earlier],
        lively=lab.worker_seen(session, at=datetime.now(UTC)),
        **more,
    )
