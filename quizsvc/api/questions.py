"""Questions as they may be seen before the answer."""

from typing import Any

from apiflask import APIBlueprint

from question_bank.models import Revision, RevisionText
from question_bank.published import content
from quizsvc import db, practice
from quizsvc.api import paging
from quizsvc.markdown import render
from quizsvc.schemas import LangIn, QuestionOut, QuestionsIn, QuestionsOut

bp = APIBlueprint("questions", __name__, url_prefix="/api/v1", tag="Questions")


@bp.get("/questions")
@bp.input(QuestionsIn, location="query")
@bp.output(QuestionsOut)
def questions(query_data: QuestionsIn) -> paging.Page[dict[str, Any]]:
    """The published questions by slug; ``q`` searches titles and stems alone."""
    wanted = query_data.model_dump(exclude={"limit", "after"})
    after = paging.key_of(query_data.after, paging.NAME)
    found = practice.search(
        db.session(), **wanted, after=after, limit=query_data.limit + 1
    )
    page = paging.page(found, query_data.limit, key=lambda row: row.slug)
    rows = [summary(row.slug, row.pack, row.revision, row.text) for row in page.data]
    return paging.Page(rows, page.has_more, page.next)


@bp.get("/questions/<slug>")
@bp.input(LangIn, location="query")
@bp.output(QuestionOut)
@bp.doc(responses=[404])
def question(slug: str, query_data: LangIn) -> dict[str, Any]:
    """One question without its key. Choices come by text: their order tells nothing."""
    session = db.session()
    revision = practice.published(session, slug)
    item = content(session, revision.content_hash)
    pack = revision.question.pack.slug
    texts = {text.lang: text for text in revision.texts}
    lang = query_data.lang if query_data.lang in texts else "en"
    choices = sorted(
        text.text for c in revision.choices for text in c.texts if text.lang == lang
    )
    return {
        **summary(slug, pack, revision, texts[lang]),
        "lang": lang,
        "languages": sorted(texts),
        "stem": texts[lang].stem,
        "stem_html": render(texts[lang].stem),
        "choices": [{"text": t, "text_html": render(t, inline=True)} for t in choices],
        "estimate": practice.tolerance(item, lang),
        "figure": item.figure is not None,
    }


def summary(
    slug: str, pack: str, revision: Revision, text: RevisionText
) -> dict[str, Any]:
    return {
        "slug": slug,
        "pack": pack,
        "type": revision.type,
        "level": revision.level,
        "topic": revision.topic,
        "title": text.title,
    }
