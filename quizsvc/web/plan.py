"""The plan: a form for the goal, and where it leads."""

from datetime import UTC, date, datetime
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask_babel import lazy_gettext as _l
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from quizsvc import db, practice
from quizsvc.models import User
from quizsvc.practice import Goal
from quizsvc.practice.deck import awaited
from quizsvc.refusals import Invalid, invalid
from quizsvc.web import language, plan_figures, words

bp = Blueprint("plan", __name__)

LISTS = ("packs", "topics", "levels", "languages")
TROUBLES = {
    "interview_date": _l("No day within ten years. Write one such as 2027-01-15."),
    "minutes_per_day": _l("Write a whole number from 0 to 1440."),
    "target_retention": _l("Write a number from 0.70 to 0.98, such as 0.9."),
    "time_zone": _l("There is no such time zone. Write one such as Asia/Shanghai."),
    "rollover_hour": _l("Write a whole hour from 0 to 23."),
}


@bp.get("/plan")
def show() -> str:
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    saved = request.args.get("saved") == "1"
    return _page(session, user, at=at, saved=saved)


@bp.post("/plan")
def set_goal() -> Response | tuple[str, int]:
    """Take the goal from the form; what cannot be one is shown again with the reason."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    try:
        practice.set_goal(session, user, _goal(), at=at)
    except Invalid as refusal:
        session.rollback()
        user = practice.local_user(session, at=at)
        names = [error.pointer.split("/")[1] for error in refusal.errors]
        troubles = {name: words.name(TROUBLES, name) for name in names}
        return _page(session, user, at=at, troubles=troubles, sent=_sent()), 422
    session.commit()
    return redirect(url_for(".show", saved=1), 303)


def _sent() -> dict[str, Any]:
    """What the form holds, to be read or shown again."""
    fields = {name: request.form.get(name, "").strip() for name in TROUBLES}
    return fields | {name: request.form.getlist(name) for name in LISTS}


def _goal() -> Goal:
    """What the form says. Raises Invalid for what cannot be read."""
    sent = _sent()
    kinds: dict[str, Any] = {
        "interview_date": lambda text: date.fromisoformat(text) if text else None,
        "minutes_per_day": int,
        "target_retention": float,
        "rollover_hour": int,
    }
    for name, kind in kinds.items():
        try:
            sent[name] = kind(sent[name])
        except ValueError as error:
            raise invalid(f"/{name}", "not-readable", "It cannot be read.") from error
    return Goal(**sent)


def _page(session: Session, user: User, *, at: datetime, **more: Any) -> str:
    found = practice.plan(session, user, at=at)
    figures = {}
    if len(found.days) > 1:
        figures["course"] = plan_figures.course(found)
        if found.goal.minutes_per_day:
            figures["load"] = plan_figures.load(found)
    return render_template(
        "plan.html",
        plan=found,
        today=practice.today(session, user, at=at),
        computing=awaited(session, user),
        figures=figures,
        options=practice.options(session),
        languages=language.LANGUAGES,
        **{"sent": vars(found.goal), **more},
    )
