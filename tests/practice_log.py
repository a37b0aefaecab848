"""A candidate's log: an answer put into it, what it folds to and what is cached of it."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from quizsvc.models import MemoryState, Review, User
from quizsvc.practice import Submission, submit_answer
from quizsvc.scheduling.calibration import PRIOR, Calibration
from quizsvc.scheduling.candidate import Candidate, fold
from quizsvc.scheduling.log import State

from .practice_factories import AT, ask, ids


def answer(
    session: Session, user: User, slug: str, name: str, *, at: datetime = AT
) -> Review:
    shown = ask(session, user, slug, at=at)
    said = Submission(choices=ids(shown, name))
    review = submit_answer(session, user, shown.id, said, at=at).review
    assert review is not None
    return review


def cached(session: Session, user: User) -> dict[int, State]:
    rows = session.scalars(select(MemoryState).where(MemoryState.user_id == user.id))
    return {
        row.question_id: State(*(getattr(row, name) for name in State._fields))
        for row in rows
    }


def folded(session: Session, user: User) -> dict[int, State]:
    return candidate(session, user).states


def candidate(session: Session, user: User) -> Candidate:
    rows = select(Review).where(Review.user_id == user.id).order_by(Review.sequence)
    return fold(session.scalars(rows), user.target_retention)


def known(session: Session, user: User) -> Candidate:
    """All that is cached of the user."""
    taught = session.scalar(select(User.calibration).where(User.id == user.id))
    return Candidate(
        cached(session, user), PRIOR if taught is None else Calibration(*taught)
    )


def log(session: Session, user: User) -> list[tuple[object, ...]]:
    rows = select(Review).where(Review.user_id == user.id).order_by(Review.sequence)
    return [
        (r.sequence, r.question_id, r.rating, r.study_day, r.reviewed_at, r.voided_at)
        for r in session.scalars(rows)
    ]


def forget(session: Session, user: User) -> None:
    session.execute(delete(MemoryState).where(MemoryState.user_id == user.id))
    session.execute(delete(Review).where(Review.user_id == user.id))
    user.calibration = None
    session.flush()
