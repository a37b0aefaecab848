"""Pure: figures as tables. The table is the data: the page draws from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Figure = Mapping[str, Any]
Words = Mapping[str, str]
Value = float | None


@dataclass(frozen=True, kw_only=True)
class Column:
    key: str  # 1-8 and t, see sim.core.Series
    series: int
    role: str  # mid | lo | hi


@dataclass(frozen=True, kw_only=True)
class Table:
    """A figure as a table: one row for each x, the columns of every series."""

    columns: list[Column]
    rows: list[tuple[float, list[Value]]]


def table(figure: Figure) -> Table:
    columns: list[Column] = []
    curves: list[dict[float, Value]] = []
    for place, series in enumerate(figure["series"]):
        for role, name in (("mid", "y"), ("lo", "low"), ("hi", "high")):
            if series[name]:
                columns.append(Column(key=series["key"], series=place, role=role))
                curves.append(dict(zip(series["x"], series[name], strict=True)))
    xs = sorted({x for curve in curves for x in curve})
    return Table(
        columns=columns, rows=[(x, [curve.get(x) for curve in curves]) for x in xs]
    )


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A median over the seeds, with the smallest and the largest."""

    mid: Value
    low: Value = None
    high: Value = None


@dataclass(frozen=True, kw_only=True)
class Map:
    """A heat map as a table: its columns as on their axis, named rows of cells."""

    columns: Sequence[float]
    rows: list[tuple[Words, list[Cell]]]


def heat(figure: Figure) -> Map:
    rows = figure["series"]
    return Map(
        columns=rows[0]["x"] if rows else [],
        rows=[(row["name"], _cells(row)) for row in rows],
    )


@dataclass(frozen=True, kw_only=True)
class Way:
    """One placement of a flow: its steps in order, with the data and the gradient there."""

    name: Words
    steps: list[tuple[int, Mapping[str, Any], Cell, Cell]]  # place among all, step


def ways(figure: Figure) -> list[Way]:
    steps, series = figure["steps"], figure["series"]
    return [
        Way(
            name=data["name"],
            steps=[
                (int(place), steps[int(place)], forward, back)
                for place, forward, back in zip(
                    data["x"], _cells(data), _cells(gradient), strict=True
                )
            ],
        )
        for data, gradient in zip(series[::2], series[1::2], strict=True)
    ]


def _cells(series: Mapping[str, Any]) -> list[Cell]:
    unknown = [None] * len(series["y"])
    low, high = series["low"] or unknown, series["high"] or unknown
    return [
        Cell(mid=mid, low=a, high=b)
        for mid, a, b in zip(series["y"], low, high, strict=True)
    ]


def tick(axis: Mapping[str, Any], place: float) -> Words | None:
    """The name of a position, where the axis has names."""
    names = axis.get("ticks") or ()  # results of earlier versions have none
    return names[int(place)] if names else None
