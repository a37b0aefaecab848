"""The command line: quick to start, clear when it refuses."""

import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import create_engine, inspect, text

from quizsvc.cli import main
from quizsvc.cli.database import back_up
from quizsvc.db import make_engine

AT = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


def call(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, arguments, env=environment)


def test_help_names_every_command() -> None:
    result = call("--help")
    assert result.exit_code == 0
    for name in ("serve", "worker", "db", "bank"):
        assert f"\n  {name} " in result.output


def test_starting_a_command_loads_no_large_library() -> None:
    script = (
        "import sys, quizsvc.cli; "
        "print({'torch', 'numpy', 'flask', 'sqlalchemy', 'alembic'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", script]
    assert subprocess.check_output(command, text=True) == "set()\n"


def test_a_wrong_setting_is_named() -> None:
    result = call("db", "upgrade", QUIZ_PORT="http")
    assert result.exit_code == 2
    assert "QUIZ_PORT must be a number of 0 or more, not 'http'." in result.stderr


def test_an_upgrade_makes_the_tables_and_may_be_repeated(
    database_url: str, tmp_path: Path
) -> None:
    for _ in range(2):
        result = call(
            "--data", str(tmp_path), "db", "upgrade", QUIZ_DATABASE_URL=database_url
        )
        assert result.output == "The database has the newest schema.\n"
        assert result.exit_code == 0
    engine = create_engine(database_url)
    tables = inspect(engine).get_table_names()
    engine.dispose()
    assert {"run", "question", "review", "alembic_version"} <= set(tables)


def test_the_data_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert call("--data", str(folder), "db", "upgrade").exit_code == 0
    assert (folder / "quiz.db").exists()


def test_a_database_of_a_newer_program_is_refused(
    database_url: str, tmp_path: Path
) -> None:
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('9999')"))
    engine.dispose()
    result = call(
        "--data", str(tmp_path), "db", "upgrade", QUIZ_DATABASE_URL=database_url
    )
    assert result.exit_code == 2
    sentence = "The database was written by a newer quizsvc; install that one."
    assert result.stderr == f"Error: {sentence}\n"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("quiz.db", "QUIZ_DATABASE_URL is not the URL of a database."),
        ("oracle7://x", "QUIZ_DATABASE_URL is not the URL of a database."),
        ("mysql://u:secret@127.0.0.1/x", "needs the Python package MySQLdb"),
        ("postgresql+psycopg://u:secret@127.0.0.1:1/x", "cannot be used"),
        ("sqlite:////no/such/folder/x", "unable to open database file"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused_in_one_line(
    tmp_path: Path, url: str, sentence: str
) -> None:
    result = call("--data", str(tmp_path), "db", "upgrade", QUIZ_DATABASE_URL=url)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert "secret" not in result.stderr


def test_a_worker_refuses_a_database_without_tables(tmp_path: Path) -> None:
    result = call("--data", str(tmp_path), "worker")
    assert result.exit_code == 2
    assert "run `quizsvc db upgrade` first" in result.stderr


def test_a_copy_holds_what_the_database_in_use_holds(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/quiz.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE word (text)")
        connection.exec_driver_sql("INSERT INTO word VALUES ('kept')")
    with engine.connect() as reader:
        reader.exec_driver_sql("SELECT * FROM word")
        copy = back_up(engine, "0001", at=AT)
    engine.dispose()
    assert copy == tmp_path / "quiz-0001-20261201T093000.sqlite"
    kept = sqlite3.connect(copy)
    assert kept.execute("SELECT text FROM word").fetchall() == [("kept",)]
    kept.close()
