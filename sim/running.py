"""Runs an experiment by name; what goes in and comes out is plain data, ready for JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from time import perf_counter
from typing import Any

from pydantic import ValidationError

from sim import registry
from sim.core import (
    MAX_SEED,
    MAX_SEEDS,
    MIN_SEEDS,
    Figure,
    Progress,
    Result,
    judge,
    quiet,
)


class InputError(ValueError):
    """The name, a parameter or the seeds do not fit; the message says so in one line."""


class ContractError(Exception):
    """An experiment's result is not what it promises."""


def execute(
    name: str,
    params: Mapping[str, Any],
    seeds: Sequence[int],
    progress: Progress = quiet,
) -> dict[str, Any]:
    """Run an experiment and judge its claims: params, seeds, metrics, verdicts, figures,
    seconds. Parameters left out take their defaults; NaN and infinity come back as None.

    Raises InputError before anything runs, ContractError for a result out of shape.
    """
    try:
        experiment = registry.load(name)
        chosen = experiment.Params.model_validate_json(json.dumps(dict(params)))
    except LookupError as error:
        raise InputError(str(error.args[0])) from error
    except ValidationError as error:
        raise InputError(_one_line(error)) from error
    _check_seeds(seeds)
    start = perf_counter()
    result = experiment.run(chosen, tuple(seeds), progress)
    _check_result(experiment, result, len(seeds))
    return {
        "params": chosen.model_dump(mode="json"),
        "seeds": list(seeds),
        "metrics": plain(result.metrics),
        "verdicts": [plain(asdict(judge(c, result))) for c in experiment.CLAIMS],
        "figures": [plain(asdict(figure)) for figure in result.figures],
        "seconds": perf_counter() - start,
    }


def plain(value: Any) -> Any:
    """Nested mappings, sequences, arrays and numbers as JSON data; not finite is None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value


def _one_line(error: ValidationError) -> str:
    """Each parameter that does not fit, with the reason."""
    return "; ".join(
        f"{'.'.join(map(str, e['loc'])) or 'parameters'}: {e['msg']}"
        for e in error.errors(include_url=False)
    )


def _check_seeds(seeds: Sequence[int]) -> None:
    if not MIN_SEEDS <= len(seeds) <= MAX_SEEDS:
        raise InputError(
            f"seeds: {MIN_SEEDS} to {MAX_SEEDS} are needed, not {len(seeds)}"
        )
    if len(set(seeds)) < len(seeds):
        raise InputError("seeds: each may stand only once")
    if not all(type(seed) is int and 0 <= seed <= MAX_SEED for seed in seeds):
        raise InputError(f"seeds: whole numbers from 0 to {MAX_SEED} are needed")


def _check_result(experiment: registry.Experiment, result: Result, seeds: int) -> None:
    missing = {claim.metric for claim in experiment.CLAIMS} - set(result.metrics)
    if missing:
        raise ContractError(f"no metric {', '.join(sorted(missing))}")
    for metric, values in result.metrics.items():
        if len(values) != seeds:
            raise ContractError(f"{metric}: {len(values)} values for {seeds} seeds")
    for figure in result.figures:
        wrong = flaw(figure)
        if wrong:
            raise ContractError(f"{figure.id}: {wrong}")


def flaw(figure: Figure) -> str | None:
    """What keeps a figure from being drawn, or None."""
    for series in figure.series:
        lengths = {len(series.x), len(series.y)}
        lengths |= {len(band) for band in (series.low, series.high) if len(band)}
        if len(lengths) > 1:
            return "a series' columns differ in length"
        for axis, places in ((figure.x, series.x), (figure.y, series.y)):
            if axis.ticks and not _count(places, len(axis.ticks)):
                return "an axis with named ticks has a position without a name"
    if (figure.kind == "heat") != (figure.value is not None):
        return "a heat map, and nothing else, has an axis of values"
    if (figure.kind == "flow") != (len(figure.steps) > 0):
        return "a flow, and nothing else, has steps"
    if figure.kind == "heat" and len({tuple(row.x) for row in figure.series}) != 1:
        return "the rows of a heat map differ in their columns"
    return _flow_flaw(figure) if figure.kind == "flow" else None


def _flow_flaw(figure: Figure) -> str | None:
    pairs = list(zip(figure.series[::2], figure.series[1::2], strict=False))
    if len(figure.series) % 2 or any(
        (list(a.x), a.key, b.key) != (list(b.x), "3", "4") for a, b in pairs
    ):
        return "each placement of a flow has a forward and a gradient series"
    for series in figure.series:
        places = list(series.x)
        if not _count(places, len(figure.steps)) or places != sorted(set(places)):
            return "a series of a flow does not follow the steps"
    return None


def _count(places: Sequence[float], n: int) -> bool:
    """Whether every place is one of 0, 1 … n − 1."""
    return all(0 <= place < n and float(place).is_integer() for place in places)
