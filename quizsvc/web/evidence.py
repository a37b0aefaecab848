"""Claims and what runs measured, as pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from flask import url_for
from sqlalchemy import select
from sqlalchemy.orm import Session

from quizsvc import lab
from quizsvc.models import Experiment, Run, RunResult
from quizsvc.practice import EvidenceView
from quizsvc.web import controls, notes, pictured, plots, words
from quizsvc.web.words import _


@dataclass(frozen=True, kw_only=True)
class ClaimView:
    """A claim of an experiment held against one run of it."""

    statement: str
    metric: str = ""
    bound: str = ""
    regime: str = ""
    source: str = ""
    over: str = "seeds"  # seeds | median
    verdict: Mapping[str, Any] | None
    dots: plots.Dots | None = None


@dataclass(frozen=True, kw_only=True)
class Proof:
    """A claim that speaks for or against parts of an answer key."""

    claim: ClaimView
    params: list[tuple[str, str]]  # title and value of what differs from the defaults
    run: Run | None  # what is waited for, as long as there is no verdict
    expected: str
    agrees: bool | None  # None until there is a verdict
    supports: list[int]  # places in the review, from 1
    refutes: list[int]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a key or a figure is from."""

    title: Mapping[str, str]
    differs: list[tuple[str, str]]  # title and value of what is not at its default
    address: str  # the experiment's page at these parameters


def origin(session: Session, name: str, params: Mapping[str, Any]) -> Origin | None:
    """An experiment at these parameters; None when it is gone."""
    row = session.get(Experiment, name)
    if row is None:
        return None
    values = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in params.items()
    }
    return Origin(
        title=row.title,
        differs=controls.differing(row.schema, params),
        address=f"{url_for('lab.show', name=row.name)}?{urlencode(values)}".rstrip("?"),
    )


@dataclass(kw_only=True)
class Card:
    """The evidence of one experiment, with a form to run it again."""

    experiment: Experiment
    form: controls.Form
    run_id: str | None  # the measured run that the card leads to
    figures: int  # how many that run has
    figure: Mapping[str, Any] | None  # the one of them that shows what the claims say
    proofs: list[Proof] = field(default_factory=list)

    @property
    def waiting(self) -> Run | None:
        """A run that the card still waits for."""
        runs = (proof.run for proof in self.proofs)
        return next((run for run in runs if run and run.state not in lab.ENDED), None)


def cards(
    session: Session, views: Sequence[EvidenceView], parts: Sequence[str]
) -> list[Card]:
    """The evidence by experiment, in its order; experiments and claims that are gone
    left out.

    ``parts`` are the opaque ids of choices or key points in the order shown.
    """
    views = [view for view in views if view.statement]
    places = {id: place for place, id in enumerate(parts, start=1)}
    names = {view.experiment for view in views}
    rows = select(Experiment).where(Experiment.name.in_(names))
    experiments = {row.name: row for row in session.scalars(rows)}
    waited = [view.run_id for view in views if not view.verdict and view.run_id]
    runs = {
        run.id: run for run in session.scalars(select(Run).where(Run.id.in_(waited)))
    }
    figures = _figures(session, views)
    found: dict[str, Card] = {}
    for view in views:
        row = experiments[view.experiment]
        run_id, drawn, shown = figures.get(row.name, (None, [], pictured.NONE))
        figure = pictured.drawn(drawn, shown)
        card = Card(
            experiment=row,
            form=controls.form(row, view.params),
            run_id=run_id,
            figures=len(drawn),
            figure=figure and notes.noted(row.name, figure),
        )
        run = runs.get(view.run_id or "")
        found.setdefault(row.name, card).proofs.append(_proof(row, view, run, places))
    return list(found.values())


def _figures(
    session: Session, views: Sequence[EvidenceView]
) -> dict[str, tuple[str, list[Any], str]]:
    """By experiment a measured run that the evidence names, its figures, and which of them
    shows what the claims say."""
    measured: dict[str, list[tuple[str, str]]] = {}  # claim and run
    for view in views:
        if view.run_id and view.verdict:
            of = measured.setdefault(view.experiment, [])
            of.append((view.claim, view.run_id))
    chosen = {}
    for name, found in measured.items():
        figure, place = pictured.choose(name, [claim for claim, _run in found])
        chosen[name] = found[place][1], figure
    query = select(RunResult.run_id, RunResult.figures)
    runs = [run_id for run_id, _figure in chosen.values()]
    drawn: dict[str, list[Any]] = dict(
        session.execute(query.where(RunResult.run_id.in_(runs))).all()
    )
    return {name: (run, drawn[run], figure) for name, (run, figure) in chosen.items()}


def _proof(
    experiment: Experiment,
    view: EvidenceView,
    run: Run | None,
    places: Mapping[str, int],
) -> Proof:
    dots = plots.dots(view.values, view.above, view.below) if view.verdict else None
    return Proof(
        claim=ClaimView(
            statement=view.statement, over=view.over, verdict=view.verdict, dots=dots
        ),
        params=controls.differing(experiment.schema, view.params),
        run=run,
        expected=view.expected,
        agrees=view.verdict["outcome"] == view.expected if view.verdict else None,
        supports=sorted(places[id] for id in view.supports if id in places),
        refutes=sorted(places[id] for id in view.refutes if id in places),
    )


def claims(
    experiment: Experiment, run: Run | None, expected: Mapping[str, float] | None = None
) -> list[ClaimView]:
    """Every claim of an experiment, held against a run if there is a result.

    ``expected`` says what a candidate predicted of a metric.
    """
    mine = expected or {}
    result = run.result if run else None
    verdicts = {v["claim"]: v for v in result.verdicts} if result else {}
    metrics = result.metrics if result else {}
    return [
        _claim(
            claim,
            verdicts.get(claim["id"]),
            metrics.get(claim["metric"], []),
            mine.get(claim["metric"]),
        )
        for claim in experiment.claims
    ]


def _claim(
    claim: Mapping[str, Any],
    verdict: Mapping[str, Any] | None,
    values: plots.Values,
    mine: float | None,
) -> ClaimView:
    above, below = claim["above"], claim["below"]
    return ClaimView(
        statement=words.said(claim["statement"]),
        metric=claim["metric"],
        bound=_bound(above, below),
        regime=words.said(claim["regime"]),
        source=claim["source"],
        over=claim["over"],
        verdict=verdict,
        dots=plots.dots(values, above, below, mine) if verdict else None,
    )


def _bound(above: float | None, below: float | None) -> str:
    low, high = plots.number(above, 4), plots.number(below, 4)
    if below is None:
        return _("above %(low)s", low=low)
    if above is None:
        return _("below %(high)s", high=high)
    return _("between %(low)s and %(high)s", low=low, high=high)


def kept(run: Run) -> list[ClaimView]:
    """The verdicts of a run whose experiment is gone, and with it the words of its claims."""
    verdicts = run.result.verdicts if run.result else []
    return [ClaimView(statement=f"`{v['claim']}`", verdict=v) for v in verdicts]
