"""What a candidate keeps beside a question: a flag, to find it again, and a note.

A note often says the key in the candidate's own words. Before an answer only what was
written since the question was shown may be read; the rest waits until the answer.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from quizsvc.models import Presentation, Remark, User
from quizsvc.practice.users import lock
from quizsvc.refusals import invalid

MAX_NOTE = 5000  # characters


class Kept(NamedTuple):
    """The flag and the note on a question."""

    flagged: bool
    note: str
    written_at: datetime | None  # when the note was last changed; None without one


NOTHING = Kept(False, "", None)


def kept(session: Session, user: User, question_id: int) -> Kept:
    """What the user keeps beside a question."""
    return _kept(session.get(Remark, (user.id, question_id), populate_existing=True))


def keep(  # noqa: PLR0913 - whose, on which question, what, when
    session: Session,
    user: User,
    question_id: int,
    *,
    at: datetime,
    flagged: bool | None = None,
    note: str | None = None,
) -> Kept:
    """Set the flag, the note or both; None leaves as it is. Raises Invalid.

    Space around a note is dropped. A question without flag and note has no row.
    """
    lock(session, user)
    row = session.get(Remark, (user.id, question_id), populate_existing=True)
    before = _kept(row)
    text = before.note if note is None else _plain(note)
    flag = before.flagged if flagged is None else flagged
    if row is None:
        row = Remark(
            user_id=user.id,
            question_id=question_id,
            flagged=flag,
            note=text,
            changed_at=at,
        )
        if flag or text:
            session.add(row)
    elif flag or text:
        row.flagged = flag
        if row.note != text:
            row.note, row.changed_at = text, at
    else:
        session.delete(row)
    session.flush()
    return _kept(row)


def flagged(session: Session, user: User) -> set[int]:
    """The ids of the questions that carry the user's flag."""
    mine = select(Remark.question_id).where(Remark.user_id == user.id, Remark.flagged)
    return set(session.scalars(mine))


def tells(found: Kept, shown: Presentation) -> bool:
    """Whether a note may tell the key of a question that is shown and not answered."""
    return found.written_at is not None and found.written_at < shown.created_at


def _kept(row: Remark | None) -> Kept:
    if row is None:
        return NOTHING
    return Kept(row.flagged, row.note, row.changed_at if row.note else None)


def _plain(note: str) -> str:
    text = note.replace("\r\n", "\n").strip()
    if len(text) > MAX_NOTE:
        detail = f"A note has at most {MAX_NOTE} characters."
        raise invalid("/note", "too-long", detail)
    return text
