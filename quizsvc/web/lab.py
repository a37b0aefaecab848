"""The lab: the experiments, one of them, and any run of it."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from quizsvc import db, lab, runs
from quizsvc.models import Experiment, Run
from quizsvc.refusals import Conflict, Invalid, NotFound
from quizsvc.web import (
    asking,
    comparing,
    controls,
    evidence,
    gallery,
    overlay,
    predicting,
    reasons,
    sources,
    words,
)
from quizsvc.web.comparing import Compared
from quizsvc.web.predicting import Prediction
from sim.core import DEFAULT_SEEDS

bp = Blueprint("lab", __name__)
bp.add_app_template_filter(reasons.reason)
bp.add_app_template_filter(reasons.advice)

EARLIER = 12  # runs of an experiment that its page lists
RUN = re.compile(r"run_[0-9a-z]{1,36}")
Reply = str | tuple[str, int]


@bp.get("/experiments")
def index() -> str:
    """The experiments that pass the filters of the address, with their default runs."""
    session = db.session()
    rows, uses = lab.experiments(session), lab.questions_using(session)
    topics, known = runs.topics_using(session), lab.default_runs(session, rows)
    chosen = {name: request.args.get(name, "").strip() for name in gallery.FILTERS}
    shelf = [
        gallery.Tile(
            experiment=row,
            run=run,
            claims=evidence.claims(row, run),
            uses=uses[row.name],
            topics=frozenset(topics.get(row.name, ())),
        )
        for row in rows
        for run in [known.get(row.name)]
    ]
    named = {topic for tile in shelf for topic in tile.topics}
    return render_template(
        "experiments.html",
        shelf=gallery.narrowed(shelf, chosen),
        chosen=chosen,
        filtered=any(chosen.values()),
        all=shelf,
        topics={word: said for word, said in words.TOPICS.items() if word in named},
    )


@bp.get("/experiments/<name>")
def show(name: str) -> Reply:
    """An experiment at the parameters of the address. What is known there stays folded
    until a prediction is made or the candidate says ``show``."""
    session = db.session()
    row = lab.experiment(session, name)
    values, seeds = (
        controls.read(row.schema, request.args),
        controls.read_seeds(request.args),
    )
    wanted = predicting.read(request.args.to_dict())
    errors = lab.mistakes(row, values, seeds)
    found = None if errors else lab.known_run(session, row, values, seeds)
    form = controls.form(row, values, _seeds(request.args), tuple(errors))
    return _page(
        session,
        row,
        found or lab.known_run(session, row),
        form,
        wanted,
        elsewhere=found is None,
        folded=not (wanted or "show" in request.args),
    )


@bp.post("/experiments/<name>")
def submit(name: str) -> Response | Reply:
    """Ask for a run and go to its page."""
    session, at = db.session(), datetime.now(UTC)
    row = lab.experiment(session, name)
    values, seeds = (
        controls.read(row.schema, request.form),
        controls.read_seeds(request.form),
    )
    wanted = predicting.read(request.form.to_dict())
    errors = lab.mistakes(row, values, seeds)
    if errors or wanted.wrong:
        form = controls.form(row, values, _seeds(request.form), tuple(errors))
        known = lab.known_run(session, row)
        return _page(session, row, known, form, wanted, elsewhere=True, folded=True)
    asked = lab.submit(session, name, values, seeds, at=at).run
    session.commit()
    behind = [i for i in _ids(request.form.getlist("behind")) if i != asked.id]
    return redirect(_address(asked.id, wanted, behind[: overlay.MOST]), 303)


@bp.get("/runs/<run_id>")
def run(run_id: str) -> Reply:
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
            ahead=runs.ahead(session, found),
            address=_address(found.id, Prediction(), []),
            compared=Compared(figures=found.result.figures if found.result else ()),
            wanted=Prediction(),
        )
    form = controls.form(row, found.params, len(found.seeds))
    wanted = predicting.read(request.args.to_dict())
    return _page(session, row, found, form, wanted, own=True)


@bp.post("/runs/<run_id>/cancel")
def cancel(run_id: str) -> Response:
    """Stop a run that waits or works."""
    session, at = db.session(), datetime.now(UTC)
    try:
        lab.cancel(session, run_id, at=at)
    except Conflict:  # it ended first; its page says how
        session.rollback()
    session.commit()
    return redirect(_same(run_id), 303)


@bp.post("/runs/<run_id>/again")
def again(run_id: str) -> Response | Reply:
    """Ask for the same parameters and seeds once more, by the code there is now."""
    session, at = db.session(), datetime.now(UTC)
    found = lab.find_run(session, run_id)
    row = lab.experiment(session, found.experiment)
    try:
        asked = lab.submit(session, row.name, found.params, found.seeds, at=at).run
    except Invalid as refusal:  # the parameters have changed since
        form = controls.form(row, found.params, len(found.seeds), refusal.errors)
        return _page(session, row, found, form, Prediction(), own=True)
    session.commit()
    return redirect(_same(asked.id), 303)


def _page(  # noqa: PLR0913 - what a page is made of
    session: Session,
    row: Experiment,
    run: Run | None,
    form: controls.Form,
    wanted: Prediction,
    *,
    own: bool = False,
    elsewhere: bool = False,
    folded: bool = False,
) -> Reply:
    """The page of an experiment around a run; 422 when a value cannot be used."""
    folded = folded and run is not None and run.result is not None
    behind = [] if folded else _behind(session, row, run)
    frame = (
        predicting.frame(run.result.figures) if folded and run and run.result else None
    )
    page = render_template(
        "experiment.html",
        experiment=row,
        form=form,
        run=run,
        own=own,
        elsewhere=elsewhere,
        folded=folded,
        ask=asking.of(row),
        wanted=wanted,
        frame=frame,
        reach=comparing.reach(row, run, frame) if run and frame else [],
        compared=comparing.of(row, run, wanted, behind),
        claims=evidence.claims(
            row, None if folded else run, comparing.expected(row, wanted)
        ),
        differs=controls.settings(row.schema, run) if run else [],
        earlier=[
            (one, controls.settings(row.schema, one)) for one in _earlier(session, row)
        ],
        behind=behind,
        address=_address(run.id, wanted, [one.id for one in behind]) if run else "",
        ahead=runs.ahead(session, run) if run else 0,
        lively=lab.worker_seen(session, at=datetime.now(UTC)),
        places=sources.places(row.source),
        command=_command(row, run, form),
    )
    return (page, 422) if form.errors or wanted.wrong else page


def _earlier(session: Session, row: Experiment) -> list[Run]:
    """The default run, and those that people asked for last."""
    found = runs.earlier_runs(session, row.name, EARLIER)
    default = lab.known_run(session, row)
    known = default is None or default in found
    return found if known or default is None else [*found[: EARLIER - 1], default]


def _behind(session: Session, row: Experiment, run: Run | None) -> list[Run]:
    """The earlier runs that the address wants to see behind this one."""
    if run is None:
        return []
    ids = [i for i in _ids(request.args.getlist("with")) if i != run.id]
    return runs.measured_runs(session, row.name, ids)[: overlay.MOST]


def _command(row: Experiment, run: Run | None, form: controls.Form) -> str:
    """For the run on the page; before there is one, for the form."""
    if run is not None:
        return sources.command(row.name, row.schema, run.params, run.seeds)
    values: Mapping[str, Any] = {c.name: c.value for c in form.controls}
    return sources.command(row.name, row.schema, values, DEFAULT_SEEDS)


def _seeds(sent: MultiDict[str, str]) -> object:
    return sent.get("seeds", len(DEFAULT_SEEDS))


def _ids(sent: Sequence[str]) -> list[str]:
    return [text for text in dict.fromkeys(sent) if RUN.fullmatch(text)]


def _same(run_id: str) -> str:
    """The address of a run with what this request's address says beside it."""
    wanted = predicting.read(request.args.to_dict())
    return _address(run_id, wanted, _ids(request.args.getlist("with")))


def _address(run_id: str, wanted: Prediction, behind: Sequence[str]) -> str:
    more: dict[str, Any] = {**wanted.address, "with": behind}
    return url_for("lab.run", run_id=run_id, **more)
