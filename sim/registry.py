"""The experiments, found by name: ``experiments/TOPIC/NAME.py`` is NAME.

Nothing here imports torch; :func:`load`, :func:`entry` and :func:`catalogue` import the
experiments, which do.
"""

import ast
import hashlib
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from sim import core
from sim.core import Claim, Progress, Result, Text

SOURCE = Path(__file__).parent
KEPT = SOURCE / "catalogue.json"
"""The catalogue as set-up leaves it: reading it spares a first start the import of torch."""


PARTS = ("TITLE", "ABOUT", "Params", "CLAIMS", "SECONDS", "run")


class Experiment(Protocol):
    """What a module in ``sim/experiments/TOPIC`` defines."""

    __doc__: str
    TITLE: Text
    ABOUT: Text
    Params: type[core.Params]
    CLAIMS: tuple[Claim, ...]
    run: Callable[[core.Params, Sequence[int], Progress], Result]
    SECONDS: float  # the default run with five seeds on two cores, measured


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One experiment as the service knows it: plain data, ready for JSON."""

    name: str
    topic: str
    title: Mapping[str, str]
    about: Mapping[str, str]
    schema: Mapping[str, Any]  # JSON Schema of the parameters
    claims: Sequence[Mapping[str, Any]]
    seconds: float
    source_hash: str
    source: str  # the module's text, shown beside the math


def paths() -> dict[str, Path]:
    """Every experiment's module file by name, without importing any."""
    files = sorted((SOURCE / "experiments").glob("*/*.py"))
    return {f.stem: f for f in files if f.stem != "__init__"}


def names() -> list[str]:
    return sorted(paths())


def headline(name: str) -> str:
    """The first line of an experiment's docstring, read without importing it."""
    tree = ast.parse(paths()[name].read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def load(name: str) -> Experiment:
    """Import one experiment.

    Raises LookupError for a name that is not there, and for a module without a part that
    every experiment has.
    """
    path = paths().get(name)
    if path is None:
        raise LookupError(f"no experiment {name!r}; there are: {', '.join(names())}")
    module = importlib.import_module(f"sim.experiments.{path.parent.name}.{name}")
    missing = [part for part in PARTS if not hasattr(module, part)]
    if missing:
        raise LookupError(f"the experiment {name} does not define {', '.join(missing)}")
    return cast(Experiment, module)


def source_hash(name: str) -> str:
    """SHA-256 over the experiment's module and everything experiments share."""
    shared = [SOURCE / "core.py", *sorted((SOURCE / "nets").rglob("*.py"))]
    digest = hashlib.sha256()
    for path in (paths()[name], *shared):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def entry(name: str) -> Entry:
    """Everything the service needs to know about one experiment."""
    experiment = load(name)
    return Entry(
        name=name,
        topic=paths()[name].parent.name,
        title=asdict(experiment.TITLE),
        about=asdict(experiment.ABOUT),
        schema=experiment.Params.model_json_schema(),
        claims=[asdict(claim) for claim in experiment.CLAIMS],
        seconds=experiment.SECONDS,
        source_hash=source_hash(name),
        source=paths()[name].read_text(encoding="utf-8"),
    )


def catalogue() -> list[Entry]:
    """All entries, by name. Imports every experiment."""
    return [entry(name) for name in names()]


def kept() -> list[Entry] | None:
    """The catalogue that set-up left, if the experiments are still what they were."""
    try:
        rows = json.loads(KEPT.read_text(encoding="utf-8"))
        entries = [Entry(**row) for row in rows]
    except (OSError, ValueError, TypeError):
        return None
    made_from = {entry.name: entry.source_hash for entry in entries}
    return entries if made_from == source_hashes() else None


def source_hashes() -> dict[str, str]:
    return {name: source_hash(name) for name in names()}
