"""Claims and what runs measured, as pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from quizsvc import lab
from quizsvc.models import Experiment, Run
from quizsvc.practice import EvidenceView
from quizsvc.web import controls, plots


@dataclass(frozen=True, kw_only=True)
class ClaimView:
    """A claim of an experiment held against one run of it."""

    id: str
    statement: Mapping[str, str]
    regime: Mapping[str, str]
    source: str
    over: str  # seeds | median
    verdict: Mapping[str, Any] | None
    dots: plots.Dots | None


@dataclass(frozen=True, kw_only=True)
class Proof:
    """A claim that speaks for or against parts of an answer key."""

    claim: ClaimView
    params: list[tuple[str, str]]  # title and value of what differs from the defaults
    run: Run | None
    expected: str
    agrees: bool | None  # None until there is a verdict
    supports: list[int]  # places in the review, from 1
    refutes: list[int]


@dataclass(kw_only=True)
class Card:
    """The evidence of one experiment, with a form to run it again."""

    experiment: Experiment
    form: controls.Form
    proofs: list[Proof] = field(default_factory=list)

    @property
    def shown(self) -> Run | None:
        """The run whose figure the card shows."""
        return next((p.run for p in self.proofs if p.run and p.run.result), None)

    @property
    def waiting(self) -> Run | None:
        """A run that the card still waits for."""
        runs = (proof.run for proof in self.proofs)
        return next((run for run in runs if run and run.state not in lab.ENDED), None)


def cards(
    session: Session, views: Sequence[EvidenceView], parts: Sequence[str]
) -> list[Card]:
    """The evidence by experiment, in its order; experiments that are gone left out.

    ``parts`` are the opaque ids of choices or key points in the order shown.
    """
    places = {id: place for place, id in enumerate(parts, start=1)}
    names = {view.experiment for view in views}
    rows = select(Experiment).where(Experiment.name.in_(names))
    experiments = {row.name: row for row in session.scalars(rows)}
    found: dict[str, Card] = {}
    for view in views:
        row = experiments.get(view.experiment)
        claims = row.claims if row else []
        claim = next((c for c in claims if c["id"] == view.claim), None)
        if row is None or claim is None:
            continue
        card = found.setdefault(
            row.name, Card(experiment=row, form=controls.form(row, view.params))
        )
        card.proofs.append(_proof(session, row, claim, view, places))
    return list(found.values())


def _proof(
    session: Session,
    experiment: Experiment,
    claim: Mapping[str, Any],
    view: EvidenceView,
    places: Mapping[str, int],
) -> Proof:
    run = session.get(Run, view.run_id) if view.run_id else None
    outcome = view.verdict["outcome"] if view.verdict else None
    return Proof(
        claim=_claim(claim, view.verdict, view.values),
        params=controls.differing(experiment.schema, view.params),
        run=run,
        expected=view.expected,
        agrees=None if outcome is None else outcome == view.expected,
        supports=sorted(places[id] for id in view.supports),
        refutes=sorted(places[id] for id in view.refutes),
    )


def claims(experiment: Experiment, run: Run | None) -> list[ClaimView]:
    """Every claim of an experiment, held against a run if there is a result."""
    result = run.result if run else None
    verdicts = {v["claim"]: v for v in result.verdicts} if result else {}
    metrics = result.metrics if result else {}
    return [
        _claim(claim, verdicts.get(claim["id"]), metrics.get(claim["metric"], []))
        for claim in experiment.claims
    ]


def _claim(
    claim: Mapping[str, Any], verdict: Mapping[str, Any] | None, values: plots.Values
) -> ClaimView:
    bounds = claim["above"], claim["below"]
    return ClaimView(
        id=claim["id"],
        statement=claim["statement"],
        regime=claim["regime"],
        source=claim["source"],
        over=claim["over"],
        verdict=verdict,
        dots=plots.dots(values, *bounds) if verdict else None,
    )
