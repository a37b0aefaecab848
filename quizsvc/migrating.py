"""The database's schema: where it stands and the way to the newest."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

ROOT = Path(__file__).parents[1]


def config(url: str | None = None) -> Config:
    """Alembic's configuration for the database at ``url``."""
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
