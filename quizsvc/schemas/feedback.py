"""What an answer earns, and the log of reviews."""

from datetime import date
from typing import Any

from question_bank.content.items import Lang
from quizsvc.practice import Confidence
from quizsvc.schemas.base import Moment, Out, Rating
from quizsvc.schemas.questions import ToleranceOut


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


class MeasuredOut(ToleranceOut):
    """The key of an estimate: a metric's median over the seeds, and what is right."""

    value: float
    low: float
    high: float
    values: list[float | None]
    experiment: str
    metric: str
    params: dict[str, Any]
    run: str


class ShownFigureOut(Out):
    experiment: str
    id: str
    params: dict[str, Any]
    run: str
    data: dict[str, Any]


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
    number: float | None
    choices: list[ReviewedChoiceOut]
    key_points: list[KeyPointOut]
    measured: MeasuredOut | None  # None unless the answer is a number
    figure: ShownFigureOut | None
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
    answer: str | None  # None for a review that came from a file
    rating: Rating
    chance: float  # of a right answer by one who knows nothing
    confidence: str | None  # sure, unsure, dont-know
    seconds: float | None
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
