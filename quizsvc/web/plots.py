"""Pure: the geometry of dots against a bound and of a figure's thumbnail."""

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
        rounded = float(f"{value:.{digits}g}") if abs(value) < 1000 else round(value)
        return f"{rounded:.6g}".replace("-", "−")
    lead, power = f"{value:.1e}".split("e")
    times = "" if lead == "1.0" else lead.removesuffix(".0").replace("-", "−") + "×"
    return times + "10" + str(int(power)).translate(SUPERSCRIPTS)


@dataclass(frozen=True, kw_only=True)
class Label:
    x: float
    text: str
    anchor: str  # start | middle | end


@dataclass(frozen=True, kw_only=True)
class Dots:
    """Every seed against the bounds, on an axis of 320 units."""

    allowed: tuple[float, float]  # from, to: where the claim holds
    bounds: list[float]
    labels: list[Label]
    marks: list[tuple[float, float, bool]]  # x, y, inside
    mine: float | None = None  # x of a number that was expected
    beyond: int = 0  # -1 or 1 when it lies off an end, else 0
    label: str  # the values in words


def dots(
    values: Values,
    above: float | None,
    below: float | None,
    mine: float | None = None,
) -> Dots:
    """Where each value lies; one without a value has no mark. An expected number widens
    the axis to three times what it shows and stands at its end beyond that."""
    known = [v for v in values if v is not None and isfinite(v)]
    bounds = [b for b in (above, below) if b is not None]
    low, high = min([*known, *bounds]), max([*known, *bounds])
    span = (high - low) or abs(high) or 1.0
    beyond = 0
    if mine is not None:
        beyond = int(mine > high + span) - int(mine < low - span)
        near = min(max(mine, low - span), high + span)
        low, high = min(low, near), max(high, near)
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
        labels=labels([(x(b), number(b, 4)) for b in bounds], APART),
        marks=[
            (
                x(v),
                round(TOP + place % rows * HEIGHT / (rows - 1), 1),
                inside(v, above, below),
            )
            for place, v in enumerate(known)
        ],
        mine=None if mine is None else x(min(max(mine, low), high)),
        beyond=beyond,
        label=", ".join(map(number, values)),
    )


def inside(value: float, above: float | None, below: float | None) -> bool:
    return (above is None or value > above) and (below is None or value < below)


def labels(bounds: Sequence[tuple[float, str]], apart: float) -> list[Label]:
    """One for each of at most two bounds; nearer than ``apart`` they lean away."""
    crowded = len(bounds) == 2 and bounds[1][0] - bounds[0][0] < apart
    anchors = ["end", "start"] if crowded else ["middle", "middle"]
    return [
        Label(x=x, text=text, anchor=anchor)
        for (x, text), anchor in zip(bounds, anchors, strict=False)
    ]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A part of a thumbnail: a curve of a key, or a cell of a heat map."""

    path: str
    key: str = ""
    fill: str = ""


WIDE, HIGH, INSET = 300.0, 110.0, 8.0  # a thumbnail and the room around what it shows
SHOWN = 8  # curves of a thumbnail: more would hide one another


def thumbnail(figure: Mapping[str, Any]) -> list[Shape]:
    """A figure without its words."""
    return _cells(figure) if figure["kind"] == "heat" else _curves(figure)


def _curves(figure: Mapping[str, Any]) -> list[Shape]:
    curves = [
        (series["key"], points)
        for series in figure["series"][:SHOWN]
        if (points := _points(figure, series))
    ]
    every = [point for _, curve in curves for point in curve]
    if not every:
        return []
    x0, x1 = min(x for x, _ in every), max(x for x, _ in every)
    y0, y1 = min(y for _, y in every), max(y for _, y in every)

    def at(x: float, y: float) -> str:
        right = INSET + (x - x0) / ((x1 - x0) or 1) * (WIDE - 2 * INSET)
        down = INSET + (y1 - y) / ((y1 - y0) or 1) * (HIGH - 2 * INSET)
        return f"{right:.1f} {down:.1f}"

    return [
        Shape(key=key, path="M" + "L".join(at(*point) for point in curve))
        for key, curve in curves
        if len(curve) > 1
    ]


def _points(
    figure: Mapping[str, Any], series: Mapping[str, Any]
) -> list[tuple[float, float]]:
    return [
        (u, v)
        for x, y in zip(series["x"], series["y"], strict=True)
        if (u := _scaled(x, figure["x"]["scale"])) is not None
        and (v := _scaled(y, figure["y"]["scale"])) is not None
    ]


def _cells(figure: Mapping[str, Any]) -> list[Shape]:
    scale = figure["value"]["scale"]
    rows = [[_scaled(v, scale) for v in row["y"]] for row in figure["series"]]
    known = [v for row in rows for v in row if v is not None]
    if not known:
        return []
    low, high = min(known), max(known)
    right, down = WIDE / len(rows[0]), HIGH / len(rows)
    return [
        Shape(
            path=f"M{j * right:.1f} {i * down:.1f}h{right:.1f}v{down:.1f}h{-right:.1f}z",
            fill=shade((v - low) / ((high - low) or 1)),
        )
        for i, row in enumerate(rows)
        for j, v in enumerate(row)
        if v is not None
    ]


def shade(share: float) -> str:
    """The colour of a heat map at a share of its scale: two blends, light to dark or dark
    to light as the theme has it."""
    ends, part = (
        (("--heat-1", "--heat-0"), share)
        if share < 0.5
        else (("--heat-2", "--heat-1"), share - 0.5)
    )
    return f"color-mix(in oklab, var({ends[0]}) {200 * part:.0f}%, var({ends[1]}))"


def _scaled(value: float | None, scale: str) -> float | None:
    if value is None or not isfinite(value):
        return None
    if scale == "linear":
        return value
    return log10(value) if value > 0 else None
