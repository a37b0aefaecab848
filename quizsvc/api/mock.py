"""Mock interviews: started, gone on with, ended. Answers are given as anywhere."""

import random
from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint
from flask import Response, url_for
from sqlalchemy.orm import Session

from quizsvc import db, practice
from quizsvc.api import paging
from quizsvc.idempotency import Reply, once
from quizsvc.models import MockInterview, User
from quizsvc.practice import mock
from quizsvc.practice.mock import Line, Outline, Wish
from quizsvc.refusals import NotFound
from quizsvc.schemas import MockIn, MockNextIn, MockNextOut, MockOut, MocksOut, PageIn

bp = APIBlueprint("mock_api", __name__, url_prefix="/api/v1", tag="Mock interviews")


@bp.get("/mock-interviews")
@bp.input(PageIn, location="query")
@bp.output(MocksOut)
def interviews(query_data: PageIn) -> paging.Page[dict[str, Any]]:
    """All mock interviews, newest first, with their result."""
    session = db.session()
    user = practice.local_user(session, at=datetime.now(UTC))
    after = paging.key_of(query_data.after, paging.NAME)
    try:
        rows = mock.outlines(session, user, limit=query_data.limit + 1, after=after)
    except NotFound as error:
        raise paging.bad_cursor() from error
    page = paging.page(rows, query_data.limit, key=lambda row: row.interview.id)
    return paging.Page([_item(row) for row in page.data], page.has_more, page.next)


@bp.post("/mock-interviews")
@bp.input(MockIn)
@bp.output(MockOut, status_code=201)
@bp.doc(extensions={"x-idempotency": True})
def start(json_data: MockIn) -> Response:
    """Choose the questions and ask the first; one that is still open ends.

    Open questions come first of all, weak and unseen topics before the others, and none
    whose feedback would give another away. Needs an Idempotency-Key.
    """
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)

    def effect() -> Reply:
        wish = Wish(**json_data.model_dump())
        made = mock.start(session, user, wish, at=at, rng=random.SystemRandom())
        found = mock.find(session, user, made.id)
        body = MockOut.model_validate(_out(session, user, found, at=at))
        place = url_for(".interview", mock_id=made.id)
        return Reply(body.model_dump_json(), 201, place)

    return once(session, user, effect, at=at, required=True)


@bp.get("/mock-interviews/<mock_id>")
@bp.output(MockOut)
@bp.doc(responses=[404])
def interview(mock_id: str) -> dict[str, Any]:
    """An interview with its questions and the report so far."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    return _out(session, user, mock.find(session, user, mock_id), at=at)


@bp.post("/mock-interviews/<mock_id>/questions")
@bp.input(MockNextIn)
@bp.output(MockNextOut)
@bp.doc(responses=[404, 409])
def go_on(mock_id: str, json_data: MockNextIn) -> dict[str, Any]:
    """The question to answer or mark now; when the last is done the next is asked.

    Its presentation is answered and marked like any other. Sent again it gives the same
    question, unless that was left for five minutes: then it is asked anew.
    """
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    chance = random.SystemRandom()
    asked = mock.go_on(
        session, user, mock_id, follow=json_data.follow, at=at, rng=chance
    )
    found = mock.find(session, user, mock_id)
    lines = mock.report(session, user, found, at=at).lines
    session.commit()
    return {"question": _line(lines[-1]) if asked else None}


@bp.post("/mock-interviews/<mock_id>/end")
@bp.output(MockOut)
@bp.doc(responses=[404])
def end(mock_id: str) -> dict[str, Any]:
    """End an interview; what was answered stays. Ending it again changes nothing."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    body = _out(session, user, mock.end(session, user, mock_id, at=at), at=at)
    session.commit()
    return body


def _item(row: Outline) -> dict[str, Any]:
    return {**vars(row.interview), **row._asdict()}


def _line(line: Line) -> dict[str, Any]:
    return {
        **vars(line),
        "presentation": line.presentation_id,
        "answer": line.answer_id,
        "contradictions": [one._asdict() for one in line.contradictions],
    }


def _out(
    session: Session, user: User, interview: MockInterview, *, at: datetime
) -> dict[str, Any]:
    view = mock.report(session, user, interview, at=at)
    answers = [line for line in view.lines if line.answer_id is not None]
    last = interview.questions[-1:]
    ladder = mock.ladder(session, user, interview, last[0], at=at) if last else []
    return {
        **vars(interview),
        "asked": len(view.lines),
        "answered": len(answers),
        "score": view.score,
        "planned": view.planned,
        "seconds_spent": view.spent,
        "seconds_left": view.left,
        "over": view.over,
        "questions": [_line(line) for line in view.lines],
        "report": view.topics,
        "follow_ups": [rung.slug for rung in ladder if rung.slug],
    }
