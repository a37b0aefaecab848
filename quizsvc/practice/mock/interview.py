"""A mock interview from its start to its end: one question at a time, against a clock.

Where it stands is read from its questions: shown, answered and reviewed like any other.
Whoever leaves can go on later.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import NamedTuple

from sqlalchemy import and_, case, func, or_, select, update
from sqlalchemy.orm import Session, selectinload

from question_bank.base import new_id
from question_bank.content import LANGUAGES, LEVELS
from quizsvc.models import (
    Answer,
    MockInterview,
    MockQuestion,
    Presentation,
    Review,
    User,
)
from quizsvc.practice.bank import topics
from quizsvc.practice.mock.asking import Asking
from quizsvc.practice.mock.choosing import choose
from quizsvc.practice.mock.clock import stage
from quizsvc.practice.mock.pool import candidates
from quizsvc.practice.users import lock
from quizsvc.refusals import Conflict, FieldError, Invalid, NotFound, invalid

SHORTEST, LONGEST = 5, 120  # minutes


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What an interview is to be like. No topics or levels are all of them."""

    minutes: int = 10
    lang: str = "en"
    topics: Sequence[str] = ()
    levels: Sequence[str] = ()
    mixed: bool = False  # choices and estimates among the open questions


class Outline(NamedTuple):
    """An interview in one line; the score is the mean of what has one."""

    interview: MockInterview
    asked: int
    answered: int
    score: float | None


def start(
    session: Session, user: User, wish: Wish, *, at: datetime, rng: Random
) -> MockInterview:
    """Choose the questions and ask the first. An interview that is still open ends.

    Raises Invalid with all that is wrong, also when no question fits.
    """
    if errors := list(_mistakes(session, wish)):
        raise Invalid("invalid-input", errors[0].detail, errors)
    lock(session, user)
    still_open = MockInterview.user_id == user.id, MockInterview.ended_at.is_(None)
    session.execute(update(MockInterview).where(*still_open).values(ended_at=at))
    fit = candidates(
        session, user, wish.lang, topics=wish.topics, levels=wish.levels, at=at
    )
    chosen = choose(fit, wish.minutes, mixed=wish.mixed, rng=rng)
    interview = MockInterview(
        id=new_id("mock"),
        user_id=user.id,
        minutes=wish.minutes,
        lang=wish.lang,
        topics=list(wish.topics),
        levels=list(wish.levels),
        mixed=wish.mixed,
        ahead=[one.id for one in chosen],
        created_at=at,
        ended_at=None,
        questions=[],
    )
    session.add(interview)
    session.flush()
    asking = Asking(session=session, user=user, interview=interview, at=at, rng=rng)
    if asking.next() is None:
        detail = "No question fits. Choose more topics or levels, or mix the forms."
        raise invalid("/topics", "no-questions", detail)
    return interview


def find(session: Session, user: User, mock_id: str) -> MockInterview:
    """An interview of this user with its questions. Raises NotFound."""
    asked = selectinload(MockInterview.questions)
    shown = asked.joinedload(MockQuestion.presentation)
    found = session.scalar(
        select(MockInterview)
        .where(MockInterview.id == mock_id, MockInterview.user_id == user.id)
        .options(
            asked.joinedload(MockQuestion.question),
            shown.joinedload(Presentation.answer).joinedload(Answer.review),
            shown.joinedload(Presentation.revision),
        )
        .execution_options(populate_existing=True)
    )
    if found is None:
        raise NotFound("unknown-mock-interview", "There is no such mock interview.")
    return found


def open_id(session: Session, user: User) -> str | None:
    """The id of the interview that can be gone on with."""
    return session.scalar(
        select(MockInterview.id)
        .where(MockInterview.user_id == user.id, MockInterview.ended_at.is_(None))
        .order_by(MockInterview.created_at.desc())
        .limit(1)
    )


def find_open(session: Session, user: User) -> MockInterview | None:
    """The interview that can be gone on with."""
    mock_id = open_id(session, user)
    return find(session, user, mock_id) if mock_id else None


def question_at(interview: MockInterview, position: int) -> MockQuestion:
    """A question that was asked. Raises NotFound."""
    if 1 <= position <= len(interview.questions):
        return interview.questions[position - 1]
    raise NotFound("unknown-mock-question", "The interview has not asked it.")


def outlines(
    session: Session, user: User, *, limit: int, after: str | None = None
) -> list[Outline]:
    """The user's interviews, newest first, from the one behind ``after`` on."""
    undone = Answer.review.has(Review.voided_at.is_not(None))
    query = (
        select(
            MockInterview,
            func.count(MockQuestion.position),
            func.count(Answer.id),
            func.avg(case((~undone, Answer.score))),
        )
        .outerjoin(MockQuestion, MockQuestion.mock_id == MockInterview.id)
        .outerjoin(Presentation, Presentation.id == MockQuestion.presentation_id)
        .outerjoin(Answer, Answer.presentation_id == Presentation.id)
        .where(MockInterview.user_id == user.id)
        .group_by(MockInterview.id)
        .order_by(MockInterview.created_at.desc(), MockInterview.id.desc())
        .limit(limit)
    )
    if after is not None:
        seen = find(session, user, after)
        same = MockInterview.created_at == seen.created_at
        query = query.where(
            or_(
                MockInterview.created_at < seen.created_at,
                and_(same, MockInterview.id < seen.id),
            )
        )
    return [Outline(*row) for row in session.execute(query)]


def go_on(  # noqa: PLR0913 - whose interview, where to, when, by what chance
    session: Session,
    user: User,
    mock_id: str,
    *,
    follow: str | None = None,
    at: datetime,
    rng: Random,
) -> MockQuestion | None:
    """The question to answer or mark now: the last one, or else the next is asked.

    One that was left is asked anew, with a fresh minute. ``follow`` names a follow-up of
    the last question; it takes the place of the last one ahead. None when nothing is
    left. Raises NotFound, Conflict for an interview that has ended, and Invalid.
    """
    lock(session, user)
    interview = find(session, user, mock_id)
    if interview.ended_at is not None:
        raise Conflict("mock-ended", "The interview has ended.")
    asking = Asking(session=session, user=user, interview=interview, at=at, rng=rng)
    if interview.questions:
        last = interview.questions[-1]
        standing = stage(last, at=at)
        if standing in {"asked", "marking"}:
            return last
        if standing == "lost":
            if asking.again(last):
                return last
            interview.questions.remove(last)  # it was retired meanwhile
            session.delete(last)
            session.flush()
        elif follow is not None:
            return asking.follow_up(last, follow)
    return asking.next()


def end(session: Session, user: User, mock_id: str, *, at: datetime) -> MockInterview:
    """End it; what was answered stays, and one that has ended stays as it is."""
    lock(session, user)
    interview = find(session, user, mock_id)
    interview.ended_at = interview.ended_at or at
    return interview


def _mistakes(session: Session, wish: Wish) -> Iterator[FieldError]:
    if not SHORTEST <= wish.minutes <= LONGEST:
        detail = f"It takes {SHORTEST} to {LONGEST} minutes."
        yield FieldError(pointer="/minutes", code="out-of-range", detail=detail)
    if wish.lang not in LANGUAGES:
        detail = f"It is one of {', '.join(LANGUAGES)}."
        yield FieldError(pointer="/lang", code="not-an-option", detail=detail)
    for name, words, known in (
        ("topics", wish.topics, topics(session)),
        ("levels", wish.levels, LEVELS),
    ):
        for place, word in enumerate(words):
            if word not in known:
                yield FieldError(
                    pointer=f"/{name}/{place}",
                    code="not-an-option",
                    detail=f"No question has {word!r} among its {name}.",
                )
