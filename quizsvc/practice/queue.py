"""What to do now: the questions of today, ranked, and the day at a glance."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import ceil

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from question_bank.models import Question
from quizsvc.models import Answer, MemoryState, Presentation, Review, User
from quizsvc.practice.deck import Listed, deck, listed, usual_pace
from quizsvc.practice.goal import aim
from quizsvc.practice.users import calibration
from quizsvc.scheduling.candidate import recall
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.pace import typical
from quizsvc.scheduling.planner import Why, rank

RECENT = 20  # answers that the estimate of time looks at


@dataclass(frozen=True, kw_only=True)
class DueItem:
    """A question to meet now, and why."""

    position: int  # 0, 1, …
    slug: str
    title: dict[str, str]  # by language
    type: str
    level: str
    topic: str
    reason: Why
    due: date | None
    retrievability: float | None  # calibrated recall now; None if never met
    gain: float  # of recall at the interview per minute; 0 without one

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands: what :func:`behind` goes on from."""
        return self.position, self.slug


@dataclass(frozen=True, kw_only=True)
class Today:
    """How much there is to do on a study day, and how much is done."""

    day: date
    items: list[DueItem]  # what can be asked, as :func:`due` orders it
    count: int  # of them for today: all, or with an interview what the time is for
    reasons: dict[Why, int]  # how many of these are there for which reason
    done: int  # questions reviewed, each once, without those for today
    minutes: int  # for the questions for today
    next_due: date | None  # None while something can be asked, or nothing will be
    days_left: int | None  # until the interview; None without one to come


def due(
    session: Session, user: User, *, at: datetime, lang: str | None = None
) -> list[DueItem]:
    """Every question worth asking now, in order; those in ``lang`` alone if given.

    Towards an interview as :func:`~quizsvc.scheduling.planner.rank` has it. Without: the
    oldest due day first, on one day the least remembered first; then the ones never met,
    easy to extreme. One whose experiment is still being computed is left out.
    """
    day = study_day(at, user.time_zone, user.rollover_hour)
    wanted, known = aim(user, day), calibration(user)
    questions = listed(session, user, lang=lang, until=None if wanted.dated else day)
    if not questions:
        return []
    ranking = rank(deck(questions, day, usual_pace(session, user)), wanted, known)
    items = []
    for position, (place, why, gain) in enumerate(
        zip(ranking.order.tolist(), ranking.why, ranking.gain.tolist(), strict=True)
    ):
        one: Listed = questions[place]
        items.append(
            DueItem(
                position=position,
                slug=one.slug,
                title=one.title,
                type=one.type,
                level=one.level,
                topic=one.topic,
                reason=why,
                due=one.state and one.state.due,
                retrievability=one.state and recall(one.state, day, known),
                gain=gain,
            )
        )
    return items


def behind(items: Sequence[DueItem], place: tuple[int, str]) -> Sequence[DueItem]:
    """The items behind one that was seen at a place, and may be there no more."""
    position, slug = place
    for item in items:
        if item.slug == slug:
            return items[item.position + 1 :]
    return items[position:]


def today(session: Session, user: User, *, at: datetime) -> Today:
    """The study day at a glance."""
    items = due(session, user, at=at)
    day = study_day(at, user.time_zone, user.rollover_hour)
    reviewed = dict(
        session.execute(
            select(Question.slug, func.sum(Review.seconds))
            .join(Review, Review.question_id == Question.id)
            .where(Review.user_id == user.id, Review.study_day == day)
            .where(Review.voided_at.is_(None))
            .group_by(Question.slug)
        ).all()
    )
    coming = (
        select(func.min(MemoryState.due))
        .join(Question, Question.id == MemoryState.question_id)
        .where(MemoryState.user_id == user.id, Question.retired_at.is_(None))
    )
    each = _seconds(session, user)
    wanted = aim(user, day)
    count = len(items)
    if wanted.dated:
        spent = sum(seconds or 0.0 for seconds in reviewed.values())
        left = max(wanted.seconds - spent, 0.0)
        count = min(count, ceil(left / max(each, 1.0)))
    return Today(
        day=day,
        items=items,
        count=count,
        reasons=dict(Counter(item.reason for item in items[:count])),
        done=len(reviewed.keys() - {item.slug for item in items[:count]}),
        minutes=ceil(count * each / 60),
        next_due=None if items else session.scalar(coming),
        days_left=wanted.days if wanted.dated else None,
    )


def _seconds(session: Session, user: User) -> float:
    recent = (
        select(Answer.seconds)
        .join(Answer.presentation)
        .where(Presentation.user_id == user.id)
        .order_by(Answer.answered_at.desc(), Answer.id)
        .limit(RECENT)
    )
    return typical(session.scalars(recent).all())
