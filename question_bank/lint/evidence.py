"""Rules about evidence: what it names exists, and it agrees with the key."""

from collections.abc import Iterator

from question_bank.content import SOURCE, EvidenceItem, PackItem, QuestionItem
from question_bank.lint.spots import Claims, Spot


def no_evidence(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """A choice question rests on a claim, and each claim bears on a part of its question."""
    for item in pack.questions:
        if item.choices and not item.evidence:
            yield Spot(item.slug, SOURCE, (), "no claim backs the key")
    for item, i, one in _evidence(pack):
        if not one.supports and not one.refutes:
            message = f"{one.claim} neither supports nor refutes anything"
            yield Spot(item.slug, SOURCE, ("evidence", i), message)


def unknown_choice(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    for item, i, one in _evidence(pack):
        for field in ("supports", "refutes"):
            for name in getattr(one, field):
                if name not in item.parts:
                    message = f"the question has no {name!r}"
                    yield Spot(item.slug, SOURCE, ("evidence", i, field), message)


def key_contradiction(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """Evidence supports right choices and refutes wrong ones."""
    for item, i, one in _evidence(pack):
        for field, name in contradictions(item, one):
            word = "wrong" if field == "supports" else "right"
            message = f"{one.claim} {field} {name!r}, which is a {word} choice"
            yield Spot(item.slug, SOURCE, ("evidence", i, field), message)


def unknown_claim(pack: PackItem, claims: Claims) -> Iterator[Spot]:
    for item, i, one in _evidence(pack):
        if claims is not None and one.claim not in claims:
            message = f"no experiment makes the claim {one.claim}"
            yield Spot(item.slug, SOURCE, ("evidence", i, "claim"), message)


def unknown_parameter(pack: PackItem, claims: Claims) -> Iterator[Spot]:
    for item, i, one in _evidence(pack):
        known = None if claims is None else claims.get(one.claim)
        for name in one.params:
            if known is not None and name not in known:
                message = f"{one.experiment} has no parameter {name!r}"
                yield Spot(item.slug, SOURCE, ("evidence", i, "params"), message)


def contradictions(item: QuestionItem, one: EvidenceItem) -> Iterator[tuple[str, str]]:
    """``("supports", name)`` of wrong choices and ``("refutes", name)`` of right ones."""
    right = item.key
    wrong = {choice.name for choice in item.choices} - right
    yield from (("supports", name) for name in one.supports if name in wrong)
    yield from (("refutes", name) for name in one.refutes if name in right)


def _evidence(pack: PackItem) -> Iterator[tuple[QuestionItem, int, EvidenceItem]]:
    for item in pack.questions:
        for i, one in enumerate(item.evidence):
            yield item, i, one


RULES = (
    no_evidence,
    unknown_choice,
    key_contradiction,
    unknown_claim,
    unknown_parameter,
)
