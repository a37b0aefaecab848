"""What to do now: the due queue and the day at a glance."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime
from math import ceil
from operator import attrgetter
from statistics import median
from typing import Literal

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.orm import Session

from question_bank.content import LEVELS
from question_bank.models import Question, Revision, RevisionText
from quizsvc.models import Answer, MemoryState, Presentation, Review, User
from quizsvc.practice.measured import unready
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.memory import retrievability

RECENT = 20  # answers that the estimate of time looks at
ENOUGH = 10  # answers; until then the rest counts as taking SECONDS each
SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class DueItem:
    """A question to meet now, and why."""

    slug: str
    title: dict[str, str]  # by language
    type: str
    level: str
    topic: str
    reason: Literal["due", "new"]
    due: date | None
    retrievability: float | None

    @property
    def place(self) -> tuple[str, float, int, str]:
        """Its place in the order of :func:`due`."""
        return (
            (self.due or date.max).isoformat(),
            self.retrievability or 0.0,
            LEVELS.index(self.level) if self.due is None else 0,
            self.slug,
        )


@dataclass(frozen=True, kw_only=True)
class Today:
    """How much there is to do on a study day, and how much is done."""

    day: date
    items: list[DueItem]  # what to do, as :func:`due` orders it
    due: int
    new: int
    done: int  # questions reviewed, each once, without those in ``items``
    minutes: int  # for all that is due or new
    next_due: date | None  # None while something is due, or nothing will be


def due(
    session: Session, user: User, *, at: datetime, lang: str | None = None
) -> list[DueItem]:
    """Every question that should be met now, in order; those in ``lang`` alone if given.

    Oldest due day first, on one day the least remembered first; then the ones never met,
    easy to extreme. One whose experiment is still being computed is left out.
    """
    day = study_day(at, user.time_zone, user.rollover_hour)
    titles: dict[int, dict[str, str]] = defaultdict(dict)
    for revision_id, name, title in session.execute(_titles()):
        titles[revision_id][name] = title
    rows = session.execute(_met_or_new(user, day)).all()
    later = unready(session)
    items = [
        _item(question, revision, titles[revision.id], state, day)
        for question, revision, state in rows
        if revision.id not in later and (lang is None or lang in titles[revision.id])
    ]
    return sorted(items, key=attrgetter("place"))


def today(session: Session, user: User, *, at: datetime) -> Today:
    """The study day at a glance."""
    items = due(session, user, at=at)
    day = study_day(at, user.time_zone, user.rollover_hour)
    reviewed = (
        select(Question.slug)
        .join(Review, Review.question_id == Question.id)
        .where(Review.user_id == user.id, Review.study_day == day)
        .where(Review.voided_at.is_(None))
    )
    coming = (
        select(func.min(MemoryState.due))
        .join(Question, Question.id == MemoryState.question_id)
        .where(MemoryState.user_id == user.id, Question.retired_at.is_(None))
    )
    waiting = sum(item.reason == "due" for item in items)
    return Today(
        day=day,
        items=items,
        due=waiting,
        new=len(items) - waiting,
        done=len({*session.scalars(reviewed)} - {item.slug for item in items}),
        minutes=ceil(len(items) * _seconds(session, user) / 60),
        next_due=None if waiting else session.scalar(coming),
    )


def _seconds(session: Session, user: User) -> float:
    recent = (
        select(Answer.seconds)
        .join(Answer.presentation)
        .where(Presentation.user_id == user.id)
        .order_by(Answer.answered_at.desc(), Answer.id)
        .limit(RECENT)
    )
    known = session.scalars(recent).all()
    return median([*known, *[SECONDS] * (ENOUGH - len(known))])


def _titles() -> Select[int, str, str]:
    return (
        select(RevisionText.revision_id, RevisionText.lang, RevisionText.title)
        .join(Question, Question.current_id == RevisionText.revision_id)
        .where(Question.retired_at.is_(None))
    )


def _met_or_new(
    user: User, day: date
) -> Select[Question, Revision, MemoryState | None]:
    mine = and_(MemoryState.question_id == Question.id, MemoryState.user_id == user.id)
    return (
        select(Question, Revision, MemoryState)
        .join(Revision, Revision.id == Question.current_id)
        .outerjoin(MemoryState, mine)
        .where(
            Question.retired_at.is_(None),
            or_(MemoryState.due.is_(None), MemoryState.due <= day),
        )
    )


def _item(
    question: Question,
    revision: Revision,
    title: dict[str, str],
    state: MemoryState | None,
    day: date,
) -> DueItem:
    return DueItem(
        slug=question.slug,
        title=title,
        type=revision.type,
        level=revision.level,
        topic=revision.topic,
        reason="new" if state is None else "due",
        due=None if state is None else state.due,
        retrievability=None
        if state is None
        else retrievability((day - state.last_day).days, state.stability),
    )
