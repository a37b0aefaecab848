"""Pure: the review log as comma-separated values, in the columns of the field.

``card_id, review_time, review_rating, review_duration`` are those of the FSRS optimizers:
one line for each review, the time in milliseconds since 1970 UTC, the rating 1 Again to
4 Easy, the duration in milliseconds. A card is named by the slug of its question. The
columns behind them make the file say all that the log says; other tools leave them out or
skip them, and what they add is skipped here.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import NamedTuple, TypeVar

from quizsvc.practice.exchange import cells as read
from quizsvc.practice.exchange.cells import Unreadable, milliseconds

T = TypeVar("T")

COLUMNS = (
    "card_id",
    "review_time",
    "review_rating",
    "review_duration",
    "reviewed_at",  # review_time in full, for people too
    "study_day",
    "confidence",
    "chance",
)
NEEDED = COLUMNS[:3]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A review as a file tells it; None where the file says nothing."""

    number: int  # of the line in the file, from 1
    slug: str
    reviewed_at: datetime
    rating: int
    seconds: float | None = None
    study_day: date | None = None
    confidence: str | None = None
    chance: float | None = None

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from every other review: the card, and the moment in ms."""
        return self.slug, milliseconds(self.reviewed_at)


class Mistake(NamedTuple):
    """What is wrong with a cell of a file; ``column`` is empty for a whole line."""

    line: int
    column: str
    code: str
    detail: str


def render(lines: Iterable[Line]) -> str:
    """The file (RFC 4180) of these reviews, in their order; :func:`parse` reads it back."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for line in lines:
        at = line.reviewed_at.astimezone(UTC)
        writer.writerow(
            [
                line.slug,
                milliseconds(at),
                line.rating,
                "" if line.seconds is None else round(line.seconds * 1000),
                at.isoformat().replace("+00:00", "Z"),
                line.study_day or "",
                line.confidence or "",
                "" if line.chance is None else repr(line.chance),
            ]
        )
    return out.getvalue()


def parse(
    text: str, *, at: datetime, zone: str | None = None
) -> tuple[list[Line], list[Mistake]]:
    """The reviews of a file in its order, and its mistakes; lines with one are left out.

    ``at`` is now: later reviews are mistakes. A time without an offset is read in
    ``zone``, and is a mistake without one; where the clock was put back it is the earlier
    of the two, and one that the clock left out is an hour later.
    """
    sample = text[: text.find("\n") + 1] or text
    delimiter = max(",;\t", key=sample.count)
    reader = csv.reader(
        io.StringIO(text, newline=None), delimiter=delimiter, strict=True
    )
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        if mistakes := list(_header(header)):
            return [], mistakes
        lines: list[Line] = []
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            line = _line(reader.line_num, header, cells, at, zone, mistakes)
            if line is not None:
                lines.append(line)
    except csv.Error as error:
        number = max(reader.line_num, 1)
        return [], [Mistake(number, "", "not-csv", f"This is not CSV: {error}.")]
    return lines, mistakes


def _header(header: list[str]) -> Iterator[Mistake]:
    for name in NEEDED:
        if name not in header:
            detail = f"The first line names no column {name}."
            yield Mistake(1, name, "missing-column", detail)
    for name in COLUMNS:
        if header.count(name) > 1:
            detail = f"The first line names the column {name} twice."
            yield Mistake(1, name, "repeated-column", detail)


def _line(  # noqa: PLR0913, PLR0917 - a line, and all that it is read with
    number: int,
    header: list[str],
    cells: list[str],
    at: datetime,
    zone: str | None,
    mistakes: list[Mistake],
) -> Line | None:
    if len(cells) != len(header):
        detail = f"The line has {len(cells)} cells, the first one has {len(header)}."
        mistakes.append(Mistake(number, "", "cells", detail))
        return None
    row = {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
    known = len(mistakes)

    def cell(name: str, reader: Callable[[str], T]) -> T | None:
        try:
            return reader(row[name]) if row.get(name) or name in NEEDED else None
        except Unreadable as wrong:
            mistakes.append(Mistake(number, name, wrong.code, str(wrong)))
            return None

    slug = cell("card_id", read.slug)
    moment = cell("review_time", partial(read.moment, zone=zone, at=at))
    rating = cell("review_rating", read.rating)
    seconds = cell("review_duration", read.seconds)
    exact = cell("reviewed_at", partial(read.exactly, moment=moment))
    day = cell("study_day", partial(read.day, moment=moment))
    confidence = cell("confidence", read.confidence)
    chance = cell("chance", read.chance)
    if len(mistakes) > known or slug is None or moment is None or rating is None:
        return None
    return Line(
        number=number,
        slug=slug,
        reviewed_at=exact or moment,
        rating=rating,
        seconds=seconds,
        study_day=day,
        confidence=confidence,
        chance=chance,
    )


def repeated(lines: Iterable[Line]) -> tuple[list[Line], int, list[Mistake]]:
    """Each review once, how many lines said one again, and the lines that contradict one."""
    first: dict[tuple[str, int], Line] = {}
    again, mistakes = 0, []
    for line in lines:
        said = first.setdefault(line.key, line)
        if said is line:
            continue
        again += 1
        if said.rating != line.rating:
            detail = f"Line {said.number} rates the same card at the same moment {said.rating}."
            mistakes.append(
                Mistake(line.number, "review_rating", "contradiction", detail)
            )
    return list(first.values()), again, mistakes


def merged(
    log: Iterable[tuple[str, datetime]], lines: Iterable[Line]
) -> list[str | Line]:
    """A log (ids and times) with new reviews where their time puts them; the log itself keeps its order.

    A clock may have been put back within the log: then what comes first there stays first.
    """
    coming = iter(sorted(lines, key=lambda line: line.reviewed_at))
    following = next(coming, None)
    found: list[str | Line] = []
    for number, moment in log:
        while following is not None and following.reviewed_at < moment:
            found.append(following)
            following = next(coming, None)
        found.append(number)
    return [*found, *([following] if following else []), *coming]
