"""``quizsvc reviews``: the candidate's own review log as a file."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quizsvc.cli.database import opened
from quizsvc.cli.refusal import Refusal
from quizsvc.settings import Settings

if TYPE_CHECKING:
    from quizsvc.practice import Import

file_argument = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def reviews() -> None:
    """The review log as a file, in the columns that FSRS optimizers take."""


@reviews.command("export")
@file_argument
@click.pass_obj
def export_command(settings: Settings, file: Path) -> None:
    """Write the log to FILE, without what was undone."""
    from quizsvc import practice
    from quizsvc.db import writing

    with opened(settings.database_url) as engine, writing(engine) as session:
        user = practice.local_user(session, at=datetime.now(UTC))
        text = practice.export_reviews(session, user)
    try:
        file.write_text(text, "utf-8", newline="")
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror}") from error
    click.echo(f"{file}: {text.count(chr(10)) - 1} reviews")


@reviews.command("import")
@file_argument
@click.option("--dry-run", is_flag=True, help="Say what would happen; change nothing.")
@click.option("--zone", help="For times without an offset, such as Asia/Shanghai.")
@click.pass_obj
def import_command(
    settings: Settings, file: Path, dry_run: bool, zone: str | None
) -> None:
    """Put the reviews of FILE into the log; all of them or none.

    Needs the columns card_id (the slug of a question), review_time and review_rating.
    The same file again changes nothing. What was imported cannot be undone: try
    --dry-run first.
    """
    from quizsvc import practice
    from quizsvc.db import writing
    from quizsvc.refusals import Invalid

    try:
        data = file.read_bytes()
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror}") from error
    with opened(settings.database_url) as engine, writing(engine) as session:
        at = datetime.now(UTC)
        user = practice.local_user(session, at=at)
        try:
            report = practice.import_reviews(
                session, user, data, at=at, zone=zone, dry_run=dry_run
            )
        except Invalid as refusal:
            told = [error.detail for error in refusal.errors]
            raise Refusal("\n".join([f"{file}: {refusal.detail}", *told])) from refusal
        session.commit()
    for line in summary(report, dry_run=dry_run):
        click.echo(line)


def summary(report: "Import", *, dry_run: bool) -> Iterator[str]:
    """A report in lines."""
    counts = {
        "new": report.new,
        "in the log already": report.known,
        "said twice in the file": report.repeated,
        "out of order, put in order": report.out_of_order,
    }
    yield f"{report.rows} reviews: " + ", ".join(f"{n} {w}" for w, n in counts.items())
    if report.first and report.last:
        yield (
            f"The new ones are of {report.questions} questions, "
            f"{report.first:%Y-%m-%d} to {report.last:%Y-%m-%d} (UTC)."
        )
    for card in report.unknown:
        yield (
            f"Left out: {card.card_id} is no question here "
            f"({card.reviews} reviews, the first in line {card.line})."
        )
    if dry_run:
        yield "Nothing was changed."
