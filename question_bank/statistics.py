"""What a bank holds, counted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from question_bank.content import LANGUAGES, LEVELS, TOPICS, TYPES, QuestionItem


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
        key_share=_key_share(items),
    )


def _key_share(items: Sequence[QuestionItem]) -> dict[str, float]:
    choices: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for item in items:
        choices[item.type] += len(item.choices)
        right[item.type] += len(item.key)
    return {name: right[name] / choices[name] for name in TYPES if choices[name]}
