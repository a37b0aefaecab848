"""What a question takes from the laboratory: the number that is its key, its figure.

Both come from finished runs, which never change, so what one says is read once. A showing
pins the runs that it leans on. Before the answer nothing may name them, nor the experiment.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import bindparam, null, select, union_all
from sqlalchemy.orm import Session

from question_bank.content import FigureItem, QuestionItem
from question_bank.kept import Kept
from question_bank.models import Estimate, Figure, Question
from question_bank.published import content
from quizsvc import lab
from quizsvc.models import Experiment, Presentation, Run, RunResult, User
from quizsvc.practice.bank import published
from quizsvc.practice.evidence import UNPROVEN, results
from quizsvc.refusals import Conflict
from sim.core import DEFAULT_SEEDS

VARIANTS = tuple(
    tuple(range(first, first + len(DEFAULT_SEEDS)))
    for first in range(0, 5 * len(DEFAULT_SEEDS), len(DEFAULT_SEEDS))
)
"""The seeds of the runs whose figures a question shows in turn, the default ones first."""

NEVER = datetime.min.replace(tzinfo=UTC)
_addresses: Kept[tuple[str, str, str, tuple[int, ...]], str | None] = Kept()
_figures: Kept[tuple[str, str], Mapping[str, Any] | None] = Kept()  # by run and figure
_NEEDS = union_all(  # in the order of _Wanted
    *(
        select(
            Question.current_id,
            table.experiment,
            table.params,
            metric,
            figure,
            Experiment.source_hash,
        )
        .join(table, table.revision_id == Question.current_id)
        .outerjoin(Experiment, Experiment.name == table.experiment)
        .where(Question.retired_at.is_(None))
        for table, metric, figure in (
            (Estimate, Estimate.metric, null()),
            (Figure, null(), Figure.figure),
        )
    )
)
_FINISHED = select(Run.content_key, Run.id).where(
    Run.content_key.in_(bindparam("keys", expanding=True)), Run.state == "succeeded"
)


class NotComputed(Conflict):
    """A question cannot be asked until a run has finished, or because one says nothing."""

    def __init__(self, run: Run | None) -> None:
        if run is not None and run.state == "succeeded":
            code, detail = "not-measured", "Its experiment found nothing to go by."
        else:
            code = "not-computed"
            detail = "Its experiment is being computed. Ask for the question later."
        super().__init__(code, detail)
        self.state = run.state if run else "queued"
        self.progress = run.progress if run else 0.0


class Pinned(NamedTuple):
    """The ids of the runs that a showing leans on."""

    key: str | None = None
    figure: str | None = None


@dataclass(frozen=True)
class _Wanted:
    """A run that a question of the bank needs, and what it must have measured."""

    revision: int
    experiment: str
    params: Mapping[str, Any]
    metric: str | None
    figure: str | None
    source_hash: str | None  # of the experiment; None when there is none


def pin(
    session: Session,
    user: User,
    question: Question,
    item: QuestionItem,
    *,
    at: datetime,
) -> Pinned:
    """The finished runs for a new showing. Raises NotComputed while there is none.

    Asks for another variant of the figure once this user has met all that there are.
    """
    key = None
    if item.estimate:
        experiment = session.get(Experiment, item.estimate.experiment)
        params = item.estimate.params
        run = lab.known_run(session, experiment, params) if experiment else None
        if run is None or key_of(session, run.id, item.estimate.metric_id) is None:
            raise NotComputed(run)
        key = run.id
    figure = None
    if item.figure:
        figure = _figure(session, user, question, item.figure, at)
    return Pinned(key, figure)


def compute(session: Session, slug: str, *, at: datetime) -> None:
    """Ask for the runs without which a question cannot be asked: somebody waits."""
    item = content(session, published(session, slug).content_hash)
    for need in (item.estimate, item.figure):
        if need and session.get(Experiment, need.experiment):
            lab.submit(
                session, need.experiment, need.params, at=at, priority=lab.QUESTION
            )


def key_of(session: Session, run_id: str, metric: str) -> float | None:
    """The key that a run gives: its median. None unless all values are finite."""
    values = values_of(session, run_id, metric)
    if not values or None in values:
        return None
    key = median(value for value in values if value is not None)
    return key if isfinite(key) else None


def values_of(session: Session, run_id: str, metric: str) -> list[float | None]:
    """A metric's values, one for each seed; none while the run has no result."""
    measured = results(session, [run_id]).get(run_id, UNPROVEN)
    return list(measured.metrics.get(metric, []))


def figure_of(session: Session, run_id: str, figure: str) -> Mapping[str, Any] | None:
    """A figure of a run; None while the run has no result, or none with it."""
    place = (run_id, figure)
    with suppress(KeyError):
        return _figures[place]
    query = select(RunResult.figures).where(RunResult.run_id == run_id)
    figures = session.scalar(query)
    if figures is None:
        return None
    drawn = next((one for one in figures if one["id"] == figure), None)
    _figures[place] = drawn
    return drawn


def unready(session: Session) -> frozenset[int]:
    """The revisions in use that cannot be asked yet: a run of theirs has not finished."""
    session.flush()  # a connection does not see to it
    connection = session.connection()
    wanted = [_Wanted(*row) for row in connection.execute(_NEEDS)]
    if not wanted:
        return frozenset()
    keys = [_addresses_of(session, want) for want in wanted]
    asked = {"keys": [key for some in keys for key in some]}
    runs = dict(connection.execute(_FINISHED, asked).all())
    return frozenset(
        want.revision
        for want, some in zip(wanted, keys, strict=True)
        if not any(_gives(session, runs[key], want) for key in some if key in runs)
    )


def _gives(session: Session, run_id: str, want: _Wanted) -> bool:
    if want.metric is not None:
        return key_of(session, run_id, want.metric) is not None
    return figure_of(session, run_id, want.figure or "") is not None


def _addresses_of(session: Session, want: _Wanted) -> list[str]:
    """The content keys of the runs that can serve; none if what they take is gone."""
    if want.source_hash is None:
        return []
    keys = []
    for seeds in VARIANTS if want.figure else (DEFAULT_SEEDS,):
        place = (want.experiment, want.source_hash, repr(want.params), seeds)
        try:
            key = _addresses[place]
        except KeyError:
            experiment = session.get_one(Experiment, want.experiment)
            key = lab.run_key(experiment, want.params, seeds)
            _addresses[place] = key
        if key:
            keys.append(key)
    return keys


def _figure(
    session: Session, user: User, question: Question, wanted: FigureItem, at: datetime
) -> str:
    """The run whose figure is shown: one that this user has not met, else the one met
    longest ago. Raises NotComputed.
    """
    experiment = session.get(Experiment, wanted.experiment)
    if experiment is None:
        raise NotComputed(None)
    keys = [lab.run_key(experiment, wanted.params, seeds) for seeds in VARIANTS]
    found = session.scalars(select(Run).where(Run.content_key.in_(filter(None, keys))))
    runs = {tuple(run.seeds): run for run in found}
    drawn = [
        seeds
        for seeds in VARIANTS
        if seeds in runs and figure_of(session, runs[seeds].id, wanted.id)
    ]
    if not drawn:
        raise NotComputed(runs.get(DEFAULT_SEEDS))
    met = _met(session, user, question)
    shown = min(drawn, key=lambda seeds: met.get(seeds, NEVER))
    waits = any(run.state not in lab.ENDED for run in runs.values())
    fresh = next((seeds for seeds in VARIANTS if seeds not in runs), None)
    if fresh and not waits and met.keys() >= set(drawn) - {shown}:
        lab.submit(
            session,
            wanted.experiment,
            wanted.params,
            fresh,
            at=at,
            priority=lab.START_UP,
        )
    return runs[shown].id


def _met(
    session: Session, user: User, question: Question
) -> dict[tuple[int, ...], datetime]:
    """When the user was last shown a figure of this question, by the run's seeds."""
    rows = session.execute(
        select(Run.seeds, Presentation.created_at)
        .join(Run, Run.id == Presentation.figure_run_id)
        .where(Presentation.user_id == user.id, Presentation.question == question)
        .order_by(Presentation.created_at)
    )
    return {tuple(seeds): shown_at for seeds, shown_at in rows}
