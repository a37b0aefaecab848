from collections.abc import Callable

import pytest
from alembic import command
from sqlalchemy import create_engine, inspect, select, text, update
from sqlalchemy.orm import Session

from question_bank.base import Base
from question_bank.models import Evidence, Revision
from quizsvc import migrating
from quizsvc.db import make_engine, reading, writing
from quizsvc.models import MemoryState, Presentation, User
from quizsvc.practice import (
    Submission,
    latest_review,
    rebuild,
    submit_answer,
    undo,
)
from quizsvc.scheduling.calibration import PRIOR

from .practice_factories import AT, DAY, ask, make_question, make_user
from .practice_log import answer, candidate, known

FAIR = {
    "position": 0,
    "experiment": "coin",
    "claim": "fair",
    "params": {},
    "outcome": "supported",
    "supports": ["inside"],
    "refutes": [],
}


def test_migrations_build_what_the_models_say(database_url: str) -> None:
    migrating.upgrade(database_url)

    command.check(migrating.config(database_url))


def test_upgrading_twice_changes_nothing(database_url: str) -> None:
    migrating.upgrade(database_url)
    migrating.upgrade(database_url)

    engine = create_engine(database_url)
    assert set(Base.metadata.tables) < set(inspect(engine).get_table_names())
    engine.dispose()


def test_downgrading_leaves_nothing_behind(database_url: str) -> None:
    migrating.upgrade(database_url)
    command.downgrade(migrating.config(database_url), "base")

    engine = create_engine(database_url)
    assert set(inspect(engine).get_table_names()) == {"alembic_version"}
    engine.dispose()


def rows(url: str) -> dict[str, int]:
    """How many rows each table has."""
    engine = create_engine(url)
    with engine.connect() as connection:
        counts = {
            name: connection.execute(
                text(f'SELECT count(*) FROM "{name}"')
            ).scalar_one()
            for name in inspect(engine).get_table_names()
        }
    engine.dispose()
    return counts


def answered(url: str) -> None:
    """An answer with its review, and a presentation that nobody answered."""
    engine = make_engine(url)
    with writing(engine) as session:
        user = make_user(session)
        make_question(session, evidence=[Evidence(**FAIR)])
        shown = ask(session, user)
        submit_answer(session, user, shown.id, Submission(dont_know=True), at=AT)
        ask(session, user)
        session.commit()
    engine.dispose()


def test_going_down_and_up_again_keeps_every_row(database_url: str) -> None:
    migrating.upgrade(database_url)
    answered(database_url)
    before = rows(database_url)
    assert before["choice"]
    assert before["review"]

    command.downgrade(migrating.config(database_url), "0001")
    kept = rows(database_url)
    assert set(kept.items()) == {
        (name, count) for name, count in before.items() if name in kept
    }
    assert not any(before[name] for name in before.keys() - kept.keys())

    migrating.upgrade(database_url)
    command.check(migrating.config(database_url))
    assert rows(database_url) == before
    engine = make_engine(database_url)
    with reading(engine) as session:
        assert session.scalars(select(Revision.unmeasured)).all() == [[]]
        assert session.scalars(select(Presentation.figure_run_id)).all() == [None] * 2
    engine.dispose()


def test_a_user_who_was_there_has_no_goal_yet_and_is_folded_anew(
    database_url: str,
) -> None:
    migrating.upgrade(database_url)
    answered(database_url)
    command.downgrade(migrating.config(database_url), "0003")
    migrating.upgrade(database_url)

    engine = make_engine(database_url)
    with writing(engine) as session:
        user = session.scalars(select(User)).one()
        assert (user.interview_date, user.minutes_per_day) == (None, 20)
        assert (user.packs, user.topics, user.levels, user.languages) == ([],) * 4
        assert user.calibration is None
        rebuild(session, user)
        session.commit()
    with reading(engine) as session:
        user = session.scalars(select(User)).one()
        assert user.calibration == list(PRIOR)
    engine.dispose()


def take_back(session: Session, user: User) -> None:
    review = latest_review(session, user)
    assert review is not None
    undo(session, user, review.id, at=AT + DAY)


def go_on(session: Session, user: User) -> None:
    answer(session, user, "other", "inside", at=AT + DAY)


@pytest.mark.parametrize("act", [go_on, take_back])
def test_days_of_before_they_were_spread_go_with_the_next_review(
    database_url: str, act: Callable[[Session, User], None]
) -> None:
    migrating.upgrade(database_url)
    engine = make_engine(database_url)
    with writing(engine) as session:
        user = make_user(session)
        for slug in ("first", "last", "other"):
            make_question(session, slug)
        for slug in ("first", "last"):
            answer(session, user, slug, "inside")
        folded = known(session, user)
        session.execute(update(MemoryState).values(due=AT.date() + 99 * DAY))
        session.commit()
    command.downgrade(migrating.config(database_url), "0008")
    migrating.upgrade(database_url)

    with writing(engine) as session:
        user = session.scalars(select(User)).one()
        assert user.calibration is None
        assert known(session, user) != folded
        act(session, user)
        session.commit()
    with reading(engine) as session:
        user = session.scalars(select(User)).one()
        assert known(session, user) == candidate(session, user)
    engine.dispose()
