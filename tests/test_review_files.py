"""Review files: what is read, what is a mistake and in which line, the way there and back."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.practice.exchange.files import (
    COLUMNS,
    Line,
    Mistake,
    merged,
    parse,
    render,
    repeated,
)

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
HEAD = "card_id,review_time,review_rating"
MOMENT = datetime(2026, 1, 5, 8, 30, 0, 125000, tzinfo=UTC)
MS = 1767601800125


def read(*rows: str, head: str = HEAD, zone: str | None = None) -> Sequence[Line]:
    lines, mistakes = parse("\n".join([head, *rows]), at=NOW, zone=zone)
    assert mistakes == []
    return lines


def mistaken(*rows: str, head: str = HEAD, zone: str | None = None) -> list[Mistake]:
    return parse("\n".join([head, *rows]), at=NOW, zone=zone)[1]


@pytest.mark.parametrize(
    "time",
    [
        f"{MS}",
        f"{MS}.0",
        "2026-01-05T08:30:00.125+00:00",
        "2026-01-05T08:30:00.125Z",
        "2026-01-05 16:30:00.125+08:00",
    ],
)
def test_a_time_is_milliseconds_or_is_written_with_its_offset(time: str) -> None:
    assert read(f"warmup,{time},3") == [
        Line(number=2, slug="warmup", reviewed_at=MOMENT, rating=3)
    ]


def test_a_time_without_an_offset_needs_the_zone_of_the_file() -> None:
    row = "warmup,2026-01-05 16:30:00.125,3"
    assert read(row, zone="Asia/Shanghai")[0].reviewed_at == MOMENT
    (mistake,) = mistaken(row)
    assert (mistake.line, mistake.column, mistake.code) == (2, "review_time", "no-zone")


@pytest.mark.parametrize(
    ("written", "utc"),
    [
        pytest.param("2025-03-30 02:30", "2025-03-30T01:30", id="left out: an hour on"),
        pytest.param("2025-10-26 02:30", "2025-10-26T00:30", id="twice: the earlier"),
        pytest.param("2025-10-26 03:00", "2025-10-26T02:00", id="once"),
    ],
)
def test_nights_on_which_the_clock_is_changed(written: str, utc: str) -> None:
    (line,) = read(f"warmup,{written},3", zone="Europe/Berlin")
    assert line.reviewed_at == datetime.fromisoformat(utc).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("row", "column", "code"),
    [
        (f",{MS},3", "card_id", "missing"),
        ("warmup,,3", "review_time", "not-a-time"),
        ("warmup,yesterday,3", "review_time", "not-a-time"),
        ("warmup,99999999999999,3", "review_time", "in-the-future"),
        ("warmup,999999999999999,3", "review_time", "not-a-time"),
        ("warmup,0001-01-01T00:00:00+14:00,3", "review_time", "not-a-time"),
        ("warmup,1767601800,3", "review_time", "too-early"),
        ("warmup,2026-03-02T09:00:01Z,3", "review_time", "in-the-future"),
        (f"warmup,{MS},", "review_rating", "not-a-rating"),
        (f"warmup,{MS},0", "review_rating", "not-a-rating"),
        (f"warmup,{MS},5", "review_rating", "not-a-rating"),
        (f"warmup,{MS},good", "review_rating", "not-a-rating"),
        (f"warmup,{MS},３", "review_rating", "not-a-rating"),
        (f"warmup,{MS}", "", "cells"),
        (f"warmup,{MS},3,9", "", "cells"),
        (f'warmup,{MS},"3', "", "not-csv"),
    ],
)
def test_a_mistake_names_line_and_column(row: str, column: str, code: str) -> None:
    (mistake,) = mistaken(f"other,{MS},3", "", row)
    assert (mistake.line, mistake.column, mistake.code) == (4, column, code)


@pytest.mark.parametrize(
    ("column", "cell", "code"),
    [
        ("review_duration", "-1", "not-a-duration"),
        ("review_duration", "quick", "not-a-duration"),
        ("reviewed_at", "2026-01-05T08:30:01Z", "contradiction"),
        ("reviewed_at", "then", "not-a-time"),
        ("reviewed_at", "2026-01-05T08:30:00.125", "not-a-time"),
        ("study_day", "2026-01-07", "contradiction"),
        ("study_day", "2026-01-02", "contradiction"),
        ("study_day", "Monday", "not-a-day"),
        ("confidence", "certain", "not-an-option"),
        ("chance", "1", "not-a-chance"),
        ("chance", "nan", "not-a-chance"),
        ("chance", "half", "not-a-chance"),
    ],
)
def test_our_own_columns_are_checked_too(column: str, cell: str, code: str) -> None:
    head = f"{HEAD},{column}"
    (mistake,) = mistaken(f"warmup,{MS},3,{cell}", head=head)
    assert (mistake.line, mistake.column, mistake.code) == (2, column, code)
    assert read(f"warmup,{MS},3,", head=head) == read(f"warmup,{MS},3")


def test_every_mistake_is_told_not_only_the_first() -> None:
    found = mistaken(f"warmup,{MS},9", f"warmup,{MS},3", ",never,0")
    assert [(m.line, m.column) for m in found] == [
        (2, "review_rating"),
        *((4, name) for name in HEAD.split(",")),
    ]


@pytest.mark.parametrize("text", ["", "\n", "card,time\n1,2", HEAD.upper().strip("G")])
def test_a_file_without_the_columns_is_refused(text: str) -> None:
    lines, mistakes = parse(text, at=NOW)
    assert lines == []
    assert {(m.line, m.code) for m in mistakes} == {(1, "missing-column")}


def test_a_column_named_twice_is_refused() -> None:
    (mistake,) = mistaken(head=f"{HEAD},chance,chance")
    assert (mistake.line, mistake.code) == (1, "repeated-column")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_stand_in_any_order_beside_foreign_ones(delimiter: str) -> None:
    head = delimiter.join(["review_state", "Review_Rating", "card_id", "review_time"])
    row = delimiter.join(["2", "3", "warmup", str(MS)])
    assert read(row, head=head) == read(f"warmup,{MS},3")


def test_only_the_header_is_an_empty_log() -> None:
    assert read() == []
    assert render([]).splitlines() == [",".join(COLUMNS)]


moments = st.datetimes(
    datetime(2000, 1, 2),  # noqa: DTZ001
    datetime(2026, 3, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=14))]),
)
logs = st.lists(
    st.builds(
        Line,
        number=st.just(0),
        slug=st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True),
        reviewed_at=moments,
        rating=st.integers(1, 4),
        seconds=st.none() | st.integers(0, 86_400_000).map(lambda ms: ms / 1000),
        confidence=st.sampled_from([None, "sure", "unsure", "dont-know"]),
        chance=st.none() | st.floats(0, 1, exclude_max=True),
    ),
    max_size=20,
)


@given(logs, st.integers(-2, 1))
def test_what_is_written_is_read_back(log: list[Line], days: int) -> None:
    said = [
        {
            **vars(line),
            "number": place,
            "study_day": line.reviewed_at.astimezone(UTC).date() + timedelta(days),
        }
        for place, line in enumerate(log, start=2)
    ]
    text = render(Line(**one) for one in said)
    lines, mistakes = parse(text, at=NOW)
    assert mistakes == []
    assert [vars(line) for line in lines] == said
    assert render(lines) == text


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    parse(text, at=NOW)
    lines, _ = parse(f"{HEAD}\n{text}", at=NOW, zone="UTC")
    assert all(line.rating in {1, 2, 3, 4} for line in lines)


@given(logs)
def test_a_line_that_is_said_twice_counts_once(log: list[Line]) -> None:
    once, again, _ = repeated(log)
    assert len({line.key for line in log}) == len(once) == len(log) - again
    assert repeated(once) == (once, 0, [])


def test_two_ratings_of_a_card_at_one_moment_contradict_each_other() -> None:
    lines = read(f"warmup,{MS},3", f"other,{MS},1", f"warmup,{MS},1")
    (mistake,) = repeated(lines)[2]
    assert (mistake.line, mistake.column) == (4, "review_rating")
    assert "Line 2" in mistake.detail


@given(st.lists(moments), logs)
def test_merging_keeps_the_order_of_the_log_and_puts_the_file_in_order(
    log: list[datetime], lines: list[Line]
) -> None:
    named = [(f"rev_{n}", at) for n, at in enumerate(log)]
    found = merged(named, lines)
    assert [entry for entry in found if isinstance(entry, str)] == [n for n, _ in named]
    new = [entry.reviewed_at for entry in found if isinstance(entry, Line)]
    assert new == sorted(line.reviewed_at for line in lines)
    if all(a <= b for a, b in pairwise(log)):
        times = dict(named)
        all_times = [times[e] if isinstance(e, str) else e.reviewed_at for e in found]
        assert all_times == sorted(all_times)


def test_a_study_day_is_read_as_a_day() -> None:
    (line,) = read(f"warmup,{MS},3,2026-01-04", head=f"{HEAD},study_day")
    assert line.study_day == date(2026, 1, 4)
