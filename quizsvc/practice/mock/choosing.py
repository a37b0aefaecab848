"""Pure: which questions a mock interview asks, and in which order."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

MINUTES = {True: 2, False: 1}
"""What a question takes, by whether it is open: a minute to answer, one to mark."""
OPEN_IN_A_ROW = 2
"""Where forms are mixed, this many open questions come before one of another form."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A question that may be asked."""

    id: int
    slug: str
    type: str
    topic: str
    level: str
    recall: float | None  # now; None if never met
    told: frozenset[str]  # claims and metrics that its feedback tells


def choose(
    candidates: Iterable[Candidate], minutes: int, *, mixed: bool, rng: Random
) -> list[Candidate]:
    """As many questions as fit into the minutes, in the order of asking.

    Open ones, or with ``mixed`` one of another form after every two of them. The topics
    take turns, the one recalled least first (what was never met counts as not recalled),
    and so do the questions of a topic; chance decides between equals. Of questions whose
    feedback tells the same claim only the first is taken: it would give the others away.
    """
    pool = sorted(candidates, key=lambda one: one.slug)
    rng.shuffle(pool)
    ranked = _in_turn(pool)
    queues = {
        True: [one for one in ranked if one.type == "open"],
        False: [one for one in ranked if one.type != "open"] if mixed else [],
    }
    chosen: list[Candidate] = []
    left = minutes
    while True:
        told = frozenset[str]().union(*(one.told for one in chosen))
        for form, queue in queues.items():
            queues[form] = [one for one in queue if told.isdisjoint(one.told)]
        forms = [
            form for form in _forms(len(chosen), left, mixed=mixed) if queues[form]
        ]
        if not forms:
            return chosen
        chosen.append(queues[forms[0]].pop(0))
        left -= MINUTES[forms[0]]


def room(minutes: int, *, mixed: bool) -> int:
    """How many questions fit into the minutes, if there are enough of each form."""
    number = 0
    while forms := _forms(number, minutes, mixed=mixed):
        minutes -= MINUTES[forms[0]]
        number += 1
    return number


def _forms(before: int, left: int, *, mixed: bool) -> list[bool]:
    """Whether to ask an open question after so many: what fits, the better choice first."""
    turn = (before + 1) % (OPEN_IN_A_ROW + 1) != 0
    forms = (turn, not turn) if mixed else (True,)
    return [is_open for is_open in forms if MINUTES[is_open] <= left]


def _in_turn(pool: Sequence[Candidate]) -> list[Candidate]:
    topics: dict[str, list[Candidate]] = defaultdict(list)
    for one in pool:
        topics[one.topic].append(one)
    for questions in topics.values():
        questions.sort(key=_known)
    mastery = {topic: fmean(map(_known, them)) for topic, them in topics.items()}
    weakest = sorted(topics, key=lambda topic: mastery[topic])
    turns = [
        (turn, place, one)
        for place, topic in enumerate(weakest)
        for turn, one in enumerate(topics[topic])
    ]
    return [one for *_, one in sorted(turns, key=lambda turn: turn[:2])]


def _known(one: Candidate) -> float:
    return one.recall or 0.0
