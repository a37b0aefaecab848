"""A study day seen from the front door: what it is worth, and how often one practised."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quizsvc.models import Review, User
from quizsvc.practice.planning import Plan, plan
from quizsvc.practice.progress.habit import WEEK


class Glance(NamedTuple):
    """What stands beside the questions of today."""

    plan: Plan
    week: int  # days of the last seven with an answer, today included
    started: bool  # whether there ever was an answer


def glance(session: Session, user: User, *, at: datetime) -> Glance:
    """The plan at a moment and the days of practice behind it."""
    found = plan(session, user, at=at)
    mine = (Review.user_id == user.id, Review.voided_at.is_(None))
    week = session.scalar(
        select(func.count(Review.study_day.distinct())).where(
            *mine,
            Review.study_day > found.today - WEEK,
            Review.study_day <= found.today,
        )
    )
    first = session.scalar(select(Review.id).where(*mine).limit(1))
    return Glance(found, week or 0, first is not None)
