"""What comes after an answer: the dates if it goes well, and the questions that follow."""

from collections.abc import Collection, Iterable
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from question_bank.models import Question, Revision
from quizsvc.models import Answer, MemoryState, User
from quizsvc.practice.reviewing import card, plain
from quizsvc.practice.users import calibration
from quizsvc.scheduling.candidate import meet, recall
from quizsvc.scheduling.memory import Rating

STEPS = 2  # right answers that are looked ahead


class Prospect(NamedTuple):
    """A card after an answer that is its last one."""

    recall: float  # on the day it comes back
    then: list[date]  # the days after that, if it is answered right each time


class Rung(NamedTuple):
    """A question that can follow, and where the candidate stands with it."""

    level: str
    due: date | None  # None: never met


class _Imagined(NamedTuple):
    question_id: int
    rating: int
    chance: float
    confidence: str | None
    study_day: date
    voided_at: datetime | None = None


def prospect(session: Session, user: User, answer: Answer) -> Prospect | None:
    """Where an answer has brought its card; None unless it is what the card stands at.

    Days ahead are those that memory asks for: how full they will be is not known yet.
    """
    review, known = answer.review, calibration(user)
    if review is None or review.voided_at is not None:
        return None
    state = card(session, user, review.question_id).state
    if state is None or plain(state) != review.after:
        return None
    back, then = recall(state, state.due, known), []
    for _ in range(STEPS):
        right = _Imagined(
            review.question_id, Rating.GOOD, review.chance, "sure", state.due
        )
        met = meet(state, known, right, user.target_retention, lambda *_: {})
        state, known = met.state, met.calibration
        then.append(state.due)
    return Prospect(back, then)


def until(interview: date | None, days: Iterable[date], today: date) -> list[date]:
    """Those days that an interview still to come leaves; all of them without one."""
    if interview is None or interview < today:
        return list(days)
    return [day for day in days if day <= interview]


def rungs(session: Session, user: User, slugs: Collection[str]) -> dict[str, Rung]:
    """Level and next date of the published questions among these."""
    mine = and_(MemoryState.question_id == Question.id, MemoryState.user_id == user.id)
    rows = session.execute(
        select(Question.slug, Revision.level, MemoryState.due)
        .join(Revision, Revision.id == Question.current_id)
        .outerjoin(MemoryState, mine)
        .where(Question.slug.in_(slugs), Question.retired_at.is_(None))
    )
    return {slug: Rung(level, due) for slug, level, due in rows}
