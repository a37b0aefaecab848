"""Pure: days of practice and the time spent. A day is a study day, as the log has it."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from quizsvc.practice.progress.entries import Entry

DAY = timedelta(days=1)
WEEK = 7 * DAY
SHOWN = 28  # days whose answers are counted one by one
LONGEST_ANSWER = 600.0  # seconds; a question left open for longer counts as this


class Day(NamedTuple):
    """A study day's answers."""

    day: date
    right: int
    wrong: int


class Habit(NamedTuple):
    """How often and how long somebody practised. Spans are in study days, today included."""

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
    shown = [today - n * DAY for n in reversed(range(SHOWN))]
    return Habit(
        streak=streak(practised, today),
        longest=longest(practised),
        week=sum(today - WEEK < day <= today for day in practised),
        days=[Day(day, right[day], wrong[day]) for day in shown],
        seconds_today=_seconds(e for e in log if e.study_day == today),
        seconds_week=_seconds(e for e in log if today - WEEK < e.study_day <= today),
        seconds=_seconds(log),
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


def _seconds(log: Iterable[Entry]) -> float:
    return sum(min(entry.seconds or 0.0, LONGEST_ANSWER) for entry in log)
