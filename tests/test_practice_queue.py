"""The due queue: what is asked now, in which order, and how much of it there is."""

from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from question_bank.models import Question
from quizsvc.db import reading
from quizsvc.models import MemoryState, User
from quizsvc.practice import (
    Submission,
    behind,
    due,
    local_user,
    progress,
    submit_answer,
    today,
)
from quizsvc.scheduling.calibration import PRIOR, predicted
from quizsvc.scheduling.pace import RECENT

from .practice_factories import AT, DAY, ask, ids, make_question, make_user

TODAY = AT.date()


def remember(
    session: Session,
    user: User,
    question: Question,
    *,
    due: date,
    stability: float = 5.0,
    last_day: date = TODAY - timedelta(days=10),
) -> None:
    session.add(
        MemoryState(
            user_id=user.id,
            question_id=question.id,
            stability=stability,
            difficulty=5.0,
            last_day=last_day,
            due=due,
            reviews=1,
            lapses=0,
        )
    )
    session.flush()


def slugs(session: Session, user: User, **query: object) -> list[str]:
    return [item.slug for item in due(session, user, **({"at": AT} | query))]  # type: ignore[arg-type]


def answer(
    session: Session, user: User, slug: str, at: datetime, seconds: float | None = None
) -> None:
    shown = ask(session, user, slug, at=at)
    said = Submission(choices=ids(shown, "inside"), seconds=seconds)
    submit_answer(session, user, shown.id, said, at=at)


def test_the_local_user_is_made_once(session: Session) -> None:
    user = local_user(session, at=AT)
    assert (user.time_zone, user.rollover_hour, user.target_retention) == (
        "UTC",
        4,
        0.9,
    )
    assert local_user(session, at=AT + DAY).id == user.id


def test_the_local_users_zone_is_the_one_last_given(
    session: Session, engine: Engine
) -> None:
    local_user(session, at=AT)
    for given, lived in [
        ("Asia/Shanghai", "Asia/Shanghai"),
        (None, "Asia/Shanghai"),
        ("Europe/Paris", "Europe/Paris"),
    ]:
        local_user(session, at=AT + DAY, time_zone=given)
        session.commit()
        with reading(engine) as fresh:
            assert local_user(fresh, at=AT).time_zone == lived


def test_a_zone_that_was_chosen_outweighs_the_machines(session: Session) -> None:
    user = local_user(session, at=AT, time_zone="Asia/Shanghai")
    user.chose_zone = True
    local_user(session, at=AT + DAY, time_zone="Europe/Paris")
    assert user.time_zone == "Asia/Shanghai"


def test_a_new_local_user_lives_where_it_is_told(session: Session) -> None:
    assert local_user(session, at=AT, time_zone="Asia/Tokyo").time_zone == "Asia/Tokyo"


def test_new_questions_come_from_easy_to_extreme(session: Session) -> None:
    user = make_user(session)
    for slug, level in [
        ("a", "extreme"),
        ("b", "hard"),
        ("c", "mid"),
        ("e", "easy"),
        ("d", "easy"),
    ]:
        make_question(session, slug, level=level)
    assert slugs(session, user) == ["d", "e", "c", "b", "a"]
    assert {item.reason for item in due(session, user, at=AT)} == {"new"}


def test_due_questions_come_oldest_first_then_the_least_remembered_then_new_ones(
    session: Session,
) -> None:
    user = make_user(session)
    make_question(session, "new")
    for slug, back, stability in [
        ("strong", 0, 50.0),
        ("weak", 0, 2.0),
        ("oldest", 3, 90.0),
    ]:
        question = make_question(session, slug, level="extreme")
        day = TODAY - timedelta(days=back)
        remember(session, user, question, due=day, stability=stability)
    assert slugs(session, user) == ["oldest", "weak", "strong", "new"]


def test_a_question_is_due_from_its_day_on(session: Session) -> None:
    user = make_user(session)
    remember(session, user, make_question(session), due=TODAY)
    assert slugs(session, user, at=datetime(2026, 3, 2, 3, 59, tzinfo=UTC)) == []
    assert slugs(session, user, at=datetime(2026, 3, 2, 4, tzinfo=UTC)) != []


def test_the_day_is_the_users_own(session: Session) -> None:
    user = make_user(session, zone="Asia/Shanghai")
    remember(session, user, make_question(session), due=TODAY)
    assert slugs(session, user, at=datetime(2026, 3, 1, 20, tzinfo=UTC)) != []


def test_an_item_says_what_it_is_and_why_it_is_due(session: Session) -> None:
    user = make_user(session)
    question = make_question(session, "norm-position", level="mid")
    remember(session, user, question, due=TODAY, stability=10.0)
    (item,) = due(session, user, at=AT)
    assert item.title == {
        "en": "Title of norm-position (en)",
        "zh": "Title of norm-position (zh)",
    }
    assert (item.type, item.level, item.topic) == ("single", "mid", "placement")
    assert (item.reason, item.due) == ("due", TODAY)
    assert item.retrievability == predicted(PRIOR, 0.9)
    assert 0.88 < item.retrievability < 0.9


def test_every_item_stands_behind_the_place_of_the_one_before(session: Session) -> None:
    user = make_user(session)
    for n, level in enumerate(["hard", "easy", "mid", "easy"]):
        make_question(session, f"new-{n}", level=level)
        question = make_question(session, f"met-{n}", level=level)
        day = TODAY - timedelta(days=n // 2)
        remember(session, user, question, due=day, stability=5.0 - n % 2)
    items = due(session, user, at=AT)
    assert [item.place[0] for item in items] == list(range(8))
    for seen, item in enumerate(items, start=1):
        assert behind(items, item.place) == items[seen:]
    gone = [item for item in items if item.slug != items[2].slug]
    assert [item.slug for item in behind(gone, items[2].place)] == [
        item.slug for item in items[3:]
    ]


def test_retired_questions_are_not_asked(session: Session) -> None:
    user = make_user(session)
    for slug in ("met", "unmet"):
        make_question(session, slug).retired_at = AT
    remember(session, user, make_question(session, "other"), due=TODAY + 2 * DAY)
    assert slugs(session, user) == []


def test_a_language_leaves_out_what_is_not_written_in_it(session: Session) -> None:
    user = make_user(session)
    make_question(session, "both")
    make_question(session, "english", langs=["en"])
    assert slugs(session, user, lang="zh") == ["both"]
    assert slugs(session, user, lang="en") == ["both", "english"]


def test_another_users_memory_does_not_count(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    remember(session, other, make_question(session), due=TODAY + 5 * DAY)
    assert slugs(session, other) == []
    (item,) = due(session, user, at=AT)
    assert item.reason == "new"


def test_today_counts_what_is_due_new_and_done(session: Session) -> None:
    user = make_user(session)
    for slug in ("one", "two", "three"):
        make_question(session, slug)
    remember(session, user, make_question(session, "old"), due=TODAY)
    answer(session, user, "one", AT - DAY)
    answer(session, user, "two", AT)
    told = today(session, user, at=AT)
    assert (told.day, told.done) == (TODAY, 1)
    assert (told.count, told.reasons) == (3, {"due": 2, "new": 1})
    assert told.next_due is None
    assert told.items == due(session, user, at=AT)


def test_a_question_answered_again_counts_once(session: Session) -> None:
    user = make_user(session)
    for slug in ("one", "two", "three"):
        make_question(session, slug)
    for minutes in range(3):
        answer(session, user, "one", AT + minutes * timedelta(minutes=1))
    told = today(session, user, at=AT)
    assert (told.done, len(told.items)) == (1, 2)
    state = session.scalars(select(MemoryState)).one()
    # as if it had to come back on the same day
    state.last_day, state.due = TODAY - 90 * DAY, TODAY - 60 * DAY
    session.flush()
    told = today(session, user, at=AT)
    assert (told.done, len(told.items)) == (0, 3)


def test_the_next_due_day_is_told_when_nothing_is_due(session: Session) -> None:
    user = make_user(session)
    assert today(session, user, at=AT).next_due is None
    for slug, days in [("later", 9), ("soon", 4), ("retired", 2)]:
        question = make_question(session, slug)
        remember(session, user, question, due=TODAY + days * DAY)
        question.retired_at = AT if slug == "retired" else None
    told = today(session, user, at=AT)
    assert (told.count, told.reasons, told.minutes) == (0, {}, 0)
    assert told.next_due == TODAY + 4 * DAY


def test_an_answer_is_expected_to_take_a_minute(session: Session) -> None:
    user = make_user(session)
    for slug in ("one", "two", "three"):
        make_question(session, slug)
    assert today(session, user, at=AT).minutes == 3


def test_reading_what_an_answer_earned_takes_of_the_days_minutes(
    session: Session,
) -> None:
    user = make_user(session)
    for slug in ("one", "two", "three", "four", "five"):
        make_question(session, slug)
    user.minutes_per_day = 3
    for place in range(2):  # given at once, but the second a minute after the first
        answer(session, user, "one", AT + place * timedelta(minutes=1), 0)
    assert today(session, user, at=AT + timedelta(minutes=2)).count == 3


def test_the_minutes_follow_the_pace_of_the_last_answers(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    for slug in ("one", "two", "three", "four", "five"):
        make_question(session, slug)
    user.minutes_per_day = 120
    for place in range(RECENT):
        answer(session, user, "one", AT - DAY + place * timedelta(minutes=1), 600)
    assert today(session, user, at=AT).minutes == 4 * 10
    for place in range(RECENT):
        answer(session, user, "one", AT + place * timedelta(minutes=1), 90)
    answer(session, other, "one", AT + timedelta(hours=1), 5000)
    told = today(session, user, at=AT + timedelta(hours=2))
    assert (told.count, told.minutes) == (4, 6)


def test_progress_and_the_queue_tell_the_same_recall(session: Session) -> None:
    user = make_user(session)
    make_question(session, "one")
    for days in (0, 3, 9):
        answer(session, user, "one", AT - 30 * DAY + days * DAY)
    later = AT + 90 * DAY
    (item,) = due(session, user, at=later)
    assert progress(session, user, at=later - DAY).recall.mean == item.retrievability
    before, user.calibration = item.retrievability, list(PRIOR)
    (item,) = due(session, user, at=later)
    assert item.retrievability != before
    assert progress(session, user, at=later - DAY).recall.mean == item.retrievability
