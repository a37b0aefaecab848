"""Do experiments say what questions say? Pure: what runs gave comes as plain data."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from question_bank.content import EstimateItem, EvidenceItem, FigureItem, QuestionItem
from question_bank.grading import interval
from question_bank.lint.evidence import contradictions


@dataclass(frozen=True, order=True)
class RunKey:
    """A run that a question needs: an experiment and what differs from its defaults."""

    experiment: str
    params_json: str

    @property
    def params(self) -> dict[str, Any]:
        params: dict[str, Any] = json.loads(self.params_json)
        return params


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a run gave: verdicts by claim, metrics, the ids of its figures.

    A run that failed gave nothing but the reason.
    """

    verdicts: Mapping[str, Mapping[str, Any]]
    metrics: Mapping[str, Sequence[float | None]]
    figures: Collection[str]
    failure: str = ""


@dataclass(frozen=True, kw_only=True)
class Check:
    """What a question takes from a run, held against it; ``problem`` is a sentence, empty
    when they agree.
    """

    slug: str
    takes: str  # experiment and claim, metric or figure
    params: str
    expected: str
    actual: str
    problem: str


def run_key(need: EvidenceItem | EstimateItem | FigureItem) -> RunKey:
    params = json.dumps(need.params, sort_keys=True, ensure_ascii=False)
    return RunKey(need.experiment, params)


def needed_runs(items: Iterable[QuestionItem]) -> list[RunKey]:
    """Each run that some question needs, once."""
    return sorted({run_key(need) for item in items for need in _needs(item)})


def verify(items: Iterable[QuestionItem], runs: Mapping[RunKey, Given]) -> list[Check]:
    """All that questions take from runs, in their order, with what came out."""
    return [
        _check(item, need, runs[run_key(need)])
        for item in items
        for need in _needs(item)
    ]


def _needs(item: QuestionItem) -> Iterator[EvidenceItem | EstimateItem | FigureItem]:
    yield from item.evidence
    if item.estimate:
        yield item.estimate
    if item.figure:
        yield item.figure


def _check(
    item: QuestionItem, need: EvidenceItem | EstimateItem | FigureItem, given: Given
) -> Check:
    if isinstance(need, EvidenceItem):
        takes, expected = need.claim, str(need.outcome)
        actual, problem = _evidence(item, need, given)
    elif isinstance(need, EstimateItem):
        takes = need.metric
        near = f"× {need.factor:g}" if need.factor else f"± {need.margin:g}"
        expected = f"a number {near}"
        actual, problem = _estimate(need, given)
    else:
        takes, expected = f"{need.experiment}.{need.id}", "a figure"
        actual, problem = _figure(need, given)
    return Check(
        slug=item.slug,
        takes=takes,
        params=run_key(need).params_json if need.params else "",
        expected=expected,
        actual=actual,
        problem=f"the run failed: {given.failure}" if given.failure else problem,
    )


def _evidence(item: QuestionItem, one: EvidenceItem, given: Given) -> tuple[str, str]:
    verdict = given.verdicts.get(one.claim_id)
    problems = []
    for how, name in contradictions(item, one):
        marked = "wrong" if how == "supports" else "right"
        problems.append(f"the key says {name!r} is {marked}, and this {how} it")
    if verdict is None:
        problems.append(f"{one.experiment} makes no claim {one.claim_id!r}")
    elif verdict["outcome"] != one.outcome:
        hits, seeds = verdict.get("hits"), verdict.get("seeds")
        problems.append(
            f"the key needs the claim {one.outcome}, and it is {verdict['outcome']}: "
            f"{hits} of {seeds} seeds inside the bounds, median "
            f"{_number(verdict.get('effect'))}"
        )
    return verdict["outcome"] if verdict else "none", "; ".join(problems)


def _estimate(one: EstimateItem, given: Given) -> tuple[str, str]:
    values = given.metrics.get(one.metric_id)
    if values is None:
        there = ", ".join(sorted(given.metrics))
        return "none", f"there is no metric {one.metric_id!r}; there are: {there}"
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "none", f"{len(values) - len(known)} seeds gave no finite number"
    key = median(known)
    low, high = interval(key, factor=one.factor, margin=one.margin)
    far = sum(not low <= value <= high for value in known)
    problem = ""
    if low == high:
        problem = f"the key is {_number(key)}, so a factor leaves no room around it"
    elif far:
        problem = (
            f"{far} of {len(known)} seeds would be wrong answers: right is "
            f"{_number(low)} to {_number(high)}, they lie from {_number(min(known))} to "
            f"{_number(max(known))}"
        )
    return _number(key), problem


def _figure(one: FigureItem, given: Given) -> tuple[str, str]:
    if one.id in given.figures:
        return "there", ""
    there = ", ".join(sorted(given.figures)) or "none"
    return "none", f"there is no figure {one.id!r}; there are: {there}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4g}"
