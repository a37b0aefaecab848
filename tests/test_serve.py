"""One command starts everything, keeps it running and leaves nothing behind."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import pytest
from sqlalchemy import create_engine, text

from quizsvc.app import create_app

from .runs import has_ended, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
OPENER = build_opener(ProxyHandler({}))
SERVE = [sys.executable, "-m", "quizsvc.cli", "serve", "--port"]


def environment(data: Path, **settings: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("QUIZ_")}
    return kept | {"QUIZ_DATA": str(data), "QUIZ_SLOTS": "1"} | settings


@contextmanager
def serving(data: Path, **settings: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and the URL it has announced; whatever is left is killed."""
    process = subprocess.Popen(
        [*SERVE, "0"],
        env=environment(data, **settings),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("quizsvc is ready: http://127.0.0.1:")
        yield process, line.split()[-1]
    finally:
        for pid in members(data):
            os.kill(pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def members(data: Path, command: str = "") -> set[int]:
    """The living processes that work on this data folder."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes()
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
        except OSError:
            continue
        ours = f"QUIZ_DATA={data}".encode() in variables.split(b"\0")
        if ours and command.encode() in words and not has_ended(int(folder.name)):
            found.add(int(folder.name))
    return found


def status(url: str) -> int:
    with OPENER.open(url, timeout=10) as reply:
        return int(reply.status)


def test_it_answers_has_questions_and_ends_without_a_trace(
    tmp_path: Path, database_url: str
) -> None:
    with serving(tmp_path, QUIZ_DATABASE_URL=database_url) as (process, url):
        assert status(f"{url}healthz") == 200
        engine = create_engine(database_url)
        with engine.connect() as connection:
            for table in ("question", "experiment", "run"):
                count = connection.scalar(text(f"SELECT count(*) FROM {table}"))
                assert count, table
        engine.dispose()
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
        assert members(tmp_path) == set()


def test_what_dies_is_started_again(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, url):
        for command in ("quizsvc.cli worker", "gunicorn"):
            until(lambda c=command: bool(members(tmp_path, c)))
            old = members(tmp_path, command)
            for pid in old:
                os.kill(pid, signal.SIGKILL)
            until(lambda c=command, o=old: bool(members(tmp_path, c) - o))
        assert status(f"{url}healthz") == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 0
        assert members(tmp_path) == set()


def test_nothing_outlives_a_service_that_was_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, _url):
        until(lambda: bool(members(tmp_path, "quizsvc.cli worker")))
        assert members(tmp_path, "gunicorn")
        process.kill()
        process.wait()
        until(lambda: not members(tmp_path))


def test_a_request_that_comes_early_waits_until_everything_is_there(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    settings = environment(tmp_path, QUIZ_TIME_ZONE="Asia/Shanghai")
    process = subprocess.Popen([*SERVE, port], env=settings, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/api/v1/due?limit=1"
    answers: list[bytes] = []

    def ask() -> bool:
        with suppress(ConnectionError, URLError):
            answers.append(OPENER.open(url, timeout=60).read())
        return bool(answers)

    try:
        until(ask)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
    assert len(json.loads(answers[0])["data"]) == 1
    engine = create_engine(f"sqlite:///{tmp_path}/quiz.db")
    with engine.connect() as connection:
        zones = connection.scalars(text('SELECT time_zone FROM "user"')).all()
    engine.dispose()
    assert zones == ["Asia/Shanghai"]


def test_a_stop_during_the_start_ends_everything(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*SERVE, "0"], env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    )
    until((tmp_path / "quiz.db").exists)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=15)
    assert (process.returncode, output) == (0, "")
    assert members(tmp_path) == set()


INTERRUPTED = """
import subprocess, sys
from quizsvc.cli.processes import Stop, start
stop = Stop()
with stop.interrupting():
    catalogue = start(["http.server", "--bind", "127.0.0.1", "0"], {}, stdout=subprocess.PIPE)
    print("waits", flush=True)
    catalogue.communicate()
sys.exit(0 if stop.wait(0) else 1)
"""


def test_a_signal_ends_the_wait_for_another_process() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"waits\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 0
    process.stdout.close()


def test_building_the_application_opens_no_connection(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/quiz.db"
    create_app({"DATABASE_URL": url, "SECRET_KEY": "test"})
    assert not (tmp_path / "quiz.db").exists()


def refused(data: Path, *options: str, **settings: str) -> str:
    done = subprocess.run(
        [*SERVE, *options],
        env=environment(data, **settings),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_taken_port_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        message = refused(tmp_path, port)
    expected = (
        f"Error: Port {port} on 127.0.0.1 cannot be used: Address already in use."
    )
    assert message.startswith(expected)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    message = refused(tmp_path / "file" / "data", "0")
    assert message.startswith(f"Error: The data folder {tmp_path}/file/data cannot be")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org", "192.168.0.1"])
def test_an_address_that_others_reach_is_refused(tmp_path: Path, host: str) -> None:
    message = refused(tmp_path, "0", "--host", host)
    assert message.startswith(f"Error: {host} may be reached from other machines")


def test_accounts_are_refused_as_long_as_there_are_none(tmp_path: Path) -> None:
    message = refused(tmp_path, "0", QUIZ_ACCOUNTS="1")
    assert message.startswith("Error: QUIZ_ACCOUNTS=1 asks for accounts")


def test_a_database_that_is_not_there_is_refused(tmp_path: Path) -> None:
    url = "postgresql+psycopg://u:secret@127.0.0.1:1/x"
    message = refused(tmp_path, "0", QUIZ_DATABASE_URL=url)
    assert "cannot be used" in message
    assert "secret" not in message
