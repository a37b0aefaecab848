"""How long answers take: what a plan counts on for a right and for a wrong one."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

USUAL = 60.0  # seconds, until a candidate's own are known
ENOUGH = 10  # answers of each sort; until then the rest counts as usual
LONGEST = 600.0  # beyond it the candidate was away


class Pace(NamedTuple):
    """Seconds of a right and of a wrong answer, reading what was shown after it too."""

    right: float = USUAL
    wrong: float = USUAL


def pace(recent: Iterable[tuple[bool, float]]) -> Pace:
    """The median seconds of recent right and wrong answers, (right, seconds) each."""
    spent: dict[bool, list[float]] = {True: [], False: []}
    for right, seconds in recent:
        spent[right].append(min(max(seconds, 1.0), LONGEST))
    return Pace(*(typical(spent[right]) for right in (True, False)))


def typical(seconds: Sequence[float]) -> float:
    """The median of recent answers' seconds, the usual ones for those still missing."""
    return median([*seconds, *[USUAL] * (ENOUGH - len(seconds))])
