"""Pure: days of practice and the time spent. A day is a study day, as the log has it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from quizsvc.practice.progress.entries import Entry
from quizsvc.scheduling.pace import Timed, spent

DAY = timedelta(days=1)
WEEK = 7 * DAY
SHOWN = 28  # days whose answers are counted one by one


class Day(NamedTuple):
    """A study day's answers."""

    day: date
    right: int
    wrong: int


class Habit(NamedTuple):
    """How often and how long somebody practised. Spans are in study days, today included.

    Time is that of answers and of reading what came after them, as the plan counts it.
    """

    streak: int  # days in a row up to today, or to yesterday while today is young
    longest: int
    week: int  # days of the last seven with an answer
    days: list[Day]  # the last 28, also those without an answer
    seconds_today: float
    seconds_week: float
    seconds: float


def habit(log: Sequence[Entry], today: date) -> Habit:
    """The habit that a log shows on a study day."""
    practised = {entry.study_day for entry in log}
    right = Counter(entry.study_day for entry in log if entry.right)
    wrong = Counter(entry.study_day for entry in log if not entry.right)
    seconds = _seconds(log)
    shown = [today - n * DAY for n in reversed(range(SHOWN))]
    return Habit(
        streak=streak(practised, today),
        longest=longest(practised),
        week=sum(today - WEEK < day <= today for day in practised),
        days=[Day(day, right[day], wrong[day]) for day in shown],
        seconds_today=seconds[today],
        seconds_week=sum(seconds[today - n * DAY] for n in range(WEEK.days)),
        seconds=sum(seconds.values()),
    )


def streak(practised: Collection[date], today: date) -> int:
    """Days in a row with an answer, up to today or yesterday.

    Tomorrow counts too: who flies west over the date line has been there.
    """
    end = next((d for d in (today + DAY, today, today - DAY) if d in practised), None)
    length = 0
    while end is not None and end - length * DAY in practised:
        length += 1
    return length


def longest(practised: Collection[date]) -> int:
    """The most days in a row that there ever were."""
    best = run = 0
    before = None
    for day in sorted(practised):
        run = run + 1 if before is not None and day - before == DAY else 1
        best, before = max(best, run), day
    return best


def _seconds(log: Iterable[Entry]) -> Mapping[date, float]:
    """The time of each study day; 0 for one without practice."""
    timed = sorted(Timed(e.study_day, e.given_at, e.seconds or 0.0) for e in log)
    found: defaultdict[date, float] = defaultdict(float)
    for one, seconds in zip(timed, spent(timed), strict=True):
        found[one.day] += seconds
    return found
