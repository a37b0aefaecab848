"""Runs that give a question its key or its figure, on a catalogue of one experiment."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from quizsvc import lab
from quizsvc.db import writing
from quizsvc.models import Run, RunResult

from .web_helpers import FIGURE

VALUES = [0.4, 0.5, 0.6, 0.5, 0.5]


def finish(
    session: Session,
    *,
    at: datetime,
    values: Sequence[float | None] = VALUES,
    figure: Mapping[str, Any] | None = FIGURE,
    seeds: Sequence[int] | None = None,
    **params: Any,
) -> Run:
    """A run of the coin with these values of its one metric, and one figure."""
    run = lab.submit(session, "coin", params, seeds, at=at).run
    succeed(session, run, values=values, figure=figure)
    return run


def succeed(
    session: Session,
    run: Run,
    *,
    values: Sequence[float | None] = VALUES,
    figure: Mapping[str, Any] | None = FIGURE,
) -> None:
    run.state, run.progress = "succeeded", 1.0
    run.result = RunResult(
        metrics={"share": list(values)},
        verdicts=[],
        figures=[figure] if figure else [],
        seconds=0.5,
    )
    session.flush()


def finished(engine: Engine, *, at: datetime, **wanted: Any) -> str:
    """The id of a committed run that has succeeded."""
    with writing(engine) as session:
        run_id = finish(session, at=at, **wanted).id
        session.commit()
    return run_id
