"""Answers: checked, graded by the names of choices, recorded once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, cast, get_args

from sqlalchemy import Table, and_, bindparam, exists, select, update
from sqlalchemy.orm import Session, aliased
from sqlalchemy.orm.attributes import set_committed_value

from question_bank.base import new_id
from question_bank.content import ESTIMATE, QuestionItem
from question_bank.grading import score
from question_bank.published import content
from question_bank.suggest import MAX_ANSWER
from quizsvc.models import Answer, MemoryState, Presentation, User
from quizsvc.practice.estimating import near
from quizsvc.practice.presenting import LIFETIME, check_open, find_shown
from quizsvc.practice.reviewing import CARD, RATINGS, Card, card, record
from quizsvc.practice.users import lock
from quizsvc.practice.writing import written
from quizsvc.refusals import Conflict, FieldError, Invalid, NotFound, invalid
from quizsvc.scheduling.memory import Rating

Confidence = Literal["sure", "unsure"]
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
SKEW = timedelta(minutes=5)
"""What a device's clock may be wrong by."""

# The open presentations of a question beside the one that is being answered.
_ELSEWHERE = (
    Presentation.user_id == bindparam("user"),
    Presentation.question_id == bindparam("question"),
    Presentation.id != bindparam("answered"),
    Presentation.ended_at.is_(None),
    ~exists().where(Answer.presentation_id == Presentation.id),
)
_END = (  # by the table: the session need not know, since they are read anew before use
    update(cast(Table, Presentation.__table__))
    .where(*_ELSEWHERE)
    .values(ended_at=bindparam("at"))
)
_SHOWN, _GIVEN = aliased(Presentation), aliased(Answer)
_STANDING = (
    select(_GIVEN.id, _SHOWN.ended_at, exists().where(*_ELSEWHERE), *CARD)
    .select_from(_SHOWN)
    .outerjoin(_GIVEN, _GIVEN.presentation_id == _SHOWN.id)
    .outerjoin(
        MemoryState,
        and_(
            MemoryState.user_id == _SHOWN.user_id,
            MemoryState.question_id == _SHOWN.question_id,
        ),
    )
    .where(_SHOWN.id == bindparam("answered"))
)


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What the candidate sent. "I don't know" is an answer and outweighs the rest."""

    choices: Sequence[str] = ()  # opaque ids of this presentation
    text: str = ""
    number: float | None = None  # of an estimate
    aloud: bool = False  # an open answer was spoken; its text may be empty
    dont_know: bool = False
    confidence: str | None = None  # sure | unsure
    seconds: float | None = None  # None: since the question was shown
    answered_at: datetime | None = None  # None: now; earlier if it was sent later


def submit_answer(
    session: Session,
    user: User,
    presentation_id: str,
    submission: Submission,
    *,
    at: datetime,
) -> Answer:
    """:func:`answer_shown` for a presentation by its id. Also raises NotFound."""
    shown = find_shown(session, user, presentation_id)
    return answer_shown(session, user, shown, submission, at=at)


def answer_shown(
    session: Session,
    user: User,
    shown: Presentation,
    submission: Submission,
    *,
    at: datetime,
) -> Answer:
    """Grade and record an answer; all but an open text are reviewed at once.

    Only a fully right answer is a pass (Good), all else is Again; confidence and time
    are recorded and change nothing. An answer that was sent late counts for the moment
    it was given; in the log it comes last. User and presentation may have been read
    before the session could write. Raises Gone for a presentation that had expired,
    Conflict for one that was answered, or whose question was answered elsewhere after it
    was shown, and Invalid.
    """
    at = _moment(shown, submission, at)
    lock(session, user)
    place = {"user": user.id, "question": shown.question_id, "answered": shown.id}
    found = session.connection().execute(_STANDING, place | {"user_id": user.id}).one()
    answered, ended_at, open_elsewhere, *columns = found
    if answered is not None:
        raise Conflict("already-answered", "This question has been answered.")
    check_open(shown, ended_at, at=at)
    item = content(session, shown.content_hash)
    chosen = _checked(shown, item, submission)
    grade, correct = _graded(session, shown, item, submission, chosen)
    seconds = _seconds(shown, submission, at)
    if open_elsewhere:
        session.connection().execute(_END, place | {"at": at})
    answer = written(
        session,
        Answer,
        id=new_id("ans"),
        presentation_id=shown.id,
        chosen=chosen,
        text="" if submission.dont_know else submission.text,
        number=None if submission.dont_know else submission.number,
        dont_know=submission.dont_know,
        confidence=submission.confidence,
        score=grade,
        correct=correct,
        ticked=[],
        seconds=seconds,
        answered_at=at,
    )
    set_committed_value(answer, "presentation", shown)
    if correct is None:
        set_committed_value(answer, "review", None)
    else:
        rating = Rating.GOOD if correct else Rating.AGAIN
        record(session, user, answer, rating, card=Card.of(columns), at=at)
    return answer


def find_answer(session: Session, user: User, answer_id: str) -> Answer:
    """An answer of this user. Raises NotFound, also for somebody else's."""
    answer = session.get(Answer, answer_id, populate_existing=True)
    if answer is None or answer.presentation.user_id != user.id:
        raise NotFound("unknown-answer", "There is no such answer.")
    return answer


def mark_answer(  # noqa: PLR0913 - whose answer, which ticks, what rating, when
    session: Session,
    user: User,
    answer_id: str,
    points: Sequence[str],
    rating: str,
    *,
    at: datetime,
) -> Answer:
    """Tick the key points an open answer made and rate it, which reviews the card.

    The score is the share of points ticked; the answer stays without a verdict. Raises
    NotFound, Conflict for an answer that has been reviewed, and Invalid.
    """
    lock(session, user)
    answer = find_answer(session, user, answer_id)
    if answer.review is not None:
        raise Conflict("already-marked", "This answer has been reviewed.")
    if rating not in RATINGS:
        raise invalid("/rating", "not-an-option", f"Rate it {', '.join(RATINGS)}.")
    names = dict(answer.presentation.key_points)
    answer.ticked = _named(names, points, "/points", "key point")
    answer.score = len(answer.ticked) / len(names)
    met = card(session, user, answer.presentation.question_id)
    record(session, user, answer, Rating(RATINGS.index(rating) + 1), card=met, at=at)
    return answer


def _checked(
    shown: Presentation, item: QuestionItem, submission: Submission
) -> list[str]:
    """The names of the chosen choices, in the order shown. Raises Invalid."""
    if submission.confidence not in {None, *CONFIDENCES}:
        raise invalid("/confidence", "not-an-option", "Say sure, unsure or nothing.")
    if submission.dont_know:
        return []
    if (submission.number is None) == (item.type == ESTIMATE):
        raise _about_number(submission)
    if item.type == ESTIMATE:
        if submission.choices or submission.text:
            where = "/choices" if submission.choices else "/text"
            raise invalid(where, "not-accepted", "The answer is a number alone.")
        return []
    if item.type == "open":
        if submission.choices:
            raise invalid("/choices", "not-accepted", "An open question has none.")
        if not submission.aloud and not submission.text.strip():
            raise invalid("/text", "missing", "Write an answer.")
        if len(submission.text) > MAX_ANSWER:
            detail = f"An answer has at most {MAX_ANSWER} characters."
            raise invalid("/text", "too-long", detail)
        return []
    if submission.text:
        raise invalid("/text", "not-accepted", "The question is answered by a choice.")
    names = dict(shown.choices)
    chosen = _named(names, submission.choices, "/choices", "choice")
    if not chosen:
        raise invalid("/choices", "missing", "Choose an answer.")
    return chosen


def _graded(
    session: Session,
    shown: Presentation,
    item: QuestionItem,
    submission: Submission,
    chosen: list[str],
) -> tuple[float | None, bool | None]:
    """Score, and whether the answer is fully right; nothing yet for an open text."""
    if submission.dont_know:
        return 0.0, False
    if item.type == "open":
        return None, None
    if item.estimate and submission.number is not None:
        right = near(session, shown, item.estimate, submission.number)
        return float(right), right
    grade = score(shown.scoring, item.key, set(chosen), len(item.choices))
    return grade, item.key == set(chosen)


def _about_number(submission: Submission) -> Invalid:
    if submission.number is None:
        return invalid("/number", "missing", "The answer is a number.")
    return invalid("/number", "not-accepted", "The question asks for no number.")


def _named(
    names: dict[str, str], ids: Sequence[str], pointer: str, noun: str
) -> list[str]:
    """The names behind opaque ids, once each, in the order shown. Raises Invalid."""
    errors = [
        FieldError(
            pointer=f"{pointer}/{place}",
            code="unknown-id",
            detail=f"The presentation has no such {noun}.",
        )
        for place, opaque in enumerate(ids)
        if opaque not in names
    ]
    if errors:
        raise Invalid("invalid-input", errors[0].detail, errors)
    return [name for opaque, name in names.items() if opaque in ids]


def _moment(shown: Presentation, submission: Submission, at: datetime) -> datetime:
    """When the answer was given, between the question and now. Raises Invalid."""
    given = submission.answered_at
    if given is None:
        return at
    if not shown.created_at - SKEW <= given <= at + SKEW:
        detail = "It is a moment after the question was shown and not in the future."
        raise invalid("/answered_at", "out-of-range", detail)
    return min(max(given.astimezone(UTC), shown.created_at), at)


def _seconds(shown: Presentation, submission: Submission, at: datetime) -> float:
    if submission.seconds is None:
        return (at - shown.created_at).total_seconds()
    if not 0 <= submission.seconds <= LIFETIME.total_seconds():
        detail = f"It takes 0 to {LIFETIME.total_seconds():.0f} seconds."
        raise invalid("/seconds", "out-of-range", detail)
    return submission.seconds
