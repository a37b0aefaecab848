"""What a revision says, read once: it never changes after it was written."""

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from question_bank.content import QuestionItem
from question_bank.models import Choice, KeyPoint, Revision, RevisionText
from question_bank.rows import item_of

KEPT = 1024
_items: dict[str, QuestionItem] = {}  # by content hash


def content(session: Session, revision: Revision) -> QuestionItem:
    """The item a revision was made of; the same object for the same content."""
    item = _items.get(revision.content_hash)
    if item is None:
        if len(_items) >= KEPT:
            _items.clear()
        item = _items[revision.content_hash] = item_of(_loaded(session, revision.id))
    return item


def _loaded(session: Session, revision_id: int) -> Revision:
    """The revision with its texts, in a few queries instead of one for each line."""
    texts = selectinload(Revision.texts)
    return session.scalars(
        select(Revision)
        .where(Revision.id == revision_id)
        .options(
            texts.selectinload(RevisionText.pitfalls),
            texts.selectinload(RevisionText.follow_ups),
            texts.selectinload(RevisionText.references),
            selectinload(Revision.choices).selectinload(Choice.texts),
            selectinload(Revision.key_points).selectinload(KeyPoint.texts),
            selectinload(Revision.evidence),
        )
    ).one()
