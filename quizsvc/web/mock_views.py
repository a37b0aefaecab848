"""What the screens of a mock interview show of one question."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from quizsvc import practice
from quizsvc.models import MockInterview, MockQuestion, User
from quizsvc.practice import FeedbackPoint, mock


class Piece(NamedTuple):
    """A piece of an answer; a marked one has the number that key points refer to."""

    text: str
    mark: int | None
    wrong: bool


def question(
    session: Session, found: MockInterview, asked: MockQuestion, *, at: datetime
) -> dict[str, Any]:
    """A question to be answered, in the language of the interview."""
    shown = asked.presentation
    if shown is None:
        return {}
    return {
        "question": practice.shown(session, shown, lang=found.lang),
        "topic": shown.revision.topic,
        "elapsed": max((at - shown.created_at).total_seconds(), 0.0),
    }


def answered(
    session: Session,
    user: User,
    found: MockInterview,
    asked: MockQuestion,
    *,
    at: datetime,
) -> dict[str, Any]:
    """An answer with everything it earned; marks, dates and rungs where it has any."""
    answer = asked.presentation.answer if asked.presentation else None
    if answer is None:
        return {}
    view = practice.feedback(session, answer, lang=found.lang)
    pieces = marked(answer.text, view.key_points)
    return {
        "answer": view,
        "seconds": answer.seconds,
        "spoken": not answer.text and not answer.dont_know,
        "pieces": pieces,
        "marks": {piece.text: piece.mark for piece in pieces if piece.mark},
        "dates": None
        if answer.review
        else practice.dates_by_rating(session, user, answer, at=at),
        "ladder": mock.ladder(session, user, found, asked, at=at),
    }


def marked(text: str, points: Iterable[FeedbackPoint]) -> list[Piece]:
    """The answer cut where a sentence suggests a key point, or its opposite."""
    wrong: dict[str, bool] = {}
    for point in points:
        for sentence, is_wrong in ((point.matched, False), (point.contradicted, True)):
            if sentence:
                wrong[sentence] = wrong.get(sentence, False) or is_wrong
    places = sorted((text.find(sentence), sentence) for sentence in wrong)
    pieces, end = [], 0
    for number, (place, sentence) in enumerate(places, 1):
        if place > end:
            pieces.append(Piece(text[end:place], None, False))
        pieces.append(Piece(sentence, number, wrong[sentence]))
        end = place + len(sentence)
    if text[end:]:
        pieces.append(Piece(text[end:], None, False))
    return pieces
