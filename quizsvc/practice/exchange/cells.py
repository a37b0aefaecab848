"""Pure: the cells of a review file, each read strictly.

Every function raises Unreadable for a cell that it cannot use.
"""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from quizsvc.scheduling.memory import Rating

CONFIDENCES = ("sure", "unsure", "dont-know")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
DAY = timedelta(days=1)
RATINGS = frozenset(Rating)
WHOLE = re.compile(r"([0-9]{1,15})(?:\.0*)?")
LONGEST = 100  # characters of a cell that are repeated in a message


class Unreadable(ValueError):  # noqa: N818 - a cell is unreadable
    """A cell that cannot be used; says why."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def milliseconds(at: datetime) -> int:
    """Whole milliseconds since 1970 UTC."""
    return (at - EPOCH) // MILLISECOND


def slug(cell: str) -> str:
    """The name of a card."""
    if not cell:
        raise Unreadable("missing", "The line names no card.")
    return cell


def moment(cell: str, *, zone: str | None, at: datetime) -> datetime:
    """A time up to ``at``, in UTC; one without an offset is read in ``zone``."""
    found = _whole_or_written(cell)
    if found.tzinfo is None:
        if zone is None:
            detail = f"{_short(cell)} has no offset, and no time zone was given for the file."
            raise Unreadable("no-zone", detail)
        found = found.replace(tzinfo=ZoneInfo(zone))
    try:
        found = found.astimezone(UTC)
    except OverflowError:
        raise Unreadable("not-a-time", f"{_short(cell)} is no time.") from None
    if found < EARLIEST:
        detail = f"{_short(cell)} is before 2000; whole numbers count milliseconds since 1970."
        raise Unreadable("too-early", detail)
    if found > at:
        raise Unreadable("in-the-future", f"{_short(cell)} has not come yet.")
    return found


def _whole_or_written(cell: str) -> datetime:
    try:
        if whole := WHOLE.fullmatch(cell):
            return EPOCH + int(whole[1]) * MILLISECOND
        return datetime.fromisoformat(cell)
    except (ValueError, OverflowError):
        detail = (
            f"{_short(cell)} is no time. Write milliseconds since 1970, or a date and "
            "time such as 2026-03-02T09:00:00+01:00."
        )
        raise Unreadable("not-a-time", detail) from None


def exactly(cell: str, *, moment: datetime | None) -> datetime | None:
    """The same moment as ``moment``, finer than a millisecond."""
    try:
        exact = datetime.fromisoformat(cell)
        if exact.tzinfo is None:
            raise ValueError("naive datetime")
        exact = exact.astimezone(UTC)
    except (ValueError, OverflowError):
        detail = f"{_short(cell)} is no time with its offset."
        raise Unreadable("not-a-time", detail) from None
    if moment is not None and milliseconds(exact) != milliseconds(moment):
        detail = f"{_short(cell)} is not the moment that review_time says."
        raise Unreadable("contradiction", detail)
    return exact


def rating(cell: str) -> int:
    """1 to 4."""
    whole = WHOLE.fullmatch(cell)
    if whole is None or int(whole[1]) not in RATINGS:
        detail = f"{_short(cell)} is no rating: 1 Again, 2 Hard, 3 Good, 4 Easy."
        raise Unreadable("not-a-rating", detail)
    return int(whole[1])


def seconds(cell: str) -> float:
    """Seconds, from whole milliseconds."""
    whole = WHOLE.fullmatch(cell)
    if whole is None:
        detail = f"{_short(cell)} is no duration in whole milliseconds."
        raise Unreadable("not-a-duration", detail)
    return int(whole[1]) / 1000


def day(cell: str, *, moment: datetime | None) -> date:
    """A day that somewhere is the study day of ``moment``."""
    try:
        found = date.fromisoformat(cell)
    except ValueError:
        detail = f"{_short(cell)} is no day such as 2026-03-02."
        raise Unreadable("not-a-day", detail) from None
    # the earliest rollover in the east and the latest in the west
    if moment is not None and not -2 * DAY <= found - moment.date() <= DAY:
        detail = f"{_short(cell)} is nowhere the study day of review_time."
        raise Unreadable("contradiction", detail)
    return found


def confidence(cell: str) -> str:
    """One of ``CONFIDENCES``."""
    if cell not in CONFIDENCES:
        detail = f"{_short(cell)} is none of {', '.join(CONFIDENCES)}."
        raise Unreadable("not-an-option", detail)
    return cell


def chance(cell: str) -> float:
    """A chance below 1."""
    try:
        value = float(cell) if "_" not in cell else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        detail = f"{_short(cell)} is no chance from 0 to below 1."
        raise Unreadable("not-a-chance", detail)
    return value


def _short(cell: str) -> str:
    return f"“{cell[:LONGEST]}”" if cell else "An empty cell"
