"""Everything an answer earns: the verdict, the reasons, the proof, the next date."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from question_bank.content import ESTIMATE, QuestionItem, Texts
from question_bank.kept import Kept
from question_bank.models import Question
from question_bank.published import content
from question_bank.suggest import Suggestion, suggest
from quizsvc.models import Answer, Presentation, Review
from quizsvc.practice.estimating import (
    MeasuredKey,
    ShownFigure,
    measured_key,
    shown_figure,
)
from quizsvc.practice.evidence import EvidenceView, evidence
from quizsvc.practice.presenting import in_language
from quizsvc.practice.reviewing import RATINGS

_PUBLISHED = select(Question.slug).where(Question.retired_at.is_(None))
_published: Kept[str, frozenset[str]] = Kept()  # slugs, by the edition of the bank


@dataclass(frozen=True, kw_only=True)
class FeedbackChoice:
    id: str
    text: str
    correct: bool
    chosen: bool
    rationale: str


@dataclass(frozen=True, kw_only=True)
class FeedbackPoint:
    """A key point; the two sentences of the answer are hints for its author to tick."""

    id: str
    text: str
    ticked: bool
    matched: str | None  # the sentence that seems to make the point
    contradicted: str | None  # the sentence that seems to say a common mistake


class PitfallView(NamedTuple):
    belief: str
    why: str


class FollowUpView(NamedTuple):
    prompt: str
    slug: str | None  # of a question that can be met


class ReferenceView(NamedTuple):
    title: str
    url: str
    note: str


@dataclass(frozen=True, kw_only=True)
class ReviewView:
    """How the answer moved the card: stabilities in days, the chance that was predicted."""

    id: str
    rating: str
    due: date
    interval_days: int
    predicted: float | None
    stability_before: float | None
    stability_after: float
    undone: bool


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """What pages and API show after an answer. Prose is Markdown, in ``lang``."""

    answer_id: str
    slug: str
    lang: str
    type: str
    stem: str
    text: str
    score: float | None
    correct: bool | None
    dont_know: bool
    confidence: str | None
    scoring: str
    number: float | None
    choices: list[FeedbackChoice]  # in the order shown
    key_points: list[FeedbackPoint]
    measured: MeasuredKey | None  # the key of an estimate
    figure: ShownFigure | None
    short: str
    detailed: str
    full: str
    hook: str
    pitfalls: list[PitfallView]
    follow_ups: list[FollowUpView]
    references: list[ReferenceView]
    evidence: list[EvidenceView]
    review: ReviewView | None  # None until an open answer is marked


@dataclass(frozen=True, kw_only=True)
class Background:
    """What is there to say about a presentation, whatever the answer to it."""

    item: QuestionItem
    lang: str
    ids: Mapping[str, str]  # opaque ids by the names of choices and key points
    follow_ups: list[FollowUpView]
    evidence: list[EvidenceView]
    measured: MeasuredKey | None  # the key of an estimate
    figure: ShownFigure | None


def background(session: Session, shown: Presentation, *, lang: str) -> Background:
    """The background in ``lang``, or as it was shown if not written in that."""
    item = content(session, shown.content_hash)
    lang, words = in_language(item, lang, shown.lang)
    ids = {name: opaque for opaque, name in (*shown.choices, *shown.key_points)}
    if item.estimate:
        ids[ESTIMATE] = ESTIMATE
    return Background(
        item=item,
        lang=lang,
        ids=ids,
        follow_ups=_follow_ups(session, words, shown.bank_edition),
        evidence=evidence(session, item, ids, lang, shown.catalogue_edition),
        measured=measured_key(session, shown, item, lang),
        figure=shown_figure(session, shown, item),
    )


def feedback(session: Session, answer: Answer, *, lang: str) -> Feedback:
    """The feedback on an answer in ``lang``, or as it was shown if not written in that."""
    return explain(answer, background(session, answer.presentation, lang=lang))


def explain(answer: Answer, known: Background) -> Feedback:
    """The feedback on an answer, in the language of the background."""
    shown, item, lang, ids = answer.presentation, known.item, known.lang, known.ids
    _, words = in_language(item, lang, shown.lang)
    key = item.key
    return Feedback(
        answer_id=answer.id,
        slug=item.slug,
        lang=lang,
        type=item.type,
        stem=words.stem,
        text=answer.text,
        score=answer.score,
        correct=answer.correct,
        dont_know=answer.dont_know,
        confidence=answer.confidence,
        scoring=shown.scoring,
        number=answer.number,
        choices=[
            FeedbackChoice(
                id=opaque,
                text=words.choices[name].text,
                correct=name in key,
                chosen=name in answer.chosen,
                rationale=words.choices[name].rationale,
            )
            for opaque, name in shown.choices
        ],
        key_points=[_point(answer, item, p, ids, words) for p in item.key_points],
        measured=known.measured,
        figure=known.figure,
        short=words.short,
        detailed=words.detailed,
        full=words.full,
        hook=words.hook,
        pitfalls=[PitfallView(p.belief, p.why) for p in words.pitfalls],
        follow_ups=known.follow_ups,
        references=[ReferenceView(r.title, r.url, r.note) for r in words.references],
        evidence=known.evidence,
        review=_review(answer.review) if answer.review else None,
    )


def _point(
    answer: Answer, item: QuestionItem, name: str, ids: Mapping[str, str], words: Texts
) -> FeedbackPoint:
    hint = _hint(answer, item, name)
    return FeedbackPoint(
        id=ids[name],
        text=words.key_points[name].text,
        ticked=name in answer.ticked,
        matched=hint.matched,
        contradicted=hint.contradicted,
    )


def _hint(answer: Answer, item: QuestionItem, name: str) -> Suggestion:
    """Phrases of every language count: terms are often said in English."""
    points = [texts.key_points[name] for texts in item.texts.values()]
    return suggest(
        answer.text,
        [phrase for point in points for phrase in point.phrases],
        [phrase for point in points for phrase in point.misconceptions],
    )


def _follow_ups(
    session: Session, words: Texts, edition: str | None
) -> list[FollowUpView]:
    there = _published.get(edition) if edition else None
    if there is None:
        there = frozenset(session.connection().execute(_PUBLISHED).scalars())
        if edition:
            _published[edition] = there
    return [
        FollowUpView(f.prompt, f.slug if f.slug in there else None)
        for f in words.follow_ups
    ]


def _review(review: Review) -> ReviewView:
    before: dict[str, Any] = review.before or {}
    due = date.fromisoformat(review.after["due"])
    last_day = date.fromisoformat(review.after["last_day"])
    return ReviewView(
        id=review.id,
        rating=RATINGS[review.rating - 1],
        due=due,
        interval_days=(due - last_day).days,
        predicted=review.predicted,
        stability_before=before.get("stability"),
        stability_after=review.after["stability"],
        undone=review.voided_at is not None,
    )
