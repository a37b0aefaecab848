"""The first page: how much there is to do today, and why."""

from datetime import UTC, datetime

from flask import Blueprint, render_template

from quizsvc import db, practice

bp = Blueprint("today", __name__)


@bp.get("/")
def show() -> str:
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    return render_template(
        "today.html",
        today=practice.today(session, user, at=at),
        started=bool(practice.reviews(session, user, limit=1)),
    )
