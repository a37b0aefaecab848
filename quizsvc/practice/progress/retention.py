"""Pure: what was remembered against what was predicted, and what "sure" was worth.

Only the first answer of a study day to a question met before is a test of memory. What is
predicted is the chance of a right answer, so that a lucky guess is in it:
g + (1 - g)·R with the recall R just before and the chance g of guessing.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import pairwise
from statistics import mean
from typing import NamedTuple

from quizsvc.practice.progress.entries import Entry
from quizsvc.scheduling.guessing import Share, how_often_right, right

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
WEEKS = 12


class Trial(NamedTuple):
    """One test of memory, ``chance`` the predicted chance that it is passed."""

    question_id: int
    day: date
    chance: float
    passed: bool


class Compared(NamedTuple):
    """The mean of what was predicted for some tests, and how many were passed."""

    predicted: float
    share: Share


class Bin(NamedTuple):
    """The tests predicted between two edges; the upper one belongs to the last bin alone."""

    low: float
    high: float
    predicted: float
    share: Share


class Week(NamedTuple):
    """The tests of a week."""

    start: date  # a Monday
    predicted: float
    share: Share


def share(passed: Iterable[bool]) -> Share | None:
    """How many passed, with a 95 % interval (Wilson's); None for nothing."""
    return how_often_right(("all", one) for one in passed).get("all")


def trials(log: Iterable[Entry]) -> list[Trial]:
    """The tests of memory in a log, in its order."""
    last: dict[int, date] = {}
    found = []
    for entry in log:
        before = last.get(entry.question_id)
        if before is None:
            last[entry.question_id] = entry.study_day
        elif entry.study_day > before:
            last[entry.question_id] = entry.study_day
            if entry.predicted is not None:
                chance = right(entry.predicted, entry.chance)
                found.append(
                    Trial(entry.question_id, entry.study_day, chance, entry.right)
                )
    return found


def compared(some: Sequence[Trial]) -> Compared | None:
    """What was predicted for tests beside what came of them; None for none."""
    passed = share(trial.passed for trial in some)
    if passed is None:
        return None
    return Compared(mean(trial.chance for trial in some), passed)


def calibration(all_trials: Sequence[Trial]) -> list[Bin]:
    """The tests by what was predicted, without empty bins."""
    bins = []
    for low, high in pairwise(EDGES):
        inside = [
            trial
            for trial in all_trials
            if low <= trial.chance and (trial.chance < high or high == EDGES[-1])
        ]
        if found := compared(inside):
            bins.append(Bin(low, high, *found))
    return bins


def weeks(all_trials: Iterable[Trial], today: date) -> list[Week]:
    """The tests of the last twelve weeks, this one included, without empty weeks."""
    by_week: dict[date, list[Trial]] = {}
    first = _monday(today) - timedelta(weeks=WEEKS - 1)
    for trial in all_trials:
        if (start := _monday(trial.day)) >= first:
            by_week.setdefault(start, []).append(trial)
    return [
        Week(start, *found)
        for start, some in sorted(by_week.items())
        if (found := compared(some))
    ]


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def confidence(log: Iterable[Entry]) -> dict[str, Share]:
    """How often each word of confidence was right, over all answers that had one."""
    return how_often_right((entry.confidence, entry.right) for entry in log)
