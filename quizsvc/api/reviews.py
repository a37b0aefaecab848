"""The review log, newest first, and undo."""

from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint

from quizsvc import db, practice
from quizsvc.api import paging
from quizsvc.models import Review
from quizsvc.practice import RATINGS
from quizsvc.schemas import PageIn, ReviewOut, ReviewsOut

bp = APIBlueprint("reviews", __name__, url_prefix="/api/v1", tag="Reviews")


@bp.get("/reviews")
@bp.input(PageIn, location="query")
@bp.output(ReviewsOut)
def reviews(query_data: PageIn) -> paging.Page[dict[str, Any]]:
    """Every review, also the undone ones; nothing is ever deleted."""
    session = db.session()
    user = practice.local_user(session, at=datetime.now(UTC))
    after = paging.key_of(query_data.after, paging.NUMBER)
    rows = practice.reviews(session, user, limit=query_data.limit + 1, after=after)
    page = paging.page(rows, query_data.limit, key=lambda row: row.sequence)
    return paging.Page([_out(row) for row in page.data], page.has_more, page.next)


@bp.post("/reviews/<review_id>/undo")
@bp.output(ReviewOut)
@bp.doc(responses=[404, 409])
def undo(review_id: str) -> dict[str, Any]:
    """Take back the latest review: the card's state is again what it was before."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    row = practice.undo(session, user, review_id, at=at)
    body = _out(row)
    session.commit()
    return body


def _out(row: Review) -> dict[str, Any]:
    return {
        "id": row.id,
        "slug": row.question.slug,
        "answer": row.answer_id,
        "rating": RATINGS[row.rating - 1],
        "chance": row.chance,
        "confidence": row.confidence,
        "seconds": row.seconds,
        "study_day": row.study_day,
        "reviewed_at": row.reviewed_at,
        "predicted": row.predicted,
        "stability": row.after["stability"],
        "difficulty": row.after["difficulty"],
        "due": row.after["due"],
        "voided_at": row.voided_at,
    }
