"""How a command says that it cannot do what was asked."""

import click


class Refusal(click.ClickException):
    """One sentence on standard error; exit status 2."""

    exit_code = 2
