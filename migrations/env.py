"""Alembic's entry: migrate the database whose URL the caller gives."""

from typing import Any, Literal

from alembic import context
from sqlalchemy import Connection, TypeDecorator, text

import quizsvc.models  # noqa: F401 - puts the service's tables into the metadata
from question_bank.base import Base
from quizsvc.db import make_engine
from quizsvc.settings import read


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Write plain column types, so that old migrations outlive the code."""
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"sa.{item.impl!r}"
    return False


def migrate(connection: Connection) -> None:
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        # Rebuilding a parent table would delete its children through ON DELETE CASCADE.
        connection.rollback()
        connection.connection.driver_connection.execute("PRAGMA foreign_keys = OFF")  # type: ignore[union-attr]
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        render_item=render_item,
    )
    with context.begin_transaction():
        context.run_migrations()
        if sqlite and connection.execute(text("PRAGMA foreign_key_check")).first():
            raise RuntimeError("the migration left rows without their parents")


engine = make_engine(context.config.attributes.get("url") or read().database_url)
try:
    with engine.connect() as connection:
        migrate(connection)
finally:
    engine.dispose()
