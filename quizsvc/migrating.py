"""The database's schema: where it stands and the way to the newest.

The service runs from its checkout, where the migrations are; an installation that is not
editable lacks them.
"""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

ROOT = Path(__file__).parents[1]


def config(url: str | None = None) -> Config:
    """Alembic's configuration for the database at ``url``.

    Raises FileNotFoundError, with a sentence for people, outside a checkout.
    """
    if not (ROOT / "migrations").is_dir():
        raise FileNotFoundError(
            f"{ROOT} holds no migrations: install quizsvc from its checkout, "
            "by `make install` or `pip install -e .`."
        )
    made = Config(toml_file=ROOT / "pyproject.toml")
    made.attributes["url"] = url
    return made


@cache
def head() -> str | None:
    """The revision that the code expects."""
    return ScriptDirectory.from_config(config()).get_current_head()


def upgrade(url: str) -> None:
    """Bring the database to the newest schema; does nothing when it is there."""
    command.upgrade(config(url), "head")
