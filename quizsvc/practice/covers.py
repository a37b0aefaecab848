"""What a published question shows of itself before it is asked, and which are siblings.

A revision never changes after it was written, so that all covers of a bank are read once
and kept by the hashes of its revisions; an import makes other hashes.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from sqlalchemy import BindParameter, bindparam, func, select
from sqlalchemy.orm import Session

from question_bank.content import LEVELS
from question_bank.kept import Kept
from question_bank.models import Choice, Estimate, Evidence, Revision, RevisionText
from quizsvc.scheduling.guessing import chance

Proof = tuple[str, str, str]  # experiment, claim or metric, parameters


class Cover(NamedTuple):
    """The outside of a revision."""

    title: Mapping[str, str]  # by language
    type: str
    level: str
    topic: str
    chance: float  # of a right answer by one who knows nothing
    rank: int  # of the level: 0 easy, 1, …
    family: int  # siblings share it; 0, 1, … in the bank


_covers: Kept[frozenset[str], Mapping[str, Cover]] = Kept()

_ASKED: BindParameter[list[str]] = bindparam("hashes", expanding=True)
_REVISIONS = select(
    Revision.content_hash,
    Revision.type,
    Revision.level,
    Revision.topic,
    select(func.count())
    .where(Choice.revision_id == Revision.id)
    .correlate(Revision)
    .scalar_subquery(),
).where(Revision.content_hash.in_(_ASKED))
_TITLES = (
    select(Revision.content_hash, RevisionText.lang, RevisionText.title)
    .join(RevisionText, RevisionText.revision_id == Revision.id)
    .where(Revision.content_hash.in_(_ASKED))
)
_CLAIMS = (
    select(
        Revision.content_hash,
        Evidence.experiment,
        Evidence.claim,
        Evidence.params,
        Evidence.supports,
    )
    .join(Evidence, Evidence.revision_id == Revision.id)
    .where(Revision.content_hash.in_(_ASKED))
)
_METRICS = (
    select(Revision.content_hash, Estimate.experiment, Estimate.metric, Estimate.params)
    .join(Estimate, Estimate.revision_id == Revision.id)
    .where(Revision.content_hash.in_(_ASKED))
)


def covers(session: Session, hashes: frozenset[str]) -> Mapping[str, Cover]:
    """The covers of the revisions with these hashes, which are all of a bank's."""
    found = _covers.get(hashes)
    if found is None:
        found = _covers[hashes] = _read(session, hashes)
    return found


def _read(session: Session, hashes: Set[str]) -> Mapping[str, Cover]:
    connection, asked = session.connection(), {"hashes": sorted(hashes)}
    titles: dict[str, dict[str, str]] = defaultdict(dict)
    for one, lang, title in connection.execute(_TITLES, asked):
        titles[one][lang] = title
    proofs: dict[str, set[Proof]] = {one: set() for one in asked["hashes"]}
    for one, experiment, claim, params, supports in connection.execute(_CLAIMS, asked):
        if supports:
            proofs[one].add((experiment, claim, json.dumps(params, sort_keys=True)))
    for one, experiment, metric, params in connection.execute(_METRICS, asked):
        proofs[one].add((experiment, metric, json.dumps(params, sort_keys=True)))
    family = families(proofs)
    return {
        one: Cover(
            title=titles[one],
            type=type_,
            level=level,
            topic=topic,
            chance=chance(type_, choices),
            rank=LEVELS.index(level),
            family=family[one],
        )
        for one, type_, level, topic, choices in connection.execute(_REVISIONS, asked)
    }


def families(proofs: Mapping[str, Set[Proof]]) -> dict[str, int]:
    """A number for each question that it shares with its siblings.

    Two are siblings if all that proves one also proves the other: the answer to the other
    has then shown everything that the key of the one rests on. So are siblings' siblings.
    What nothing measured proves has none.
    """
    by_proof: dict[Proof, set[str]] = defaultdict(set)
    for one, some in proofs.items():
        for proof in some:
            by_proof[proof].add(one)
    head = {one: one for one in proofs}

    def leader(one: str) -> str:
        while head[one] != one:
            head[one] = head[head[one]]
            one = head[one]
        return one

    for one, other in _pairs(proofs, by_proof):
        head[leader(other)] = leader(one)
    numbers: dict[str, int] = {}
    return {one: numbers.setdefault(leader(one), len(numbers)) for one in proofs}


def _pairs(
    proofs: Mapping[str, Iterable[Proof]], by_proof: Mapping[Proof, set[str]]
) -> Iterator[tuple[str, str]]:
    """Every question with each that is proved by all that proves it."""
    for one, some in proofs.items():
        shared = [by_proof[proof] for proof in some]
        if shared:
            yield from ((one, other) for other in set.intersection(*shared))
