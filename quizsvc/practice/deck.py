"""The questions of a candidate's goal, as rows and as the deck that the planner takes."""

from collections.abc import Iterator, Sequence
from datetime import date
from math import nan

import numpy as np
from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from quizsvc.models import Answer, Review, User
from quizsvc.practice.bank import Held, held
from quizsvc.practice.measured import unready
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import Rating
from quizsvc.scheduling.pace import RECENT, Pace, Timed, pace, spent
from quizsvc.scheduling.planner import Deck

GIVEN_AT = func.coalesce(Answer.answered_at, Review.reviewed_at)
"""When an answer was given; an open one is reviewed later, when it is marked."""

_RECENT = (
    select(Review.rating, Review.study_day, GIVEN_AT, Review.seconds)
    .outerjoin(Answer, Answer.id == Review.answer_id)
    .where(
        Review.user_id == bindparam("user_id"),
        Review.voided_at.is_(None),
        Review.seconds.is_not(None),
    )
    .order_by(Review.sequence.desc())
    .limit(RECENT)
)


def listed(
    session: Session, user: User, *, lang: str | None = None, until: date | None = None
) -> list[Held]:
    """The questions of the goal, easy to extreme and then by slug.

    Those in ``lang`` alone if given; without those that come back after ``until``, unless
    they were answered on that day, which keeps their siblings for another. One whose
    experiment is still being computed is left out.
    """
    later = unready(session)
    found = [
        one
        for one in _of_the_goal(session, user, lang)
        if one.revision_id not in later
        and (until is None or one.state is None or _asked_by(one.state, until))
    ]
    return sorted(found, key=lambda one: (one.cover.rank, one.slug))


def awaited(session: Session, user: User) -> int:
    """How many questions of the goal are left out until they are computed."""
    later = unready(session)
    if not later:  # as a rule; the whole bank need not be read for it
        return 0
    return sum(one.revision_id in later for one in _of_the_goal(session, user))


def _of_the_goal(
    session: Session, user: User, lang: str | None = None
) -> Iterator[Held]:
    packs, topics, levels = set(user.packs), set(user.topics), set(user.levels)
    wanted = {lang} if lang else set(user.languages)
    for one in held(session, user):
        if (
            (not packs or one.pack in packs)
            and (not topics or one.cover.topic in topics)
            and (not levels or one.cover.level in levels)
            and (not wanted or not wanted.isdisjoint(one.cover.title))
        ):
            yield one


def _asked_by(state: State, day: date) -> bool:
    return state.due <= day or state.last_day >= day


def deck(questions: Sequence[Held], day: date, usual: Pace) -> Deck:
    """Questions on a study day, in their order, for somebody with that pace."""
    met = [one.state for one in questions]
    count = len(questions)
    return Deck(
        stability=np.array([s.stability if s else nan for s in met]),
        difficulty=np.array([s.difficulty if s else nan for s in met]),
        elapsed=np.array([s.elapsed(day) if s else 0 for s in met], dtype=np.int64),
        due_in=np.array([(s.due - day).days if s else 0 for s in met], dtype=np.int64),
        chance=np.array([one.cover.chance for one in questions]),
        right_seconds=np.full(count, usual.right),
        wrong_seconds=np.full(count, usual.wrong),
        family=np.array([one.cover.family for one in questions], dtype=np.int64),
        place=np.arange(count),
    )


def usual_pace(session: Session, user: User) -> Pace:
    """How long the candidate's last answers took."""
    rows = session.connection().execute(_RECENT, {"user_id": user.id})
    recent = sorted(
        (Timed(day, at, seconds or 0.0), rating != Rating.AGAIN)
        for rating, day, at, seconds in rows
    )
    right = [passed for _, passed in recent]
    return pace(zip(right, spent([time for time, _ in recent]), strict=True))
