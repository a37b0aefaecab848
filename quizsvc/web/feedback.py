"""After the answer: the verdict, its proof, the explanation, the next date; marks and undo."""

from datetime import UTC, datetime

from flask import Blueprint, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from quizsvc import db, practice
from quizsvc.models import Answer, User
from quizsvc.practice import NotComputed
from quizsvc.practice.prospects import prospect, rungs, until
from quizsvc.refusals import Conflict, Invalid, NotFound
from quizsvc.web import evidence, language, plots, remarks, ruler
from quizsvc.web.practice import ask
from quizsvc.web.words import _

bp = Blueprint("feedback", __name__)


@bp.get("/answers/<answer_id>")
def show(answer_id: str) -> str:
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    return _page(session, user, practice.find_answer(session, user, answer_id), at=at)


@bp.post("/answers/<answer_id>")
def mark(answer_id: str) -> Response | tuple[str, int]:
    """Tick the key points of an open answer and rate it; sent twice, it counts once."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    points, rating = request.form.getlist("point"), request.form.get("rating", "")
    try:
        practice.mark_answer(session, user, answer_id, points, rating, at=at)
    except Conflict:
        session.rollback()
    except Invalid:
        session.rollback()
        user = practice.local_user(session, at=at)
        given = practice.find_answer(session, user, answer_id)
        return _page(session, user, given, at=at, ticked=points), 422
    session.commit()
    return redirect(url_for(".show", answer_id=answer_id), 303)


@bp.post("/answers/<answer_id>/remark")
def remark(answer_id: str) -> Response:
    """Keep the flag or the note on the question that was answered."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    asked = practice.find_answer(session, user, answer_id).presentation
    remarks.sent(session, user, asked.question_id, at=at)
    session.commit()
    return redirect(url_for(".show", answer_id=answer_id, _anchor="note"), 303)


@bp.post("/reviews/<review_id>/undo")
def undo(review_id: str) -> Response:
    """Take an answer back and ask its question anew, with what was said kept."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    answer = practice.undo(session, user, review_id, at=at).answer
    target = url_for("today.show")
    if answer is not None:
        try:
            shown = ask(session, user, answer.presentation.question.slug, at=at)
            target = url_for("practice.show", presentation_id=shown.id, again=answer.id)
        except (NotFound, NotComputed):  # what was undone stays undone
            pass
    session.commit()
    return redirect(target, 303)


def _page(
    session: Session,
    user: User,
    given: Answer,
    *,
    at: datetime,
    ticked: list[str] | None = None,
) -> str:
    view = practice.feedback(session, given, lang=language.chosen())
    parts = [c.id for c in view.choices] or [point.id for point in view.key_points]
    m = view.measured
    latest = practice.latest_review(session, user)
    ahead = prospect(session, user, given)
    today = practice.today(session, user, at=at)
    dates = practice.dates_by_rating(session, user, given, at=at)
    return render_template(
        "feedback.html",
        answer=view,
        asked=given.presentation_id,
        remark=remarks.shown(session, user, given.presentation),
        seconds=given.seconds,
        prospect=ahead,
        upcoming=ahead and until(user.interview_date, ahead.then, today.day),
        rungs=rungs(session, user, [one.slug for one in view.follow_ups if one.slug]),
        retention=user.target_retention,
        today=today,
        ruler=m and ruler.of(m, view.number),
        seeds=m and _(", ").join(map(plots.number, m.values)),
        origin=m and evidence.origin(session, m.experiment, m.params),
        drawn_by=view.figure
        and evidence.origin(session, view.figure.experiment, view.figure.params),
        cards=evidence.cards(session, view.evidence, parts),
        undoable=view.review and latest and view.review.id == latest.id,
        dates=None if view.review else dates,
        ticked=ticked,
    )
