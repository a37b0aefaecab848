"""The bank: find a question, look at it without its key, practise it."""

from datetime import UTC, datetime

from flask import Blueprint, render_template, request
from sqlalchemy import func, select

from question_bank.content import LEVELS, SOURCE
from question_bank.models import Question
from question_bank.published import content
from quizsvc import db, practice
from quizsvc.models import MemoryState
from quizsvc.practice import Found
from quizsvc.web import language, words

bp = Blueprint("bank", __name__)

FILTERS = ("q", "topic", "level", "form")
PAGE = 50


@bp.get("/questions")
def index() -> str:
    """The questions that pass the filters of the address, by level and title."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    chosen = {name: request.args.get(name, "").strip() for name in FILTERS}
    found = practice.search(
        session,
        lang=language.chosen(),
        q=chosen["q"],
        topic=chosen["topic"],
        level=chosen["level"],
        type=chosen["form"] if chosen["form"] in words.FORMS else None,
        user=user,
    )
    found.sort(key=_place)
    slugs = [row.slug for row in found]
    after = request.args.get("after")
    start = slugs.index(after) + 1 if after in slugs else 0
    rows = found[start : start + PAGE]
    return render_template(
        "questions.html",
        chosen=chosen,
        used={name: value for name, value in chosen.items() if value},
        rows=rows,
        found=len(found),
        following=rows[-1].slug if found[start + PAGE :] else None,
        total=session.scalar(
            select(func.count(Question.id)).where(Question.retired_at.is_(None))
        ),
    )


def _place(row: Found) -> tuple[int, bytes]:
    """By level, then by title; GB 18030 has the common Chinese characters by sound."""
    title = row.text.title.casefold().encode("gb18030")
    return LEVELS.index(row.revision.level), title


@bp.get("/questions/<slug>")
def show(slug: str) -> str:
    """A question as it is before the answer; its choices by text, so order tells nothing."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    revision = practice.published(session, slug)
    item = content(session, revision.content_hash)
    lang, text = practice.in_language(item, language.chosen(), SOURCE)
    return render_template(
        "question.html",
        slug=slug,
        revision=revision,
        text=text,
        choices=sorted(choice.text for choice in text.choices.values()),
        estimate=practice.tolerance(item, lang),
        figure=item.figure is not None,
        state=session.get(MemoryState, (user.id, revision.question_id)),
    )
