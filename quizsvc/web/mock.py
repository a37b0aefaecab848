"""The mock interview: chosen, gone through one question a screen, reported.

A GET only ever shows. What asks a question is a POST, so a reload keeps question and clock.
"""

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from question_bank.content import LEVELS
from quizsvc import db, practice
from quizsvc.models import MockInterview, MockQuestion, User
from quizsvc.practice import Submission, mock
from quizsvc.practice.mock import Wish
from quizsvc.refusals import Conflict, Gone, Invalid, NotFound
from quizsvc.scheduling.days import study_day
from quizsvc.web import language, mock_views
from quizsvc.web.practice import entered, submission

bp = Blueprint("mock", __name__)

MINUTES = (10, 20, 30, 45)
PAGE = 20
CHANCE = random.SystemRandom()


@bp.app_template_global()
def open_mock() -> str | None:
    """The id of the interview that can be gone on with, for other pages."""
    session = db.session()
    user = practice.local_user(session, at=datetime.now(UTC))
    return mock.open_id(session, user)


@bp.get("/mock")
def index() -> str:
    """What an interview is to be like, and those that were."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    sent = Wish(lang=language.chosen(), topics=user.topics, levels=user.levels)
    return _index(session, user, sent, at=at)


@bp.post("/mock")
def start() -> Response | tuple[str, int]:
    """Start an interview; a wish that cannot be granted is shown again."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    minutes = request.form.get("minutes", "")
    wish = Wish(
        minutes=int(minutes) if minutes.isdecimal() and len(minutes) < 4 else 0,
        lang=request.form.get("lang", language.chosen()),
        topics=request.form.getlist("topics"),
        levels=request.form.getlist("levels"),
        mixed=request.form.get("mixed") == "1",
    )
    try:
        made = mock.start(session, user, wish, at=at, rng=CHANCE)
    except Invalid as refusal:
        session.rollback()
        user = practice.local_user(session, at=at)
        trouble = refusal.errors[0].code
        return _index(session, user, wish, at=at, trouble=trouble), 422
    session.commit()
    return redirect(url_for(".show", mock_id=made.id, position=1), 303)


@bp.get("/mock/<mock_id>")
def interview(mock_id: str) -> str:
    """The report, at any time; while the interview is open also the way on."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    found = mock.find(session, user, mock_id)
    view = mock.report(session, user, found, at=at)
    return render_template(
        "mock_report.html",
        report=view,
        guide=mock.GUIDE,
        begun=partial(_begun, user),
        text_lang=language.TAGS[found.lang],
    )


def _begun(user: User, interview: MockInterview) -> date:
    """The day on which an interview began, as the candidate counts days."""
    return study_day(interview.created_at, user.time_zone, user.rollover_hour)


@bp.post("/mock/<mock_id>/next")
def go_on(mock_id: str) -> Response:
    """Ask the next question, or the follow-up that the form names."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    follow = request.form.get("follow")
    try:
        asked = mock.go_on(session, user, mock_id, follow=follow, at=at, rng=CHANCE)
    except (Conflict, Invalid):  # ended, or asked, in another window
        session.rollback()
        return redirect(url_for(".interview", mock_id=mock_id), 303)
    session.commit()
    if asked is None:
        return redirect(url_for(".interview", mock_id=mock_id), 303)
    return redirect(url_for(".show", mock_id=mock_id, position=asked.position), 303)


@bp.post("/mock/<mock_id>/end")
def end(mock_id: str) -> Response:
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    mock.end(session, user, mock_id, at=at)
    session.commit()
    return redirect(url_for(".interview", mock_id=mock_id), 303)


@bp.get("/mock/<mock_id>/<int:position>")
def show(mock_id: str, position: int) -> str | Response:
    """A question as it stands: to be answered, to be marked, or done."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    found = mock.find(session, user, mock_id)
    asked = mock.question_at(found, position)
    standing = mock.stage(asked, at=at)
    if standing == "lost" or (standing == "asked" and found.ended_at is not None):
        return redirect(url_for(".interview", mock_id=mock_id))
    return _page(session, user, found, asked, at=at)


@bp.post("/mock/<mock_id>/<int:position>")
def take(mock_id: str, position: int) -> Response | tuple[str, int]:
    """Take an answer or its marks; sent twice, they count once."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    asked = mock.question_at(mock.find(session, user, mock_id), position)
    trouble = ""
    try:
        _take(session, user, asked, at=at)
        session.commit()
    except (Conflict, Gone) as refusal:
        session.rollback()
        if refusal.code not in {"already-answered", "already-marked"}:
            trouble = "asked-anew"
    except Invalid as refusal:
        session.rollback()
        trouble = refusal.errors[0].code
    if not trouble:
        return redirect(url_for(".show", mock_id=mock_id, position=position), 303)
    user = practice.local_user(session, at=at)
    found = mock.find(session, user, mock_id)
    if trouble == "asked-anew":
        mock.go_on(session, user, mock_id, at=at, rng=CHANCE)
        session.commit()
        found = mock.find(session, user, mock_id)
    asked = mock.question_at(found, position)
    status = 409 if trouble == "asked-anew" else 422
    return _page(session, user, found, asked, at=at, trouble=trouble, **_sent()), status


def _take(session: Session, user: User, asked: MockQuestion, *, at: datetime) -> None:
    shown = asked.presentation
    if shown is None:
        raise Gone("expired", "The question was shown too long ago.")
    if shown.answer is None or "marks" not in request.form:
        said = _submission(open_question=bool(shown.key_points))
        practice.submit_answer(session, user, shown.id, said, at=at)
        return
    points, rating = request.form.getlist("point"), request.form.get("rating", "")
    practice.mark_answer(session, user, shown.answer.id, points, rating, at=at)


def _sent() -> dict[str, Any]:
    """What the form holds, to be read or shown again."""
    return entered() | {
        "ticked": request.form.getlist("choice") + request.form.getlist("point")
    }


def _submission(*, open_question: bool) -> Submission:
    """What the form says; an open answer without words was said aloud, and the server
    knows the time. Raises Invalid."""
    said = submission()
    text = said.text if open_question else ""
    return replace(said, text=text, aloud=open_question and not text, seconds=None)


def _index(
    session: Session, user: User, sent: Wish, *, at: datetime, trouble: str = ""
) -> str:
    after = request.args.get("after")
    try:
        rows = mock.outlines(session, user, limit=PAGE + 1, after=after)
    except NotFound:
        rows = mock.outlines(session, user, limit=PAGE + 1)
    fits: Counter[tuple[str, str, str, bool]] = Counter()
    for lang in language.LANGUAGES:
        for one in mock.candidates(session, user, lang, at=at):
            fits[lang, one.topic, one.level, one.type == "open"] += 1
    standing = mock.find_open(session, user)
    return render_template(
        "mock.html",
        sent=sent,
        trouble=trouble,
        begun=partial(_begun, user),
        standing=standing,
        left=standing and mock.left(standing, at=at),
        rows=rows[:PAGE],
        following=rows[PAGE - 1].interview.id if rows[PAGE:] else None,
        minutes=MINUTES,
        rooms={
            each: [mock.room(each, mixed=False), mock.room(each, mixed=True)]
            for each in MINUTES
        },
        topics=mock.topics(session),
        levels=LEVELS,
        languages=language.LANGUAGES,
        fits=[[*key, count] for key, count in fits.items()],
    )


def _page(
    session: Session,
    user: User,
    found: MockInterview,
    asked: MockQuestion,
    *,
    at: datetime,
    **kept: object,
) -> str:
    standing = mock.stage(asked, at=at)
    view: dict[str, Any] = {
        "mock_id": found.id,
        "asked": asked,
        "total": len(found.questions) + len(found.ahead),
        "left": mock.left(found, at=at),
        "ended": found.ended_at is not None,
        "ahead": len(found.ahead),
        "guide": mock.GUIDE,
        "text_lang": language.TAGS[found.lang],
        **kept,
    }
    if standing in {"asked", "lost"}:
        view |= mock_views.question(session, found, asked, at=at)
        return render_template("mock_question.html", **view)
    view |= mock_views.answered(session, user, found, asked, at=at)
    page = "mock_points.html" if standing == "marking" else "mock_done.html"
    return render_template(page, **view)
