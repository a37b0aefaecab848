"""What to do now: the questions of today, ranked, and the day at a glance."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import accumulate, takewhile
from math import ceil
from operator import itemgetter

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session, aliased

from question_bank.models import Question
from quizsvc.models import Answer, MemoryState, Review, User
from quizsvc.practice.bank import Held
from quizsvc.practice.deck import GIVEN_AT, deck, listed, usual_pace
from quizsvc.practice.goal import aim, known_beforehand
from quizsvc.practice.progress.cards import LEAST, RECENT, leeches
from quizsvc.practice.progress.entries import Entry, card_of
from quizsvc.practice.progress.retention import trials
from quizsvc.practice.users import calibration
from quizsvc.scheduling.calibration import Calibration
from quizsvc.scheduling.candidate import recall
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.guessing import right
from quizsvc.scheduling.memory import Rating
from quizsvc.scheduling.pace import Timed, spent
from quizsvc.scheduling.planner import Why, rank

_REVIEWED = (
    select(Question.slug, GIVEN_AT, Review.seconds)
    .join(Review, Review.question_id == Question.id)
    .outerjoin(Answer, Answer.id == Review.answer_id)
    .where(
        Review.user_id == bindparam("user_id"),
        Review.study_day == bindparam("day"),
        Review.voided_at.is_(None),
    )
    .order_by(GIVEN_AT)
)
_COMING = (
    select(func.min(MemoryState.due))
    .join(Question, Question.id == MemoryState.question_id)
    .where(MemoryState.user_id == bindparam("user_id"), Question.retired_at.is_(None))
)
_FAILED, _SINCE = aliased(Review), aliased(Review)
_THIRD_LAST_FAILURE = (
    select(_FAILED.study_day)
    .where(
        _FAILED.user_id == MemoryState.user_id,
        _FAILED.question_id == MemoryState.question_id,
        _FAILED.rating == Rating.AGAIN.value,
        _FAILED.voided_at.is_(None),
    )
    .order_by(_FAILED.study_day.desc())
    .offset(LEAST - 1)
    .limit(1)
    .correlate(MemoryState)
    .scalar_subquery()
)
_FAILING = select(MemoryState.question_id).where(  # lately: few, and by an index alone
    MemoryState.user_id == bindparam("user_id"),
    MemoryState.lapses >= LEAST,
    select(func.count(_SINCE.study_day.distinct()))
    .where(
        _SINCE.user_id == MemoryState.user_id,
        _SINCE.question_id == MemoryState.question_id,
        _SINCE.voided_at.is_(None),
        _SINCE.study_day >= _THIRD_LAST_FAILURE,
    )
    .correlate(MemoryState)
    .scalar_subquery()
    .between(1, RECENT),
)
_LOG = select(  # not ordered: SQLite would go through the whole log of the user
    Review.sequence,
    Review.question_id,
    Review.rating,
    Review.study_day,
    Review.predicted,
    Review.chance,
    Review.reviewed_at,
).where(
    Review.user_id == bindparam("user_id"),
    Review.question_id.in_(bindparam("questions", expanding=True)),
    Review.voided_at.is_(None),
)


@dataclass(frozen=True, kw_only=True)
class DueItem:
    """A question to meet now, and why."""

    position: int  # 0, 1, …
    slug: str
    title: Mapping[str, str]  # by language
    type: str
    level: str
    topic: str
    reason: Why
    due: date | None
    retrievability: float | None  # calibrated recall now; None if never met
    gain: float  # of recall at the interview per minute; 0 without one
    seconds: float  # that it will likely take

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands: what :func:`behind` goes on from."""
        return self.position, self.slug


@dataclass(frozen=True, kw_only=True)
class Today:
    """How much there is to do on a study day, and how much is done."""

    day: date
    items: list[DueItem]  # what can be asked, as :func:`due` orders it
    count: int  # of them for today: what the minutes of a day are for
    reasons: dict[Why, int]  # how many of these are there for which reason
    done: int  # questions reviewed, each once, without those for today
    minutes: int  # for the questions for today
    next_due: date | None  # None while something can be asked, or nothing will be
    days_left: int | None  # until the interview; None without one to come


def due(
    session: Session, user: User, *, at: datetime, lang: str | None = None
) -> list[DueItem]:
    """Every question worth asking now, in order; those in ``lang`` alone if given.

    Towards an interview as :func:`~quizsvc.scheduling.planner.rank` has it. Without: the
    oldest due day first, on one day the least remembered first; then the ones never met,
    easy to extreme. One whose experiment is still being computed is left out.
    """
    day = study_day(at, user.time_zone, user.rollover_hour)
    wanted, known = aim(user, day), calibration(user)
    if wanted.dated:
        wanted = wanted._replace(knows=known_beforehand(session, user))
    questions = listed(session, user, lang=lang, until=None if wanted.dated else day)
    if not questions:
        return []
    usual = usual_pace(session, user)
    ranking = rank(deck(questions, day, usual), wanted, known)
    slipping = _leeches(session, user, questions, known)
    items = []
    for position, (place, why, gain) in enumerate(
        zip(ranking.order.tolist(), ranking.why, ranking.gain.tolist(), strict=True)
    ):
        one = questions[place]
        cover, state = one.cover, one.state
        now = None if state is None else recall(state, day, known)
        passes = right(wanted.knows if now is None else now, cover.chance)
        items.append(
            DueItem(
                position=position,
                slug=one.slug,
                title=cover.title,
                type=cover.type,
                level=cover.level,
                topic=cover.topic,
                reason=Why.LEECH
                if one.id in slipping and why is not Why.SIBLING
                else why,
                due=state and state.due,
                retrievability=now,
                gain=gain,
                seconds=usual.expected(passes),
            )
        )
    return items


def behind(items: Sequence[DueItem], place: tuple[int, str]) -> Sequence[DueItem]:
    """The items behind one that was seen at a place, and may be there no more."""
    position, slug = place
    for item in items:
        if item.slug == slug:
            return items[item.position + 1 :]
    return items[position:]


def today(session: Session, user: User, *, at: datetime) -> Today:
    """The study day at a glance."""
    items = due(session, user, at=at)
    day = study_day(at, user.time_zone, user.rollover_hour)
    mine = {"user_id": user.id}
    connection = session.connection()
    reviewed = connection.execute(_REVIEWED, mine | {"day": day}).all()
    wanted = aim(user, day)
    left = wanted.seconds - sum(
        spent([Timed(day, given, took or 0.0) for _, given, took in reviewed])
    )
    starts = accumulate((item.seconds for item in items), initial=0.0)
    count = min(sum(1 for _ in takewhile(lambda s: s < left, starts)), len(items))
    chosen = items[:count]
    return Today(
        day=day,
        items=items,
        count=count,
        reasons=dict(Counter(item.reason for item in chosen)),
        done=len({slug for slug, *_ in reviewed} - {item.slug for item in chosen}),
        minutes=ceil(sum(item.seconds for item in chosen) / 60),
        next_due=None if items else connection.execute(_COMING, mine).scalar(),
        days_left=wanted.days if wanted.dated else None,
    )


def _leeches(
    session: Session, user: User, questions: Iterable[Held], known: Calibration
) -> Collection[int]:
    """Those that are forgotten more often than chance explains, as progress has it."""
    connection, mine = session.connection(), {"user_id": user.id}
    failing = set(connection.execute(_FAILING, mine).scalars())
    cards = [card_of(one, known) for one in questions if one.id in failing]
    if not cards:
        return ()
    asked = mine | {"questions": [card.id for card in cards]}
    rows = connection.execute(_LOG, asked).all()
    log = [
        Entry(number, rating, day, predicted, guess, None, None, at, 0.0)
        for _, number, rating, day, predicted, guess, at in sorted(
            rows, key=itemgetter(0)
        )
    ]
    return {leech.card.id for leech in leeches(cards, trials(log))}
