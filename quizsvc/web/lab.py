"""The lab: the experiments, one of them, and any run of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from question_bank.models import Evidence, Question
from quizsvc import db, lab
from quizsvc.models import Experiment, Run, Worker
from quizsvc.refusals import Conflict, Invalid
from quizsvc.web import controls, evidence

bp = Blueprint("lab", __name__)

SILENCE = timedelta(minutes=1)
EARLIER = 12  # runs of an experiment that its page lists


@bp.get("/experiments")
def index() -> str:
    """Every experiment with its default run."""
    session = db.session()
    rows = lab.experiments(session)
    shelf = [
        (row, run, evidence.claims(row, run)) for row, run in _default(session, rows)
    ]
    return render_template("experiments.html", shelf=shelf, uses=_uses(session))


def _default(
    session: Session, rows: list[Experiment]
) -> list[tuple[Experiment, Run | None]]:
    return [(row, lab.known_run(session, row)) for row in rows]


def _uses(session: Session) -> dict[str, int]:
    """How many questions in use lean on each experiment."""
    query = (
        select(Evidence.experiment, func.count(Question.id.distinct()))
        .join(Question, Question.current_id == Evidence.revision_id)
        .where(Question.retired_at.is_(None))
        .group_by(Evidence.experiment)
    )
    return dict(session.execute(query).all())


@bp.get("/experiments/<name>")
def show(name: str) -> str:
    """An experiment at the parameters of the address, and the run that is known there."""
    session = db.session()
    row = lab.experiment(session, name)
    values = controls.read(row.schema, request.args)
    run = lab.known_run(session, row, values) or lab.known_run(session, row)
    return _page(session, row, run, controls.form(row, values))


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
        return _page(session, row, lab.known_run(session, row), form), 422
    session.commit()
    return redirect(url_for(".run", run_id=run.id), 303)


@bp.get("/runs/<run_id>")
def run(run_id: str) -> str:
    """A run: how far it is, or what it measured. Its address may be shared."""
    session = db.session()
    found = lab.find_run(session, run_id)
    row = lab.experiment(session, found.experiment)
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
    earlier = session.scalars(
        select(Run)
        .where(Run.experiment == row.name)
        .order_by(Run.queued_at.desc(), Run.id)
        .limit(EARLIER)
    )
    return render_template(
        "experiment.html",
        experiment=row,
        form=form,
        run=run,
        claims=evidence.claims(row, run),
        earlier=[(r, controls.differing(row.schema, r.params)) for r in earlier],
        lively=_lively(session),
        **more,
    )


def _lively(session: Session) -> bool:
    """Whether a worker has shown itself within a minute."""
    seen_at = session.scalar(select(func.max(Worker.seen_at)))
    return seen_at is not None and datetime.now(UTC) - seen_at < SILENCE
