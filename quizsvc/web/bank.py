"""The bank: find a question, look at it without its key, practise it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from flask import Blueprint, render_template, request
from sqlalchemy import ColumnElement, Row, and_, func, select
from sqlalchemy.orm import Session

from question_bank.content import SOURCE
from question_bank.models import Question, Revision, RevisionText
from question_bank.published import content
from quizsvc import db, practice
from quizsvc.api.questions import published
from quizsvc.models import MemoryState, User
from quizsvc.web import language

bp = Blueprint("bank", __name__)

FILTERS = ("q", "topic", "level", "form")
PAGE = 50
Found = Row[str, Revision, RevisionText, MemoryState | None]


@bp.get("/questions")
def index() -> str:
    """The questions that pass the filters of the address, by slug."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    chosen = {name: request.args.get(name, "").strip() for name in FILTERS}
    rows = _found(session, user, chosen, request.args.get("after", ""))
    return render_template(
        "questions.html",
        chosen=chosen,
        used={name: value for name, value in chosen.items() if value},
        rows=rows[:PAGE],
        following=rows[PAGE - 1][0] if len(rows) > PAGE else None,
        total=session.scalar(
            select(func.count(Question.id)).where(Question.retired_at.is_(None))
        ),
    )


def _found(
    session: Session, user: User, chosen: Mapping[str, str], after: str
) -> Sequence[Found]:
    """One more than a page of questions behind a slug. Only what may be seen is searched."""
    mine = and_(MemoryState.question_id == Question.id, MemoryState.user_id == user.id)
    words = and_(
        RevisionText.revision_id == Revision.id, RevisionText.lang == language.chosen()
    )
    rows = (
        select(Question.slug, Revision, RevisionText, MemoryState)
        .join(Revision, Question.current_id == Revision.id)
        .join(RevisionText, words)
        .outerjoin(MemoryState, mine)
        .where(Question.retired_at.is_(None), Question.slug > after, *_passing(chosen))
        .order_by(Question.slug)
        .limit(PAGE + 1)
    )
    return session.execute(rows).all()


def _passing(chosen: Mapping[str, str]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if text := chosen["q"]:
        has = RevisionText.title.icontains(text, autoescape=True)
        conditions.append(has | RevisionText.stem.icontains(text, autoescape=True))
    if chosen["topic"]:
        conditions.append(Revision.topic == chosen["topic"])
    if chosen["level"]:
        conditions.append(Revision.level == chosen["level"])
    if chosen["form"]:  # choice or open, no more: how many are right is not told
        is_open = Revision.type == "open"
        conditions.append(is_open if chosen["form"] == "open" else ~is_open)
    return conditions


@bp.get("/questions/<slug>")
def show(slug: str) -> str:
    """A question as it is before the answer; its choices by text, so order tells nothing."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    revision = published(session, slug)
    texts = content(session, revision.content_hash).texts
    there = (text for lang, text in texts.items() if lang == language.chosen())
    text = next(there, texts[SOURCE])
    return render_template(
        "question.html",
        slug=slug,
        revision=revision,
        text=text,
        choices=sorted(choice.text for choice in text.choices.values()),
        state=session.get(MemoryState, (user.id, revision.question_id)),
    )
