"""The goal and the plan."""

from datetime import date

from pydantic import Field

from quizsvc.practice.planning import Note
from quizsvc.schemas.base import Day, In, Out


class PlanIn(In):
    """What is left out stays as it is; an empty list is no restriction."""

    interview_date: Day | None = None
    minutes_per_day: int = Field(20, strict=True)
    packs: list[str] = Field([], max_length=200)
    topics: list[str] = Field([], max_length=200)
    levels: list[str] = Field([], max_length=200)
    languages: list[str] = Field([], max_length=200)
    target_retention: float = Field(0.9, strict=True, allow_inf_nan=False)
    time_zone: str = Field("UTC", max_length=100)
    rollover_hour: int = Field(4, strict=True)


class GoalOut(Out):
    """The goal. What PUT changes, so its ETag is that of the plan."""

    interview_date: date | None
    minutes_per_day: int
    packs: list[str]
    topics: list[str]
    levels: list[str]
    languages: list[str]
    target_retention: float
    time_zone: str
    rollover_hour: int


class ForecastOut(Out):
    """Mean recall of all questions of the goal on the day, those never met counting 0."""

    recall: float
    low: float  # of a 90 % band
    high: float
    untouched: float  # if nothing is asked any more
    without_today: float  # if nothing is asked today, and all as planned from tomorrow


class PlannedDayOut(Out):
    """What each of the days from date on brings, on average."""

    date: date
    days: int
    minutes: float
    reviews: float
    new: float


class CourseOut(Out):
    """Recall on a day on the way, if it is asked for on that day."""

    date: date
    recall: float
    low: float
    high: float
    untouched: float


class IfMinutesOut(Out):
    minutes_per_day: int
    recall: float


class PlanOut(GoalOut):
    today: date
    days_left: int | None  # None without an interview to come
    notes: list[Note]
    questions: int
    met: int
    until: date  # the day of the forecast
    forecast: ForecastOut | None  # None without questions
    days: list[PlannedDayOut]
    course: list[CourseOut]  # from today to the day of the forecast
    met_by: date | None  # the day of the last new question, if it comes by then
    if_minutes: list[IfMinutesOut]
