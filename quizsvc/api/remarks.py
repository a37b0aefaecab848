"""Flag and note: what the candidate keeps beside a question."""

from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint

from quizsvc import db, practice
from quizsvc.api import etags
from quizsvc.practice import remarks
from quizsvc.practice.remarks import Kept
from quizsvc.practice.users import lock
from quizsvc.schemas import RemarkIn, RemarkOut

bp = APIBlueprint("remarks", __name__, url_prefix="/api/v1", tag="Questions")


@bp.get("/questions/<slug>/remark")
@bp.output(RemarkOut)
@bp.doc(responses=[404])
def remark(slug: str) -> tuple[dict[str, Any], int, dict[str, str]]:
    """The flag and the note on a question, with an ETag. The note may tell the key."""
    session = db.session()
    user = practice.local_user(session, at=datetime.now(UTC))
    question_id = practice.published(session, slug).question_id
    return _out(remarks.kept(session, user, question_id))


@bp.put("/questions/<slug>/remark")
@bp.input(RemarkIn)
@bp.output(RemarkOut)
@bp.doc(responses=[404, 412, 428], extensions={"x-if-match": True})
def set_remark(
    slug: str, json_data: RemarkIn
) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Set the flag, the note or both; what the body leaves out stays as it is.

    If-Match names the ETag that was read, so that nothing written elsewhere is lost: 428
    without it, 412 when the remark has changed since.
    """
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    question_id = practice.published(session, slug).question_id
    lock(session, user)
    before = remarks.kept(session, user, question_id)
    etags.check(RemarkOut.model_validate(before).etag)
    wanted = json_data.model_dump(exclude_unset=True)
    found = remarks.keep(session, user, question_id, at=at, **wanted)
    session.commit()
    return _out(found)


def _out(found: Kept) -> tuple[dict[str, Any], int, dict[str, str]]:
    etag = RemarkOut.model_validate(found).etag
    return found._asdict(), 200, etags.header(etag)
