"""The proof beside an answer: claims of experiments, and what their runs measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, select
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

    source_hash: str | None  # of the experiment; None when there is none
    claim: Mapping[str, Any]  # empty when the experiment makes no such claim any more
    key: str | None  # None when the experiment no longer takes the parameters


class Measured(NamedTuple):
    """The verdicts and metrics of a finished run."""

    verdicts: list[Any]
    metrics: Mapping[str, Any]


_NOW = (
    select(Experiment.name, Experiment.source_hash, Run.content_key, Run.id, Run.state)
    .outerjoin(
        Run,
        and_(
            Run.experiment == Experiment.name,
            Run.content_key.in_(bindparam("keys", expanding=True)),
        ),
    )
    .where(Experiment.name.in_(bindparam("names", expanding=True)))
)
_RESULTS = select(RunResult.run_id, RunResult.verdicts, RunResult.metrics).where(
    RunResult.run_id.in_(bindparam("ids", expanding=True))
)

# What one source and one finished run say never changes, so each is read once.
_addresses: Kept[tuple[str, str], _Address] = (
    Kept()
)  # by claim and parameters: the last
_measured: Kept[str, Measured] = Kept()  # by the id of the run

NOWHERE = _Address(None, {}, None)
UNPROVEN = Measured([], {})


def evidence(
    session: Session, item: QuestionItem, ids: Mapping[str, str], lang: str
) -> list[EvidenceView]:
    """An item's evidence in its order; ``ids`` are the opaque ids by name."""
    if not item.evidence:
        return []
    known = [_addresses.get(_place(proof), NOWHERE) for proof in item.evidence]
    sources, runs = _now(session, item.evidence, known)
    addresses = [
        address
        if sources.get(proof.experiment) == address.source_hash
        else _address(session, proof)
        for proof, address in zip(item.evidence, known, strict=True)
    ]
    if addresses != known:
        sources, runs = _now(session, item.evidence, addresses)
    ended = results(session, [name for name, done in runs.values() if done])
    views = []
    for proof, (_, claim, key) in zip(item.evidence, addresses, strict=True):
        run_id, _ = runs.get(key or "", (None, False))
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


def _now(
    session: Session, proofs: Sequence[EvidenceItem], addresses: Sequence[_Address]
) -> tuple[dict[str, str], dict[str, tuple[str, bool]]]:
    """Source hashes by experiment; by content key, runs and whether they succeeded."""
    names = list({proof.experiment for proof in proofs})
    keys = list({address.key for address in addresses if address.key})
    sources, runs = {}, {}
    for name, source_hash, key, run_id, state in session.connection().execute(
        _NOW, {"names": names, "keys": keys}
    ):
        sources[name] = source_hash
        runs[key] = (run_id, state == "succeeded")
    return sources, runs


def _place(proof: EvidenceItem) -> tuple[str, str]:
    return proof.claim, repr(proof.params)


def _address(session: Session, proof: EvidenceItem) -> _Address:
    experiment = session.get(Experiment, proof.experiment)
    if experiment is None:
        return NOWHERE
    claims = (claim for claim in experiment.claims if claim["id"] == proof.claim_id)
    address = _Address(
        experiment.source_hash,
        next(claims, {}),
        lab.run_key(experiment, proof.params),
    )
    _addresses[_place(proof)] = address
    return address


def results(session: Session, run_ids: Sequence[str]) -> dict[str, Measured]:
    """What runs measured, by their ids; those without a result are left out."""
    known = {name: one for name in run_ids if (one := _measured.get(name))}
    if missing := [name for name in run_ids if name not in known]:
        for name, *result in session.connection().execute(_RESULTS, {"ids": missing}):
            known[name] = _measured[name] = Measured(*result)
    return known
