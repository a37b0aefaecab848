"""Progress: what the review log says about a candidate, in pure functions over it."""

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from question_bank.models import Question, Revision
from quizsvc.models import MemoryState, Review, User
from quizsvc.practice.deck import titles
from quizsvc.practice.progress import cards, habit, retention
from quizsvc.practice.progress.cards import Ahead, Learned, Leech, Recall, Topic
from quizsvc.practice.progress.entries import Card, Entry
from quizsvc.practice.progress.habit import Day, Habit
from quizsvc.practice.progress.retention import Bin, Compared, Week
from quizsvc.practice.reviewing import STATE, state_of
from quizsvc.practice.users import calibration
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.guessing import Share

__all__ = [
    "Ahead",
    "Bin",
    "Card",
    "Compared",
    "Day",
    "Entry",
    "Habit",
    "Learned",
    "Leech",
    "Progress",
    "Recall",
    "Share",
    "Topic",
    "Week",
    "progress",
    "told",
]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a candidate stands on a study day."""

    day: date
    answers: int
    recall: Recall  # a day later: what was met just now says nothing before
    forecast: list[Ahead]  # if nothing is asked any more; the first is today
    retention: Compared | None  # over all tests of memory
    calibration: list[Bin]
    weeks: list[Week]
    confidence: dict[str, Share]
    topics: list[Topic]  # their recall a day later
    leeches: list[Leech]
    learned: Learned
    habit: Habit


def told(log: list[Entry], bank: list[Card], day: date) -> Progress:
    """What a log tells on a study day."""
    trials, tomorrow = retention.trials(log), day + habit.DAY
    return Progress(
        day=day,
        answers=len(log),
        recall=cards.recall(bank, tomorrow),
        forecast=cards.ahead(bank, day),
        retention=retention.compared(trials),
        calibration=retention.calibration(trials),
        weeks=retention.weeks(trials, day),
        confidence=retention.confidence(log),
        topics=cards.topics(bank, log, tomorrow),
        leeches=cards.leeches(bank, trials),
        learned=cards.learned(bank, log, day),
        habit=habit.habit(log, day),
    )


def progress(session: Session, user: User, *, at: datetime) -> Progress:
    """Where a candidate stands at a moment; undone reviews count for nothing."""
    day = study_day(at, user.time_zone, user.rollover_hour)
    return told(_log(session, user), _cards(session, user), day)


def _log(session: Session, user: User) -> list[Entry]:
    columns = (
        getattr(Review, name) for name in Entry._fields if name not in {"stability"}
    )
    rows = session.execute(
        select(*columns, Review.after["stability"].as_float())
        .where(Review.user_id == user.id, Review.voided_at.is_(None))
        .order_by(Review.sequence)
    )
    return [Entry._make(row) for row in rows]


def _cards(session: Session, user: User) -> list[Card]:
    titled = titles(session)
    mine = and_(MemoryState.question_id == Question.id, MemoryState.user_id == user.id)
    rows = session.execute(
        select(
            Question.id,
            Question.slug,
            Revision.id,
            Revision.topic,
            Revision.level,
            *STATE,
        )
        .join(Revision, Revision.id == Question.current_id)
        .outerjoin(MemoryState, mine)
        .where(Question.retired_at.is_(None))
        .order_by(Question.slug)
    )
    known = calibration(user)
    return [
        Card(number, slug, titled[revision], topic, level, state_of(state), known)
        for number, slug, revision, topic, level, *state in rows
    ]
