"""The bank as a candidate may see it before any answer: searched, narrowed, in order.

Looked at are title, stem and those tags that title or stem say as well: another tag may
name the key. Choices are left out although they are shown: all are treated alike, so they
would tell no key, but the wrong ones name what a question is not about. Rationales, key
points, explanations, sources and evidence are never read here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from question_bank.content import LANGUAGES, LEVELS, SOURCE
from question_bank.kept import Kept
from question_bank.models import Revision, RevisionText
from quizsvc.models import Review, User
from quizsvc.practice.bank import held
from quizsvc.practice.explore.wording import closeness, query, says, searchable
from quizsvc.practice.progress.cards import LASTING
from quizsvc.practice.progress.habit import DAY
from quizsvc.practice.remarks import flagged
from quizsvc.practice.users import calibration
from quizsvc.scheduling.candidate import recall
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import Rating

Standing = Literal["unseen", "learning", "due", "known"]
Order = Literal["fit", "level", "title", "due", "recall"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
ORDERS: tuple[Order, ...] = get_args(Order)
Place = tuple[str | int | float, ...]
CHOICE = ("single", "multi")  # not told apart before the answer
_LAST = (
    select(func.max(Review.sequence))
    .where(Review.user_id == bindparam("user_id"), Review.voided_at.is_(None))
    .group_by(Review.question_id)
)
_WRONG = select(Review.question_id).where(
    Review.user_id == bindparam("user_id"),
    Review.sequence.in_(_LAST),
    Review.rating == Rating.AGAIN.value,
)


class Words(NamedTuple):
    """What may be read of a revision: as written, and as searches take it."""

    titles: dict[str, str]  # by language
    said: dict[str, tuple[str, str]]  # the title; the stem and the tags
    tags: tuple[str, ...]  # those that tell nothing

    def fit(self, lang: str, text: str) -> int:
        """How well it fits what was typed; see :func:`closeness`."""
        if lang not in self.said:
            return 0
        return closeness(*self.said[lang], query(text))


class Listed(NamedTuple):
    """A published question, and where it stands with a candidate."""

    id: int
    slug: str
    pack: str
    revision_id: int
    type: str
    level: str
    topic: str
    words: Words
    state: State | None
    standing: Standing
    wrong: bool  # whether the last answer to it was
    recall: float | None  # tomorrow, not now: on its day an answer is known
    flagged: bool

    def title(self, lang: str) -> tuple[str, str]:
        """The title and its language: that one if the question is written in it."""
        found = lang if lang in self.words.titles else SOURCE
        return self.words.titles[found], found


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a candidate looks for; what is None or empty narrows nothing."""

    q: str | None = None
    pack: str | None = None
    topic: str | None = None
    level: str | None = None
    type: str | None = (
        None  # single, multi, open, estimate, or choice for the first two
    )
    tag: str | None = None
    state: str | None = None
    flagged: bool | None = None

    @property
    def used(self) -> dict[str, Any]:
        """What narrows, by name."""
        every = {field.name: getattr(self, field.name) for field in fields(self)}
        return {n: one for n, one in every.items() if one is not None and one != ""}

    def without(self, name: str) -> "Wanted":
        return replace(self, **{name: None})


class Found(NamedTuple):
    """The questions that pass, and the language in which they were found."""

    questions: list[Listed]
    lang: str


_kept: Kept[str, Words] = Kept()  # by content hash: a revision never changes


def everything(session: Session, user: User, *, at: datetime) -> list[Listed]:
    """Every published question, by slug."""
    day = study_day(at, user.time_zone, user.rollover_hour)
    known, flags = calibration(user), flagged(session, user)
    wrong = _wrong(session, user)
    bank = sorted(held(session, user), key=lambda one: one.slug)
    words = _words(session, {one.content_hash for one in bank})
    return [
        Listed(
            id=one.id,
            slug=one.slug,
            pack=one.pack,
            revision_id=one.revision_id,
            type=one.cover.type,
            level=one.cover.level,
            topic=one.cover.topic,
            words=words[one.content_hash],
            state=one.state,
            standing=standing(one.state, day, wrong=one.id in wrong),
            wrong=one.id in wrong,
            recall=None if one.state is None else recall(one.state, day + DAY, known),
            flagged=one.id in flags,
        )
        for one in bank
    ]


def standing(state: State | None, day: date, *, wrong: bool) -> Standing:
    """Where a card stands on a study day. Known: it would last a week, and was not
    answered wrong last.
    """
    if state is None:
        return "unseen"
    if state.due <= day:
        return "due"
    return "known" if state.stability >= LASTING and not wrong else "learning"


def _wrong(session: Session, user: User) -> set[int]:
    """The ids of the questions whose last answer that counts was wrong."""
    session.flush()  # a connection does not see to it
    return set(session.connection().execute(_WRONG, {"user_id": user.id}).scalars())


def search(bank: Sequence[Listed], wanted: Wanted, lang: str) -> Found:
    """The questions that pass, of those written in ``lang``.

    If none holds what was typed, they are looked for in the other languages; whether that
    is so does not depend on anything but the words.
    """
    passing = [one for one in bank if _passes(one, wanted)]
    for other in (lang, *(x for x in LANGUAGES if x != lang and wanted.q)):
        found = [one for one in passing if other in one.words.titles]
        if wanted.q:
            found = [one for one in found if one.words.fit(other, wanted.q)]
        if found:
            return Found(found, other)
    return Found([], lang)


def tags(bank: Sequence[Listed]) -> list[str]:
    """The tags that can be asked for."""
    return sorted({tag for one in bank for tag in one.words.tags})


def place(one: Listed, order: Order, *, lang: str, found: Found, q: str) -> Place:
    """Where a question stands in an order: a key that sorts as titles in ``lang`` do.

    fit: the closest first; due: the oldest first; recall: the least first. Never met comes
    last in these two. GB 18030 has the common Chinese characters by sound.
    """
    title = one.title(lang)[0].casefold().encode("gb18030").hex()
    level = LEVELS.index(one.level)
    key: Place
    match order:
        case "fit":
            key = (-one.words.fit(found.lang, q), level, title)
        case "level":
            key = (level, title)
        case "title":
            key = (title,)
        case "due":
            key = (one.state.due.isoformat() if one.state else "new", level, title)
        case "recall":
            key = (2.0 if one.recall is None else one.recall, level, title)
    return (order, *key, one.slug)


def related(bank: Sequence[Listed], slug: str, most: int) -> list[Listed]:
    """Questions with the tags of one, rare tags first, then of its topic."""
    (own,) = (one for one in bank if one.slug == slug)
    rarity = {
        tag: 1 / sum(tag in one.words.tags for one in bank) for tag in own.words.tags
    }
    near = {
        one.slug: sum(rarity.get(tag, 0.0) for tag in one.words.tags)
        + (one.topic == own.topic) / len(bank)
        for one in bank
        if one is not own
    }
    return sorted(
        (one for one in bank if near.get(one.slug)),
        key=lambda one: (-near[one.slug], one.slug),
    )[:most]


def _passes(one: Listed, wanted: Wanted) -> bool:
    """Whether a question is of the wanted kind; the words are another matter."""
    types = CHOICE if wanted.type == "choice" else (wanted.type,)
    return (
        (not wanted.pack or one.pack == wanted.pack)
        and (not wanted.topic or one.topic == wanted.topic)
        and (not wanted.level or one.level == wanted.level)
        and (not wanted.type or one.type in types)
        and (not wanted.tag or wanted.tag in one.words.tags)
        and (not wanted.state or one.standing == wanted.state)
        and (wanted.flagged is None or one.flagged == wanted.flagged)
    )


def _words(session: Session, hashes: set[str]) -> dict[str, Words]:
    """What may be read of revisions, by content hash."""
    words = {one: known for one in hashes if (known := _kept.get(one))}
    if words.keys() == hashes:
        return words
    texts: dict[str, dict[str, tuple[str, str]]] = {}
    tagged: dict[str, list[str]] = {}
    for content, told, lang, title, stem in session.execute(
        select(
            Revision.content_hash,
            Revision.tags,
            RevisionText.lang,
            RevisionText.title,
            RevisionText.stem,
        )
        .join(Revision, Revision.id == RevisionText.revision_id)
        .where(Revision.content_hash.in_(hashes - words.keys()))
        .order_by(RevisionText.lang)
    ):
        tagged[content] = told
        texts.setdefault(content, {})[lang] = title, stem
    for content in hashes - words.keys():
        words[content] = _kept[content] = read(texts[content], tagged[content])
    return words


def read(texts: dict[str, tuple[str, str]], tagged: Sequence[str]) -> Words:
    """What may be read of a revision with these titles and stems; tags are in ``SOURCE``."""
    said = {
        lang: (searchable(title), searchable(stem))
        for lang, (title, stem) in texts.items()
    }
    source = "\n".join(said.get(SOURCE, ()))
    tags = tuple(tag for tag in tagged if says(source, query(tag)))
    more = searchable("\n".join(tags))
    return Words(
        titles={lang: title for lang, (title, _) in texts.items()},
        said={lang: (title, f"{stem}\n{more}") for lang, (title, stem) in said.items()},
        tags=tags,
    )
