"""The questions that can be met: by slug, or all of them as one candidate's cards."""

from typing import NamedTuple

from sqlalchemy import and_, bindparam, select
from sqlalchemy.orm import Session, joinedload

from question_bank.models import Pack, Question, Revision
from quizsvc.models import MemoryState, User
from quizsvc.practice.covers import Cover, covers
from quizsvc.practice.reviewing import STATE, state_of
from quizsvc.refusals import NotFound
from quizsvc.scheduling.log import State

# Made once: to put a query together takes longer than to run it.
_ALL = (
    select(
        Question.id,
        Question.slug,
        Pack.slug,
        Revision.id,
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


class Held(NamedTuple):
    """A published question, and what a candidate remembers of it."""

    id: int
    slug: str
    pack: str
    revision_id: int
    content_hash: str
    cover: Cover
    state: State | None  # None: never met


def held(session: Session, user: User) -> list[Held]:
    """Every published question as the user holds it, in no order."""
    session.flush()  # a connection does not see to it
    rows = session.connection().execute(_ALL, {"user_id": user.id}).all()
    known = covers(session, frozenset(row.content_hash for row in rows))
    return [
        Held(number, slug, pack, revision, hash_, known[hash_], state_of(state))
        for number, slug, pack, revision, hash_, *state in rows
    ]


def topics(session: Session) -> list[str]:
    """The topics that published questions have, in order."""
    found = (
        select(Revision.topic)
        .join(Question, Question.current_id == Revision.id)
        .where(Question.retired_at.is_(None))
        .distinct()
    )
    return sorted(session.scalars(found))


def published_question(session: Session, slug: str) -> tuple[Question, Revision]:
    """A question and the revision that is shown now.

    Raises NotFound for unknown and retired slugs.
    """
    question = session.scalar(
        select(Question)
        .where(Question.slug == slug, Question.retired_at.is_(None))
        .options(joinedload(Question.current))
    )
    if question is None or question.current is None:
        raise NotFound("unknown-question", "There is no such question.")
    return question, question.current


def published(session: Session, slug: str) -> Revision:
    """The revision that is shown now. Raises NotFound for unknown and retired slugs."""
    return published_question(session, slug)[1]
