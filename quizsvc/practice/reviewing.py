"""The review log and the cache of what it says: every change of memory is made here."""

from collections.abc import Sequence
from datetime import date, datetime
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, delete, func, select, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from question_bank.base import new_id
from question_bank.published import content
from quizsvc.models import Answer, MemoryState, Review, User
from quizsvc.practice.users import lock
from quizsvc.practice.writing import write, written
from quizsvc.refusals import Conflict, NotFound
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.guessing import chance
from quizsvc.scheduling.log import State, fold, step
from quizsvc.scheduling.memory import Rating, retrievability

RATINGS = tuple(rating.name.lower() for rating in Rating)
"""The words for ratings 1 to 4."""

DONT_KNOW = "dont-know"
"""What stands in the log for the confidence of "I don't know"."""

CARD = (
    select(func.max(Review.sequence))
    .where(Review.user_id == bindparam("user_id"))
    .scalar_subquery(),
    *(getattr(MemoryState, name) for name in State._fields),
)
"""Columns of a :class:`Card`, from a select that joins the memory state outwards."""

_CARD = (
    select(*CARD)
    .select_from(User)
    .outerjoin(
        MemoryState,
        and_(
            MemoryState.user_id == User.id,
            MemoryState.question_id == bindparam("question_id"),
        ),
    )
    .where(User.id == bindparam("user_id"))
)


class Remembered(NamedTuple):
    """What one review leaves behind, and the recall predicted just before it."""

    predicted: float | None  # None for a card never met
    after: State


def remember(
    before: State | None, rating: int, day: date, retention: float
) -> Remembered:
    """What a review on a study day makes of a card's state; None is a card never met."""
    predicted = before and retrievability(before.elapsed(day), before.stability)
    return Remembered(predicted, step(before, rating, day, retention))


class Card(NamedTuple):
    """Where a card stands: the number of the user's last review, and the cached state."""

    sequence: int
    state: State | None

    @classmethod
    def of(cls, row: Sequence[Any]) -> "Card":
        """The card in the columns of ``CARD``."""
        sequence, *state = row
        return cls(sequence or 0, None if state[0] is None else State(*state))


def card(session: Session, user: User, question_id: int) -> Card:
    """A card of the user, as it stands."""
    place = {"user_id": user.id, "question_id": question_id}
    return Card.of(session.connection().execute(_CARD, place).one())


def record(  # noqa: PLR0913 - whose answer, on which card, how rated, when
    session: Session,
    user: User,
    answer: Answer,
    rating: Rating,
    *,
    card: Card,
    at: datetime,
) -> Review:
    """Append a review to the log and move the card on. The user is locked."""
    question_id = answer.presentation.question_id
    day = study_day(at, user.time_zone, user.rollover_hour)
    before = card.state
    made = remember(before, rating, day, user.target_retention)
    item = content(session, answer.presentation.content_hash)
    new = Review(
        id=new_id("rev"),
        user_id=user.id,
        question_id=question_id,
        answer_id=answer.id,
        sequence=card.sequence + 1,
        rating=int(rating),
        chance=chance(item.type, len(item.choices), dont_know=answer.dont_know),
        confidence=DONT_KNOW if answer.dont_know else answer.confidence,
        seconds=round(answer.seconds, 3),
        study_day=day,
        reviewed_at=at,
        predicted=made.predicted,
        before=before and plain(before),
        after=plain(made.after),
        voided_at=None,
    )
    review = written(session, new)
    set_committed_value(answer, "review", review)
    _store(session, user, question_id, made.after, new=before is None)
    return review


def undo(session: Session, user: User, review_id: str, *, at: datetime) -> Review:
    """Void the user's latest review; the card's state is again what it was before.

    Raises NotFound for a review that is unknown or somebody else's, Conflict for one that
    is undone already, came from a file, or is not the latest of those given here.
    """
    user = lock(session, user)
    review = session.get(Review, review_id, populate_existing=True)
    if review is None or review.user_id != user.id:
        raise NotFound("unknown-review", "There is no such review.")
    if review.voided_at is not None:
        raise Conflict("already-undone", "The review was undone before.")
    if review.answer_id is None:
        detail = "It came from a file. Only an answer given here can be taken back."
        raise Conflict("imported-review", detail)
    if review is not latest_review(session, user):
        raise Conflict("not-latest", "Only the latest review can be undone.")
    review.voided_at = at
    session.flush()
    log = session.scalars(
        select(Review)
        .where(Review.user_id == user.id, Review.question_id == review.question_id)
        .order_by(Review.sequence)
    )
    cached = card(session, user, review.question_id).state
    state = fold(log, user.target_retention)
    _store(session, user, review.question_id, state, new=cached is None)
    return review


def latest_review(session: Session, user: User) -> Review | None:
    """The one review that :func:`undo` accepts: the last one given here.

    Those of a file have their place in the log, but nobody just gave them.
    """
    return session.scalar(
        select(Review)
        .where(
            Review.user_id == user.id,
            Review.voided_at.is_(None),
            Review.answer_id.is_not(None),
        )
        .order_by(Review.sequence.desc())
        .limit(1)
    )


def dates_by_rating(
    session: Session, user: User, answer: Answer, *, at: datetime
) -> dict[str, date]:
    """When the question of an answer would come back, by the word of each rating."""
    state = card(session, user, answer.presentation.question_id).state
    day = study_day(at, user.time_zone, user.rollover_hour)
    return {
        word: step(state, rating, day, user.target_retention).due
        for rating, word in enumerate(RATINGS, start=1)
    }


def reviews(
    session: Session, user: User, *, limit: int, after: int | None = None
) -> list[Review]:
    """The user's log, newest first, undone reviews too; ``after`` is a sequence number."""
    query = select(Review).where(Review.user_id == user.id)
    if after is not None:
        query = query.where(Review.sequence < after)
    return list(session.scalars(query.order_by(Review.sequence.desc()).limit(limit)))


def rebuild(session: Session, user: User) -> None:
    """Make every cached state of the user equal to its log again."""
    user = lock(session, user)
    log = session.execute(  # no objects: a log may be long
        select(Review.question_id, Review.rating, Review.study_day, Review.voided_at)
        .where(Review.user_id == user.id)
        .order_by(Review.question_id, Review.sequence)
    )
    mine = select(MemoryState.question_id).where(MemoryState.user_id == user.id)
    cached = set(session.scalars(mine))
    states: dict[int, State | None] = dict.fromkeys(cached)
    for question_id, entries in groupby(log, key=lambda row: row.question_id):
        states[question_id] = fold(entries, user.target_retention)
    for question_id, state in states.items():
        _store(session, user, question_id, state, new=question_id not in cached)


def _store(
    session: Session, user: User, question_id: int, state: State | None, *, new: bool
) -> None:
    card = {"user_id": user.id, "question_id": question_id}
    if state is None:
        session.execute(delete(MemoryState).filter_by(**card))
    elif new:
        write(session, MemoryState, **card, **state._asdict())
    else:
        session.execute(update(MemoryState).filter_by(**card).values(state._asdict()))


def plain(state: State) -> dict[str, Any]:
    """A state for JSON."""
    days = {"last_day": state.last_day.isoformat(), "due": state.due.isoformat()}
    return state._asdict() | days
