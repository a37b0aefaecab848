"""Progress, and the review log as a file."""

from datetime import date

from pydantic import Field

from quizsvc.schemas.base import In, Moment, Out


class ShareOut(Out):
    """How many of the answers were right, with a 95 % interval."""

    answers: int
    right: int
    low: float
    high: float


class RecallOut(Out):
    questions: int
    met: int
    mean: float | None  # over those met
    known: float  # how many of all would be recalled, on average


class AheadOut(Out):
    day: date
    recall: RecallOut


class ComparedOut(Out):
    predicted: float  # the mean predicted chance of a right answer
    share: ShareOut


class BinOut(ComparedOut):
    low: float
    high: float


class WeekOut(ComparedOut):
    start: date


class TopicOut(Out):
    topic: str
    recall: RecallOut
    answers: ShareOut | None


class CardOut(Out):
    slug: str
    title: dict[str, str]


class LeechOut(Out):
    card: CardOut
    trials: int
    failed: int
    expected: float  # failures, by the predictions
    chance: float  # of so many failures or more, if the predictions were right


class LearnedOut(Out):
    first_met: list[CardOut]
    lasting: list[CardOut]


class DayOut(Out):
    day: date
    right: int
    wrong: int


class HabitOut(Out):
    streak: int
    longest: int
    week: int
    days: list[DayOut]
    seconds_today: float
    seconds_week: float
    seconds: float


class ProgressOut(Out):
    day: date
    answers: int
    recall: RecallOut  # tomorrow
    forecast: list[AheadOut]  # if nothing is asked any more; the first is today
    retention: ComparedOut | None
    calibration: list[BinOut]
    weeks: list[WeekOut]
    confidence: dict[str, ShareOut]  # sure, unsure, dont-know
    topics: list[TopicOut]
    leeches: list[LeechOut]
    learned: LearnedOut
    habit: HabitOut


class ImportIn(In):
    dry_run: bool = False
    zone: str | None = Field(None, max_length=100)


class UnknownOut(Out):
    card_id: str
    reviews: int
    line: int


class ImportOut(Out):
    dry_run: bool
    rows: int
    new: int
    known: int
    repeated: int
    out_of_order: int
    questions: int
    first: Moment | None
    last: Moment | None
    unknown: list[UnknownOut]
