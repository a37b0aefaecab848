"""The questions of a candidate's goal, as rows and as the deck that the planner takes."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from math import nan
from typing import NamedTuple

import numpy as np
from sqlalchemy import and_, bindparam, select
from sqlalchemy.orm import Session

from question_bank.models import Pack, Question, Revision, RevisionText
from quizsvc.models import MemoryState, Review, User
from quizsvc.practice.covers import Cover, covers
from quizsvc.practice.measured import unready
from quizsvc.practice.reviewing import STATE, state_of
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import Rating
from quizsvc.scheduling.pace import RECENT, Pace, pace
from quizsvc.scheduling.planner import Deck

# Made once: to put a query together takes longer than to run it.
_BANK = (
    select(
        Question.id,
        Question.slug,
        Pack.slug.label("pack"),
        Revision.id.label("revision"),
        Revision.content_hash,
        *STATE,
    )
    .join(Revision, Revision.id == Question.current_id)
    .join(Pack, Pack.id == Question.pack_id)
    .outerjoin(
        MemoryState,
        and_(
            MemoryState.question_id == Question.id,
            MemoryState.user_id == bindparam("user_id"),
        ),
    )
    .where(Question.retired_at.is_(None))
)
_RECENT = (
    select(Review.rating, Review.seconds)
    .where(
        Review.user_id == bindparam("user_id"),
        Review.voided_at.is_(None),
        Review.seconds.is_not(None),
    )
    .order_by(Review.sequence.desc())
    .limit(RECENT)
)
_TITLES = (
    select(RevisionText.revision_id, RevisionText.lang, RevisionText.title)
    .join(Question, Question.current_id == RevisionText.revision_id)
    .where(Question.retired_at.is_(None))
)


class Listed(NamedTuple):
    """A published question, and what is known of it."""

    id: int
    slug: str
    cover: Cover
    state: State | None


def listed(
    session: Session, user: User, *, lang: str | None = None, until: date | None = None
) -> list[Listed]:
    """The questions of the goal, easy to extreme and then by slug.

    Those in ``lang`` alone if given; without those that come back after ``until``, unless
    they were answered on that day, which keeps their siblings for another. One whose
    experiment is still being computed is left out.
    """
    session.flush()  # a connection does not see to it
    rows = session.connection().execute(_BANK, {"user_id": user.id}).all()
    bank = covers(session, frozenset(row.content_hash for row in rows))
    later = unready(session)
    packs, topics, levels = set(user.packs), set(user.topics), set(user.levels)
    wanted = {lang} if lang else set(user.languages)
    found = []
    for number, slug, pack, revision, content_hash, *columns in rows:
        cover = bank[content_hash]
        if (
            revision not in later
            and (not packs or pack in packs)
            and (not topics or cover.topic in topics)
            and (not levels or cover.level in levels)
            and (not wanted or not wanted.isdisjoint(cover.title))
        ):
            state = state_of(columns)
            if state is None or until is None or _asked_by(state, until):
                found.append(Listed(number, slug, cover, state))
    return sorted(found, key=lambda one: (one.cover.rank, one.slug))


def _asked_by(state: State, day: date) -> bool:
    return state.due <= day or state.last_day >= day


def deck(questions: Sequence[Listed], day: date, usual: Pace) -> Deck:
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
    recent = session.connection().execute(_RECENT, {"user_id": user.id})
    return pace((rating != Rating.AGAIN, seconds or 0.0) for rating, seconds in recent)


def titles(session: Session) -> dict[int, dict[str, str]]:
    """The titles of the published questions, by revision and language."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for revision, lang, title in session.execute(_TITLES):
        found[revision][lang] = title
    return found
