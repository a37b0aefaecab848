"""Pure: the geometry of dots against a bound, of a figure's table and of its thumbnail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log10
from typing import Any

Values = Sequence[float | None]

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LEFT, RIGHT, MARGIN = 10.0, 310.0, 6.0  # of the 320 units in which dots are drawn
APART = 44.0  # units between two labels that can both be read
TOP, HEIGHT = 9.0, 20.8  # where dots lie: equal ones are stacked
FEW, MANY = 5, 10  # rows: more would hide one another


def number(value: float | None, digits: int = 3) -> str:
    """A few digits with a true minus; powers of ten from 10⁵ and below 10⁻³."""
    if value is None or not isfinite(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        text = f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:.0f}"
        return text.replace("-", "−")
    lead, power = f"{value:.1e}".split("e")
    times = "" if lead == "1.0" else lead.removesuffix(".0").replace("-", "−") + "×"
    return times + "10" + str(int(power)).translate(SUPERSCRIPTS)


@dataclass(frozen=True, kw_only=True)
class Label:
    x: float
    text: str
    anchor: str


@dataclass(frozen=True, kw_only=True)
class Dots:
    """Every seed against the bounds, on an axis of 320 units."""

    allowed: tuple[float, float]  # from, to: where the claim holds
    bounds: list[float]
    labels: list[Label]
    marks: list[tuple[float, float, bool]]  # x, y, inside
    label: str  # the values in words


def dots(values: Values, above: float | None, below: float | None) -> Dots:
    """Where each value lies; one without a value has no mark."""
    known = [v for v in values if v is not None and isfinite(v)]
    bounds = [b for b in (above, below) if b is not None]
    low, high = min([*known, *bounds]), max([*known, *bounds])
    pad = 0.15 * (high - low) or 0.1 * abs(high) or 1.0
    # an axis of sizes does not reach below zero
    low, high = (max(low - pad, 0.0) if low >= 0 else low - pad), high + pad

    def x(value: float) -> float:
        return round(LEFT + (value - low) / (high - low) * (RIGHT - LEFT), 1)

    rows = min(max(len(known), FEW), MANY)
    start = LEFT - MARGIN if above is None else x(above)
    end = RIGHT + MARGIN if below is None else x(below)
    return Dots(
        allowed=(start, end),
        bounds=[x(b) for b in bounds],
        labels=_labels([(x(b), number(b, 4)) for b in bounds]),
        marks=[
            (
                x(v),
                round(TOP + place % rows * HEIGHT / (rows - 1), 1),
                inside(v, above, below),
            )
            for place, v in enumerate(known)
        ],
        label=", ".join(map(number, values)),
    )


def inside(value: float, above: float | None, below: float | None) -> bool:
    return (above is None or value > above) and (below is None or value < below)


def _labels(bounds: list[tuple[float, str]]) -> list[Label]:
    crowded = len(bounds) == 2 and bounds[1][0] - bounds[0][0] < APART
    anchors = ["end", "start"] if crowded else ["middle", "middle"]
    return [
        Label(x=x, text=text, anchor=anchor)
        for (x, text), anchor in zip(bounds, anchors, strict=False)
    ]


@dataclass(frozen=True, kw_only=True)
class Column:
    key: str  # 1-4 and t, see sim.core.Series
    series: int
    role: str  # mid | lo | hi


@dataclass(frozen=True, kw_only=True)
class Table:
    """A figure as a table: one row for each x, the columns of every series."""

    columns: list[Column]
    rows: list[tuple[float, list[float | None]]]


def table(figure: Mapping[str, Any]) -> Table:
    columns: list[Column] = []
    curves: list[dict[float, float | None]] = []
    for place, series in enumerate(figure["series"]):
        for role, name in (("mid", "y"), ("lo", "low"), ("hi", "high")):
            if series[name]:
                columns.append(Column(key=series["key"], series=place, role=role))
                curves.append(dict(zip(series["x"], series[name], strict=True)))
    xs = sorted({x for curve in curves for x in curve})
    return Table(
        columns=columns, rows=[(x, [curve.get(x) for curve in curves]) for x in xs]
    )


def thumbnail(
    figure: Mapping[str, Any], width: float = 300, height: float = 110
) -> list[tuple[str, str]]:
    """The curves of a figure as SVG paths with their keys, in a box with some margin."""
    points = {
        place: [
            (u, v)
            for x, y in zip(series["x"], series["y"], strict=True)
            if (u := _scaled(x, figure["x"]["scale"])) is not None
            and (v := _scaled(y, figure["y"]["scale"])) is not None
        ]
        for place, series in enumerate(figure["series"])
    }
    every = [point for curve in points.values() for point in curve]
    if not every:
        return []
    x0, x1 = min(x for x, _ in every), max(x for x, _ in every)
    y0, y1 = min(y for _, y in every), max(y for _, y in every)

    def at(x: float, y: float) -> str:
        right = 8 + (x - x0) / ((x1 - x0) or 1) * (width - 16)
        down = 8 + (y1 - y) / ((y1 - y0) or 1) * (height - 16)
        return f"{right:.1f} {down:.1f}"

    return [
        (figure["series"][place]["key"], "M" + "L".join(at(*point) for point in curve))
        for place, curve in points.items()
        if len(curve) > 1
    ]


def _scaled(value: float | None, scale: str) -> float | None:
    if value is None or not isfinite(value):
        return None
    if scale == "linear":
        return value
    return log10(value) if value > 0 else None
