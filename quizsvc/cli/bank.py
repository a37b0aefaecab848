"""``quizsvc bank``: questions as files and in the database."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quizsvc.cli import processes
from quizsvc.cli.database import connect, upgrade
from quizsvc.cli.refusal import Refusal
from quizsvc.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from question_bank.content import PackItem
    from question_bank.verify import Check, RunKey

PROCESSES = 2  # experiments at a time

folders_argument = click.argument(
    "folders", nargs=-1, metavar="[FOLDER ...]", type=click.Path(path_type=Path)
)


@click.group()
def bank() -> None:
    """Questions as files and in the database."""


@bank.command("lint")
@folders_argument
def lint_command(folders: Sequence[Path]) -> None:
    """Say what is wrong with the files of packs (default: those of the program)."""
    from question_bank.content import InvalidContent, read_pack
    from question_bank.lint import lint

    packs: list[PackItem] = []
    findings: list[str] = []
    for folder in folders or shipped():
        try:
            packs.append(read_pack(folder))
        except InvalidContent as invalid:
            findings += map(str, invalid.errors)
    if packs:
        claims = known_claims()
        findings += [str(finding) for pack in packs for finding in lint(pack, claims)]
    for finding in findings:
        click.echo(finding)
    if findings:
        raise click.exceptions.Exit(1)


@bank.command("import")
@folders_argument
@click.pass_obj
def import_command(settings: Settings, folders: Sequence[Path]) -> None:
    """Make the database say what the files of packs say; all of them or none."""
    from question_bank.content import InvalidContent
    from question_bank.transfer import import_pack
    from quizsvc.db import writing

    with bank_database(settings) as engine, writing(engine) as session:
        for folder in folders or shipped():
            try:
                report = import_pack(session, folder, at=datetime.now(UTC))
            except InvalidContent as invalid:
                raise Refusal(f"nothing was imported\n{invalid}") from invalid
            counts = ", ".join(f"{n} {name}" for name, n in vars(report).items() if n)
            click.echo(f"{folder.resolve().name}: {counts or 'no questions'}")
        session.commit()


@bank.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--pack", help="The slug of one pack; all packs if left out.")
@click.pass_obj
def export_command(settings: Settings, folder: Path, pack: str | None) -> None:
    """Write packs as files, each into a folder of its name inside FOLDER."""
    from question_bank.transfer import ForeignFiles, export_pack, pack_slugs
    from quizsvc.db import reading

    with bank_database(settings) as engine, reading(engine) as session:
        for slug in [pack] if pack else pack_slugs(session):
            try:
                files = export_pack(session, slug, folder / slug)
            except (LookupError, ForeignFiles) as error:
                raise Refusal(str(error.args[0])) from error
            except OSError as error:
                raise Refusal(f"{folder / slug}: {error.strerror}") from error
            click.echo(f"{folder / slug}: {len(files)} files")


@bank.command("stats")
@click.pass_obj
def stats_command(settings: Settings) -> None:
    """Count what the database holds."""
    from question_bank.rows import item_of
    from question_bank.statistics import statistics
    from question_bank.transfer import current_revisions
    from quizsvc.db import reading

    with bank_database(settings) as engine, reading(engine) as session:
        found = statistics([item_of(row) for row in current_revisions(session)])
    click.echo(f"questions  {found.questions}")
    for name in ("types", "levels", "topics", "languages"):
        counts = getattr(found, name).items()
        click.echo(f"{name:9}  " + ", ".join(f"{n} {key}" for key, n in counts))
    click.echo(
        f"evidence   {found.evidence} pieces of {found.claims} claims "
        f"for {found.backed} questions"
    )
    shares = ", ".join(f"{share:.0%} of {t}" for t, share in found.key_share.items())
    click.echo(f"key share  {shares or 'no choices'}")


@bank.command("verify")
@click.argument("slugs", nargs=-1, metavar="[SLUG ...]")
@click.option(
    "--folder", type=click.Path(path_type=Path), help="A pack; the program's if not."
)
def verify_command(slugs: Sequence[str], folder: Path | None) -> None:
    """Run the experiments behind answer keys; fail where a verdict contradicts a key."""
    from question_bank.verify import needed_runs, verify

    packs = [read(one) for one in ([folder] if folder else shipped())]
    items = [item for pack in packs for item in pack.questions]
    if unknown := sorted(set(slugs) - {item.slug for item in items}):
        raise Refusal(f"There is no question {', '.join(unknown)}.")
    items = [item for item in items if item.slug in slugs or not slugs]
    with ThreadPoolExecutor(PROCESSES) as pool:
        keys = needed_runs(items)
        outcomes = dict(zip(keys, pool.map(outcomes_of, keys), strict=True))
    checks = verify(items, outcomes)
    for line in table(checks):
        click.echo(line)
    if problems := sum(bool(check.problem) for check in checks):
        click.echo(f"{problems} of {len(checks)} do not back the key.")
        raise click.exceptions.Exit(1)
    click.echo(f"All {len(checks)} back the key.")


def shipped() -> list[Path]:
    """The folders of the program's own packs, short when below the working folder."""
    from question_bank.transfer import pack_folders

    here = Path.cwd()
    return [
        folder.relative_to(here) if folder.is_relative_to(here) else folder
        for folder in pack_folders()
    ]


def read(folder: Path) -> "PackItem":
    """A pack. Raises Refusal with every mistake in its files."""
    from question_bank.content import InvalidContent, read_pack

    try:
        return read_pack(folder)
    except InvalidContent as invalid:
        raise Refusal(f"{folder} cannot be read\n{invalid}") from invalid


@contextmanager
def bank_database(settings: Settings) -> "Iterator[Engine]":
    """The engine of the database, with the newest schema."""
    upgrade(settings)
    engine = connect(settings.database_url)
    try:
        yield engine
    finally:
        engine.dispose()


def known_claims() -> dict[str, set[str]]:
    """Each ``experiment.claim`` with the names of the experiment's parameters.

    Raises Refusal when the experiments cannot be loaded.
    """
    entries = sim_json("catalogue")
    if entries is None:
        raise Refusal("The experiments cannot be loaded.")
    return {
        f"{entry['name']}.{claim['id']}": set(entry["schema"].get("properties", {}))
        for entry in entries
        for claim in entry["claims"]
    }


def outcomes_of(run: "RunKey") -> Mapping[str, str]:
    """The outcome of each claim of an experiment; none when the run fails."""
    options = [
        f"--{name.replace('_', '-')}={_option(value)}"
        for name, value in run.params.items()
    ]
    result = sim_json("run", run.experiment, "--json", *options)
    return {v["claim"]: v["outcome"] for v in result["verdicts"]} if result else {}


def sim_json(*arguments: str) -> Any:
    """What ``python -m sim`` prints as JSON in a process of its own; None if it fails."""
    process = processes.start(["sim", *arguments], os.environ, stdout=subprocess.PIPE)
    text, _ = process.communicate()
    return None if process.returncode else json.loads(text)


def _option(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_option, value))
    return value if isinstance(value, str) else json.dumps(value)


def table(checks: "Sequence[Check]") -> Iterator[str]:
    """Lines with aligned columns: question, claim, expected, actual, problem."""
    rows = [("question", "claim", "expected", "actual", "")]
    for check in checks:
        claim = f"{check.claim} {check.params}".strip()
        actual = check.actual or "none"
        rows.append((check.slug, claim, check.expected, actual, check.problem))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
