"""What a mock interview showed: strong, weak, what to drill. Also while it goes on."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from statistics import fmean
from typing import Literal, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from question_bank.published import content
from quizsvc.models import (
    Answer,
    MemoryState,
    MockInterview,
    MockQuestion,
    Presentation,
    User,
)
from quizsvc.practice.explaining import FeedbackPoint, feedback
from quizsvc.practice.mock.clock import GUIDE, Stage, left, spent, stage
from quizsvc.practice.reviewing import RATINGS

STRONG, WEAK = 2 / 3, 1 / 2

Outcome = Literal["strong", "fair", "weak"]


class Contradiction(NamedTuple):
    """A sentence of the answer that seems to say the opposite of a key point."""

    point: str
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """One question of the report. Prose is Markdown, in the interview's language."""

    position: int
    follows: int | None
    stage: Stage
    slug: str
    title: str
    type: str
    topic: str
    level: str
    presentation_id: str
    answer_id: str | None
    dont_know: bool
    undone: bool
    score: float | None  # None until it is answered, and marked if open; if undone
    points: int  # of an open question
    ticked: int
    missed: list[str]  # key points that were not ticked, once it is marked
    contradictions: list[Contradiction]
    seconds: float | None  # that the answer took
    rating: str | None
    outcome: Outcome | None
    due: date | None  # when the question comes back, as things stand now


class TopicLine(NamedTuple):
    topic: str
    questions: int
    score: float  # mean
    weak: int


@dataclass(frozen=True, kw_only=True)
class Report:
    interview: MockInterview
    lines: list[Line]
    topics: list[TopicLine]  # of the questions with a score, weakest first
    planned: int  # questions asked and still ahead
    score: float | None  # mean
    spent: float  # seconds
    left: float
    over: int  # answers that took more than the guide

    @property
    def answering(self) -> float:
        """Seconds of the time spent that went into the answers."""
        return min(sum(line.seconds or 0.0 for line in self.lines), self.spent)

    def of(self, outcome: Outcome) -> list[Line]:
        return [line for line in self.lines if line.outcome == outcome]


def report(
    session: Session, user: User, interview: MockInterview, *, at: datetime
) -> Report:
    """The report on an interview that :func:`find` gave."""
    numbers = [one.question_id for one in interview.questions]
    due = dict(
        session.execute(
            select(MemoryState.question_id, MemoryState.due).where(
                MemoryState.user_id == user.id, MemoryState.question_id.in_(numbers)
            )
        ).all()
    )
    lines = [
        _line(session, interview, one, shown, due.get(one.question_id), at=at)
        for one in interview.questions
        if (shown := one.presentation) is not None
    ]
    scores = [line.score for line in lines if line.score is not None]
    return Report(
        interview=interview,
        lines=lines,
        topics=_topics(lines),
        planned=len(lines) + len(interview.ahead),
        score=fmean(scores) if scores else None,
        spent=spent(interview, at=at),
        left=left(interview, at=at),
        over=sum((line.seconds or 0.0) > GUIDE for line in lines),
    )


def outcome(rating: str | None, score: float | None) -> Outcome | None:
    """Strong: known well and at least two thirds of it said; weak: not known, or less
    than half of it said.
    """
    if rating is None or score is None:
        return None
    if rating in RATINGS[:2] or score < WEAK:
        return "weak"
    return "strong" if score >= STRONG else "fair"


def contradictions(points: Iterable[FeedbackPoint]) -> list[Contradiction]:
    return [
        Contradiction(point.text, point.contradicted)
        for point in points
        if point.contradicted
    ]


def _line(  # noqa: PLR0913 - which question, as it was shown, and when it comes back
    session: Session,
    interview: MockInterview,
    asked: MockQuestion,
    shown: Presentation,
    due: date | None,
    *,
    at: datetime,
) -> Line:
    answer, revision = shown.answer, shown.revision
    texts = content(session, shown.content_hash).texts
    words = {str(lang): text for lang, text in texts.items()}[interview.lang]
    points = _points(session, answer, interview.lang)
    review = answer.review if answer else None
    rating = RATINGS[review.rating - 1] if review else None
    standing = review is not None and review.voided_at is None
    undone = review is not None and review.voided_at is not None
    return Line(
        position=asked.position,
        follows=asked.follows,
        stage=stage(asked, at=at),
        slug=asked.question.slug,
        title=words.title,
        type=revision.type,
        topic=revision.topic,
        level=revision.level,
        presentation_id=shown.id,
        answer_id=answer.id if answer else None,
        dont_know=answer is not None and answer.dont_know,
        undone=undone,
        score=answer.score if answer and not undone else None,
        points=len(points),
        ticked=sum(point.ticked for point in points),
        missed=[p.text for p in points if not p.ticked] if review else [],
        contradictions=contradictions(points),
        seconds=answer.seconds if answer else None,
        rating=rating if standing else None,
        outcome=outcome(rating, answer.score) if answer and standing else None,
        due=due if standing else None,
    )


def _points(
    session: Session, answer: Answer | None, lang: str
) -> Sequence[FeedbackPoint]:
    return feedback(session, answer, lang=lang).key_points if answer else ()


def _topics(lines: Iterable[Line]) -> list[TopicLine]:
    by_topic: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.score is not None:
            by_topic[line.topic].append(line)
    found = [
        TopicLine(
            topic,
            len(them),
            fmean(line.score or 0.0 for line in them),
            sum(line.outcome == "weak" for line in them),
        )
        for topic, them in by_topic.items()
    ]
    return sorted(found, key=lambda one: (one.score, one.topic))
