"""Questions as they may be seen before the answer."""

from typing import Any

from apiflask import APIBlueprint
from sqlalchemy import select
from sqlalchemy.orm import Session

from question_bank.models import Pack, Question, Revision, RevisionText
from quizsvc import db
from quizsvc.api import paging
from quizsvc.markdown import render
from quizsvc.refusals import NotFound
from quizsvc.schemas import LangIn, QuestionOut, QuestionsIn, QuestionsOut

bp = APIBlueprint("questions", __name__, url_prefix="/api/v1", tag="Questions")


@bp.get("/questions")
@bp.input(QuestionsIn, location="query")
@bp.output(QuestionsOut)
def questions(query_data: QuestionsIn) -> paging.Page[dict[str, Any]]:
    """The published questions by slug; ``q`` searches titles and stems alone."""
    rows = find(db.session(), query_data, after=paging.key_of(query_data.after))
    return paging.page(rows, query_data.limit, key=lambda row: str(row["slug"]))


@bp.get("/questions/<slug>")
@bp.input(LangIn, location="query")
@bp.output(QuestionOut)
@bp.doc(responses=[404])
def question(slug: str, query_data: LangIn) -> dict[str, Any]:
    """One question without its key. Choices come by text: their order tells nothing."""
    revision = published(db.session(), slug)
    texts = {text.lang: text for text in revision.texts}
    lang = query_data.lang if query_data.lang in texts else "en"
    choices = sorted(
        text.text for c in revision.choices for text in c.texts if text.lang == lang
    )
    return {
        **summary(revision, texts[lang]),
        "lang": lang,
        "languages": sorted(texts),
        "stem": texts[lang].stem,
        "stem_html": render(texts[lang].stem),
        "choices": [{"text": t, "text_html": render(t, inline=True)} for t in choices],
    }


def published(session: Session, slug: str) -> Revision:
    """The revision that is shown now. Raises NotFound for unknown and retired slugs."""
    revision = session.scalar(
        select(Revision)
        .join(Question, Question.current_id == Revision.id)
        .where(Question.slug == slug, Question.retired_at.is_(None))
    )
    if revision is None:
        raise NotFound("not-found", f"There is no question {slug!r}.")
    return revision


def find(
    session: Session, wanted: QuestionsIn, after: str | None
) -> list[dict[str, Any]]:
    """One more than ``limit`` published questions behind ``after``, by slug."""
    rows = (
        select(Revision, RevisionText)
        .join(Question, Question.current_id == Revision.id)
        .join(RevisionText)
        .where(Question.retired_at.is_(None), RevisionText.lang == wanted.lang)
        .order_by(Question.slug)
        .limit(wanted.limit + 1)
    )
    if after is not None:
        rows = rows.where(Question.slug > after)
    if wanted.pack is not None:
        rows = rows.join(Pack, Question.pack_id == Pack.id).where(
            Pack.slug == wanted.pack
        )
    for column in ("topic", "level", "type"):
        if (value := getattr(wanted, column)) is not None:
            rows = rows.where(getattr(Revision, column) == value)
    if wanted.q:
        has = RevisionText.title.icontains(wanted.q, autoescape=True)
        rows = rows.where(has | RevisionText.stem.icontains(wanted.q, autoescape=True))
    return [summary(revision, text) for revision, text in session.execute(rows)]


def summary(revision: Revision, text: RevisionText) -> dict[str, Any]:
    return {
        "slug": revision.question.slug,
        "pack": revision.question.pack.slug,
        "type": revision.type,
        "level": revision.level,
        "topic": revision.topic,
        "title": text.title,
    }
