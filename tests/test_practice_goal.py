"""The goal: what is set, what is refused, what it asks for."""

from datetime import date

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import User
from quizsvc.practice import due, goal, options
from quizsvc.refusals import Invalid

from .practice_factories import AT, DAY, make_candidate, make_question, make_user, want
from .practice_log import candidate, known
from .test_practice_queue import answer


@pytest.fixture
def user(session: Session) -> User:
    return make_candidate(session, "one")


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
