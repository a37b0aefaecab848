"""The bank: find questions, look at one without its key, see which topics are firm."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from question_bank.content import QuestionItem
from question_bank.published import content
from quizsvc import db, practice
from quizsvc.api import paging
from quizsvc.models import Answer, Experiment, Presentation, User
from quizsvc.practice import explore
from quizsvc.practice.explore import Listed
from quizsvc.practice.remarks import keep, kept
from quizsvc.web import filters, language, rounds, words
from quizsvc.web import practice as asking
from quizsvc.web.filters import Asked
from quizsvc.web.remarks import FLAGS

bp = Blueprint("bank", __name__)

PAGE = 50
RELATED = 5


@bp.app_context_processor
def shared() -> dict[str, Any]:
    return {"the_round": rounds.current}


@bp.get("/questions")
def index() -> tuple[str, int]:
    """The questions that pass the filters of the address; 400 if it asks for more."""
    session, at = db.session(), datetime.now(UTC)
    bank = explore.everything(session, _user(session, at), at=at)
    asked = filters.read(request.args, explore.tags(bank))
    page = _listed(bank, asked, over="over" in request.args)
    return page, 400 if asked.troubles else 200


def _listed(bank: Sequence[Listed], asked: Asked, *, over: bool = False) -> str:
    lang, wanted = language.chosen(), asked.wanted
    found = explore.search(bank, wanted, lang)
    placed = sorted(
        (
            explore.place(one, asked.order, lang=lang, found=found, q=wanted.q or ""),
            one,
        )
        for one in found.questions
    )
    behind = [
        (at, one) for at, one in placed if asked.after is None or at > asked.after
    ]
    rows, more = behind[:PAGE], len(behind) - PAGE
    return render_template(
        "questions.html",
        asked=asked,
        rows=[one for _, one in rows],
        found=found,
        total=len(bank),
        more=max(more, 0),
        following=paging.cursor(rows[-1][0]) if more > 0 else None,
        fewer=[] if rows else _fewer(bank, asked, lang),
        tags={tag: words.name(words.TAG_NAMES, tag) for tag in explore.tags(bank)},
        topics={one.topic for one in bank},
        stands=filters.STANDS,
        sorts=filters.SORTS,
        over=over,
    )


def _fewer(
    bank: Sequence[Listed], asked: Asked, lang: str
) -> list[tuple[filters.Chip, int]]:
    """How many there are without one filter, for each of several."""
    chips = asked.chips()
    if len(chips) < 2:
        return []
    names = {"form": "type"}
    counted = []
    for chip in chips:
        less = asked.wanted.without(names.get(chip.name, chip.name))
        counted.append((chip, len(explore.search(bank, less, lang).questions)))
    return counted


@bp.post("/questions")
def begin() -> Response | tuple[str, int]:
    """Ask the first of what is left to ask today of the questions that the form names.

    What follows an answer names them again, so that a round goes on until none is left.
    """
    session, at = db.session(), datetime.now(UTC)
    user = _user(session, at)
    bank = explore.everything(session, user, at=at)
    asked = filters.read(request.form, explore.tags(bank))
    if asked.troubles:
        return _listed(bank, asked), 400
    lang = language.chosen()
    slugs = explore.in_round(session, user, asked.wanted, lang, at=at)
    if not slugs:
        rounds.leave()
        return redirect(asked.address(over="1"), 303)
    rounds.begin(asked)
    shown = asking.ask(session, user, slugs[0], at=at)
    session.commit()
    return redirect(url_for("practice.show", presentation_id=shown.id), 303)


@bp.get("/questions/<slug>")
def show(slug: str) -> str:
    """A question as it is before the answer; its choices by text, so order tells nothing."""
    session, at = db.session(), datetime.now(UTC)
    user = _user(session, at)
    revision = practice.published(session, slug)
    item = content(session, revision.content_hash)
    lang, text = practice.in_language(item, language.chosen(), "en")
    bank = explore.everything(session, user, at=at)
    (own,) = (one for one in bank if one.slug == slug)
    return render_template(
        "question.html",
        slug=slug,
        own=own,
        stands=filters.STANDS,
        text=text,
        text_lang=language.TAGS[lang],
        choices=sorted(choice.text for choice in text.choices.values()),
        estimate=practice.tolerance(item, lang),
        figure=item.figure is not None,
        measured=bool(item.evidence),
        experiments=_experiments(session, user, own, item),
        then=explore.at_interview(user, own, at=at),
        interview=user.interview_date,
        remark=kept(session, user, own.id),
        related=explore.related(bank, slug, RELATED),
    )


def _experiments(
    session: Session, user: User, own: Listed, item: QuestionItem
) -> list[Experiment]:
    """The experiments behind a question, once its answer has named them.

    Before that, their claims could tell the key; that of an estimate or a figure always
    can, since its pages show what was measured.
    """
    if item.estimate or item.figure:
        return []
    answered = (
        select(Answer.id)
        .join(Answer.presentation)
        .where(
            Presentation.user_id == user.id,
            Presentation.question_id == own.id,
            Answer.score.is_not(None),
        )
        .limit(1)
    )
    if session.scalar(answered) is None:
        return []
    names = {one.experiment for one in item.evidence}
    query = select(Experiment).where(Experiment.name.in_(names))
    return list(session.scalars(query.order_by(Experiment.name)))


@bp.post("/questions/<slug>")
def remark(slug: str) -> Response:
    """Set the flag of a question, or take it away."""
    session, at = db.session(), datetime.now(UTC)
    user, flag = _user(session, at), FLAGS.get(request.form.get("remark", ""))
    question_id = practice.published(session, slug).question_id
    keep(session, user, question_id, flagged=flag, at=at)
    session.commit()
    return redirect(url_for(".show", slug=slug), 303)


@bp.get("/topics")
def topics() -> str:
    """The map of topics and levels: how firm each part of the bank is."""
    session, at = db.session(), datetime.now(UTC)
    told = explore.topic_map(session, _user(session, at), at=at)
    return render_template("topics.html", told=told, masteries=filters.MASTERIES)


def _user(session: Session, at: datetime) -> User:
    return practice.local_user(session, at=at)
