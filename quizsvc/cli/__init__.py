"""The command ``quizsvc``. Commands import what they need when they run: help is quick.

Every command finds the :class:`quizsvc.settings.Settings` in ``context.obj``.
"""

import click

from quizsvc.cli.bank import bank
from quizsvc.cli.database import db
from quizsvc.cli.options import data_option
from quizsvc.cli.reviews import reviews
from quizsvc.cli.schedule import schedule
from quizsvc.cli.serve import serve
from quizsvc.cli.worker import worker


@click.group()
@data_option
@click.version_option(package_name="quizsvc")
def main() -> None:
    """Interview practice in which every answer key is backed by an experiment."""


for command in (serve, worker, db, bank, schedule, reviews):
    main.add_command(command)
