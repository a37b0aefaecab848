"""What the README says is true."""

import re
from dataclasses import fields
from pathlib import Path

import click
import pytest
from apiflask import APIFlask

from quizsvc.cli import main
from quizsvc.settings import Settings
from sim import registry

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_settings_table_names_every_setting_and_no_other() -> None:
    settings = {f"QUIZ_{field.name.upper()}" for field in fields(Settings)}

    assert set(re.findall(r"^\| `(QUIZ_\w+)` \|", README, re.M)) == settings


def test_every_make_target_it_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for target in set(re.findall(r"make (\w+)", README)):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_every_command_it_names_is_there() -> None:
    for words in re.findall(r"bin/quizsvc ((?:[a-z]+ ?)+)", README):
        command: click.Command = main
        for word in words.split():
            assert isinstance(command, click.Group), words
            command = command.commands[word]


def test_every_address_of_the_tour_is_a_route(app: APIFlask) -> None:
    routes = app.url_map.bind("localhost")
    paths = re.findall(r"\$api(/[\w/….]+)", README)
    assert len(paths) >= 5
    for path in paths:
        assert {"GET", "POST"} & set(routes.allowed_methods(f"/api/v1{path}")), path


def test_every_experiment_it_names_is_there() -> None:
    for name in re.findall(r"(?:sim run |experiments/)([a-z]\w+)", README):
        assert name in registry.names() or (ROOT / "sim/experiments" / name).is_dir()


def test_every_picture_and_room_it_names_is_there() -> None:
    for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert (ROOT / path).is_file(), path
    for path in re.findall(r"^\| `([\w/]+/)` \|", README, re.M):
        assert (ROOT / path).is_dir(), path


def test_the_example_of_the_monitor_names_the_layer_with_the_fault(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)

    exec(code, {})

    said = capsys.readouterr().out.splitlines()
    alarms = [line for line in said if line.startswith("layers.3: largest attention")]
    assert len(alarms) == 2  # Pre-Norm and Post-Norm
