"""Mock interviews."""

from datetime import date

from pydantic import Field

from question_bank.content.items import Lang, Level, Type
from quizsvc.practice.mock import LONGEST, SHORTEST, Outcome, Stage
from quizsvc.schemas.base import In, Moment, Out, Rating


class MockIn(In):
    """What the interview is to be like; an empty list is no restriction."""

    minutes: int = Field(10, strict=True, ge=SHORTEST, le=LONGEST)
    lang: Lang = "en"
    topics: list[str] = Field([], max_length=200)
    levels: list[str] = Field([], max_length=10)
    mixed: bool = Field(False, strict=True)  # choices and estimates too


class MockNextIn(In):
    follow: str | None = Field(None, max_length=100)  # slug of a follow-up


class MockItemOut(Out):
    """An interview in a list."""

    id: str
    minutes: int
    lang: Lang
    topics: list[str]
    levels: list[str]
    mixed: bool
    created_at: Moment
    ended_at: Moment | None  # None while it can be gone on with
    asked: int
    answered: int
    score: float | None  # mean of the questions that have one


class MocksOut(Out):
    data: list[MockItemOut]
    has_more: bool
    next: str | None


class ContradictionOut(Out):
    point: str
    sentence: str


class MockQuestionOut(Out):
    """A question that was asked. What its key tells comes after the answer alone."""

    position: int
    follows: int | None  # the position of the question it is a follow-up of
    stage: Stage
    slug: str
    title: str
    type: Type
    topic: str
    level: Level
    presentation: str
    answer: str | None
    dont_know: bool
    score: float | None
    points: int  # key points of an open question, once it is answered
    ticked: int
    missed: list[str]
    contradictions: list[ContradictionOut]  # a suggestion from matching words
    seconds: float | None
    rating: Rating | None
    outcome: Outcome | None
    due: date | None


class MockTopicOut(Out):
    topic: str
    questions: int
    score: float
    weak: int


class MockOut(MockItemOut):
    """An interview and its report so far."""

    planned: int  # questions asked and still ahead
    seconds_spent: float
    seconds_left: float
    over: int  # answers that took more than sixty seconds
    questions: list[MockQuestionOut]
    report: list[MockTopicOut]  # by topic, weakest first
    follow_ups: list[str]  # slugs that the next question may follow with


class MockNextOut(Out):
    """The question to answer or mark now; None when nothing is left to ask."""

    question: MockQuestionOut | None
