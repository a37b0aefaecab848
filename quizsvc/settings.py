"""The settings: ``QUIZ_…`` environment variables, read once at the edge."""

import math
import os
import secrets
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from zoneinfo import available_timezones

from tzlocal import get_localzone_name

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How one installation runs. Each field is the variable ``QUIZ_<FIELD>``."""

    data: Path  # the folder that holds everything this installation writes
    database_url: str
    host: str = "127.0.0.1"
    port: int = 8000
    accounts: bool = False
    time_zone: str = "UTC"  # of the local candidate
    web_workers: int = 2
    web_threads: int = 4
    slots: int = 1  # runs at a time
    run_seconds: float = 120  # of wall time
    run_memory_mb: int = 2000  # what a run may allocate beside the loaded libraries
    secret_key: str = ""  # empty: the one kept in the data folder

    def environment(self) -> dict[str, str]:
        """The variables that give a child process these settings."""
        return {
            "QUIZ_DATA": str(self.data),
            "QUIZ_DATABASE_URL": self.database_url,
            "QUIZ_HOST": self.host,
            "QUIZ_PORT": str(self.port),
        }


def read(
    environ: Mapping[str, str] | None = None, *, data: Path | None = None
) -> Settings:
    """The settings of an environment (this process's by default).

    ``data`` goes before ``QUIZ_DATA``. Raises ValueError with a sentence for people.
    """
    env = os.environ if environ is None else environ
    folder = (data or Path(env.get("QUIZ_DATA") or "instance")).absolute()
    return Settings(
        data=folder,
        database_url=env.get("QUIZ_DATABASE_URL") or f"sqlite:///{folder / 'quiz.db'}",
        host=env.get("QUIZ_HOST") or Settings.host,
        port=_number(env, "QUIZ_PORT", int, Settings.port, least=0),
        accounts=env.get("QUIZ_ACCOUNTS", "0") not in {"", "0"},
        time_zone=_zone(env),
        web_workers=_number(env, "QUIZ_WEB_WORKERS", int, Settings.web_workers),
        web_threads=_number(env, "QUIZ_WEB_THREADS", int, Settings.web_threads),
        slots=_number(env, "QUIZ_SLOTS", int, os.cpu_count() or 1),
        run_seconds=_number(env, "QUIZ_RUN_SECONDS", float, Settings.run_seconds),
        run_memory_mb=_number(env, "QUIZ_RUN_MEMORY_MB", int, Settings.run_memory_mb),
        secret_key=env.get("QUIZ_SECRET_KEY", ""),
    )


def secret_key(settings: Settings) -> str:
    """The key that signs cookies: given, or made once and kept in the data folder."""
    if settings.secret_key:
        return settings.secret_key
    path = settings.data / "secret_key"
    if not path.exists():
        settings.data.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=settings.data) as draft:  # mode 600
            draft.write(secrets.token_hex(32))
            draft.flush()
            # a link appears whole or not at all; of two processes the first wins
            with suppress(FileExistsError):
                os.link(draft.name, path)
    return path.read_text(encoding="ascii")


def _zone(env: Mapping[str, str]) -> str:
    """The zone that is asked for, else the machine's, else UTC."""
    known = available_timezones()
    if (asked := env.get("QUIZ_TIME_ZONE")) and asked not in known:
        raise ValueError(
            f"QUIZ_TIME_ZONE must be a zone like Asia/Shanghai, not {asked!r}."
        )
    here = asked or get_localzone_name()
    return here if here in known else Settings.time_zone


def _number(
    env: Mapping[str, str],
    name: str,
    kind: Callable[[str], T],
    default: T,
    least: float = 1,
) -> T:
    text = env.get(name)
    if not text:
        return default
    try:
        number = kind(text)
        enough = least <= float(text) < math.inf
    except ValueError:
        enough = False
    if not enough:
        raise ValueError(f"{name} must be a number of {least} or more, not {text!r}.")
    return number
