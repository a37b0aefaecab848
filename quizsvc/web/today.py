"""The first page: how much there is to do today, why, and where it leads."""

from datetime import UTC, datetime

from flask import Blueprint, render_template

from quizsvc import db, practice
from quizsvc.practice.deck import awaited
from quizsvc.practice.glance import glance
from quizsvc.web import plan_figures

bp = Blueprint("today", __name__)


@bp.get("/")
def show() -> str:
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    seen = glance(session, user, at=at)
    figures = []
    if len(seen.plan.days) > 1:
        figures = [plan_figures.course(seen.plan), plan_figures.minutes(seen.plan)]
    return render_template(
        "today.html",
        today=practice.today(session, user, at=at),
        plan=seen.plan,
        computing=awaited(session, user),
        week=seen.week,
        started=seen.started,
        figures=figures,
    )
