"""Study days: what the wall clock says, in every zone and on every strange night."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.scheduling.days import study_day

ZONES = (
    "Asia/Shanghai",  # no daylight saving
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour of daylight saving
    "Africa/Cairo",  # a midnight a year that does not exist
    "Pacific/Kiritimati",  # 14 hours ahead
)


@pytest.mark.parametrize(
    ("at", "zone", "rollover", "day"),
    [
        pytest.param(
            "2026-03-10T03:59:59", "Asia/Shanghai", 4, "2026-03-09", id="night owl"
        ),
        pytest.param(
            "2026-03-10T04:00:00", "Asia/Shanghai", 4, "2026-03-10", id="rollover"
        ),
        pytest.param(
            "2026-03-10T00:00:00", "Asia/Shanghai", 0, "2026-03-10", id="midnight"
        ),
        # clocks fall back from 03:00 to 02:00
        pytest.param(
            "2026-10-25T03:59:59", "Europe/Berlin", 4, "2026-10-24", id="before 4, fall"
        ),
        pytest.param(
            "2026-10-25T04:30:00", "Europe/Berlin", 4, "2026-10-25", id="after 4, fall"
        ),
        # clocks spring forward from 02:00 to 03:00
        pytest.param(
            "2026-03-29T03:30:00",
            "Europe/Berlin",
            4,
            "2026-03-28",
            id="before 4, spring",
        ),
        pytest.param(
            "2026-03-29T04:00:00",
            "Europe/Berlin",
            4,
            "2026-03-29",
            id="after 4, spring",
        ),
    ],
)
def test_a_study_day_begins_at_the_rollover(
    at: str, zone: str, rollover: int, day: str
) -> None:
    local = datetime.fromisoformat(at).replace(tzinfo=ZoneInfo(zone))
    assert study_day(local, zone, rollover) == date.fromisoformat(day)
    assert study_day(local.astimezone(UTC), zone, rollover) == date.fromisoformat(day)


def test_both_two_o_clocks_of_the_night_daylight_saving_ends_are_one_day() -> None:
    first = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    second = first.replace(fold=1)
    assert second.astimezone(UTC) - first.astimezone(UTC) == timedelta(hours=1)
    assert study_day(first, "Europe/Berlin", 4) == study_day(second, "Europe/Berlin", 4)
    assert study_day(first, "Europe/Berlin", 2) == study_day(second, "Europe/Berlin", 2)


def test_a_midnight_that_does_not_exist_shifts_forward() -> None:
    before = datetime(2026, 4, 23, 21, 59, 59, tzinfo=UTC)  # 23:59:59 in Cairo
    after = before + timedelta(seconds=1)  # 01:00:00
    assert after.astimezone(ZoneInfo("Africa/Cairo")).hour == 1
    assert study_day(before, "Africa/Cairo", 0) == date(2026, 4, 23)
    assert study_day(after, "Africa/Cairo", 0) == date(2026, 4, 24)


def test_one_in_the_morning_is_still_the_evening_before() -> None:
    # the day began 2023-11-14 04:00 in New York; by UTC it is already another one
    began = datetime(2023, 11, 14, 9, tzinfo=UTC)
    late = datetime(2023, 11, 15, 6, tzinfo=UTC)
    days = [study_day(at, "America/New_York", 4) for at in (began, late)]
    assert days == [date(2023, 11, 14)] * 2


def test_two_evenings_are_two_days_apart_however_many_hours_lie_between() -> None:
    friday = datetime(2026, 10, 23, 23, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    sunday = datetime(2026, 10, 25, 20, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    assert sunday.astimezone(UTC) - friday.astimezone(UTC) < timedelta(days=2)
    days = [study_day(at, "Europe/Berlin", 4) for at in (friday, sunday)]
    assert (days[1] - days[0]).days == 2


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("rollover", [0, 4])
def test_a_year_of_study_days_has_every_date_once_and_in_order(
    zone: str, rollover: int
) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    quarters = [start + timedelta(minutes=15 * i) for i in range(365 * 96)]
    days = [study_day(at, zone, rollover) for at in quarters]
    steps = {(b - a).days for a, b in pairwise(days)}
    assert steps == {0, 1}


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001
    st.sampled_from(ZONES),
    st.integers(0, 23),
)
def test_a_study_day_is_today_or_yesterday_by_the_wall_clock(
    at: datetime, zone: str, rollover: int
) -> None:
    local = at.astimezone(ZoneInfo(zone))
    expected = local.date() - timedelta(days=local.hour < rollover)
    assert study_day(at, zone, rollover) == expected


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        study_day(datetime(2026, 1, 1), "UTC", 4)  # noqa: DTZ001


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ZoneInfoNotFoundError):
        study_day(datetime(2026, 1, 1, tzinfo=UTC), "Mars/Olympus", 4)
