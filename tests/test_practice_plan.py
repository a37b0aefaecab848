"""The plan: where it leads, what it asks for today, how its days are used."""

from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from quizsvc.models import MemoryState, User
from quizsvc.practice import (
    due,
    latest_review,
    plan,
    rebuild,
    today,
    undo,
)
from quizsvc.practice.goal import known_beforehand
from quizsvc.scheduling.guessing import NEVER_MET
from quizsvc.scheduling.planner import Why

from .practice_factories import AT, DAY, make_candidate, make_question, make_user, want
from .practice_log import answer as given
from .practice_log import candidate, known
from .test_practice_queue import answer, remember

TODAY = AT.date()
SLUGS = ("one", "two", "three", "four", "five", "six")


@pytest.fixture
def user(session: Session) -> User:
    return make_candidate(session, *SLUGS)


def latest(session: Session, user: User) -> str:
    review = latest_review(session, user)
    assert review is not None
    return review.id


def test_a_plan_looks_to_the_interview(session: Session, user: User) -> None:
    want(session, user, interview_date=TODAY + timedelta(days=10), minutes_per_day=5)
    answer(session, user, "one", AT - 3 * DAY)
    found = plan(session, user, at=AT)
    assert (found.days_left, found.until) == (10, TODAY + timedelta(days=10))
    assert (found.questions, found.met, found.notes) == (6, 1, [])
    told = found.forecast
    assert told is not None
    assert 0 <= told.low <= told.recall <= told.high <= 1
    assert told.untouched < told.recall
    assert [day.date for day in found.days] == [
        TODAY + timedelta(days=n) for n in range(10)
    ]
    assert all(0 <= day.minutes <= 6 for day in found.days)
    assert sum(day.new for day in found.days) > 3
    assert [point.date for point in found.course] == [
        TODAY + timedelta(days=n) for n in range(11)
    ]
    assert found.met_by is not None
    assert TODAY <= found.met_by < found.until
    less, same, more = found.if_minutes
    assert [less.minutes_per_day, same.minutes_per_day] == [4, 5]
    assert less.recall <= same.recall == told.recall <= more.recall


def test_without_a_date_the_plan_looks_thirty_days_ahead(
    session: Session, user: User
) -> None:
    found = plan(session, user, at=AT)
    assert (found.days_left, found.until) == (None, TODAY + timedelta(days=30))
    assert found.forecast is not None
    assert found.notes == []


def test_a_date_in_the_past_is_said_and_counts_as_none(
    session: Session, user: User
) -> None:
    want(session, user, interview_date=TODAY - timedelta(days=1))
    found = plan(session, user, at=AT)
    assert found.notes == ["past-date"]
    assert (found.days_left, found.until) == (None, TODAY + timedelta(days=30))
    assert found.forecast is not None
    want(session, user, interview_date=None)
    assert plan(session, user, at=AT).forecast == found.forecast


def test_no_minutes_still_give_a_plan(session: Session, user: User) -> None:
    answer(session, user, "one", AT - 3 * DAY)
    want(session, user, interview_date=TODAY + timedelta(days=9), minutes_per_day=0)
    found = plan(session, user, at=AT)
    assert found.notes == ["no-minutes"]
    assert found.forecast is not None
    assert found.forecast.recall == pytest.approx(found.forecast.untouched)
    assert sum(day.minutes for day in found.days) == 0
    assert [one.minutes_per_day for one in found.if_minutes] == [0, 1]
    assert found.if_minutes[1].recall > found.if_minutes[0].recall
    told = today(session, user, at=AT)
    assert (told.count, told.minutes) == (0, 0)
    assert told.items


def test_a_goal_without_questions_says_so(session: Session) -> None:
    found = plan(session, make_user(session), at=AT)
    assert found.notes == ["no-questions"]
    assert (found.forecast, found.days, found.if_minutes) == (None, [], [])


def test_too_little_time_is_said(session: Session, user: User) -> None:
    want(session, user, interview_date=TODAY + timedelta(days=2), minutes_per_day=1)
    assert plan(session, user, at=AT).notes == ["time-is-short"]


def test_on_the_day_itself_there_is_still_a_plan(session: Session, user: User) -> None:
    want(session, user, interview_date=TODAY)
    found = plan(session, user, at=AT)
    assert (found.days_left, found.until) == (0, TODAY)
    assert [(day.date, day.days) for day in found.days] == [(TODAY, 1)]


def test_with_time_to_spare_the_weakest_on_the_day_fill_it(session: Session) -> None:
    user = make_user(session)
    for slug, stability in (("firm", 90.0), ("frail", 6.0)):
        question = make_question(session, slug)
        later = TODAY + timedelta(days=5)
        remember(session, user, question, due=later, stability=stability)
    assert due(session, user, at=AT) == []
    want(session, user, interview_date=TODAY + timedelta(days=20))
    found = due(session, user, at=AT)
    assert [(one.slug, one.reason) for one in found] == [
        ("frail", Why.WEAK),
        ("firm", Why.WEAK),
    ]
    assert found[0].gain > 0
    told = today(session, user, at=AT)
    assert (told.days_left, told.count, told.reasons) == (20, 2, {Why.WEAK: 2})


def test_when_time_is_short_the_most_gained_comes_first(session: Session) -> None:
    user = make_user(session)
    for slug, stability in (("firm", 400.0), ("frail", 6.0), ("frailer", 4.0)):
        question = make_question(session, slug)
        remember(session, user, question, due=TODAY, stability=stability)
    want(session, user, interview_date=TODAY + timedelta(days=1), minutes_per_day=1)
    found = due(session, user, at=AT)
    assert {one.reason for one in found} == {Why.GAIN}
    gains = [one.gain for one in found]
    assert gains == sorted(gains, reverse=True)
    assert found[-1].slug == "firm"
    assert today(session, user, at=AT).count == 1


def test_the_time_of_a_day_is_used_up_and_the_next_day_has_its_own(
    session: Session, user: User
) -> None:
    want(session, user, interview_date=TODAY + timedelta(days=9), minutes_per_day=2)
    assert today(session, user, at=AT).count == 2
    answer(session, user, "one", AT, 200)
    told = today(session, user, at=AT)
    assert (told.count, told.done) == (0, 1)
    assert told.items
    assert today(session, user, at=AT + DAY).count > 0


def test_first_answers_tell_what_is_known_beforehand(session: Session) -> None:
    strong, weak = make_user(session), make_user(session, "bob")
    for place in range(12):
        make_question(session, f"q-{place:02}")
    for place in range(8):
        given(session, strong, f"q-{place:02}", "inside", at=AT - DAY)
        given(session, weak, f"q-{place:02}", "outside", at=AT - DAY)
    assert known_beforehand(session, make_user(session, "eve")) == NEVER_MET
    high, low = (known_beforehand(session, user) for user in (strong, weak))
    assert low < 0.3
    assert high > 0.6
    for _ in range(3):
        given(session, weak, "q-00", "inside", at=AT)
    assert known_beforehand(session, weak) == low, "it was met before"
    undo(session, strong, latest(session, strong), at=AT)
    assert known_beforehand(session, strong) < high


def test_cards_met_together_do_not_all_come_back_together(session: Session) -> None:
    user = make_user(session)
    slugs = [f"q-{place:02}" for place in range(8)]
    for slug in slugs:
        make_question(session, slug)
    for days in (0, 3, 12):
        for slug in slugs:
            given(session, user, slug, "inside", at=AT + days * DAY)
    states = session.scalars(select(MemoryState)).all()
    assert len({state.due for state in states}) > 1
    assert known(session, user) == candidate(session, user)
    undo(session, user, latest(session, user), at=AT + 12 * DAY)
    assert known(session, user) == candidate(session, user)
    rebuild(session, user)
    assert known(session, user) == candidate(session, user)


def test_cram_on_the_last_day_leaves_an_ordinary_schedule(
    session: Session, user: User
) -> None:
    want(session, user, interview_date=TODAY + timedelta(days=1))
    for slug in SLUGS:
        answer(session, user, slug, AT)
    assert due(session, user, at=AT) == []
    want(session, user, interview_date=None)
    states = session.scalars(select(MemoryState)).all()
    assert all(state.due > TODAY for state in states)
    assert known(session, user) == candidate(session, user)
