"""The proof beside an answer: claims of experiments, and what their runs measured."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from question_bank.content import EvidenceItem, QuestionItem
from question_bank.kept import Kept
from quizsvc import lab
from quizsvc.models import Experiment, Run, RunResult


@dataclass(frozen=True, kw_only=True)
class EvidenceView:
    """A claim, which choices or key points it speaks for and against, and its verdict."""

    experiment: str
    claim: str
    statement: str  # empty when the experiment makes no such claim any more
    supports: list[str]  # opaque ids of the presentation
    refutes: list[str]
    expected: str  # the verdict that agrees with the key
    params: dict[str, Any]  # what differs from the defaults
    run_id: str | None  # None until the run has been asked for
    verdict: dict[str, Any] | None  # None until the run has succeeded
    values: list[float | None]  # one for each seed
    above: float | None
    below: float | None
    over: str  # seeds | median: what the verdict is about


class _Address(NamedTuple):
    """The claim behind a line of evidence, and the content key of the run to show."""

    claim: Mapping[str, Any]  # empty when the experiment makes no such claim any more
    key: str  # empty when the experiment no longer takes the parameters


class Measured(NamedTuple):
    """The verdicts and metrics of a finished run."""

    verdicts: list[Any]
    metrics: Mapping[str, Any]


_RUNS = select(Run.content_key, Run.id, Run.state).where(
    Run.content_key.in_(bindparam("keys", expanding=True))
)
_RESULTS = select(RunResult.run_id, RunResult.verdicts, RunResult.metrics).where(
    RunResult.run_id.in_(bindparam("ids", expanding=True))
)

# What stays as it is while the catalogue does: a run that has succeeded is not run again.
_addresses: Kept[tuple[str, str, str], _Address] = Kept()  # by edition and evidence
_ended: Kept[tuple[str, str], str] = Kept()  # ids, by edition and content key
_measured: Kept[str, Measured] = Kept()  # by the id of the run

NOWHERE = _Address({}, "")
UNPROVEN = Measured([], {})


def evidence(
    session: Session,
    item: QuestionItem,
    ids: Mapping[str, str],
    lang: str,
    edition: str | None,
) -> list[EvidenceView]:
    """An item's evidence in its order; ``ids`` are the opaque ids by name.

    ``edition`` is the one of the catalogue.
    """
    addresses = [_addressed(session, proof, edition) for proof in item.evidence]
    runs = _runs(session, {address.key for address in addresses} - {""}, edition)
    ended = results(session, [name for name, done in runs.values() if done])
    views = []
    for proof, (claim, key) in zip(item.evidence, addresses, strict=True):
        run_id, _ = runs.get(key, (None, False))
        measured = ended.get(run_id or "", UNPROVEN)
        verdicts = [v for v in measured.verdicts if v["claim"] == proof.claim_id]
        views.append(
            EvidenceView(
                experiment=proof.experiment,
                claim=proof.claim_id,
                statement=claim["statement"][lang] if claim else "",
                supports=[ids[name] for name in proof.supports if name in ids],
                refutes=[ids[name] for name in proof.refutes if name in ids],
                expected=proof.outcome,
                params=proof.params,
                run_id=run_id,
                verdict=verdicts[0] if claim and verdicts else None,
                values=measured.metrics.get(claim["metric"], []) if claim else [],
                above=claim.get("above"),
                below=claim.get("below"),
                over=claim.get("over", "seeds"),
            )
        )
    return views


def _addressed(session: Session, proof: EvidenceItem, edition: str | None) -> _Address:
    place = (edition or "", proof.claim, repr(proof.params))
    address = _addresses.get(place) if edition else None
    if address is None:
        address = _address(session, proof)
        if edition:
            _addresses[place] = address
    return address


def _address(session: Session, proof: EvidenceItem) -> _Address:
    experiment = session.get(Experiment, proof.experiment)
    if experiment is None:
        return NOWHERE
    claims = (claim for claim in experiment.claims if claim["id"] == proof.claim_id)
    return _Address(next(claims, {}), lab.run_key(experiment, proof.params) or "")


def _runs(
    session: Session, keys: Set[str], edition: str | None
) -> dict[str, tuple[str, bool]]:
    """The ids of runs and whether they have succeeded, by content key."""
    runs = {
        key: (known, True)
        for key in keys
        if (known := _ended.get((edition or "", key)))
    }
    if missing := keys - runs.keys():
        rows = session.connection().execute(_RUNS, {"keys": sorted(missing)})
        for key, run_id, state in rows:
            runs[key] = (run_id, state == "succeeded")
            if edition and state == "succeeded":
                _ended[edition, key] = run_id
    return runs


def results(session: Session, run_ids: Sequence[str]) -> dict[str, Measured]:
    """What runs measured, by their ids; those without a result are left out."""
    known = {name: one for name in run_ids if (one := _measured.get(name))}
    if missing := [name for name in run_ids if name not in known]:
        for name, *result in session.connection().execute(_RESULTS, {"ids": missing}):
            known[name] = _measured[name] = Measured(*result)
    return known
