"""Flag and note on the pages: what a form says of them, and what a page shows."""

from dataclasses import dataclass
from datetime import datetime

from flask import request, url_for
from sqlalchemy.orm import Session

from quizsvc.models import Presentation, User
from quizsvc.practice import remarks
from quizsvc.practice.remarks import MAX_NOTE
from quizsvc.schemas import RemarkOut

FLAGS = {"flag": True, "unflag": False}


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a page needs to show the flag and the note and to keep them as one writes."""

    flagged: bool
    note: str
    waits: bool  # the note is there, and is not shown before the answer
    address: str
    etag: str
    longest: int = MAX_NOTE


def sent(
    session: Session, user: User, question_id: int, *, at: datetime
) -> remarks.Kept:
    """Keep what the form says; a form without either changes nothing. Raises Invalid."""
    return remarks.keep(
        session,
        user,
        question_id,
        flagged=FLAGS.get(request.form.get("remark", "")),
        note=request.form.get("note"),
        at=at,
    )


def shown(session: Session, user: User, asked: Presentation) -> Shown:
    """Flag and note beside a question that was asked, answered or not."""
    found = remarks.kept(session, user, asked.question_id)
    waits = asked.answer is None and remarks.tells(found, asked)
    return Shown(
        flagged=found.flagged,
        note="" if waits else found.note,
        waits=waits,
        address=url_for("remarks.set_remark", slug=asked.question.slug),
        etag=RemarkOut.model_validate(found).etag,
    )
