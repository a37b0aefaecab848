"""The questions that can be met: found by slug, or searched in what may be seen of them."""

from typing import NamedTuple

from sqlalchemy import and_, select
from sqlalchemy.orm import Session, joinedload

from question_bank.models import Pack, Question, Revision, RevisionText
from quizsvc.models import MemoryState, User
from quizsvc.refusals import NotFound


class Found(NamedTuple):
    """A published question in one language, and what ``user`` remembers of it."""

    slug: str
    pack: str
    revision: Revision
    text: RevisionText
    state: MemoryState | None


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


def search(  # noqa: PLR0913 - each is one way to narrow the search
    session: Session,
    *,
    lang: str,
    pack: str | None = None,
    topic: str | None = None,
    level: str | None = None,
    type: str | None = None,
    q: str | None = None,
    after: str | None = None,
    limit: int | None = None,
    user: User | None = None,
) -> list[Found]:
    """Published questions written in ``lang``, by slug, from the one behind ``after`` on,
    all of them or the first ``limit``.

    What is None or empty narrows nothing. ``type`` is single, multi, open, estimate, or
    choice for the first two; ``q`` stands in the title or the stem, never in anything hidden.
    """
    mine = and_(
        MemoryState.question_id == Question.id,
        MemoryState.user_id == (user.id if user else None),
    )
    rows = (
        select(Question.slug, Pack.slug, Revision, RevisionText, MemoryState)
        .join(Revision, Question.current_id == Revision.id)
        .join(RevisionText, RevisionText.revision_id == Revision.id)
        .join(Pack, Question.pack_id == Pack.id)
        .outerjoin(MemoryState, mine)
        .where(Question.retired_at.is_(None), RevisionText.lang == lang)
        .order_by(Question.slug)
        .limit(limit)
    )
    exact = {Pack.slug: pack, Revision.topic: topic, Revision.level: level}
    if type == "choice":
        rows = rows.where(Revision.type.in_(["single", "multi"]))
    else:
        exact[Revision.type] = type
    rows = rows.where(*(column == value for column, value in exact.items() if value))
    if after:
        rows = rows.where(Question.slug > after)
    if q:
        has = RevisionText.title.icontains(q, autoescape=True)
        rows = rows.where(has | RevisionText.stem.icontains(q, autoescape=True))
    return [Found(*row) for row in session.execute(rows)]
