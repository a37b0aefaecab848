"""What the queue reads: a fixed number of queries, each by an index; leeches among it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.orm import Session

from quizsvc.models import User
from quizsvc.practice import due, progress, today
from quizsvc.practice.progress.cards import LEAST
from quizsvc.scheduling.planner import Why

from .practice_factories import AT, DAY, make_question, make_user
from .practice_log import answer
from .test_practice_queue import answer as take_time

Statement = tuple[str, Any]


@contextmanager
def watched(session: Session) -> Iterator[list[Statement]]:
    """The statements that are sent meanwhile."""
    sent: list[Statement] = []
    engine = session.get_bind()

    def note(_c: object, _u: object, statement: str, values: Any, *_: object) -> None:
        sent.append((statement, values))

    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


def slip(session: Session, user: User, slug: str, times: int = 6) -> None:
    """Answer wrongly every other day until yesterday."""
    for back in range(2 * times - 1, 0, -2):
        answer(session, user, slug, "outside", at=AT - back * DAY)


def test_a_leech_says_so_where_it_is_asked(session: Session) -> None:
    user = make_user(session)
    for slug in ("slips", "stays", "new"):
        make_question(session, slug)
    answer(session, user, "slips", "inside", at=AT - 40 * DAY)
    answer(session, user, "stays", "inside", at=AT - 40 * DAY)
    slip(session, user, "slips")
    told = {item.slug: item.reason for item in due(session, user, at=AT)}
    assert told == {"slips": Why.LEECH, "stays": Why.DUE, "new": Why.NEW}
    assert today(session, user, at=AT).reasons == {"leech": 1, "due": 1, "new": 1}


def test_progress_and_the_queue_name_the_same_leeches(session: Session) -> None:
    user = make_user(session)
    user.interview_date = AT.date() + 30 * DAY
    for place in range(7):
        slug = f"slips-{place}"
        make_question(session, slug)
        answer(session, user, slug, "inside", at=AT - 60 * DAY)
        slip(session, user, slug, place)
    named = {leech.card.slug for leech in progress(session, user, at=AT).leeches}
    asked = {i.slug for i in due(session, user, at=AT) if i.reason == Why.LEECH}
    assert asked == named
    assert 0 < len(asked) < 7 - LEAST + 1


def test_more_questions_and_reviews_take_no_more_queries(session: Session) -> None:
    user = make_user(session)
    user.interview_date = AT.date() + 30 * DAY
    counts = []
    for count in (2, 8):
        for place in range(count):
            make_question(session, f"of-{count}-{place}")
            answer(session, user, f"of-{count}-{place}", "inside", at=AT - 60 * DAY)
            slip(session, user, f"of-{count}-{place}")
        session.commit()
        today(session, user, at=AT)  # reads what is kept from then on
        with watched(session) as sent:
            today(session, user, at=AT)
        counts.append(len(sent))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_queue_goes_through_no_log_but_by_an_index(session: Session) -> None:
    user = make_user(session)
    user.interview_date = AT.date() + 30 * DAY
    make_question(session)
    slip(session, user, "norm-position", LEAST + 1)
    with watched(session) as sent:
        today(session, user, at=AT)
    assert any("review.sequence" in statement for statement, _ in sent)
    for statement, values in sent:
        plan = session.connection().exec_driver_sql(
            f"EXPLAIN QUERY PLAN {statement}", values
        )
        steps = [row[3] for row in plan]
        large = ("SCAN review", "SCAN memory_state", "SCAN answer")
        assert not [s for s in steps if s.startswith(large) and "revision" not in s]


@pytest.mark.parametrize("interview", [AT.date() + 30 * DAY, None])
def test_the_questions_for_today_are_those_that_the_time_is_for(
    session: Session, interview: date | None
) -> None:
    user = make_user(session)
    user.interview_date, user.minutes_per_day = interview, 3
    for place in range(8):
        make_question(session, f"q-{place}")
    told = today(session, user, at=AT)
    spent = [item.seconds for item in told.items]
    assert sum(spent[: told.count - 1]) < 180 <= sum(spent[: told.count])
    assert (told.minutes, sum(told.reasons.values())) == (3, told.count)
    assert len(told.items) == 8
    take_time(session, user, "q-0", AT, 60)
    later = today(session, user, at=AT + timedelta(minutes=5))
    assert later.count < told.count


def test_minutes_are_what_the_questions_for_today_take(
    session: Session, engine: Engine
) -> None:
    user = make_user(session)
    make_question(session, "short")
    make_question(session, "long", type="open")
    told = today(session, user, at=AT)
    assert told.minutes == 2
    assert sum(item.seconds for item in told.items) == 120
