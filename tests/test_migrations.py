from alembic import command
from sqlalchemy import create_engine, inspect

from question_bank.base import Base
from quizsvc import migrating


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
