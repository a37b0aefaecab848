"""A candidate's log: answers and files put into it, what it folds to and what is cached."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from quizsvc.models import MemoryState, Review, User
from quizsvc.practice import Import, Submission, import_reviews, submit_answer
from quizsvc.scheduling.calibration import PRIOR, Calibration
from quizsvc.scheduling.candidate import Candidate, fold
from quizsvc.scheduling.log import State

from .practice_factories import AT, DAY, ask, ids

HEAD = "card_id,review_time,review_rating"


def answer(
    session: Session, user: User, slug: str, name: str, *, at: datetime = AT
) -> Review:
    shown = ask(session, user, slug, at=at)
    said = Submission(choices=ids(shown, name))
    review = submit_answer(session, user, shown.id, said, at=at).review
    assert review is not None
    return review


def history(*rows: tuple[str, float, int]) -> str:
    """A file of another tool: slug, days before now, rating."""
    lines = [
        f"{slug},{(AT - d * DAY).isoformat()},{rating}" for slug, d, rating in rows
    ]
    return "\n".join([HEAD, *lines])


def bring(session: Session, user: User, text: str, **more: object) -> Import:
    return import_reviews(session, user, text.encode(), at=AT, **more)  # type: ignore[arg-type]


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
