"""What the reviews that are there prove, worked out by the migration from their answers."""

from alembic import command
from sqlalchemy import Engine, select

from quizsvc import migrating
from quizsvc.db import make_engine, reading, writing
from quizsvc.models import Review
from quizsvc.practice import Submission, mark_answer, submit_answer

from .practice_factories import AT, ask, ids, make_question, make_user


def facts(engine: Engine) -> dict[int, tuple[float, str | None, float | None]]:
    with reading(engine) as session:
        rows = session.execute(
            select(Review.sequence, Review.chance, Review.confidence, Review.seconds)
        )
        return {n: (chance, said, seconds) for n, chance, said, seconds in rows}


def answered(engine: Engine) -> None:
    with writing(engine) as session:
        user = make_user(session)
        make_question(session, "one")
        make_question(session, "many", type="multi")
        make_question(session, "talk", type="open")
        one, many, talk = (ask(session, user, slug) for slug in ("one", "many", "talk"))
        said = Submission(
            choices=ids(one, "inside"), confidence="sure", seconds=2.34567
        )
        submit_answer(session, user, one.id, said, at=AT)
        said = Submission(choices=ids(many, "inside"), confidence="unsure", seconds=1)
        submit_answer(session, user, many.id, said, at=AT)
        given = submit_answer(session, user, talk.id, Submission(text="It is."), at=AT)
        mark_answer(session, user, given.id, [], "good", at=AT)
        again = ask(session, user, "one")
        said = Submission(dont_know=True, confidence="sure", seconds=3)
        submit_answer(session, user, again.id, said, at=AT)
        session.commit()


def test_the_migration_fills_in_what_an_answer_is_given(database_url: str) -> None:
    migrating.upgrade(database_url)
    engine = make_engine(database_url)
    answered(engine)
    given = facts(engine)
    assert given == {
        1: (1 / 4, "sure", 2.346),
        2: (1 / 15, "unsure", 1.0),
        3: (0.0, None, 0.0),
        4: (0.0, "dont-know", 3.0),
    }
    engine.dispose()

    command.downgrade(migrating.config(database_url), "0002")
    migrating.upgrade(database_url)
    command.check(migrating.config(database_url))
    engine = make_engine(database_url)
    assert facts(engine) == given
    engine.dispose()
