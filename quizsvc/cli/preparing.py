"""What the database holds before anybody asks: questions, catalogue, runs."""

import json
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime

from sqlalchemy import Engine, select
from sqlalchemy.exc import DBAPIError

from question_bank import transfer
from question_bank.content import InvalidContent
from quizsvc import lab, practice
from quizsvc.cli import processes
from quizsvc.cli.refusal import Refusal
from quizsvc.db import reading, writing
from quizsvc.models import Experiment
from sim import registry


def start_catalogue(
    engine: Engine, environment: Mapping[str, str]
) -> subprocess.Popen[bytes] | None:
    """Begin to read the experiments in another process, unless what they are is known.

    It imports every one of them, which takes longer than all else at a first start.
    """
    if is_current(engine) or registry.kept() is not None:
        return None
    command = ["sim", "catalogue"]
    return processes.start(command, environment, stdout=subprocess.PIPE)


def fill_bank(engine: Engine, *, time_zone: str) -> None:
    """Bring candidate and questions up to date; harmless to repeat.

    Raises Refusal when a pack that comes with the package cannot be asked.
    """
    at = datetime.now(UTC)
    with writing(engine) as session:
        practice.local_user(session, at=at, time_zone=time_zone)
        practice.forget_expired(session, at=at)
        for folder in transfer.pack_folders():
            try:
                transfer.import_pack(session, folder, at=at)
            except InvalidContent as invalid:
                detail = f"The questions in {folder} cannot be used.\n{invalid}"
                raise Refusal(detail) from invalid
        session.commit()


def fill_lab(engine: Engine, catalogue: subprocess.Popen[bytes] | None = None) -> None:
    """Bring experiments and runs up to date; harmless to repeat.

    The experiments are those that the process prints, else those that set-up kept. Raises
    Refusal when one cannot be loaded.
    """
    entries = registry.kept() if catalogue is None else read_catalogue(catalogue)
    with writing(engine) as session:
        if entries is not None:
            lab.store_catalogue(session, entries)
        lab.enqueue_defaults(session, at=datetime.now(UTC))
        session.commit()


def is_current(engine: Engine) -> bool:
    """Whether the stored catalogue was made from the experiments as they are."""
    stored: dict[str, str] = {}
    with suppress(DBAPIError), reading(engine) as session:  # the table may not be there
        query = select(Experiment.name, Experiment.source_hash)
        stored = dict(session.execute(query).all())
    return stored == registry.source_hashes()


def read_catalogue(catalogue: subprocess.Popen[bytes]) -> list[registry.Entry]:
    """The entries that the process prints. Raises Refusal when it fails."""
    text, _ = catalogue.communicate()
    if catalogue.returncode:
        raise Refusal(
            "The experiments cannot be loaded: `python -m sim catalogue` fails."
        )
    return [registry.Entry(**entry) for entry in json.loads(text)]
