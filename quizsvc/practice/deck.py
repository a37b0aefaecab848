"""The questions of a candidate's goal, as rows and as the deck that the planner takes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import nan
from typing import Any

import numpy as np
from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.orm import Session

from question_bank.content import LEVELS
from question_bank.models import Choice, Pack, Question, Revision, RevisionText
from quizsvc.models import MemoryState, Review, User
from quizsvc.practice.measured import unready
from quizsvc.practice.reviewing import STATE, state_of
from quizsvc.scheduling.guessing import chance
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import Rating
from quizsvc.scheduling.pace import ENOUGH, Pace, pace
from quizsvc.scheduling.planner import Deck

RECENT = 4 * ENOUGH  # answers that tell the pace


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A published question that the goal asks for, and what is known of it."""

    id: int
    slug: str
    title: dict[str, str]  # by language
    type: str
    level: str
    topic: str
    chance: float  # of a right answer by one who knows nothing
    state: State | None


def listed(
    session: Session, user: User, *, lang: str | None = None, until: date | None = None
) -> list[Listed]:
    """The questions of the goal, easy to extreme and then by slug.

    Those in ``lang`` alone if given; without those that come back after ``until``. One
    whose experiment is still being computed is left out.
    """
    titled = titles(session)
    choices: dict[int, int] = {}
    for revision, many in session.execute(_choices()):
        choices[revision] = many
    later = unready(session)
    wanted = {lang} if lang else set(user.languages)
    found = [
        Listed(
            id=number,
            slug=slug,
            title=titled[revision],
            type=type_,
            level=level,
            topic=topic,
            chance=chance(type_, choices.get(revision, 0)),
            state=state_of(state),
        )
        for number, slug, revision, type_, level, topic, *state in session.execute(
            _questions(user, until)
        )
        if revision not in later
        and (not wanted or not wanted.isdisjoint(titled[revision]))
    ]
    return sorted(found, key=lambda one: (LEVELS.index(one.level), one.slug))


def deck(questions: Sequence[Listed], day: date, usual: Pace) -> Deck:
    """Questions on a study day, in their order, for somebody with that pace."""
    met = [one.state for one in questions]
    count = len(questions)
    return Deck(
        stability=np.array([s.stability if s else nan for s in met]),
        difficulty=np.array([s.difficulty if s else nan for s in met]),
        elapsed=np.array([s.elapsed(day) if s else 0 for s in met], dtype=np.int64),
        due_in=np.array([(s.due - day).days if s else 0 for s in met], dtype=np.int64),
        chance=np.array([one.chance for one in questions]),
        right_seconds=np.full(count, usual.right),
        wrong_seconds=np.full(count, usual.wrong),
        family=np.array([one.id for one in questions], dtype=np.int64),
        place=np.arange(count),
    )


def usual_pace(session: Session, user: User) -> Pace:
    """How long the candidate's last answers took."""
    recent = (
        select(Review.rating, Review.seconds)
        .where(
            Review.user_id == user.id,
            Review.voided_at.is_(None),
            Review.seconds.is_not(None),
        )
        .order_by(Review.sequence.desc())
        .limit(RECENT)
    )
    return pace(
        (rating != Rating.AGAIN, seconds or 0.0)
        for rating, seconds in session.execute(recent)
    )


def titles(session: Session) -> dict[int, dict[str, str]]:
    """The titles of the published questions, by revision and language."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for revision, lang, title in session.execute(
        select(RevisionText.revision_id, RevisionText.lang, RevisionText.title)
        .join(Question, Question.current_id == RevisionText.revision_id)
        .where(Question.retired_at.is_(None))
    ):
        found[revision][lang] = title
    return found


def _choices() -> Select[int, int]:
    return (
        select(Choice.revision_id, func.count())
        .join(Question, Question.current_id == Choice.revision_id)
        .where(Question.retired_at.is_(None))
        .group_by(Choice.revision_id)
    )


def _questions(user: User, until: date | None) -> Select[*tuple[Any, ...]]:
    mine = and_(MemoryState.question_id == Question.id, MemoryState.user_id == user.id)
    query = (
        select(
            Question.id,
            Question.slug,
            Revision.id.label("revision"),
            Revision.type,
            Revision.level,
            Revision.topic,
            *STATE,
        )
        .join(Revision, Revision.id == Question.current_id)
        .outerjoin(MemoryState, mine)
        .where(Question.retired_at.is_(None))
    )
    if until is not None:
        query = query.where(or_(MemoryState.due.is_(None), MemoryState.due <= until))
    if user.packs:
        query = query.join(Pack, Pack.id == Question.pack_id).where(
            Pack.slug.in_(user.packs)
        )
    if user.topics:
        query = query.where(Revision.topic.in_(user.topics))
    if user.levels:
        query = query.where(Revision.level.in_(user.levels))
    return query
