"""``quizsvc reviews``: the log to a file and back."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url

from quizsvc import db

from .factories import make_item
from .test_cli_bank import Run, pack, run

__all__ = ["run"]

HEAD = "card_id,review_time,review_rating"
NOW = datetime.now(UTC)


@pytest.fixture
def file(run: Run, tmp_path: Path) -> Path:
    """A history of two reviews, beside a bank that knows one of their cards."""
    run("bank", "import", pack(tmp_path, make_item("one")))
    path = tmp_path / "history.csv"
    days = (f"one,{(NOW - timedelta(days=n)).isoformat()},3" for n in (9, 4))
    path.write_text("\n".join([HEAD, *days, "gone,1700000000000,1"]), "utf-8")
    return path


def test_a_dry_run_says_what_an_import_will_do(run: Run, file: Path) -> None:
    dry = run("reviews", "import", file, "--dry-run")
    assert dry.exit_code == 0
    assert dry.output.splitlines()[0].startswith("3 reviews: 2 new, 0 in the log")
    assert "gone is no question here (1 reviews, the first in line 4)" in dry.output
    done = run("reviews", "import", file)
    assert dry.output == done.output + "Nothing was changed.\n"
    assert "0 new, 2 in the log already" in run("reviews", "import", file).output


def test_what_is_exported_is_known_when_it_comes_back(
    run: Run, file: Path, tmp_path: Path
) -> None:
    run("reviews", "import", file)
    out = tmp_path / "log.csv"
    assert run("reviews", "export", out).output == f"{out}: 2 reviews\n"
    assert out.read_text("utf-8").startswith(HEAD)
    assert "2 reviews: 0 new, 2 in the log" in run("reviews", "import", out).output
    before = out.read_bytes()
    run("reviews", "export", out)
    assert out.read_bytes() == before


def test_mistakes_are_told_by_line_and_nothing_is_kept(
    run: Run, file: Path, tmp_path: Path
) -> None:
    with file.open("a") as history:
        history.write("\none,2026-01-05 12:00,7\n")
    refused = run("reviews", "import", file)
    assert refused.exit_code == 2
    assert "Line 5: “7” is no rating" in refused.output
    assert "no time zone was given" in refused.output
    out = tmp_path / "log.csv"
    assert run("reviews", "export", out).output == f"{out}: 0 reviews\n"


def test_the_zone_of_a_file_is_an_option(run: Run, file: Path) -> None:
    file.write_text(f"{HEAD}\none,2026-01-05 12:00,3\n", "utf-8")
    assert "2026-01-05" in run("reviews", "import", file, "--zone", "Asia/Tokyo").output
    refused = run("reviews", "import", file, "--zone", "Mars")
    assert refused.exit_code == 2
    assert "There is no time zone Mars" in refused.output


def test_a_file_that_is_not_there_is_refused(run: Run, file: Path) -> None:
    for command in ("import", "export"):
        refused = run("reviews", command, file.parent / "nowhere" / "log.csv")
        assert refused.exit_code == 2
        assert "No such file or directory" in refused.output


@pytest.mark.parametrize(
    "command", [("reviews", "import", "FILE"), ("schedule", "rebuild")]
)
def test_a_locked_database_is_said_in_one_line(
    run: Run,
    file: Path,
    command: tuple[str, ...],
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not database_url.startswith("sqlite"):
        pytest.skip("its writers wait for rows, not for the file")
    monkeypatch.setattr(db, "PATIENCE", 0.05)
    other = sqlite3.connect(make_url(database_url).database or "", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused = run(*(file if word == "FILE" else word for word in command))
    other.close()
    assert refused.exit_code == 2
    assert refused.output == (
        "Error: The database cannot be used: database is locked\n"
    )
