"""``quizsvc bank``: questions as files and in the database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quizsvc.cli.database import opened, upgrade
from quizsvc.cli.refusal import Refusal
from quizsvc.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from question_bank.content import PackItem
    from question_bank.statistics import Statistics
    from question_bank.verify import Check

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
    from question_bank.lint import RULES, lint
    from quizsvc.cli.simulations import known_claims

    packs: list[PackItem] = []
    findings: list[str] = []
    for folder in folders or shipped():
        try:
            packs.append(read_pack(folder))
        except InvalidContent as invalid:
            findings += map(str, invalid.errors)
    claims = known_claims() if packs else {}
    findings += [str(finding) for pack in packs for finding in lint(pack, claims)]
    for finding in findings:
        click.echo(finding)
    if findings:
        raise click.exceptions.Exit(1)
    click.echo(
        f"{sum(len(pack.questions) for pack in packs)} questions in "
        f"{sum(len(pack.files) for pack in packs)} files keep all {len(RULES)} rules; "
        f"their evidence is among {len(claims)} claims."
    )


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
    for line in summary(found):
        click.echo(line)


@bank.command("verify")
@click.argument("slugs", nargs=-1, metavar="[SLUG ...]")
@click.option(
    "--folder", type=click.Path(path_type=Path), help="A pack; the program's if not."
)
def verify_command(slugs: Sequence[str], folder: Path | None) -> None:
    """Run the experiments behind answer keys; fail where a verdict contradicts a key.

    Keys of estimates and figures of questions are held against the runs too.
    """
    from question_bank.verify import needed_runs, verify
    from quizsvc.cli.simulations import run_all

    packs = [read(one) for one in ([folder] if folder else shipped())]
    items = [item for pack in packs for item in pack.questions]
    if unknown := sorted(set(slugs) - {item.slug for item in items}):
        raise Refusal(f"There is no question {', '.join(unknown)}.")
    items = [item for item in items if item.slug in slugs or not slugs]
    checks = verify(items, run_all(needed_runs(items)))
    for line in [*table(checks), *objections(checks)]:
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
    """The engine of the database, brought to the newest schema."""
    upgrade(settings)
    with opened(settings.database_url) as engine:
        yield engine


def summary(found: "Statistics") -> Iterator[str]:
    """Statistics in lines: counts with shares, and how far measurements reach."""
    rows = {"questions": str(found.questions)}
    for name in ("types", "levels", "topics", "languages"):
        counts = getattr(found, name).items()
        shares = (f"{n} {key} ({_share(n, found.questions)})" for key, n in counts)
        rows[name] = ", ".join(shares)
    rows["evidence"] = (
        f"{found.evidence} pieces of {found.claims} claims for {found.backed} questions"
    )
    for name, reach in found.coverage.items():
        rows[name] = f"{reach.backed} of {reach.all} backed ({_share(*reach[:2])})"
        if reach.unmeasured:
            rows[name] += f", {reach.unmeasured} unmeasured"
    rows["measured"] = f"{found.estimates} keys, {found.figures} figures"
    key_shares = (f"{share:.0%} of {t}" for t, share in found.key_share.items())
    rows["key share"] = ", ".join(key_shares) or "no choices"
    width = max(map(len, rows))
    for name, text in rows.items():
        yield f"{name:{width}}  {text}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def table(checks: "Sequence[Check]") -> Iterator[str]:
    """Lines with aligned columns: question, what it takes, expected, actual, a mark."""
    rows = [("question", "takes", "expected", "actual", "")]
    for check in checks:
        takes = f"{check.takes} {check.params}".strip()
        mark = "OBJECTION" if check.problem else ""
        rows.append((check.slug, takes, check.expected, check.actual, mark))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def objections(checks: "Sequence[Check]") -> Iterator[str]:
    """A line for each check that does not agree: where, and why not."""
    for check in checks:
        if check.problem:
            yield f"{check.slug}: {check.takes} {check.params}".rstrip() + (
                f": {check.problem}."
            )
