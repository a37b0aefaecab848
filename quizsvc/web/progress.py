"""Progress: where the candidate stands, and the review log as a file."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, redirect, render_template, request, url_for
from flask_babel import lazy_gettext as _l
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from quizsvc import db, practice
from quizsvc.models import User
from quizsvc.practice import MAX_FILE
from quizsvc.refusals import FieldError, Invalid
from quizsvc.web import progress_figures, rendering, words
from quizsvc.web.words import _

bp = Blueprint("progress", __name__)

TOLD = 20  # mistakes of a file that the page names
MISTAKES = {
    "missing": _l("the line names no card."),
    "not-a-time": _l(
        "no time. Write milliseconds since 1970, or a date and time such as "
        "2026-03-02T09:00:00+01:00."
    ),
    "too-early": _l("before 2000. Whole numbers count milliseconds since 1970."),
    "in-the-future": _l("this moment has not come yet."),
    "not-a-rating": _l("no rating. Write 1 Again, 2 Hard, 3 Good or 4 Easy."),
    "not-a-duration": _l("no duration in whole milliseconds."),
    "not-a-day": _l("no day such as 2026-03-02."),
    "not-an-option": _l("neither sure nor unsure nor dont-know."),
    "not-a-chance": _l("no chance from 0 to below 1."),
    "contradiction": _l("it contradicts another cell, another line or your log."),
    "cells": _l("it has more or fewer cells than the first line."),
    "missing-column": _l("the first line must name this column."),
    "repeated-column": _l("the first line names this column twice."),
    "not-csv": _l("this is not CSV; a quotation mark may be missing."),
    "not-utf-8": _l("the text is not in UTF-8."),
    "too-large": _l("The file is larger than 8 MiB."),
    "too-many": _l("The file brings more than 20,000 new reviews. Split it."),
    "unknown-zone": _l("There is no such time zone. Write one such as Asia/Shanghai."),
}


@bp.url_value_preprocessor
def make_room(_endpoint: str | None, _values: dict[str, Any] | None) -> None:
    """A file comes in a form, and once more as a field of one."""
    request.max_content_length = request.max_form_memory_size = 2 * MAX_FILE


@bp.get("/progress")
def show() -> str:
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    added = request.args.get("added", type=int)
    return _page(session, user, at=at, added=added)


@bp.post("/progress")
def bring() -> Response | tuple[str, int] | str:
    """Check a file of reviews, or put what was checked into the log."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    zone = request.form.get("zone", "").strip() or user.time_zone
    checked = "text" in request.form
    file = request.files.get("file")
    data = request.form["text"].encode() if checked else file.read() if file else b""
    if not data:
        return _page(session, user, at=at, zone=zone, missing=True), 422
    try:
        report = practice.import_reviews(
            session, user, data, at=at, zone=zone, dry_run=not checked
        )
    except Invalid as refusal:
        session.rollback()
        user = practice.local_user(session, at=at)
        mistakes = [mistake(error) for error in refusal.errors[:TOLD]]
        rest = len(refusal.errors) - len(mistakes)
        return _page(session, user, at=at, zone=zone, mistakes=mistakes, more=rest), 422
    if checked:
        session.commit()
        return redirect(url_for(".show", added=report.new, _anchor="log"), 303)
    here, text = ZoneInfo(user.time_zone), data.decode("utf-8-sig")
    ends = (report.first, report.last)
    days = [end and end.astimezone(here).date() for end in ends]
    more: dict[str, Any] = {"report": report, "days": days, "text": text}
    return _page(session, user, at=at, zone=zone, **more)


def mistake(error: FieldError) -> str:
    """What is wrong with a file, in the language of the page."""
    what = words.name(MISTAKES, error.code)
    _root, *place = error.pointer.split("/")
    if place[0] != "lines":
        return what
    if len(place) > 2:
        return _(
            "Line %(line)s, %(column)s: %(what)s",
            line=place[1],
            column="`" + place[2] + "`",
            what=what,
        )
    return _("Line %(line)s: %(what)s", line=place[1], what=what)


def _page(session: Session, user: User, *, at: datetime, **more: Any) -> str:
    told = practice.progress(session, user, at=at)
    figures = {}
    if told.calibration:
        figures["calibration"] = progress_figures.calibration(told.calibration)
        names = [rendering.date_only(week.start) for week in told.weeks]
        if told.weeks:
            figures["weeks"] = progress_figures.weeks(told.weeks, names)
    if told.answers:
        if told.recall.met:
            figures["forecast"] = progress_figures.forecast(told.forecast[1:], told.day)
        figures["days"] = progress_figures.days(told.habit.days)
    return render_template(
        "progress.html",
        told=told,
        figures=figures,
        sure=told.confidence.get("sure"),
        rollover=format(user.rollover_hour, "02"),
        **{"zone": user.time_zone, **more},
    )
