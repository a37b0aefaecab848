"""Where the candidate stands, and the review log as a file, both ways."""

from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint
from flask import Response, request
from werkzeug.exceptions import UnsupportedMediaType

from quizsvc import db, practice
from quizsvc.practice import MAX_FILE, Progress
from quizsvc.schemas import ImportIn, ImportOut, ProgressOut

bp = APIBlueprint("progress_api", __name__, url_prefix="/api/v1", tag="Progress")

TYPE = "text/csv"
FILE: dict[int | str, dict[str, str | dict[str, dict[str, Any]]]] = {
    200: {
        "description": "Comma-separated: a line for each review that counts, in order",
        "content": {TYPE: {"schema": {"type": "string"}}},
    }
}


@bp.url_value_preprocessor
def make_room(endpoint: str | None, _values: dict[str, Any] | None) -> None:
    """A file of reviews may be larger than other bodies."""
    if endpoint == "progress_api.import_":
        request.max_content_length = MAX_FILE


@bp.get("/progress")
@bp.output(ProgressOut)
def progress() -> Progress:
    """Recall tomorrow, true retention against predicted, confidence, topics, leeches, habit."""
    session, at = db.session(), datetime.now(UTC)
    return practice.progress(session, practice.local_user(session, at=at), at=at)


@bp.get("/reviews.csv")
@bp.doc(responses=FILE)
def export() -> Response:
    """The review log in the columns that FSRS optimizers take, and a few of our own.

    Undone reviews are not in it.
    """
    session, at = db.session(), datetime.now(UTC)
    text = practice.export_reviews(session, practice.local_user(session, at=at))
    name = f"quizsvc-reviews-{at:%Y-%m-%d}.csv"
    return Response(
        text,
        mimetype=TYPE,
        headers={"Content-Disposition": f"attachment; filename={name}"},
    )


@bp.post("/reviews/import")
@bp.input(ImportIn, location="query")
@bp.output(ImportOut)
@bp.doc(responses=[422], extensions={"x-body": TYPE})
def import_(query_data: ImportIn) -> dict[str, Any]:
    """Put the reviews of a file into the log; all of them or none.

    Needs the columns card_id (the slug of a question), review_time and review_rating.
    A time without an offset is read in zone. The same file again changes nothing;
    cards that are no questions here are left out and reported. Mistakes come with their
    line. An imported review cannot be undone.
    """
    if request.mimetype != TYPE:
        raise UnsupportedMediaType(f"The body must be {TYPE}.")
    session, at = db.session(), datetime.now(UTC)
    report = practice.import_reviews(
        session,
        practice.local_user(session, at=at),
        request.get_data(),
        at=at,
        zone=query_data.zone,
        dry_run=query_data.dry_run,
    )
    session.commit()
    return {"dry_run": query_data.dry_run, **vars(report)}
