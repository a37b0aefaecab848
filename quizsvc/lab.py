"""Experiments and their runs: what there is, what may be asked, what was asked already."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from logging import getLogger
from typing import Any

from sqlalchemy import Select, delete, func, select, union
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from question_bank.base import new_id
from question_bank.editions import CATALOGUE, renew
from question_bank.models import Estimate, Evidence, Figure, Question
from quizsvc import parameters
from quizsvc.jobs import queue
from quizsvc.models import Experiment, Run, Worker
from quizsvc.refusals import Conflict, FieldError, Invalid, NotFound
from sim.core import DEFAULT_SEEDS
from sim.registry import Entry

log = getLogger(__name__)

PERSON, QUESTION, START_UP = 0, 1, 2
"""Priorities: somebody asked for the run, a question that somebody waits for needs it, or
start-up asked for it."""

ENDED = frozenset({"succeeded", "failed", "cancelled"})
"""The states that a run does not leave by itself."""

USES = (Evidence, Estimate, Figure)
"""The tables of what questions take from experiments."""

SILENCE = timedelta(seconds=15)
"""After which a worker, which shows itself every five seconds, is taken for gone."""


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """A run that was asked for; ``cached`` when its result was there already."""

    run: Run
    cached: bool


# The catalogue


def store_catalogue(session: Session, entries: Iterable[Entry]) -> None:
    """Make the catalogue say what these entries say: new, changed and gone ones."""
    known = {row.name: row for row in session.scalars(select(Experiment))}
    changed = False
    for entry in entries:
        row = known.pop(entry.name, None)
        if row is None:
            session.add(Experiment(**asdict(entry)))
            changed = True
        elif row.source_hash != entry.source_hash:
            for name, value in asdict(entry).items():
                setattr(row, name, value)
            changed = True
    if known:
        session.execute(delete(Experiment).where(Experiment.name.in_(known)))
    session.flush()
    renew(session, CATALOGUE, changed=changed or bool(known))


def experiments(session: Session) -> list[Experiment]:
    """Every experiment, by topic and name."""
    return list(
        session.scalars(select(Experiment).order_by(Experiment.topic, Experiment.name))
    )


def experiment(session: Session, name: str) -> Experiment:
    """One experiment. Raises NotFound."""
    row = session.get(Experiment, name)
    if row is None:
        raise NotFound("unknown-experiment", "There is no experiment of this name.")
    return row


def questions_using(session: Session) -> Counter[str]:
    """How many questions in use lean on each experiment."""
    leaning = union(
        *(
            select(table.experiment, Question.id)
            .join(Question, Question.current_id == table.revision_id)
            .where(Question.retired_at.is_(None))
            for table in USES
        )
    )
    return Counter(name for name, _ in session.execute(leaning))


# Parameters


def content_key(
    experiment: str,
    source_hash: str,
    params: Mapping[str, Any],
    seeds: Sequence[int],
) -> str:
    """The address of a run: SHA-256 over what determines its result.

    ``params`` are complete, as :func:`complete` returns them.
    """
    content = [experiment, source_hash, dict(params), list(seeds)]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def complete(experiment: Experiment, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as a run has them: checked, complete, in canonical form.

    Raises Invalid with an error for each parameter that is unknown or out of bounds.
    """
    return _checked(experiment, params, DEFAULT_SEEDS)[0]


def mistakes(
    experiment: Experiment, params: Mapping[str, Any], seeds: Sequence[int]
) -> list[FieldError]:
    """What keeps a run at these parameters and seeds from being asked for."""
    return [
        *parameters.param_errors(experiment.schema, params),
        *parameters.seed_errors(seeds),
    ]


def _checked(
    experiment: Experiment, params: Mapping[str, Any], seeds: Sequence[int]
) -> tuple[dict[str, Any], list[int]]:
    if errors := mistakes(experiment, params, seeds):
        raise Invalid("invalid-input", "Some values cannot be used.", errors)
    return parameters.canonical(experiment.schema, params), list(seeds)


# Runs


def submit(  # noqa: PLR0913 - a request is its experiment, parameters and seeds
    session: Session,
    name: str,
    params: Mapping[str, Any],
    seeds: Sequence[int] | None = None,
    *,
    at: datetime,
    priority: int = PERSON,
) -> Submitted:
    """Ask for a run. The same content is the same run, whoever asks and however often.

    A failed or cancelled run waits again; one that start-up asked for moves ahead when
    a person asks. Raises NotFound and Invalid.
    """
    row = experiment(session, name)
    values, chosen = _checked(row, params, DEFAULT_SEEDS if seeds is None else seeds)
    key = content_key(name, row.source_hash, values, chosen)
    run = session.scalar(_by_key(key))
    if run is None:
        fresh = Run(
            id=new_id("run"),
            content_key=key,
            experiment=name,
            source_hash=row.source_hash,
            params=values,
            seeds=chosen,
            priority=priority,
            attempt=0,
        )
        queue.enqueue(fresh, at=at)
        try:
            with session.begin_nested():
                session.add(fresh)
            return Submitted(run=fresh, cached=False)
        except IntegrityError:  # somebody asked for the same at the same moment
            run = session.scalars(_by_key(key)).one()
    run.priority = min(run.priority, priority)
    if run.state in {"failed", "cancelled"}:
        queue.enqueue(run, at=at)
    elif run.state == "running":
        run.cancel_requested = False  # it is wanted after all
    session.flush()
    return Submitted(run=run, cached=run.state == "succeeded")


def run_key(
    experiment: Experiment,
    params: Mapping[str, Any],
    seeds: Sequence[int] = DEFAULT_SEEDS,
) -> str | None:
    """The address of the run at these parameters and seeds.

    None when the experiment does not take these parameters.
    """
    try:
        values = complete(experiment, params)
    except Invalid:
        return None
    return content_key(experiment.name, experiment.source_hash, values, seeds)


def known_run(
    session: Session,
    experiment: Experiment,
    params: Mapping[str, Any] | None = None,
    seeds: Sequence[int] = DEFAULT_SEEDS,
) -> Run | None:
    """The run at these parameters and seeds, if anybody asked for it.

    None also when the experiment no longer takes these parameters.
    """
    key = run_key(experiment, params or {}, seeds)
    return session.scalar(select(Run).where(Run.content_key == key)) if key else None


def default_runs(session: Session, rows: Iterable[Experiment]) -> dict[str, Run]:
    """By experiment, the runs at all defaults, with their results, of those that have one."""
    keys = [key for row in rows if (key := run_key(row, {}))]
    query = select(Run).where(Run.content_key.in_(keys))
    runs = session.scalars(query.options(joinedload(Run.result)))
    return {run.experiment: run for run in runs}


def find_run(session: Session, run_id: str) -> Run:
    """A run by its id. Raises NotFound."""
    run = session.get(Run, run_id)
    if run is None:
        raise NotFound("unknown-run", "There is no run with this id.")
    return run


def worker_seen(session: Session, *, at: datetime) -> bool:
    """Whether a worker has shown itself lately: what waits will be run."""
    seen_at = session.scalar(select(func.max(Worker.seen_at)))
    return seen_at is not None and at - seen_at < SILENCE


def cancel(session: Session, run_id: str, *, at: datetime) -> Run:
    """Stop a run: at once if it waits, within seconds if it runs.

    Raises NotFound, and Conflict when the run is over.
    """
    query = select(Run).where(Run.id == run_id).with_for_update()
    run = session.scalar(query.execution_options(populate_existing=True))
    if run is None:
        raise NotFound("unknown-run", "There is no run with this id.")
    if run.state == "queued":
        run.state = "cancelled"
        run.finished_at = at
    elif run.state == "running":
        run.cancel_requested = True
    else:
        raise Conflict("run-finished", f"The run has ended already: {run.state}.")
    session.flush()
    return run


def enqueue_defaults(session: Session, *, at: datetime) -> list[Run]:
    """Ask for the runs that pages and answers show: every experiment's default, and
    every parameter set that a question in use names for evidence, its key or its
    figure; quick ones first."""
    rows = {row.name: row for row in experiments(session)}
    wanted: list[tuple[str, Mapping[str, Any]]] = [(name, {}) for name in rows]
    for table in USES:
        uses = select(table.experiment, table.params).join(
            Question, Question.current_id == table.revision_id
        )
        named = session.execute(uses.where(Question.retired_at.is_(None))).all()
        wanted += [(name, params) for name, params in named if name in rows]
        for name in sorted({name for name, _ in named} - rows.keys()):
            log.warning("a question names no experiment: %s", name)
    wanted.sort(key=lambda want: (rows[want[0]].seconds, want[0]))
    once = {
        (name, json.dumps(dict(p), sort_keys=True)): (name, p) for name, p in wanted
    }
    runs: dict[str, Run] = {}
    for place, (name, params) in enumerate(once.values()):
        moment = at + timedelta(microseconds=place)  # keeps this order in the queue
        try:
            run = submit(session, name, params, at=moment, priority=START_UP).run
        except Invalid as refusal:
            log.warning("a question's %s cannot be run: %s", name, refusal.errors)
        else:
            runs[run.id] = run
    return list(runs.values())


def _by_key(key: str) -> Select[Run]:
    query = select(Run).where(Run.content_key == key).with_for_update()
    return query.execution_options(populate_existing=True)
