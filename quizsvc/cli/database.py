"""``quizsvc db``: the schema of the database."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quizsvc.cli.refusal import Refusal
from quizsvc.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.exc import DBAPIError


@click.group()
def db() -> None:
    """The schema of the database."""


@db.command("upgrade")
@click.pass_obj
def upgrade_command(settings: Settings) -> None:
    """Bring the database to the newest schema; an SQLite file is copied first."""
    copy = upgrade(settings)
    if copy is not None:
        click.echo(f"The database as it was is kept in {copy}.")
    click.echo("The database has the newest schema.")


def check_folder(folder: Path) -> None:
    """Make the data folder. Raises Refusal when nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        detail = f"The data folder {folder} cannot be written: {error.strerror}."
        raise Refusal(detail) from error


def connect(url: str) -> "Engine":
    """An engine whose database answers. Raises Refusal with the reason."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError, DBAPIError

    from quizsvc.db import make_engine

    try:
        shown = make_url(url).render_as_string(hide_password=True)
        engine = make_engine(url)
        with engine.connect():
            return engine
    except (ArgumentError, ValueError) as error:
        raise Refusal("QUIZ_DATABASE_URL is not the URL of a database.") from error
    except ModuleNotFoundError as error:
        detail = (
            f"{shown} needs the Python package {error.name}, which is not installed."
        )
        raise Refusal(detail) from error
    except DBAPIError as error:
        detail = f"The database {shown} cannot be used: {reason(error)}"
        raise Refusal(detail) from error


def reason(error: "DBAPIError") -> str:
    """What the driver says, in one line."""
    return str(error.orig).strip().partition("\n")[0]


def upgrade(settings: Settings, *, at: datetime | None = None) -> Path | None:
    """Bring the database to the newest schema; the path of the copy, if one was made.

    Makes the data folder. Raises Refusal when the database cannot be reached or is newer
    than this program.
    """
    from alembic.util import CommandError
    from sqlalchemy.exc import DBAPIError

    from quizsvc import migrating

    check_folder(settings.data)
    engine = connect(settings.database_url)
    try:
        with alone(settings.data):
            revision = current_revision(engine)
            if revision == newest_revision():
                return None
            copy = None
            if revision is not None and engine.dialect.name == "sqlite":
                copy = back_up(engine, revision, at=at or datetime.now(UTC))
            migrating.upgrade(settings.database_url)
    except CommandError as error:
        detail = "The database was written by a newer quizsvc; install that one."
        raise Refusal(detail) from error
    except DBAPIError as error:
        raise Refusal(f"The database cannot be upgraded: {reason(error)}") from error
    finally:
        engine.dispose()
    return copy


def up_to_date(url: str) -> "Engine":
    """An engine whose database has the newest schema. Raises Refusal with the reason."""
    engine = connect(url)
    if current_revision(engine) != newest_revision():
        raise Refusal("The database is not up to date: run `quizsvc db upgrade` first.")
    return engine


@contextmanager
def opened(url: str) -> "Iterator[Engine]":
    """The engine of :func:`up_to_date`, closed afterwards."""
    engine = up_to_date(url)
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other process is in this block for the same data folder."""
    with (folder / "upgrade.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # held until the file is closed
        yield


def newest_revision() -> str | None:
    """The revision that the code expects. Raises Refusal outside a checkout."""
    from quizsvc import migrating

    try:
        return migrating.head()
    except FileNotFoundError as error:
        raise Refusal(str(error)) from error


def current_revision(engine: "Engine") -> str | None:
    """The schema's revision; None for an empty database."""
    from alembic.runtime.migration import MigrationContext

    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def back_up(engine: "Engine", revision: str, *, at: datetime) -> Path:
    """Copy an SQLite database, also one in use, beside itself."""
    source = Path(str(engine.url.database))
    copy = source.with_name(f"{source.stem}-{revision}-{at:%Y%m%dT%H%M%S}.sqlite")
    connection = engine.raw_connection()  # VACUUM does not run inside a transaction
    try:
        connection.cursor().execute("VACUUM INTO ?", (str(copy),))
    finally:
        connection.close()
    return copy
