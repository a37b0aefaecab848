"""Compiled templates on disk: a help when they are there, no harm when they are not."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from quizsvc.app import create_app
from quizsvc.web.rendering import Compiled, compile_all


@pytest.fixture
def app() -> Flask:
    return create_app({"DATABASE_URL": "sqlite://", "SECRET_KEY": "test"})


def compiled_in(app: Flask, folder: Path) -> None:
    """Compile everything as a process does that finds this folder."""
    app.jinja_env.bytecode_cache = Compiled(folder)
    assert app.jinja_env.cache is not None
    app.jinja_env.cache.clear()
    compile_all(app)


def test_what_is_compiled_is_read_again(app: Flask, tmp_path: Path) -> None:
    compiled_in(app, tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.cache")}
    assert len(kept) == len(app.jinja_env.list_templates(["html"]))
    compiled_in(app, tmp_path)
    assert kept == {path: path.stat().st_mtime_ns for path in kept}


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda kept: kept[:20],
        lambda kept: kept[: len(kept) // 2],
        lambda kept: kept[:40] + bytes(range(256)),
    ],
    ids=["empty", "cut short in its head", "cut in half", "noise"],
)
def test_a_damaged_file_is_made_anew(
    app: Flask, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    compiled_in(app, tmp_path)
    whole = {path: path.read_bytes() for path in tmp_path.rglob("*.cache")}
    for path, kept in whole.items():
        path.write_bytes(damage(kept))
    compiled_in(app, tmp_path)
    assert whole == {path: path.read_bytes() for path in whole}


def test_where_nothing_can_be_kept_pages_are_compiled_all_the_same(
    app: Flask, tmp_path: Path
) -> None:
    taken = tmp_path / "a file"
    taken.touch()
    compiled_in(app, taken)
    assert os.listdir(tmp_path) == ["a file"]
