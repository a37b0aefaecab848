"""``quizsvc schedule``: when questions come back."""

import click

from quizsvc.cli.database import opened
from quizsvc.settings import Settings


@click.group()
def schedule() -> None:
    """When questions come back."""


@schedule.command("rebuild")
@click.pass_obj
def rebuild_command(settings: Settings) -> None:
    """Work out every schedule again from the log of reviews."""
    from sqlalchemy import select

    from quizsvc import practice
    from quizsvc.db import writing
    from quizsvc.models import User

    with opened(settings.database_url) as engine, writing(engine) as session:
        users = session.scalars(select(User)).all()
        for user in users:
            practice.rebuild(session, user)
        session.commit()
    click.echo(f"Schedules rebuilt from the log: {len(users)}.")
