"""``quizsvc worker``: runs experiments that wait, until it is told to stop."""

import click

from quizsvc.cli.database import up_to_date
from quizsvc.cli.options import data_option
from quizsvc.cli.processes import Stop, log_to_stderr
from quizsvc.cli.refusal import Refusal
from quizsvc.settings import Settings


@click.command()
@data_option
@click.option("--run", "run_id", help="Run the one with this id, if it waits, and end.")
@click.pass_obj
def worker(settings: Settings, run_id: str | None) -> None:
    """Run the experiments that wait, QUIZ_SLOTS at a time.

    ``quizsvc serve`` starts one; more may run beside it, on any machine that reaches
    the database.
    """
    from quizsvc.jobs.attempt import run_job
    from quizsvc.jobs.child import Limits
    from quizsvc.jobs.supervisor import work

    log_to_stderr()
    limits = Limits(seconds=settings.run_seconds, memory_mb=settings.run_memory_mb)
    engine = up_to_date(settings.database_url)
    if run_id is None:
        work(engine, stop=Stop(), slots=settings.slots, limits=limits)
    elif not run_job(engine, run_id, limits=limits):
        raise Refusal(f"No run {run_id} waits.")
