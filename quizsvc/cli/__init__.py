"""The command ``quizsvc``. Commands import what they need when they run: help is quick.

Every command finds the :class:`quizsvc.settings.Settings` in ``context.obj``.
"""

from typing import Any

import click

from quizsvc.cli import database
from quizsvc.cli.bank import bank
from quizsvc.cli.database import db
from quizsvc.cli.options import data_option
from quizsvc.cli.refusal import Refusal
from quizsvc.cli.reviews import reviews
from quizsvc.cli.schedule import schedule
from quizsvc.cli.serve import serve
from quizsvc.cli.worker import worker


class Commands(click.Group):
    """Commands whose database may be away, full or damaged: one sentence says so."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            from sqlalchemy.exc import DBAPIError

            if not isinstance(error, DBAPIError):
                raise
            detail = f"The database cannot be used: {database.reason(error)}"
            raise Refusal(detail) from error


@click.group(cls=Commands)
@data_option
@click.version_option(package_name="quizsvc")
def main() -> None:
    """Interview practice in which every answer key is backed by an experiment."""


for command in (serve, worker, db, bank, schedule, reviews):
    main.add_command(command)
