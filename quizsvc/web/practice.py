"""Practice: a question is asked, and its answer taken.

A GET only ever shows. What shows a question for the first time writes a presentation, so
it is a POST: a reload, a prefetch or the Back button asks nothing anew.
"""

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from question_bank.content import SOURCE
from question_bank.published import content
from quizsvc import db, practice
from quizsvc.models import Answer, Presentation, User
from quizsvc.practice import NotComputed, Submission
from quizsvc.refusals import Conflict, Invalid, invalid
from quizsvc.web import language, numbers, remarks, rounds

bp = Blueprint("practice", __name__)

MOST = practice.LIFETIME.total_seconds()  # that an answer can have taken


@bp.get("/practice")
def start() -> str:
    """What comes next, and a button that asks it."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    return render_template("start.html", today=practice.today(session, user, at=at))


@bp.post("/practice")
def begin() -> Response | tuple[str, int]:
    """Ask the next question, or the one that the form names."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    slug = request.form.get("slug")
    rounds.leave()
    if slug is None:
        items = practice.due(session, user, at=at)
        if not items:
            return redirect(url_for("today.show"), 303)
        slug = items[0].slug
    try:
        shown = ask(session, user, slug, at=at)
    except NotComputed as refusal:
        return _computing(session, slug, refusal, at=at), 409
    session.commit()
    return redirect(url_for(".show", presentation_id=shown.id), 303)


def _computing(
    session: Session, slug: str, refusal: NotComputed, *, at: datetime
) -> str:
    """A page to wait on. It neither names nor links the run: that would tell the key."""
    practice.compute(session, slug, at=at)
    session.commit()
    return render_template("computing.html", slug=slug, waiting=refusal)


def ask(session: Session, user: User, slug: str, *, at: datetime) -> Presentation:
    """Show a question in the page's language if it is written in it."""
    texts = content(session, practice.published(session, slug).content_hash).texts
    lang = language.chosen() if language.chosen() in texts else SOURCE
    chance = random.SystemRandom()
    return practice.present(session, user, slug, lang, at=at, rng=chance)


@bp.get("/practice/<presentation_id>")
def show(presentation_id: str) -> str | Response:
    """The question; ``again`` names an earlier answer to it, whose words are kept."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    shown = practice.find_presentation(session, user, presentation_id, at=at)
    if shown.answer is not None:
        return redirect(url_for("feedback.show", answer_id=shown.answer.id))
    ticked, text, number = request.args.getlist("choice"), "", ""
    if earlier := request.args.get("again"):
        answer = practice.find_answer(session, user, earlier)
        ticked, text = [*ticked, *_ticks(shown, answer)], answer.text
        number = "" if answer.number is None else f"{answer.number:.15g}"
    kept = {"ticked": ticked, "text": text, "number": number, "again": bool(earlier)}
    return _page(session, user, shown, at=at, **kept)


def _ticks(shown: Presentation, earlier: Answer) -> list[str]:
    return [opaque for opaque, name in shown.choices if name in earlier.chosen]


@bp.post("/practice/<presentation_id>")
def answer(presentation_id: str) -> Response | str | tuple[str, int]:
    """Take the answer, or keep flag and note in mid-question.

    An answer sent twice counts once and leads to the same page.
    """
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    try:
        if "remark" in request.form:
            return _remarked(session, user, presentation_id, at=at)
        said = submission()
        given = practice.submit_answer(session, user, presentation_id, said, at=at)
        remarks.sent(session, user, given.presentation.question_id, at=at)
    except Conflict as refusal:
        if refusal.code != "already-answered":
            raise
        session.rollback()
        return redirect(url_for(".show", presentation_id=presentation_id), 303)
    except Invalid as refusal:
        session.rollback()
        user = practice.local_user(session, at=at)
        shown = practice.find_presentation(session, user, presentation_id, at=at)
        code = refusal.errors[0].code if refusal.errors else refusal.code
        if refusal.errors and refusal.errors[0].pointer == "/note":
            code = "note-too-long"
        return _page(session, user, shown, at=at, trouble=code, **entered()), 422
    session.commit()
    return redirect(url_for("feedback.show", answer_id=given.id), 303)


def _remarked(
    session: Session, user: User, presentation_id: str, *, at: datetime
) -> Response | str:
    """The question as it was left, after a button of its form kept flag and note."""
    shown = practice.find_presentation(session, user, presentation_id, at=at)
    if shown.answer is not None:
        return redirect(url_for("feedback.show", answer_id=shown.answer.id), 303)
    remarks.sent(session, user, shown.question_id, at=at)
    session.commit()
    return _page(session, user, shown, at=at, remarked=True, **entered())


def entered() -> dict[str, Any]:
    """What the form holds, to be shown again."""
    return {
        "ticked": request.form.getlist("choice"),
        "text": request.form.get("text", "").strip(),
        "number": request.form.get("number", "").strip(),
        "note": request.form.get("note"),
    }


def submission() -> Submission:
    """What the form says. Raises Invalid for a number that cannot be read."""
    sent, confidence = entered(), request.form.get("confidence")
    try:
        seconds = float(request.form.get("seconds", ""))
    except ValueError:
        seconds = -1.0
    said = Submission(
        choices=sent["ticked"],
        text=sent["text"],
        dont_know=confidence == "none",
        confidence=confidence if confidence in {"sure", "unsure"} else None,
        seconds=seconds if 0 <= seconds <= MOST else None,
    )
    if said.dont_know or not sent["number"]:
        return said
    try:
        return replace(said, number=numbers.read(sent["number"]))
    except ValueError as error:
        raise invalid("/number", "not-a-number", "It cannot be read.") from error


def _page(
    session: Session, user: User, shown: Presentation, *, at: datetime, **kept: object
) -> str:
    """The question, with what was ``kept`` of an answer to it."""
    today = practice.today(session, user, at=at)
    slug = shown.question.slug
    last = practice.latest_review(session, user)
    return render_template(
        "practice.html",
        remark=remarks.shown(session, user, shown),
        last=last if last and last.study_day == today.day else None,
        question=practice.shown(session, shown, lang=language.chosen()),
        topic=shown.revision.topic,
        reason=shown.reason,
        item=next((item for item in today.items if item.slug == slug), None),
        today=today,
        **kept,
    )
