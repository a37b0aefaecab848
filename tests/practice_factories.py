"""A small question bank for tests of practice, written directly as rows."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from question_bank.models import (
    Choice,
    ChoiceText,
    Estimate,
    Evidence,
    Figure,
    FollowUp,
    KeyPoint,
    KeyPointText,
    Pack,
    Pitfall,
    Question,
    Reference,
    Revision,
    RevisionText,
)
from quizsvc.models import Presentation, User
from quizsvc.practice import goal, present, set_goal
from quizsvc.scheduling.calibration import PRIOR

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday morning
DAY = timedelta(days=1)
LANGS = ("en", "zh")


def make_user(session: Session, name: str = "ada", zone: str = "UTC") -> User:
    user = User(
        name=name,
        time_zone=zone,
        rollover_hour=4,
        target_retention=0.9,
        calibration=list(PRIOR),
        created_at=AT,
    )
    session.add(user)
    session.flush()
    return user


def make_candidate(session: Session, *slugs: str) -> User:
    """A user whose bank holds these questions."""
    for slug in slugs:
        make_question(session, slug)
    return make_user(session)


def make_question(  # every keyword is something that one test varies
    session: Session,
    slug: str = "norm-position",
    *,
    type: str = "single",
    level: str = "easy",
    key: Sequence[str] = ("inside",),
    others: Sequence[str] = ("outside", "nowhere", "both"),
    fixed: Sequence[str] = (),
    points: Sequence[str] = ("formulas", "gradients", "warmup", "depth"),
    scoring: str = "all-or-nothing",
    langs: Sequence[str] = LANGS,
    evidence: Sequence[Evidence] = (),
    estimate: Estimate | None = None,
    figure: Figure | None = None,
) -> Question:
    """A published question; an open one has the key points, a choice question choices."""
    question = Question(slug=slug, pack=_pack(session))
    session.add(question)
    session.flush()
    publish(
        session,
        question,
        Revision(
            number=1,
            content_hash=uuid4().hex,
            type=type,
            level=level,
            topic="placement",
            scoring={"open": "key-points", "estimate": "tolerance"}.get(type, scoring),
            tags=[],
            unmeasured=[],
            created_at=AT,
            texts=[_words(slug, lang) for lang in langs],
            choices=[
                _choice(place, name, name in key, name in fixed, langs)
                for place, name in enumerate((*key, *others))
            ]
            if type in {"single", "multi"}
            else [],
            key_points=[_point(place, name, langs) for place, name in enumerate(points)]
            if type == "open"
            else [],
            evidence=list(evidence),
            estimate=estimate,
            figure=figure,
        ),
    )
    return question


def publish(session: Session, question: Question, revision: Revision) -> None:
    """Make a revision the current one of its question."""
    revision.question = question
    session.add(revision)
    session.flush()
    question.current = revision
    session.flush()


def want(session: Session, user: User, **changes: object) -> None:
    """Change what the user's goal says."""
    wanted = replace(goal(user), **changes)  # type: ignore[arg-type]
    set_goal(session, user, wanted, at=AT)


def ask(
    session: Session,
    user: User,
    slug: str = "norm-position",
    *,
    at: datetime = AT,
    lang: str = "en",
) -> Presentation:
    return present(session, user, slug, lang, at=at, rng=Random(0))


def ids(presentation: Presentation, *names: str) -> list[str]:
    """The opaque ids of choices or key points in one presentation."""
    pinned = (*presentation.choices, *presentation.key_points)
    opaque = {name: opaque for opaque, name in pinned}
    return [opaque[name] for name in names]


def _pack(session: Session) -> Pack:
    pack = session.scalar(select(Pack).where(Pack.slug == "pack"))
    return pack or Pack(slug="pack", title={"en": "Pack", "zh": "题集"})


def _words(slug: str, lang: str) -> RevisionText:
    return RevisionText(
        lang=lang,
        title=f"Title of {slug} ({lang})",
        stem=f"Stem ({lang})",
        short=f"Short ({lang})",
        detailed=f"Detailed ({lang})",
        full=f"Full ({lang})",
        hook=f"Hook ({lang})",
        pitfalls=[Pitfall(position=0, belief=f"Belief ({lang})", why=f"Why ({lang})")],
        follow_ups=[
            FollowUp(position=0, prompt=f"This again? ({lang})", slug=slug),
            FollowUp(position=1, prompt=f"Gone? ({lang})", slug="gone"),
            FollowUp(position=2, prompt=f"And then? ({lang})"),
        ],
        references=[
            Reference(position=0, title="Paper", url="https://example.org", note=lang)
        ],
    )


def _choice(
    place: int, name: str, correct: bool, fixed: bool, langs: Sequence[str]
) -> Choice:
    return Choice(
        position=place,
        name=name,
        correct=correct,
        fixed=fixed,
        texts=[
            ChoiceText(lang=lang, text=f"{name} ({lang})", rationale=f"{name}: {lang}")
            for lang in langs
        ],
    )


def _point(place: int, name: str, langs: Sequence[str]) -> KeyPoint:
    return KeyPoint(
        position=place,
        name=name,
        texts=[
            KeyPointText(
                lang=lang,
                text=f"{name} ({lang})",
                phrases=[f"phrase of {name}"],
                misconceptions=[f"mistake about {name}"],
            )
            for lang in langs
        ],
    )
