"""What several commands take."""

from pathlib import Path

import click

from quizsvc import settings


def _read(context: click.Context, _option: click.Parameter, data: Path | None) -> None:
    """Keep the settings in ``context.obj``, where commands below find them, too."""
    if data is None and context.obj is not None:
        return
    try:
        context.obj = settings.read(data=data)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    expose_value=False,
    callback=_read,
    help="The folder for everything that is stored; QUIZ_DATA, else ./instance.",
)
"""Where the settings come from; the one nearest to the command counts."""
