"""A candidate's own review log in and out of files."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple, cast
from zoneinfo import ZoneInfo

from sqlalchemy import Table, bindparam, insert, select, update
from sqlalchemy.orm import Session

from question_bank.base import new_id
from question_bank.models import Question
from quizsvc.models import Review, User
from quizsvc.practice.exchange.cells import milliseconds
from quizsvc.practice.exchange.files import (
    Line,
    Mistake,
    merged,
    parse,
    render,
    repeated,
)
from quizsvc.practice.reviewing import ENTRY, plain, rebuild
from quizsvc.practice.users import lock
from quizsvc.refusals import FieldError, Invalid, invalid
from quizsvc.scheduling.candidate import Folding
from quizsvc.scheduling.days import study_day

MAX_FILE = 8 * 1024 * 1024  # bytes
MOST = 20_000  # new reviews of a file: nobody can write while they are folded
TOLD = 100  # mistakes of a file that are told one by one
_LOG = cast(Table, Review.__table__)
_SAID = (  # what log and file both say of a review
    *("reviewed_at", "rating", "seconds"),
    *("study_day", "confidence", "chance"),
)


class Unknown(NamedTuple):
    """A card of a file that is no question here; its reviews are left out."""

    card_id: str
    reviews: int
    line: int  # the first


@dataclass(frozen=True, kw_only=True)
class Import:
    """What a file holds, and what of it is new."""

    rows: int
    new: int
    known: int  # in the log already, undone ones too
    repeated: int  # lines that say again what an earlier line says
    out_of_order: int  # lines earlier than the line before; they are put in order
    questions: int  # that get new reviews
    first: datetime | None  # of the new reviews
    last: datetime | None
    unknown: list[Unknown]


@dataclass(frozen=True, kw_only=True)
class _Log:
    """The log as it is: what a new review needs to know of it."""

    ratings: dict[tuple[str, int], int] = field(default_factory=dict)  # by Line.key
    rows: dict[str, Any] = field(default_factory=dict)  # by id, in their order


def export_reviews(session: Session, user: User) -> str:
    """The log as a file, in its order, without what was undone.

    An undone review is no history: whoever reads the file would count it.
    """
    names = ("sequence", *_SAID)
    rows = session.execute(
        select(Question.slug, *(getattr(Review, name) for name in names))
        .join(Question, Question.id == Review.question_id)
        .where(Review.user_id == user.id, Review.voided_at.is_(None))
        .order_by(Review.sequence)
    )
    return render(
        Line(
            number=row.sequence,
            slug=row.slug,
            **{name: getattr(row, name) for name in _SAID},
        )
        for row in rows
    )


def import_reviews(  # noqa: PLR0913 - a file, and how it is to be read
    session: Session,
    user: User,
    data: bytes,
    *,
    at: datetime,
    zone: str | None = None,
    dry_run: bool = False,
) -> Import:
    """Put the reviews of a file into the log where their time puts them; all or none.

    A review is known by its card and its moment in milliseconds, so the same file again
    changes nothing, and one that was undone stays undone. The states are folded anew. A
    line without a study day gets that of ``zone``, the user's if there is none; one
    without a chance of guessing was rated by its author: 0. Raises Invalid with every
    mistake by its line, for an unknown zone, and for more than ``MOST`` new reviews:
    parts of a file can be brought one after the other. A dry run writes nothing.
    """
    if zone is not None:
        _check(zone)
    lock(session, user)
    lines, mistakes = parse(_text(data), at=at, zone=zone)
    lines_once, again, contradictions = repeated(lines)
    log = _read(session, user)
    for line in lines_once:
        if log.ratings.get(line.key, line.rating) != line.rating:
            detail = f"The log rates this card at this moment {log.ratings[line.key]}."
            contradictions.append(
                Mistake(line.number, "review_rating", "contradiction", detail)
            )
    if mistakes := sorted([*mistakes, *contradictions]):
        raise _refusal(mistakes)
    cards = _cards(session)
    new = [n for n in lines_once if n.slug in cards and n.key not in log.ratings]
    if len(new) > MOST:
        detail = (
            f"The file brings {len(new):,} new reviews, more than {MOST:,}. Split it."
        )
        raise invalid("/file", "too-many", detail)
    if new and not dry_run:
        _write(session, user, log, new, cards, zone or user.time_zone)
    moments = [line.reviewed_at for line in new]
    return Import(
        rows=len(lines),
        new=len(new),
        known=sum(line.key in log.ratings for line in lines_once),
        repeated=again,
        out_of_order=sum(b.reviewed_at < a.reviewed_at for a, b in pairwise(lines)),
        questions=len({line.slug for line in new}),
        first=min(moments, default=None),
        last=max(moments, default=None),
        unknown=_unknown([line for line in lines_once if line.slug not in cards]),
    )


def _check(zone: str) -> None:
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as error:
        detail = f"There is no time zone {zone[:100]}; write one such as Asia/Shanghai."
        raise invalid("/zone", "unknown-zone", detail) from error


def _text(data: bytes) -> str:
    if len(data) > MAX_FILE:
        detail = f"The file is larger than {MAX_FILE // 1024 // 1024} MiB."
        raise invalid("/file", "too-large", detail)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _refusal(
            [Mistake(line, "", "not-utf-8", "The text is not in UTF-8.")]
        ) from error


def _refusal(mistakes: Sequence[Mistake]) -> Invalid:
    errors = [
        FieldError(
            pointer=f"/lines/{m.line}" + (f"/{m.column}" if m.column else ""),
            code=m.code,
            detail=f"Line {m.line}: {m.detail}",
        )
        for m in mistakes[:TOLD]
    ]
    count = len(mistakes)
    detail = f"Nothing was imported: {count} mistake{'s' if count > 1 else ''}. " + (
        f"The first: {errors[0].detail}" if count > 1 else errors[0].detail
    )
    return Invalid("invalid-file", detail, errors)


def _read(session: Session, user: User) -> _Log:
    log = _Log()
    rows = session.execute(
        select(
            Question.slug,
            *(
                getattr(Review, name)
                for name in ("id", "sequence", "reviewed_at", *ENTRY)
            ),
        )
        .join(Question, Question.id == Review.question_id)
        .where(Review.user_id == user.id)
        .order_by(Review.sequence)
    )
    for row in rows:
        log.ratings[row.slug, milliseconds(row.reviewed_at)] = row.rating
        log.rows[row.id] = row
    return log


def _cards(session: Session) -> dict[str, int]:
    rows = session.execute(select(Question.slug, Question.id))
    return {row.slug: row.id for row in rows}


def _unknown(lines: Sequence[Line]) -> list[Unknown]:
    found: dict[str, Unknown] = {}
    for line in lines:
        said = found.get(line.slug, Unknown(line.slug, 0, line.number))
        found[line.slug] = said._replace(reviews=said.reviews + 1)
    return list(found.values())


def _write(  # noqa: PLR0913, PLR0917 - the log, and all that its new lines need
    session: Session,
    user: User,
    log: _Log,
    new: Sequence[Line],
    cards: dict[str, int],
    zone: str,
) -> None:
    """Insert new reviews, number the log anew and fold it.

    Reviews that were there keep what was predicted and known when they were made.
    """
    folding = Folding(user.target_retention)
    rows, moved = [], []
    moments = [(number, row.reviewed_at) for number, row in log.rows.items()]
    for sequence, entry in enumerate(merged(moments, new), start=1):
        if isinstance(entry, str):
            row = log.rows[entry]
            if row.sequence != sequence:
                moved.append((entry, sequence))
            if row.voided_at is None:
                folding.meet(row)
            continue
        card = cards[entry.slug]
        day = entry.study_day or study_day(entry.reviewed_at, zone, user.rollover_hour)
        values = {
            "id": new_id("rev"),
            "user_id": user.id,
            "question_id": card,
            "answer_id": None,
            "sequence": sequence,
            "rating": entry.rating,
            "chance": entry.chance or 0.0,
            "confidence": entry.confidence,
            "seconds": entry.seconds,
            "study_day": day,
            "reviewed_at": entry.reviewed_at,
            "voided_at": None,
        }
        before, known = folding.states.get(card), folding.calibration
        made = folding.meet(Review(**values))
        rows.append(
            {
                **values,
                "predicted": made.predicted,
                "calibration": list(known),
                "before": before and plain(before),
                "after": plain(made.state),
            }
        )
    connection = session.connection()
    if moved:  # by way of numbers that nobody has, for no two may be the same
        mine = _LOG.c.user_id == user.id
        least = log.rows[moved[0][0]].sequence
        connection.execute(
            update(_LOG)
            .where(mine, _LOG.c.sequence >= least)
            .values(sequence=-_LOG.c.sequence)
        )
        connection.execute(
            update(_LOG)
            .where(_LOG.c.id == bindparam("row"))
            .values(sequence=bindparam("place")),
            [{"row": number, "place": place} for number, place in moved],
        )
    connection.execute(insert(_LOG), rows)
    session.expire_all()
    rebuild(session, user)
