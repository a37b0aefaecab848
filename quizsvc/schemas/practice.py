"""The practice loop up to the answer."""

from datetime import date
from typing import Any

from pydantic import AwareDatetime, Field

from question_bank.content.items import Lang, Level, Type
from quizsvc.practice import LIFETIME, MAX_ANSWER, Confidence
from quizsvc.scheduling.planner import Why
from quizsvc.schemas.base import In, Moment, Out, PageIn, Rating
from quizsvc.schemas.questions import ChoiceTextOut, ToleranceOut


class DueIn(PageIn):
    lang: Lang | None = None


class PresentIn(In):
    lang: Lang = "en"


class AnswerIn(In):
    choices: list[str] = Field([], max_length=50)
    text: str = Field("", max_length=MAX_ANSWER)
    number: float | None = Field(None, strict=True, allow_inf_nan=False)
    dont_know: bool = Field(False, strict=True)
    confidence: Confidence | None = None
    seconds: float | None = Field(
        None, ge=0, le=LIFETIME.total_seconds(), allow_inf_nan=False
    )
    answered_at: AwareDatetime | None = None  # of an answer that is sent late


class MarksIn(In):
    points: list[str] = Field(max_length=50)
    rating: Rating


class DueItemOut(Out):
    slug: str
    title: dict[str, str]
    type: Type
    level: Level
    topic: str
    reason: Why
    due: date | None
    retrievability: float | None  # calibrated recall now
    gain: float  # of recall at the interview, per minute


class DueOut(Out):
    data: list[DueItemOut]
    has_more: bool
    next: str | None


class ShownChoiceOut(ChoiceTextOut):
    id: str


class PresentationOut(Out):
    id: str
    slug: str
    type: Type
    level: Level
    lang: Lang
    title: str
    stem: str
    stem_html: str
    choices: list[ShownChoiceOut]
    estimate: ToleranceOut | None
    figure: dict[str, Any] | None  # as in a result, without what tells where it is from
    scoring: str
    expires_at: Moment
