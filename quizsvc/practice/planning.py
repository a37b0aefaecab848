"""Where the goal leads: recall until the day, the load, what a minute is worth."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

from sqlalchemy.orm import Session

from quizsvc.models import User
from quizsvc.practice.deck import deck, listed, usual_pace
from quizsvc.practice.goal import MOST_MINUTES, Goal, aim, goal, known_beforehand
from quizsvc.practice.users import calibration
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.forecast import Forecast, forecast

Note = Literal["past-date", "no-minutes", "no-questions", "time-is-short"]


class PlannedDay(NamedTuple):
    """What each of the ``days`` from ``date`` on brings, on average."""

    date: date
    days: int
    minutes: float
    reviews: float  # of questions met before
    new: float


class OnTheWay(NamedTuple):
    """Recall on a day on the way, if it is asked for before that day's practice."""

    date: date
    recall: float
    low: float
    high: float
    untouched: float


class IfMinutes(NamedTuple):
    """The recall at the end with so many minutes a day."""

    minutes_per_day: int
    recall: float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A goal and where it leads from a study day on."""

    goal: Goal
    today: date
    days_left: int | None  # until the interview; None without one to come
    notes: list[Note]  # what the candidate should know of the plan
    questions: int  # that the goal asks for
    met: int
    until: date  # the day that is forecast
    forecast: Forecast | None  # None without questions
    days: list[PlannedDay]
    course: list[OnTheWay]  # from today to the day that is forecast
    met_by: (
        date | None
    )  # when the last new one comes; None: not by the end, or none is left
    if_minutes: list[IfMinutes]


def plan(session: Session, user: User, *, at: datetime) -> Plan:
    """The plan from this moment on; without an interview to come, for 30 days."""
    day = study_day(at, user.time_zone, user.rollover_hour)
    questions = listed(session, user)
    wanted = aim(user, day)._replace(knows=known_beforehand(session, user))
    found = None
    if questions:
        found = forecast(
            deck(questions, day, usual_pace(session, user)),
            wanted,
            calibration(user),
            user.target_retention,
        )
    met = sum(one.state is not None for one in questions)
    return Plan(
        goal=goal(user),
        today=day,
        days_left=wanted.days if wanted.dated else None,
        notes=list(_notes(user, day, found)),
        questions=len(questions),
        met=met,
        until=day + timedelta(days=found.days if found else 0),
        forecast=found,
        days=[] if found is None else list(_days(found, day)),
        course=[] if found is None else list(_course(found, day)),
        met_by=None if found is None else _met_by(found, len(questions) - met, day),
        if_minutes=[] if found is None else list(_if_minutes(found, user)),
    )


def _notes(user: User, day: date, found: Forecast | None) -> Iterable[Note]:
    if user.interview_date is not None and user.interview_date < day:
        yield "past-date"
    if not user.minutes_per_day:
        yield "no-minutes"
    if found is None:
        yield "no-questions"
    elif found.short and user.minutes_per_day:
        yield "time-is-short"


def _days(found: Forecast, day: date) -> Iterable[PlannedDay]:
    for load in found.loads:
        yield PlannedDay(
            date=day + timedelta(days=load.day),
            days=load.days,
            minutes=load.minutes,
            reviews=load.answers - load.new,
            new=load.new,
        )


def _met_by(found: Forecast, left: int, day: date) -> date | None:
    waiting = float(left)
    for load in found.loads:
        waiting -= load.new * load.days
        if waiting < 0.5 <= left:  # of a question: loads are means
            return day + timedelta(days=load.day + load.days - 1)
    return None


def _course(found: Forecast, day: date) -> Iterable[OnTheWay]:
    for point in found.course:
        ahead, *recall = point
        yield OnTheWay(day + timedelta(days=ahead), *recall)


def _if_minutes(found: Forecast, user: User) -> Iterable[IfMinutes]:
    minutes = user.minutes_per_day
    if minutes > 0:
        yield IfMinutes(minutes - 1, max(found.recall + found.minute_less, 0.0))
    yield IfMinutes(minutes, found.recall)
    if minutes < MOST_MINUTES:
        yield IfMinutes(minutes + 1, min(found.recall + found.minute_more, 1.0))
