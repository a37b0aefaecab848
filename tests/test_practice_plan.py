"""The goal and the plan: what is set, what is refused, where it leads."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import MemoryState, User
from quizsvc.practice import (
    due,
    goal,
    latest_review,
    options,
    plan,
    rebuild,
    set_goal,
    today,
    undo,
)
from quizsvc.practice.goal import known_beforehand
from quizsvc.refusals import Invalid
from quizsvc.scheduling.guessing import NEVER_MET
from quizsvc.scheduling.planner import Why

from .practice_factories import AT, DAY, make_question, make_user
from .practice_log import answer as given
from .practice_log import candidate, known
from .test_practice_queue import answer, remember

TODAY = AT.date()
SLUGS = ("one", "two", "three", "four", "five", "six")


@pytest.fixture
def user(session: Session) -> User:
    for slug in SLUGS:
        make_question(session, slug)
    return make_user(session)


def latest(session: Session, user: User) -> str:
    review = latest_review(session, user)
    assert review is not None
    return review.id


def want(session: Session, user: User, **changes: object) -> None:
    wanted = replace(goal(user), **changes)  # type: ignore[arg-type]
    set_goal(session, user, wanted, at=AT)


def test_a_goal_is_kept(session: Session, engine: Engine, user: User) -> None:
    changes = {
        "interview_date": date(2026, 4, 1),
        "minutes_per_day": 15,
        "packs": ["pack"],
        "topics": ["placement"],
        "levels": ["easy", "hard"],
        "languages": ["zh"],
        "target_retention": 0.85,
        "time_zone": "Asia/Shanghai",
        "rollover_hour": 3,
    }
    want(session, user, **changes)
    session.commit()
    with reading(engine) as fresh:
        found = fresh.get_one(User, user.id)
        assert vars(goal(found)) == changes
        assert found.chose_zone


@pytest.mark.parametrize(
    ("changes", "pointer", "code"),
    [
        ({"time_zone": "Mars/Olympus"}, "/time_zone", "unknown-zone"),
        ({"time_zone": "../etc/passwd"}, "/time_zone", "unknown-zone"),
        ({"minutes_per_day": -1}, "/minutes_per_day", "out-of-range"),
        ({"minutes_per_day": 1441}, "/minutes_per_day", "out-of-range"),
        ({"target_retention": 1.0}, "/target_retention", "out-of-range"),
        ({"target_retention": 0.1}, "/target_retention", "out-of-range"),
        ({"rollover_hour": 24}, "/rollover_hour", "out-of-range"),
        ({"interview_date": date(9999, 12, 31)}, "/interview_date", "out-of-range"),
        ({"topics": ["placement", "cooking"]}, "/topics/1", "not-an-option"),
        ({"levels": ["trivial"]}, "/levels/0", "not-an-option"),
        ({"packs": ["gone"]}, "/packs/0", "not-an-option"),
        ({"languages": ["fr"]}, "/languages/0", "not-an-option"),
    ],
)
def test_what_cannot_be_a_goal_is_refused_by_its_field(
    session: Session, user: User, changes: dict[str, object], pointer: str, code: str
) -> None:
    before = goal(user)
    with pytest.raises(Invalid) as refusal:
        want(session, user, **changes)
    assert [(e.pointer, e.code) for e in refusal.value.errors] == [(pointer, code)]
    assert goal(user) == before


def test_the_options_are_what_the_bank_holds(session: Session, user: User) -> None:
    make_question(session, "hard", level="hard")
    assert options(session) == {
        "packs": ["pack"],
        "topics": ["placement"],
        "levels": ["easy", "mid", "hard", "extreme"],
        "languages": ["en", "zh"],
    }


def test_a_new_target_moves_every_due_day_as_the_fold_does(
    session: Session, user: User
) -> None:
    for days in (0, 4, 12):
        answer(session, user, "one", AT - 20 * DAY + days * DAY)
    before = known(session, user)
    want(session, user, target_retention=0.75)
    after = known(session, user)
    assert after == candidate(session, user)
    (early,), (late,) = before.states.values(), after.states.values()
    assert late.due > early.due


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


def test_the_queue_asks_what_the_goal_asks_for(session: Session) -> None:
    user = make_user(session)
    make_question(session, "easy")
    make_question(session, "hard", level="hard")
    make_question(session, "english", langs=["en"])
    want(session, user, levels=["easy"])
    assert [one.slug for one in due(session, user, at=AT)] == ["easy", "english"]
    want(session, user, levels=[], languages=["zh"])
    assert [one.slug for one in due(session, user, at=AT)] == ["easy", "hard"]
    want(session, user, languages=[], topics=["placement"], packs=["pack"])
    assert len(due(session, user, at=AT)) == 3


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
