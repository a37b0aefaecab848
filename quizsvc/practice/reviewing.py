"""The review log and the cache of what it says: every change of memory is made here."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
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
from quizsvc.scheduling.calibration import PRIOR, Calibration
from quizsvc.scheduling.candidate import fold, meet
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.guessing import chance
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import Rating
from quizsvc.scheduling.spread import Crowd

RATINGS = tuple(rating.name.lower() for rating in Rating)
"""The words for ratings 1 to 4."""

DONT_KNOW = "dont-know"
"""What stands in the log for the confidence of "I don't know"."""

ENTRY = ("question_id", "rating", "chance", "confidence", "study_day", "voided_at")
"""The columns of a review that its effect is folded from."""

STATE = tuple(getattr(MemoryState, name) for name in State._fields)
"""The columns of a card's cached state; all are NULL where an outer join found none."""

CARD = (
    select(func.max(Review.sequence))
    .where(Review.user_id == bindparam("user_id"))
    .scalar_subquery(),
    select(User.calibration).where(User.id == bindparam("user_id")).scalar_subquery(),
    *STATE,
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
_LOG = (  # no objects: a log may be long
    select(*(getattr(Review, name) for name in ENTRY))
    .where(Review.user_id == bindparam("user_id"))
    .order_by(Review.sequence)
)
_DUE = (
    select(MemoryState.due, func.count())
    .where(
        MemoryState.user_id == bindparam("user_id"),
        MemoryState.question_id != bindparam("question_id"),
        MemoryState.due.between(bindparam("first"), bindparam("last")),
    )
    .group_by(MemoryState.due)
)
_STATES = select(MemoryState.question_id, *STATE).where(
    MemoryState.user_id == bindparam("user_id")
)


def state_of(columns: Sequence[Any]) -> State | None:
    """The state in the columns of ``STATE``."""
    return None if columns[0] is None else State(*columns)


class Card(NamedTuple):
    """Where a card stands: the number of the user's last review, and what is cached."""

    sequence: int
    calibration: Calibration | None  # None: nothing cached may be relied on
    state: State | None

    @classmethod
    def of(cls, row: Sequence[Any]) -> "Card":
        """The card in the columns of ``CARD``."""
        sequence, taught, *state = row
        return cls(
            sequence or 0,
            None if taught is None else Calibration(*taught),
            state_of(state),
        )


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
    new = _given(session, user, answer, rating, at=at)
    if card.calibration is None:
        card = _folded(session, user, new.question_id)
    before, known = card.state, card.calibration or PRIOR
    crowd = _crowd(session, user, new.question_id)
    made = meet(before, known, new, user.target_retention, crowd)
    review = written(
        session,
        Review,
        id=new_id("rev"),
        user_id=user.id,
        answer_id=answer.id,
        **new._asdict(),
        sequence=card.sequence + 1,
        predicted=made.predicted,
        calibration=list(known),
        before=before and plain(before),
        after=plain(made.state),
    )
    set_committed_value(answer, "review", review)
    _store(session, user, new.question_id, made.state, new=before is None)
    if made.calibration != known:
        _teach(session, user, made.calibration)
    return review


class _Given(NamedTuple):
    """A review, as far as the answer alone tells it."""

    question_id: int
    rating: int
    chance: float
    confidence: str | None
    seconds: float
    study_day: date
    reviewed_at: datetime
    voided_at: datetime | None


def _given(
    session: Session, user: User, answer: Answer, rating: int, *, at: datetime
) -> _Given:
    """The review that an answer makes."""
    item = content(session, answer.presentation.content_hash)
    return _Given(
        question_id=answer.presentation.question_id,
        rating=int(rating),
        chance=chance(item.type, len(item.choices), dont_know=answer.dont_know),
        confidence=DONT_KNOW if answer.dont_know else answer.confidence,
        seconds=round(answer.seconds, 3),
        study_day=study_day(at, user.time_zone, user.rollover_hour),
        reviewed_at=at,
        voided_at=None,
    )


def _crowd(session: Session, user: User, question_id: int) -> Crowd:
    """Counts the user's other cards by the days they come back on."""

    def crowd(first: date, last: date) -> dict[date, int]:
        place = {"user_id": user.id, "question_id": question_id}
        days = {"first": first, "last": last}
        rows = session.connection().execute(_DUE, place | days)
        return {day: count for day, count in rows}  # noqa: C416 - rows are no pairs

    return crowd


def _folded(session: Session, user: User, question_id: int) -> Card:
    rebuild(session, user)
    return card(session, user, question_id)


def undo(session: Session, user: User, review_id: str, *, at: datetime) -> Review:
    """Void the user's latest review; state and calibration are as if it had never been.

    Raises NotFound for a review that is unknown or somebody else's, Conflict for one that
    is undone already, came from a file, or is not the latest of those given here.
    """
    lock(session, user)
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
    cache = select(User.calibration, User.folded).where(User.id == user.id)
    known, folded = session.execute(cache).one()
    if known is None or review.calibration is None or review.sequence <= folded:
        rebuild(session, user)
    else:  # nothing has come before it since
        state = None if review.before is None else _state(review.before)
        _store(session, user, review.question_id, state, new=False)
        _teach(session, user, Calibration(*review.calibration))
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
    met = card(session, user, answer.presentation.question_id)
    known = met.calibration or PRIOR
    crowd = _crowd(session, user, answer.presentation.question_id)
    given = [_given(session, user, answer, rating, at=at) for rating in Rating]
    made = [meet(met.state, known, one, user.target_retention, crowd) for one in given]
    return {word: one.state.due for word, one in zip(RATINGS, made, strict=True)}


def reviews(
    session: Session, user: User, *, limit: int, after: int | None = None
) -> list[Review]:
    """The user's log, newest first, undone reviews too; ``after`` is a sequence number."""
    query = select(Review).where(Review.user_id == user.id)
    if after is not None:
        query = query.where(Review.sequence < after)
    return list(session.scalars(query.order_by(Review.sequence.desc()).limit(limit)))


def rebuild(session: Session, user: User) -> None:
    """Make all that is cached of the user equal to the fold of the log again."""
    lock(session, user)
    log = session.execute(_LOG, {"user_id": user.id})
    candidate = fold(log, user.target_retention)
    rows = session.connection().execute(_STATES, {"user_id": user.id})
    cached = {number: State(*state) for number, *state in rows}
    for number in sorted(cached.keys() | candidate.states.keys()):
        state = candidate.states.get(number)
        if state != cached.get(number):
            _store(session, user, number, state, new=number not in cached)
    last = select(func.max(Review.sequence)).where(Review.user_id == user.id)
    folded = session.scalar(last) or 0
    _teach(session, user, candidate.calibration, folded=folded)


def _teach(session: Session, user: User, calibration: Calibration, **more: int) -> None:
    mine = update(User).where(User.id == user.id)
    session.execute(mine.values(calibration=list(calibration), **more))


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


def _state(plain: Mapping[str, Any]) -> State:
    """A state from JSON."""
    days = {name: date.fromisoformat(plain[name]) for name in ("last_day", "due")}
    return State(**{**plain, **days})
