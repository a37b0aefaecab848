"""The practice loop: what is due, a question shown, its answer, marks on open answers."""

import random
from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint
from flask import Response, url_for

from quizsvc import db, practice
from quizsvc.api import paging
from quizsvc.idempotency import Reply, once
from quizsvc.markdown import render
from quizsvc.models import Answer
from quizsvc.practice import (
    DueItem,
    EvidenceView,
    Feedback,
    MeasuredKey,
    ShownFigure,
    Submission,
)
from quizsvc.schemas import (
    AnswerIn,
    AnswerOut,
    DueIn,
    DueOut,
    LangIn,
    MarksIn,
    PresentationOut,
    PresentIn,
)

bp = APIBlueprint("answers", __name__, url_prefix="/api/v1", tag="Practice")


@bp.get("/due")
@bp.input(DueIn, location="query")
@bp.output(DueOut)
def due(query_data: DueIn) -> paging.Page[DueItem]:
    """What to do now, in order, with the reason for each.

    due: recall has fallen to the target; new: never met; with an interview date also
    weak: there is time to spare and it will be recalled least on the day; gain: time is
    short and it raises recall on the day most for what it takes; leech: it is forgotten
    more often than chance explains; sibling: all that proves it is shown with one that
    comes first or came today.
    """
    session, at = db.session(), datetime.now(UTC)
    items = practice.due(
        session, practice.local_user(session, at=at), at=at, lang=query_data.lang
    )
    after = paging.key_of(query_data.after, paging.PLACE)
    rest = items if after is None else practice.behind(items, after)
    return paging.page(rest, query_data.limit, key=lambda item: item.place)


@bp.post("/questions/<slug>/presentations")
@bp.input(PresentIn)
@bp.output(PresentationOut, status_code=201)
@bp.doc(responses=[404, 409])
def present(
    slug: str, json_data: PresentIn
) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Show a question: pins its revision, the order of its choices and the scoring rule.

    Prose is Markdown with TeX; what ends in _html is clean HTML with MathML. 409 while the
    experiment that gives its key or its figure is being computed.
    """
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    chance = random.SystemRandom()
    try:
        shown = practice.present(session, user, slug, json_data.lang, at=at, rng=chance)
    except practice.NotComputed:
        practice.compute(session, slug, at=at)
        session.commit()
        raise
    view = practice.shown(session, shown)
    body = {
        **view,
        "stem_html": render(view["stem"]),
        "choices": [
            {**c, "text_html": render(c["text"], inline=True)} for c in view["choices"]
        ],
    }
    session.commit()
    return body, 201, {"Location": url_for(".answer", presentation_id=shown.id)}


@bp.post("/presentations/<presentation_id>/answers")
@bp.input(AnswerIn)
@bp.output(AnswerOut, status_code=201)
@bp.doc(responses=[404, 409, 410], extensions={"x-idempotency": True})
def answer(presentation_id: str, json_data: AnswerIn) -> Response:
    """Answer a question that was shown. Needs an Idempotency-Key; send it again to retry.

    An answer that was given without a network carries answered_at: the presentation must
    not have expired by then, and the review counts for that day. Sent again, the request
    gets the answer as it stands by then.
    """
    session, at = db.session(), datetime.now(UTC)
    given: Answer | None = None

    def effect() -> Reply:
        nonlocal given
        said = Submission(**json_data.model_dump())
        given = practice.answer_shown(session, user, shown, said, at=at)
        return Reply("", 201, url_for(".read", answer_id=given.id))

    with db.turn() as write:
        user, shown = practice.shown_to_local(session, presentation_id)
        known = practice.background(session, shown, lang=shown.lang)
        write()
        response = once(session, user, effect, at=at, required=True)
    # Others write while the answer is told: it has been recorded, and can be told anew.
    if given is None:  # it was recorded before
        answer_id = str(response.location).rpartition("/")[2]
        given = practice.find_answer(session, user, answer_id)
    response.set_data(_body(given, practice.explain(given, known)))
    return response


@bp.get("/answers/<answer_id>")
@bp.input(LangIn, location="query")
@bp.output(AnswerOut)
@bp.doc(responses=[404])
def read(answer_id: str, query_data: LangIn) -> dict[str, Any]:
    """An answer that was given, with everything it earned."""
    session = db.session()
    user = practice.local_user(session, at=datetime.now(UTC))
    given = practice.find_answer(session, user, answer_id)
    return _out(given, practice.feedback(session, given, lang=query_data.lang))


@bp.post("/answers/<answer_id>/marks")
@bp.input(MarksIn)
@bp.output(AnswerOut, status_code=201)
@bp.doc(responses=[404, 409], extensions={"x-idempotency": False})
def mark(answer_id: str, json_data: MarksIn) -> Response:
    """Tick the key points an open answer made, rate it, and so schedule the question."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)

    def effect() -> Reply:
        given = practice.mark_answer(
            session, user, answer_id, json_data.points, json_data.rating, at=at
        )
        view = practice.feedback(session, given, lang=given.presentation.lang)
        place = url_for(".read", answer_id=given.id)
        return Reply(_body(given, view), 201, place)

    return once(session, user, effect, at=at, required=False)


def _body(given: Answer, view: Feedback) -> str:
    return AnswerOut.model_validate(_out(given, view)).model_dump_json()


def _out(given: Answer, view: Feedback) -> dict[str, Any]:
    depths = {"short": view.short, "detailed": view.detailed, "full": view.full}
    return {
        **vars(view),
        "id": given.id,
        "presentation": given.presentation_id,
        "text": given.text,
        "explanation": depths,
        "explanation_html": {name: render(text) for name, text in depths.items()},
        "choices": [
            {**vars(c), "rationale_html": render(c.rationale, inline=True)}
            for c in view.choices
        ],
        "pitfalls": [{"belief": b, "why": w} for b, w in view.pitfalls],
        "follow_ups": [{"prompt": p, "slug": s} for p, s in view.follow_ups],
        "references": [
            {"title": t, "url": u, "note": n} for t, u, n in view.references
        ],
        "measured": view.measured and _with_run(view.measured),
        "figure": view.figure and _with_run(view.figure),
        "evidence": [_with_run(e) for e in view.evidence],
    }


def _with_run(view: EvidenceView | MeasuredKey | ShownFigure) -> dict[str, Any]:
    return {**vars(view), "run": view.run_id}
