"""The command line: quick to start, clear when it refuses."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine, create_engine, inspect, select, text

from quizsvc import migrating
from quizsvc.cli import main
from quizsvc.cli.database import back_up, connect, upgrade
from quizsvc.cli.preparing import fill_bank
from quizsvc.cli.refusal import Refusal
from quizsvc.db import make_engine, reading, writing
from quizsvc.models import MemoryState
from quizsvc.settings import read

from .factories import make_item, write_pack
from .practice_factories import make_question, make_user
from .runs import read_run, waiting_run

AT = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


def call(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, arguments, env=environment)


def test_help_names_every_command() -> None:
    result = call("--help")
    assert result.exit_code == 0
    for name in ("serve", "worker", "db", "bank", "schedule", "reviews"):
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


@pytest.mark.parametrize(
    "words", [("--data", "{}", "worker"), ("worker", "--data", "{}")]
)
def test_the_data_folder_may_be_named_before_or_after_a_command(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    folder = tmp_path / "named"
    assert call("--data", str(folder), "db", "upgrade").exit_code == 0
    chosen = [word.format(folder) for word in words]
    result = call(*chosen, "--run", "run_unknown", QUIZ_DATA=str(tmp_path / "other"))
    assert result.stderr.splitlines()[-1] == "Error: No run run_unknown waits."


def test_the_data_folder_named_last_counts(tmp_path: Path) -> None:
    result = call("--data", str(tmp_path), "worker", "--data", str(tmp_path / "x"))
    assert f"{tmp_path}/x/quiz.db cannot be used" in result.stderr


def test_a_worker_runs_the_run_it_is_given(tmp_path: Path) -> None:
    assert call("--data", str(tmp_path), "db", "upgrade").exit_code == 0
    engine = make_engine(f"sqlite:///{tmp_path}/quiz.db")
    other, run_id = waiting_run(engine), waiting_run(engine)
    assert call("--data", str(tmp_path), "worker", "--run", run_id).exit_code == 0
    states = [read_run(engine, i).state for i in (other, run_id)]
    engine.dispose()
    assert states == ["queued", "succeeded"]


STRAY = {
    "stability": 1.0,
    "difficulty": 5.0,
    "last_day": AT.date(),
    "due": AT.date(),
    "reviews": 1,
    "lapses": 0,
}


def test_schedules_are_rebuilt_for_everybody(database_url: str, tmp_path: Path) -> None:
    folder = ("--data", str(tmp_path))
    call(*folder, "db", "upgrade", QUIZ_DATABASE_URL=database_url)
    engine = make_engine(database_url)
    with writing(engine) as session:
        for name in ("ada", "bob"):
            user = make_user(session, name)
            question = make_question(session, name)
            stray = {"user_id": user.id, "question_id": question.id}
            session.add(MemoryState(**stray, **STRAY))
        session.commit()
    result = call(*folder, "schedule", "rebuild", QUIZ_DATABASE_URL=database_url)
    assert result.output == "Schedules rebuilt from the log: 2.\n"
    with reading(engine) as session:
        assert session.scalars(select(MemoryState)).all() == []
    engine.dispose()


def test_who_opens_a_new_file_at_the_same_time_finds_it_open(tmp_path: Path) -> None:
    def opened(number: int) -> str:
        with connect(f"sqlite:///{tmp_path}/{number // 8}.db").connect() as connection:
            return str(connection.scalar(text("PRAGMA journal_mode")))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(opened, range(8 * 40))) == {"wal"}


def test_processes_that_upgrade_at_the_same_time_take_turns(tmp_path: Path) -> None:
    settings = read({}, data=tmp_path)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(upgrade, [settings] * 4)) == [None] * 4


def test_an_installation_without_migrations_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrating, "ROOT", tmp_path)
    migrating.head.cache_clear()
    result = call("--data", str(tmp_path), "db", "upgrade")
    assert result.exit_code == 2
    assert f"{tmp_path} holds no migrations" in result.stderr
    assert "Traceback" not in result.output


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


def test_a_start_refuses_a_pack_that_cannot_be_asked(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pack(tmp_path / "content" / "small-pack", [make_item(key=[])])
    monkeypatch.setattr("question_bank.transfer.CONTENT", tmp_path / "content")
    with pytest.raises(Refusal, match=r"norm-position.md:\d+: key-mismatch"):
        fill_bank(engine, time_zone="UTC")
