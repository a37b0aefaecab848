"""Does the evidence say what the key says? Pure: verdicts come as plain data."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from question_bank.content import EvidenceItem, QuestionItem
from question_bank.lint.evidence import contradictions


@dataclass(frozen=True, order=True)
class RunKey:
    """A run that evidence needs: an experiment and what differs from its defaults."""

    experiment: str
    params_json: str

    @property
    def params(self) -> dict[str, Any]:
        params: dict[str, Any] = json.loads(self.params_json)
        return params


Outcomes = Mapping[RunKey, Mapping[str, str]]
"""The outcome of each claim of each run; a run that failed is absent."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One piece of evidence held against a run; ``problem`` is empty when they agree."""

    slug: str
    claim: str
    params: str
    expected: str
    actual: str | None  # None: the run failed or does not make the claim
    problem: str


def run_key(evidence: EvidenceItem) -> RunKey:
    params = json.dumps(evidence.params, sort_keys=True, ensure_ascii=False)
    return RunKey(evidence.experiment, params)


def needed_runs(items: Iterable[QuestionItem]) -> list[RunKey]:
    """Each run that some evidence needs, once."""
    return sorted({run_key(one) for item in items for one in item.evidence})


def verify(items: Iterable[QuestionItem], outcomes: Outcomes) -> list[Check]:
    """All evidence, in order of questions, with what came out."""
    return [_check(item, one, outcomes) for item in items for one in item.evidence]


def _check(item: QuestionItem, one: EvidenceItem, outcomes: Outcomes) -> Check:
    key = run_key(one)
    actual = outcomes.get(key, {}).get(one.claim_id)
    problems = [f"{how} {name}" for how, name in contradictions(item, one)]
    if actual is None:
        problems.append("no verdict")
    elif actual != one.outcome:
        problems.append("not as expected")
    return Check(
        slug=item.slug,
        claim=one.claim,
        params=key.params_json if one.params else "",
        expected=one.outcome,
        actual=actual,
        problem=", ".join(problems),
    )
