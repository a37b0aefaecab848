"""What a bank holds, counted."""

from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from question_bank.content import LANGUAGES, LEVELS, TOPICS, TYPES, QuestionItem


class Reach(NamedTuple):
    """How many parts of a kind evidence bears on, and on how many nothing can."""

    backed: int
    all: int
    unmeasured: int = 0


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """Numbers of questions by property, of evidence, and the share of right choices."""

    questions: int
    types: dict[str, int]
    levels: dict[str, int]
    topics: dict[str, int]
    languages: dict[str, int]
    evidence: int
    claims: int  # distinct
    backed: int  # questions with evidence
    coverage: dict[str, Reach]  # of right choices, wrong choices and key points
    estimates: int
    figures: int
    key_share: dict[str, float]  # of all choices, by type; types without are absent


def statistics(items: Sequence[QuestionItem]) -> Statistics:
    types = Counter(item.type for item in items)
    levels = Counter(item.level for item in items)
    topics = Counter(item.topic for item in items)
    languages = Counter(lang for item in items for lang in item.texts)
    return Statistics(
        questions=len(items),
        types={name: types[name] for name in TYPES},
        levels={name: levels[name] for name in LEVELS},
        topics={name: topics[name] for name in TOPICS},
        languages={name: languages[name] for name in LANGUAGES},
        evidence=sum(len(item.evidence) for item in items),
        claims=len({one.claim for item in items for one in item.evidence}),
        backed=sum(bool(item.evidence) for item in items),
        coverage={
            "right choices": _reach(items, lambda item: item.key),
            "wrong choices": _reach(
                items, lambda item: {*item.choice_names} - item.key
            ),
            "key points": _reach(items, lambda item: {*item.key_points}),
        },
        estimates=sum(item.estimate is not None for item in items),
        figures=sum(item.figure is not None for item in items),
        key_share=_key_share(items),
    )


def _reach(
    items: Sequence[QuestionItem], parts: Callable[[QuestionItem], AbstractSet[str]]
) -> Reach:
    return Reach(
        backed=sum(len(parts(item) & item.measured) for item in items),
        all=sum(len(parts(item)) for item in items),
        unmeasured=sum(len(parts(item) & {*item.unmeasured}) for item in items),
    )


def _key_share(items: Sequence[QuestionItem]) -> dict[str, float]:
    choices: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for item in items:
        choices[item.type] += len(item.choices)
        right[item.type] += len(item.key)
    return {name: right[name] / choices[name] for name in TYPES if choices[name]}
