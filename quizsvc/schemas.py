"""What the API accepts and returns. Names end in ``In`` or ``Out``; the two never mix."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, WithJsonSchema

from question_bank.content.items import Lang, Level, Type
from quizsvc.practice import LIFETIME, MAX_ANSWER, Confidence

Rating = Literal["again", "hard", "good", "easy"]
Moment = Annotated[  # a time in UTC; RFC 3339 with a Z in JSON
    datetime,
    PlainSerializer(lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}", when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


class In(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True, frozen=True)


class PageIn(In):
    limit: int = Field(50, ge=1, le=100)
    after: str | None = Field(None, max_length=300)


class LangIn(In):
    lang: Lang = "en"


class QuestionsIn(PageIn, LangIn):
    pack: str | None = Field(None, max_length=100)
    topic: str | None = Field(None, max_length=100)
    level: Level | None = None
    type: Type | None = None
    q: str | None = Field(None, max_length=200)


class DueIn(PageIn):
    lang: Lang | None = None


class PresentIn(In):
    lang: Lang = "en"


class AnswerIn(In):
    choices: list[str] = Field([], max_length=50)
    text: str = Field("", max_length=MAX_ANSWER)
    dont_know: bool = Field(False, strict=True)
    confidence: Confidence | None = None
    seconds: float | None = Field(
        None, ge=0, le=LIFETIME.total_seconds(), allow_inf_nan=False
    )


class MarksIn(In):
    points: list[str] = Field(max_length=50)
    rating: Rating


class RunIn(In):
    params: dict[str, Any] = {}
    seeds: list[Any] | None = None


class QuestionItemOut(Out):
    """A question in a list: what may be seen before it is answered."""

    slug: str
    pack: str
    type: Type
    level: Level
    topic: str
    title: str


class ChoiceTextOut(Out):
    text: str
    text_html: str


class QuestionOut(QuestionItemOut):
    lang: Lang
    languages: list[Lang]
    stem: str
    stem_html: str
    choices: list[ChoiceTextOut]  # by text, so that their order tells nothing


class QuestionsOut(Out):
    data: list[QuestionItemOut]
    has_more: bool
    next: str | None


class DueItemOut(Out):
    slug: str
    title: dict[str, str]
    type: Type
    level: Level
    topic: str
    reason: str
    due: date | None
    retrievability: float | None


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
    scoring: str
    expires_at: Moment


class ReviewedChoiceOut(Out):
    id: str
    text: str
    correct: bool
    chosen: bool
    rationale: str
    rationale_html: str


class KeyPointOut(Out):
    id: str
    text: str
    ticked: bool
    matched: str | None
    contradicted: str | None


class DepthsOut(Out):
    short: str
    detailed: str
    full: str


class PitfallOut(Out):
    belief: str
    why: str


class FollowUpOut(Out):
    prompt: str
    slug: str | None


class ReferenceOut(Out):
    title: str
    url: str
    note: str


class EvidenceOut(Out):
    experiment: str
    claim: str
    statement: str
    params: dict[str, Any]
    supports: list[str]
    refutes: list[str]
    expected: str
    verdict: dict[str, Any] | None  # None while the run is not finished
    run: str | None


class ReviewShortOut(Out):
    id: str
    rating: Rating
    due: date
    interval_days: int
    undone: bool


class AnswerOut(Out):
    """Everything an answer earns: the verdict, the reasons, the proof, the next date."""

    id: str
    presentation: str
    slug: str
    lang: Lang
    score: float | None
    correct: bool | None
    dont_know: bool
    confidence: Confidence | None
    scoring: str
    text: str
    choices: list[ReviewedChoiceOut]
    key_points: list[KeyPointOut]
    explanation: DepthsOut
    explanation_html: DepthsOut
    hook: str
    pitfalls: list[PitfallOut]
    follow_ups: list[FollowUpOut]
    references: list[ReferenceOut]
    evidence: list[EvidenceOut]
    review: ReviewShortOut | None  # None until an open answer is marked


class ReviewOut(Out):
    id: str
    slug: str
    answer: str | None
    rating: Rating
    study_day: date
    reviewed_at: Moment
    predicted: float | None
    stability: float
    difficulty: float
    due: date
    voided_at: Moment | None


class ReviewsOut(Out):
    data: list[ReviewOut]
    has_more: bool
    next: str | None


class ExperimentItemOut(Out):
    name: str
    topic: str
    title: dict[str, str]
    seconds: float
    claims: int


class ExperimentsOut(Out):
    data: list[ExperimentItemOut]
    has_more: bool
    next: str | None


class ExperimentOut(Out):
    name: str
    topic: str
    title: dict[str, str]
    about: dict[str, str]
    schema_: dict[str, Any] = Field(serialization_alias="schema")
    claims: list[dict[str, Any]]
    seconds: float
    source_hash: str
    default_run: str | None


class RunOut(Out):
    id: str
    experiment: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    progress: float
    cached: bool = False
    params: dict[str, Any]
    seeds: list[int]
    attempt: int
    error: str | None
    queued_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


class ResultOut(Out):
    params: dict[str, Any]
    seeds: list[int]
    metrics: dict[str, list[float | None]]
    verdicts: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    seconds: float


class HealthOut(Out):
    status: Literal["ok"]


class ReadyOut(Out):
    status: Literal["ready", "not-ready"]
    database: bool
    migrated: bool
    worker: bool
