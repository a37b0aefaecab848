"""The command ``quizsvc``. Commands import what they need when they run: help is quick.

Every command finds the :class:`quizsvc.settings.Settings` in ``context.obj``.
"""

from pathlib import Path

import click

from quizsvc import settings
from quizsvc.cli.bank import bank
from quizsvc.cli.database import db
from quizsvc.cli.serve import serve
from quizsvc.cli.worker import worker


@click.group()
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The folder for everything that is stored; QUIZ_DATA, else ./instance.",
)
@click.version_option(package_name="quizsvc")
@click.pass_context
def main(context: click.Context, data: Path | None) -> None:
    """Interview practice in which every answer key is backed by an experiment."""
    try:
        context.obj = settings.read(data=data)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


for command in (serve, worker, db, bank):
    main.add_command(command)
