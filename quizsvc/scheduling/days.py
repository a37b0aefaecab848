"""Study days: the day as a person lives it, which ends in the small hours."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo


def study_day(at: datetime, zone: str, rollover_hour: int) -> date:
    """The local date, where each day begins at ``rollover_hour`` on the clock.

    The clock on the wall decides, not hours counted since midnight, so a night on which
    daylight saving begins or ends moves nothing. Raises ValueError for a naive ``at`` and
    ZoneInfoNotFoundError for an unknown zone.
    """
    if at.tzinfo is None:
        raise ValueError("naive datetime")
    clock = at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    return (clock - timedelta(hours=rollover_hour)).date()
