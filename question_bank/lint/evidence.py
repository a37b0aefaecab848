"""Rules about evidence: what it names exists, and it agrees with the key."""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from question_bank.content import (
    ESTIMATE,
    SOURCE,
    EvidenceItem,
    PackItem,
    Place,
    QuestionItem,
)
from question_bank.lint.spots import Claims, Spot


def no_evidence(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """A choice question rests on a claim, unless no measurement can bear on any of its
    choices; and each claim bears on a part of its question.
    """
    for item in pack.questions:
        if not item.evidence and set(item.choice_names) - set(item.unmeasured):
            yield Spot(item.slug, SOURCE, (), "no claim backs the key")
    for item, i, one in _evidence(pack):
        if not one.supports and not one.refutes:
            message = f"{one.claim} neither supports nor refutes anything"
            yield Spot(item.slug, SOURCE, ("evidence", i), message)


def unbacked_choice(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """Evidence bears on each choice, or ``unmeasured`` says that none can."""
    for item in pack.questions:
        for name in item.choice_names:
            if name not in item.measured | {*item.unmeasured}:
                message = f"no claim bears on choice {name!r}; is it unmeasured?"
                yield Spot(item.slug, SOURCE, ("choices", name), message)


def measured_choice(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """What stands in ``unmeasured`` is a choice on which no evidence bears."""
    for item in pack.questions:
        for name in item.unmeasured:
            if name in item.measured:
                message = f"{name!r} is unmeasured, and a claim bears on it"
                yield Spot(item.slug, SOURCE, ("unmeasured",), message)


def unknown_choice(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """What evidence and ``unmeasured`` name is a part of the question."""
    for item, i, one in _evidence(pack):
        for field in ("supports", "refutes"):
            for name in getattr(one, field):
                if name not in item.parts:
                    message = f"the question has no {name!r}"
                    yield Spot(item.slug, SOURCE, ("evidence", i, field), message)
    for item in pack.questions:
        for name in item.unmeasured:
            if name not in item.choice_names:
                message = f"the question has no choice {name!r}"
                yield Spot(item.slug, SOURCE, ("unmeasured",), message)


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


def unknown_experiment(pack: PackItem, claims: Claims) -> Iterator[Spot]:
    """The experiments that give a key or a figure are there."""
    known = _schemas(claims)
    for item, place, experiment, _ in _inputs(pack):
        if claims is not None and experiment not in known:
            message = f"there is no experiment {experiment}"
            yield Spot(item.slug, SOURCE, place, message)


def unknown_parameter(pack: PackItem, claims: Claims) -> Iterator[Spot]:
    """Experiments have the parameters at which evidence, key and figure are taken."""
    known = _schemas(claims)
    for item, place, experiment, params in _uses(pack):
        fields = known.get(experiment, {}).get("properties", {})
        for name in params:
            if experiment in known and name not in fields:
                message = f"{experiment} has no parameter {name!r}"
                yield Spot(item.slug, SOURCE, (*place, "params"), message)


def refused_value(pack: PackItem, claims: Claims) -> Iterator[Spot]:
    """Experiments take the values at which evidence, key and figure are taken."""
    known = _schemas(claims)
    for item, place, experiment, params in _uses(pack):
        fields = known.get(experiment, {}).get("properties", {})
        for name in params.keys() & fields.keys():
            validator = Draft202012Validator(fields[name])
            for error in validator.iter_errors(params[name]):
                message = f"{experiment} does not take this {name}: {error.message}"
                yield Spot(item.slug, SOURCE, (*place, "params"), message)


def _schemas(claims: Claims) -> dict[str, Mapping[str, Any]]:
    """The parameters of each experiment that makes a claim, and all of them do."""
    return {claim.partition(".")[0]: schema for claim, schema in (claims or {}).items()}


def _uses(
    pack: PackItem,
) -> Iterator[tuple[QuestionItem, Place, str, Mapping[str, Any]]]:
    """What questions take from experiments: place, experiment and parameters."""
    for item, i, one in _evidence(pack):
        yield item, ("evidence", i), one.experiment, one.params
    yield from _inputs(pack)


def _inputs(
    pack: PackItem,
) -> Iterator[tuple[QuestionItem, Place, str, Mapping[str, Any]]]:
    """What gives questions a key or a figure: place, experiment and parameters."""
    for item in pack.questions:
        if item.estimate:
            yield item, ("estimate",), item.estimate.experiment, item.estimate.params
        if item.figure:
            yield item, ("figure",), item.figure.experiment, item.figure.params


def contradictions(item: QuestionItem, one: EvidenceItem) -> Iterator[tuple[str, str]]:
    """``("supports", name)`` of wrong choices and ``("refutes", name)`` of right ones."""
    right = item.key or {ESTIMATE}
    wrong = {*item.choice_names} - right
    yield from (("supports", name) for name in one.supports if name in wrong)
    yield from (("refutes", name) for name in one.refutes if name in right)


def _evidence(pack: PackItem) -> Iterator[tuple[QuestionItem, int, EvidenceItem]]:
    for item in pack.questions:
        for i, one in enumerate(item.evidence):
            yield item, i, one


RULES = (
    no_evidence,
    unbacked_choice,
    measured_choice,
    unknown_choice,
    key_contradiction,
    unknown_claim,
    unknown_experiment,
    unknown_parameter,
    refused_value,
)
