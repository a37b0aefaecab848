"""The first page: how much there is to do today, why, and where it leads."""

from datetime import UTC, datetime

from flask import Blueprint, render_template

from quizsvc import db, practice
from quizsvc.practice import Plan
from quizsvc.practice.glance import glance
from quizsvc.web import plan_figures
from quizsvc.web.progress_figures import Figure, axis, figure, series
from quizsvc.web.words import _

bp = Blueprint("today", __name__)


@bp.get("/")
def show() -> str:
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    seen = glance(session, user, at=at)
    figures = []
    if len(seen.plan.days) > 1:
        figures = [plan_figures.course(seen.plan), minutes(seen.plan)]
    return render_template(
        "today.html",
        today=practice.today(session, user, at=at),
        plan=seen.plan,
        week=seen.week,
        started=seen.started,
        figures=figures,
    )


def minutes(plan: Plan) -> Figure:
    """Minutes a day as planned, beside those that the goal has."""
    ahead = [(day.date - plan.today).days for day in plan.days]
    planned = [round(day.minutes, 1) for day in plan.days]
    most = plan.goal.minutes_per_day
    alt = _(
        "About %(first)s minutes today, %(last)s on the last day; your goal has %(most)s.",
        first=format(planned[0], ".0f"),
        last=format(planned[-1], ".0f"),
        most=most,
    )
    return figure(
        "minutes",
        title=_("Minutes a day"),
        alt=alt,
        x=axis(_("days from today")),
        y=axis(_("minutes")),
        series=[
            series(_("as planned"), "1", ahead, planned),
            series(_("your goal"), "t", [ahead[0], ahead[-1]], [most, most]),
        ],
    )
