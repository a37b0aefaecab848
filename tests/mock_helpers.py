"""Mock interviews for tests, moved on step by step."""

from datetime import datetime, timedelta
from random import Random

from sqlalchemy.orm import Session

from quizsvc.models import MockQuestion, User
from quizsvc.practice import Submission, mark_answer, mock, submit_answer
from quizsvc.practice.mock import Report, Wish

from .practice_factories import AT, ids, make_question, make_user

SECOND = timedelta(seconds=1)
TEXT = "It holds the phrase of formulas. And a mistake about depth."


def stocked(session: Session, open_questions: int = 3) -> User:
    user = make_user(session)
    for number in range(open_questions):
        make_question(session, f"open-{number}", type="open")
    make_question(session, "single")
    return user


def begin(session: Session, user: User, at: datetime = AT, **wish: object) -> str:
    made = mock.start(session, user, Wish(**wish), at=at, rng=Random(0))  # type: ignore[arg-type]
    return made.id


def go_on(
    session: Session, user: User, mock_id: str, at: datetime, follow: str | None = None
) -> MockQuestion | None:
    return mock.go_on(session, user, mock_id, follow=follow, at=at, rng=Random(0))


def answered(
    session: Session, user: User, mock_id: str, at: datetime, rating: str = "good"
) -> None:
    """Answer and mark the question that stands."""
    asked = mock.find(session, user, mock_id).questions[-1]
    shown = asked.presentation
    assert shown is not None
    given = submit_answer(session, user, shown.id, Submission(text=TEXT), at=at)
    ticks = ids(shown, "formulas", "gradients", "warmup")
    later = at + 40 * SECOND
    mark_answer(session, user, given.id, ticks, rating, at=later)


def told(session: Session, user: User, mock_id: str, at: datetime) -> Report:
    return mock.report(session, user, mock.find(session, user, mock_id), at=at)
