"""``quizsvc worker``: runs experiments that wait, until it is told to stop."""

import click

from quizsvc.cli.database import connect, current_revision
from quizsvc.cli.processes import Stop, log_to_stderr
from quizsvc.cli.refusal import Refusal
from quizsvc.settings import Settings


@click.command()
@click.pass_obj
def worker(settings: Settings) -> None:
    """Run the experiments that wait, one for each processor core.

    ``quizsvc serve`` starts one; more may run beside it, on any machine that reaches
    the database.
    """
    from quizsvc import migrating
    from quizsvc.jobs.child import Limits
    from quizsvc.jobs.supervisor import work

    log_to_stderr()
    limits = Limits(seconds=settings.run_seconds, memory_mb=settings.run_memory_mb)
    engine = connect(settings.database_url)
    if current_revision(engine) != migrating.head():
        raise Refusal("The database is not up to date: run `quizsvc db upgrade` first.")
    work(engine, stop=Stop(), slots=settings.slots, limits=limits)
