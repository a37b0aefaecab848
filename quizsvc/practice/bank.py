"""The questions that can be met, by slug."""

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from question_bank.models import Question, Revision
from quizsvc.refusals import NotFound


def published_question(session: Session, slug: str) -> tuple[Question, Revision]:
    """A question and the revision that is shown now.

    Raises NotFound for unknown and retired slugs.
    """
    question = session.scalar(
        select(Question)
        .where(Question.slug == slug, Question.retired_at.is_(None))
        .options(joinedload(Question.current))
    )
    if question is None or question.current is None:
        raise NotFound("unknown-question", "There is no such question.")
    return question, question.current


def published(session: Session, slug: str) -> Revision:
    """The revision that is shown now. Raises NotFound for unknown and retired slugs."""
    return published_question(session, slug)[1]
