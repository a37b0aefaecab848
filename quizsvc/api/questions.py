"""Questions as they may be seen before the answer."""

from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint

from question_bank.published import content
from quizsvc import db, practice
from quizsvc.api import paging
from quizsvc.markdown import render
from quizsvc.practice import explore
from quizsvc.practice.explore import Listed, Wanted
from quizsvc.schemas import LangIn, QuestionOut, QuestionsIn, QuestionsOut

bp = APIBlueprint("questions", __name__, url_prefix="/api/v1", tag="Questions")


@bp.get("/questions")
@bp.input(QuestionsIn, location="query")
@bp.output(QuestionsOut)
def questions(query_data: QuestionsIn) -> paging.Page[dict[str, Any]]:
    """The published questions that are written in lang, by slug.

    q looks for words in titles, stems and tags, never in anything hidden: in lang, and
    if no question has them there, in the other languages; lang of an item tells which.
    Tags are those that the question itself says, since another could tell its key.
    """
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    after = paging.key_of(query_data.after, paging.NAME) or ""
    wanted = Wanted(**query_data.model_dump(exclude={"limit", "after", "lang"}))
    bank = explore.everything(session, user, at=at)
    found = explore.search(bank, wanted, query_data.lang)
    rest = [summary(one, found.lang) for one in found.questions if one.slug > after]
    return paging.page(rest, query_data.limit, key=lambda item: str(item["slug"]))


@bp.get("/questions/<slug>")
@bp.input(LangIn, location="query")
@bp.output(QuestionOut)
@bp.doc(responses=[404])
def question(slug: str, query_data: LangIn) -> dict[str, Any]:
    """One question without its key. Choices come by text: their order tells nothing."""
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    item = content(session, practice.published(session, slug).content_hash)
    bank = explore.everything(session, user, at=at)
    (one,) = (one for one in bank if one.slug == slug)
    lang, words = practice.in_language(item, query_data.lang, "en")
    choices = sorted(choice.text for choice in words.choices.values())
    return {
        **summary(one, lang),
        "languages": sorted(item.texts),
        "stem": words.stem,
        "stem_html": render(words.stem),
        "choices": [{"text": t, "text_html": render(t, inline=True)} for t in choices],
        "estimate": practice.tolerance(item, lang),
        "figure": item.figure is not None,
    }


def summary(one: Listed, lang: str) -> dict[str, Any]:
    """A question in a list, its title in a language that it is written in."""
    return {
        "slug": one.slug,
        "pack": one.pack,
        "type": one.type,
        "level": one.level,
        "topic": one.topic,
        "tags": one.words.tags,
        "lang": lang,
        "title": one.words.titles[lang],
        "state": one.standing,
        "flagged": one.flagged,
    }
