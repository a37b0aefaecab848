"""Progress: what the review log says about a candidate, in pure functions over it."""

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from quizsvc.models import Answer, Review, User
from quizsvc.practice.bank import held
from quizsvc.practice.deck import GIVEN_AT
from quizsvc.practice.progress import cards, habit, retention
from quizsvc.practice.progress.cards import Ahead, Learned, Leech, Recall, Topic
from quizsvc.practice.progress.entries import Card, Entry, card_of
from quizsvc.practice.progress.habit import Day, Habit
from quizsvc.practice.progress.retention import Bin, Compared, Week
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
        getattr(Review, name)
        for name in Entry._fields
        if name not in {"given_at", "stability"}
    )
    rows = session.execute(
        select(*columns, GIVEN_AT, Review.after["stability"].as_float())
        .outerjoin(Answer, Answer.id == Review.answer_id)
        .where(Review.user_id == user.id, Review.voided_at.is_(None))
        .order_by(Review.sequence)
    )
    return [Entry._make(row) for row in rows]


def _cards(session: Session, user: User) -> list[Card]:
    known = calibration(user)
    questions = sorted(held(session, user), key=lambda one: one.slug)
    return [card_of(one, known) for one in questions]
