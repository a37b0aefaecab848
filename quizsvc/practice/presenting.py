"""A question shown: which revision, in which order, under which rule, until when."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, TypedDict

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from question_bank.base import new_id
from question_bank.content import ChoiceItem, QuestionItem, Texts
from question_bank.models import Question
from question_bank.published import content
from quizsvc.models import Answer, MemoryState, Presentation, User
from quizsvc.practice.bank import published_question
from quizsvc.practice.measured import figure_of, pin
from quizsvc.practice.users import LOCAL
from quizsvc.refusals import Conflict, Gone, NotFound, invalid
from quizsvc.scheduling.days import study_day

LIFETIME = timedelta(hours=24)
_BY_ID = (
    select(Presentation, Answer.id)
    .outerjoin(Answer)
    .where(Presentation.id == bindparam("id"))
    .execution_options(populate_existing=True)
)
_LOCALLY = (
    select(User, Presentation)
    .join(Presentation, Presentation.user_id == User.id)
    .where(Presentation.id == bindparam("id"), User.name == LOCAL)
)


class Tolerance(TypedDict):
    """How near an estimate must come to be right: within a factor, or a margin."""

    unit: str | None
    factor: float | None
    margin: float | None


class ShownChoice(TypedDict):
    id: str
    text: str


class Shown(TypedDict):
    """What may be seen of a question before it is answered. Prose is Markdown."""

    id: str
    slug: str
    type: str
    level: str
    lang: str
    title: str
    stem: str
    choices: list[ShownChoice]
    estimate: Tolerance | None  # None unless the answer is a number
    figure: Mapping[str, Any] | None  # without its id, which could tell what it shows
    scoring: str
    expires_at: datetime


def present(  # noqa: PLR0913 - who is shown what in which language, when, by what chance
    session: Session, user: User, slug: str, lang: str, *, at: datetime, rng: Random
) -> Presentation:
    """Show a question once: pins revision, order of the choices, language and rule.

    Raises NotFound for an unknown or retired question, Invalid for a language it is not
    in, NotComputed while a run that it needs has not finished.
    """
    question, revision = published_question(session, slug)
    item = content(session, revision.content_hash)
    if lang not in item.texts:
        raise invalid("/lang", "unknown-language", "The question is not in it.")
    key_run_id, figure_run_id = pin(session, user, question, item, at=at)
    presentation = Presentation(
        id=new_id("pres"),
        user_id=user.id,
        question=question,
        revision=revision,
        lang=lang,
        scoring=item.rule,
        choices=[[new_id("c"), c.name] for c in shuffled(item.choices, rng)],
        key_points=[[new_id("kp"), name] for name in item.key_points],
        key_run_id=key_run_id,
        figure_run_id=figure_run_id,
        reason=_reason(session, user, question, at),
        created_at=at,
        expires_at=at + LIFETIME,
    )
    session.add(presentation)
    session.flush()
    return presentation


def shuffled(choices: Sequence[ChoiceItem], rng: Random) -> list[ChoiceItem]:
    """The choices in an order by chance, every order equally likely; fixed ones last."""
    free = [choice for choice in choices if not choice.fixed]
    rng.shuffle(free)
    return free + [choice for choice in choices if choice.fixed]


def shown_to_local(session: Session, presentation_id: str) -> tuple[User, Presentation]:
    """The user of local mode and a presentation of his, in one go. Raises NotFound."""
    found = session.execute(_LOCALLY, {"id": presentation_id}).one_or_none()
    if found is None:
        raise NotFound("unknown-presentation", "There is no such presentation.")
    user, shown = found
    return user, shown


def find_shown(session: Session, user: User, presentation_id: str) -> Presentation:
    """A presentation of this user, whatever has become of it. Raises NotFound."""
    found = session.get(Presentation, presentation_id)
    if found is None or found.user_id != user.id:
        raise NotFound("unknown-presentation", "There is no such presentation.")
    return found


def check_open(
    presentation: Presentation, ended_at: datetime | None, *, at: datetime
) -> None:
    """Whether an unanswered presentation may still be answered. Raises Conflict, Gone."""
    if ended_at is not None:
        raise Conflict(
            "stale-presentation",
            "The question was answered elsewhere after it was shown. Ask for it again.",
        )
    if at >= presentation.expires_at:
        raise Gone("expired", "The question was shown too long ago. Ask for it again.")


def find_presentation(
    session: Session, user: User, presentation_id: str, *, at: datetime
) -> Presentation:
    """A presentation of this user, as the database has it now.

    Raises NotFound for one that is unknown or somebody else's, Conflict for one that an
    answer to the same question has ended, Gone for one that ran out before it was
    answered.
    """
    found = session.execute(_BY_ID, {"id": presentation_id}).one_or_none()
    if found is None or found[0].user_id != user.id:
        raise NotFound("unknown-presentation", "There is no such presentation.")
    presentation, answer_id = found
    if answer_id is None:
        set_committed_value(presentation, "answer", None)
        check_open(presentation, presentation.ended_at, at=at)
    return presentation


def in_language(item: QuestionItem, lang: str | None, shown: str) -> tuple[str, Texts]:
    """The text in ``lang``, or as it was ``shown`` if the question is not in that."""
    texts = {str(name): text for name, text in item.texts.items()}
    name = shown if lang is None or lang not in texts else lang
    return name, texts[name]


def shown(
    session: Session, presentation: Presentation, *, lang: str | None = None
) -> Shown:
    """What the candidate sees, in ``lang`` if the question is written in it, else as it
    was presented; nothing here tells the key.
    """
    item = content(session, presentation.content_hash)
    lang, words = in_language(item, lang, presentation.lang)
    return Shown(
        id=presentation.id,
        slug=item.slug,
        type=item.type,
        level=item.level,
        lang=lang,
        title=words.title,
        stem=words.stem,
        choices=[
            ShownChoice(id=opaque, text=words.choices[name].text)
            for opaque, name in presentation.choices
        ],
        estimate=tolerance(item, lang),
        figure=_figure(session, presentation, item),
        scoring=presentation.scoring,
        expires_at=presentation.expires_at,
    )


def tolerance(item: QuestionItem, lang: str) -> Tolerance | None:
    """How near the answer to an estimate must come, and its unit in a language."""
    if item.estimate is None:
        return None
    unit = item.estimate.unit
    return Tolerance(
        unit=dict(unit)[lang] if unit else None,
        factor=item.estimate.factor,
        margin=item.estimate.margin,
    )


def _figure(
    session: Session, presentation: Presentation, item: QuestionItem
) -> dict[str, Any] | None:
    if item.figure is None or presentation.figure_run_id is None:
        return None
    figure = figure_of(session, presentation.figure_run_id, item.figure.id) or {}
    return {name: value for name, value in figure.items() if name != "id"}


def _reason(session: Session, user: User, question: Question, at: datetime) -> str:
    state = session.get(MemoryState, (user.id, question.id))
    if state is None:
        return "new"
    day = study_day(at, user.time_zone, user.rollover_hour)
    return "due" if state.due <= day else "ahead"
