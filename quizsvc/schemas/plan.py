"""The goal and the plan."""

from datetime import date

from pydantic import Field

from quizsvc.practice.planning import Note
from quizsvc.schemas.base import In, Out


class PlanIn(In):
    """What is left out stays as it is; an empty list is no restriction."""

    interview_date: date | None = None
    minutes_per_day: int = Field(20, strict=True)
    packs: list[str] = Field([], max_length=200)
    topics: list[str] = Field([], max_length=200)
    levels: list[str] = Field([], max_length=200)
    languages: list[str] = Field([], max_length=200)
    target_retention: float = Field(0.9, strict=True, allow_inf_nan=False)
    time_zone: str = Field("UTC", max_length=100)
    rollover_hour: int = Field(4, strict=True)


class ForecastOut(Out):
    """Mean recall of all questions of the goal on the day, those never met counting 0."""

    recall: float
    low: float  # of a 90 % band
    high: float
    untouched: float  # if nothing is asked any more


class PlannedDayOut(Out):
    """What each of the days from date on brings, on average."""

    date: date
    days: int
    minutes: float
    reviews: float
    new: float


class IfMinutesOut(Out):
    minutes_per_day: int
    recall: float


class PlanOut(Out):
    interview_date: date | None
    minutes_per_day: int
    packs: list[str]
    topics: list[str]
    levels: list[str]
    languages: list[str]
    target_retention: float
    time_zone: str
    rollover_hour: int
    today: date
    days_left: int | None  # None without an interview to come
    notes: list[Note]
    questions: int
    met: int
    until: date  # the day of the forecast
    forecast: ForecastOut | None  # None without questions
    days: list[PlannedDayOut]
    if_minutes: list[IfMinutesOut]
