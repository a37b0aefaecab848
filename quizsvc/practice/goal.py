"""What a candidate prepares for: the interview, the time a day, what is to be asked."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime, timedelta
from zoneinfo import available_timezones

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from question_bank.content import LEVELS
from question_bank.models import Pack, Question, RevisionText
from quizsvc.models import Review, User
from quizsvc.practice.bank import topics
from quizsvc.practice.reviewing import rebuild
from quizsvc.practice.users import lock
from quizsvc.refusals import FieldError, Invalid
from quizsvc.scheduling.calibration import EASIEST, HARDEST
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.guessing import knows
from quizsvc.scheduling.memory import Rating
from quizsvc.scheduling.planner import Aim

MOST_MINUTES = 24 * 60
FURTHEST = timedelta(days=3653)
LAST_HOUR = 23
FIRSTS = 50  # first answers that tell what is known beforehand; questions get harder

_FIRSTS = (
    select(Review.rating, Review.chance)
    .where(
        Review.user_id == bindparam("user_id"),
        Review.voided_at.is_(None),
        Review.predicted.is_(None),
    )
    .order_by(Review.sequence.desc())
    .limit(FIRSTS)
)


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What a candidate wants. An empty list is no restriction."""

    interview_date: date | None
    minutes_per_day: int
    packs: list[str]
    topics: list[str]
    levels: list[str]
    languages: list[str]  # a question is asked if it is written in one of them
    target_retention: float
    time_zone: str
    rollover_hour: int


def goal(user: User) -> Goal:
    return Goal(**{field.name: getattr(user, field.name) for field in fields(Goal)})


def aim(user: User, day: date) -> Aim:
    """The goal as the planner takes it, on a study day."""
    on = user.interview_date
    until = None if on is None else (on - day).days
    return Aim(until, 60.0 * user.minutes_per_day)


def known_beforehand(session: Session, user: User) -> float:
    """The chance that the user knows a question never met, by his latest first answers."""
    firsts = session.connection().execute(_FIRSTS, {"user_id": user.id})
    return knows((rating != Rating.AGAIN, guess) for rating, guess in firsts)


def set_goal(session: Session, user: User, wanted: Goal, *, at: datetime) -> None:
    """Put a goal in the place of the one before; a new target moves every due day.

    A date in the past and no minutes are accepted. Raises Invalid with all that is wrong.
    """
    lock(session, user)
    if errors := list(_mistakes(session, wanted, at)):
        raise Invalid("invalid-input", errors[0].detail, errors)
    before = goal(user)
    for name, value in asdict(wanted).items():
        setattr(user, name, value)
    user.chose_zone = user.chose_zone or wanted.time_zone != before.time_zone
    session.flush()
    if wanted.target_retention != before.target_retention:
        rebuild(session, user)


def _mistakes(session: Session, wanted: Goal, at: datetime) -> Iterable[FieldError]:
    if wanted.time_zone not in available_timezones():
        detail = (
            f"There is no time zone {wanted.time_zone[:100]}; "
            "write one such as Asia/Shanghai."
        )
        yield FieldError(pointer="/time_zone", code="unknown-zone", detail=detail)
    ranges: list[tuple[str, float, float]] = [
        ("minutes_per_day", 0, MOST_MINUTES),
        ("target_retention", EASIEST, HARDEST),
        ("rollover_hour", 0, LAST_HOUR),
    ]
    for name, low, high in ranges:
        value = getattr(wanted, name)
        if not low <= value <= high:
            detail = f"{value} is not between {low} and {high}."
            yield FieldError(pointer=f"/{name}", code="out-of-range", detail=detail)
    latest = study_day(at, "UTC", 0) + FURTHEST
    if wanted.interview_date is not None and wanted.interview_date > latest:
        detail = f"{wanted.interview_date} is more than ten years away."
        yield FieldError(pointer="/interview_date", code="out-of-range", detail=detail)
    for name, there in _bank(session).items():
        for place, word in enumerate(getattr(wanted, name)):
            if word not in there:
                detail = f"There is no {word[:100]} in the bank's {name}."
                pointer = f"/{name}/{place}"
                yield FieldError(pointer=pointer, code="not-an-option", detail=detail)


def options(session: Session) -> dict[str, list[str]]:
    """What a goal may name of packs, topics, levels and languages, in order."""
    found = {name: sorted(words) for name, words in _bank(session).items()}
    return found | {"levels": list(LEVELS)}


def _bank(session: Session) -> dict[str, Collection[str]]:
    languages = select(RevisionText.lang).join(
        Question, Question.current_id == RevisionText.revision_id
    )
    return {
        "packs": set(session.scalars(select(Pack.slug))),
        "topics": topics(session),
        "levels": LEVELS,
        "languages": set(session.scalars(languages.distinct())),
    }
