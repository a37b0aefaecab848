"""Questions as they may be seen before the answer."""

from pydantic import Field

from question_bank.content.items import Lang, Level, Type
from quizsvc.practice.explore import Standing
from quizsvc.schemas.base import LangIn, Out, PageIn


class QuestionsIn(PageIn, LangIn):
    pack: str | None = Field(None, max_length=100)
    topic: str | None = Field(None, max_length=100)
    level: Level | None = None
    type: Type | None = None
    tag: str | None = Field(None, max_length=100)
    state: Standing | None = None
    flagged: bool | None = None
    q: str | None = Field(None, max_length=200)


class QuestionItemOut(Out):
    """A question in a list: what may be seen before it is answered."""

    slug: str
    pack: str
    type: Type
    level: Level
    topic: str
    tags: list[str]  # those that title or stem say as well
    lang: Lang
    title: str
    state: Standing  # unseen, due now, known (would last a week), else learning
    flagged: bool


class ChoiceTextOut(Out):
    text: str
    text_html: str


class ToleranceOut(Out):
    """How near an estimate must come: within a factor of the key, or a margin."""

    unit: str | None
    factor: float | None
    margin: float | None


class QuestionOut(QuestionItemOut):
    languages: list[Lang]
    stem: str
    stem_html: str
    choices: list[ChoiceTextOut]  # by text, so that their order tells nothing
    estimate: ToleranceOut | None  # None unless the answer is a number
    figure: bool  # whether it is asked with one


class QuestionsOut(Out):
    data: list[QuestionItemOut]
    has_more: bool
    next: str | None
