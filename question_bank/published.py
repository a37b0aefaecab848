"""What revisions say, read once: a revision never changes after it was written."""

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from question_bank.content import QuestionItem
from question_bank.kept import Kept
from question_bank.models import Choice, KeyPoint, Revision, RevisionText
from question_bank.rows import item_of

_items: Kept[str, QuestionItem] = Kept()  # by content hash


def content(session: Session, content_hash: str) -> QuestionItem:
    """The item that a revision with this hash was made of. Raises NoResultFound."""
    item = _items.get(content_hash)
    if item is None:
        item = _items[content_hash] = item_of(_loaded(session, content_hash))
    return item


def _loaded(session: Session, content_hash: str) -> Revision:
    """A revision with its texts, in a few queries instead of one for each line."""
    texts = selectinload(Revision.texts)
    return session.scalars(
        select(Revision)
        .where(Revision.content_hash == content_hash)
        .order_by(Revision.id)
        .limit(1)
        .options(
            texts.selectinload(RevisionText.pitfalls),
            texts.selectinload(RevisionText.follow_ups),
            texts.selectinload(RevisionText.references),
            selectinload(Revision.choices).selectinload(Choice.texts),
            selectinload(Revision.key_points).selectinload(KeyPoint.texts),
            selectinload(Revision.evidence),
            joinedload(Revision.estimate),
            joinedload(Revision.figure),
        )
    ).one()
