"""Pure: what is known of the questions: recall, topics, leeches, what was learned."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from statistics import mean
from typing import NamedTuple

from quizsvc.practice.progress.entries import Card, Entry
from quizsvc.practice.progress.retention import Trial, share
from quizsvc.scheduling.guessing import Share

WEEK = timedelta(days=7)
LASTING = 7.0  # days of stability: recall of 0.9 after a week
RECENT = 10  # tests of a question that say whether it is a leech
LEAST = 3  # failures among them
FORECAST = (0, 1, 2, 3, 5, 7, 10, 14, 21, 30)  # days ahead
UNLIKELY = 0.01  # so many failures, if the predictions were right


class Recall(NamedTuple):
    """Recall on a day."""

    questions: int
    met: int
    mean: float | None  # over those met; None for none
    known: float  # how many of all would be recalled, on average


class Ahead(NamedTuple):
    """Recall on a day, if nothing is asked before it."""

    day: date
    recall: Recall


class Topic(NamedTuple):
    """A topic's questions, and all answers to them."""

    topic: str
    recall: Recall
    answers: Share | None


class Leech(NamedTuple):
    """A question that is forgotten more often than chance explains."""

    card: Card
    trials: int
    failed: int
    expected: float  # failures, by the predictions
    chance: float  # of so many failures or more


class Learned(NamedTuple):
    """What the last seven study days brought."""

    first_met: list[Card]
    lasting: list[Card]  # would now be recalled with 0.9 after a week; before not


def recall(cards: Iterable[Card], day: date) -> Recall:
    """Recall of cards on a study day."""
    all_cards = list(cards)
    chances = [card.recall(day) for card in all_cards if card.state is not None]
    return Recall(
        questions=len(all_cards),
        met=len(chances),
        mean=mean(chances) if chances else None,
        known=sum(chances),
    )


def ahead(cards: Iterable[Card], today: date) -> list[Ahead]:
    """Recall from today until thirty days later."""
    all_cards = list(cards)
    days = [today + timedelta(days=n) for n in FORECAST]
    return [Ahead(day, recall(all_cards, day)) for day in days]


def topics(cards: Iterable[Card], log: Iterable[Entry], day: date) -> list[Topic]:
    """Every topic, the one with least recall of its questions first."""
    by_topic: dict[str, list[Card]] = {}
    for card in cards:
        by_topic.setdefault(card.topic, []).append(card)
    topic_of = {c.id: topic for topic, some in by_topic.items() for c in some}
    passed: dict[str, list[bool]] = {topic: [] for topic in by_topic}
    for entry in log:
        if entry.question_id in topic_of:
            passed[topic_of[entry.question_id]].append(entry.right)
    found = [
        Topic(topic, recall(some, day), share(passed[topic]))
        for topic, some in by_topic.items()
    ]
    return sorted(found, key=lambda t: (t.recall.known / t.recall.questions, t.topic))


def leeches(cards: Iterable[Card], trials: Iterable[Trial]) -> list[Leech]:
    """The leeches, the least likely first.

    A question is one when at least 3 of its last 10 tests of memory failed, and so many
    failures have a chance below 1 % if each test is passed as often as was predicted.
    """
    by_card: dict[int, list[Trial]] = {}
    for trial in trials:
        by_card.setdefault(trial.question_id, []).append(trial)
    found = []
    for card in cards:
        recent = by_card.get(card.id, [])[-RECENT:]
        failed = sum(not trial.passed for trial in recent)
        if failed >= LEAST:
            fails = [1 - trial.chance for trial in recent]
            chance = at_least(failed, fails)
            if chance < UNLIKELY:
                found.append(Leech(card, len(recent), failed, sum(fails), chance))
    return sorted(found, key=lambda leech: (leech.chance, leech.card.slug))


def at_least(count: int, chances: Sequence[float]) -> float:
    """The chance that at least ``count`` of independent events happen (Poisson binomial)."""
    exactly = [1.0]  # the chance of 0, 1, 2 … among those seen so far
    for p in chances:
        exactly = [
            there * (1 - p) + before * p
            for there, before in zip([*exactly, 0.0], [0.0, *exactly], strict=True)
        ]
    return sum(exactly[count:])


def learned(cards: Iterable[Card], log: Iterable[Entry], today: date) -> Learned:
    """What the last seven study days, today included, brought."""
    first: dict[int, date] = {}
    before: dict[int, float] = {}  # stability when these days began
    for entry in log:
        first.setdefault(entry.question_id, entry.study_day)
        if entry.study_day <= today - WEEK:
            before[entry.question_id] = entry.stability
    met = [card for card in cards if card.state is not None and card.id in first]
    return Learned(
        first_met=[card for card in met if first[card.id] > today - WEEK],
        lasting=[card for card in met if _lasts(card) and not _lasted(card, before)],
    )


def _lasts(card: Card) -> bool:
    return card.state is not None and card.state.stability >= LASTING


def _lasted(card: Card, before: Mapping[int, float]) -> bool:
    return before.get(card.id, 0.0) >= LASTING
