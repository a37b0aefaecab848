"""Pure: what a candidate expects of a run, as an address carries it, and how far off it was."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log10
from statistics import median
from typing import Any, Literal

from quizsvc.web import numbers
from quizsvc.web.plots import Values

POINTS = 4  # of a curve that is asked for
NUMBER, CURVE = "predicted", "curve"  # names of the fields, and of an address's parts
MOST = 16  # points of a curve that an address may carry
Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A number, points of a curve, or nothing; ``wrong`` names fields that say neither."""

    number: float | None = None
    curve: tuple[Point, ...] = ()
    wrong: frozenset[str] = frozenset()
    sent: Mapping[str, str] = field(default_factory=dict)  # as entered

    def __bool__(self) -> bool:
        return self.number is not None or bool(self.curve)

    @property
    def address(self) -> dict[str, str]:
        """The part of an address that carries it."""
        parts = {}
        if self.number is not None:
            parts[NUMBER] = _short(self.number)
        if self.curve:
            parts[CURVE] = ",".join(f"{_short(x)}:{_short(y)}" for x, y in self.curve)
        return parts


def read(sent: Mapping[str, str]) -> Prediction:
    """What a form (``curve-X`` for the height at X) or an address says."""
    wrong, points = set(), dict[float, float]()
    number = None
    if text := sent.get(NUMBER, "").strip():
        try:
            number = numbers.read(text)
        except ValueError:
            wrong.add(NUMBER)
    try:
        points |= _points(sent.get(CURVE, ""))
    except ValueError:
        wrong.add(CURVE)
    for name, text in sent.items():
        if name.startswith(f"{CURVE}-") and text.strip():
            try:
                points[_finite(name.removeprefix(f"{CURVE}-"))] = numbers.read(text)
            except ValueError:
                wrong.add(name)
    return Prediction(
        number=number,
        curve=tuple(sorted(points.items()))[:MOST],
        wrong=frozenset(wrong),
        sent={k: v for k, v in sent.items() if k.split("-")[0] in (NUMBER, CURVE)},
    )


def _points(text: str) -> dict[float, float]:
    pairs = [part.split(":") for part in text.split(",") if part]
    if len(pairs) > MOST or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"no curve: {text}")
    return {_finite(x): _finite(y) for x, y in pairs}


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"not finite: {text}")
    return value


def _short(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e6 else repr(value)


@dataclass(frozen=True, kw_only=True)
class Distance:
    """How far a predicted number lies from what was measured."""

    predicted: float
    middle: float  # the median over the seeds
    low: float
    high: float
    off: float  # predicted - middle
    where: Literal["among", "above", "below"]  # of the seeds' span
    factor: float | None  # 1 or more, of positive numbers


def distance(predicted: float, values: Values) -> Distance | None:
    """From the median over the seeds; none when no seed has a value."""
    known = [v for v in values if v is not None and isfinite(v)]
    if not known:
        return None
    middle, low, high = median(known), min(known), max(known)
    where: Literal["among", "above", "below"] = "among"
    if not low <= predicted <= high:
        where = "above" if predicted > high else "below"
    return Distance(
        predicted=predicted,
        middle=middle,
        low=low,
        high=high,
        off=predicted - middle,
        where=where,
        factor=_factor(predicted, middle),
    )


def _factor(a: float, b: float) -> float | None:
    if min(a, b) <= 0:
        return None
    factor = max(a, b) / min(a, b)
    return factor if isfinite(factor) else None


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A curve that can be asked for: where its figure is empty, and at which places."""

    figure: Mapping[str, Any]
    series: int
    places: list[float]
    low: float  # of the axis, wide enough to tell little
    high: float


def frame(figures: Sequence[Mapping[str, Any]]) -> Frame | None:
    """The first measured curve of at least four points, and its axes without numbers
    that tell it."""
    for figure in figures:
        if figure["kind"] != "line":
            continue
        for place, series in enumerate(figure["series"]):
            xs = sorted(
                {x for x in series["x"] if figure["x"]["scale"] != "log" or x > 0}
            )
            if series["key"] != "t" and len(xs) >= POINTS:
                low, high = _room(figure)
                at = _spread(xs, figure["x"]["scale"])
                return Frame(figure=figure, series=place, places=at, low=low, high=high)
    return None


def _spread(xs: Sequence[float], scale: str) -> list[float]:
    """Four of the places, evenly apart on the axis."""
    at = log10 if scale == "log" else float
    first, last = at(xs[0]), at(xs[-1])
    wanted = [first + (last - first) * i / (POINTS - 1) for i in range(POINTS)]
    chosen = {min(xs, key=lambda x: abs(at(x) - want)) for want in wanted}
    return sorted(chosen)


def _room(figure: Mapping[str, Any]) -> tuple[float, float]:
    """Axis ends: whole decades with one to spare, or as much again on both sides."""
    values = [
        v
        for series in figure["series"]
        for v in series["y"]
        if v is not None and isfinite(v)
    ]
    if figure["y"]["scale"] == "log":
        sizes = [v for v in values if v > 0] or [1.0]
        low, high = log10(min(sizes)) // 1 - 1, -(-log10(max(sizes)) // 1) + 1
        return 10.0**low, 10.0**high
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = (high - low) or abs(high) or 1.0
    return (0.0 if 0 <= low < room else low - room), high + room


@dataclass(frozen=True, kw_only=True)
class Apart:
    """How far predicted points lie from a measured curve, in the median over them."""

    off: float  # a difference, or a factor of 1 or more
    where: Literal["above", "below", "around"]  # around: on both sides, or on it


def apart(
    curve: Sequence[Point], series: Mapping[str, Any], x_scale: str, y_scale: str
) -> Apart | None:
    """From a measured curve: by a factor on a log scale, else by a difference; none where
    no point lies along the curve."""
    along = x_scale == "log"
    measured = [
        (x, y)
        for x, y in sorted(zip(series["x"], series["y"], strict=True))
        if y is not None and isfinite(y) and (not along or x > 0)
    ]
    off, above, below = [], 0, 0
    for x, y in curve:
        there = _at(measured, x, log10 if along and x > 0 else float)
        if there is None:
            continue
        far = abs(y - there) if y_scale != "log" else _factor(y, there)
        if far is not None:
            off.append(far)
            above, below = above + (y > there), below + (y < there)
    if not off:
        return None
    where: Literal["above", "below", "around"] = "around"
    if not (above and below) and above + below:
        where = "above" if above else "below"
    return Apart(off=median(off), where=where)


def _at(
    points: Sequence[Point], x: float, scale: Callable[[float], float]
) -> float | None:
    """The height of a polyline at a place, if it is there."""
    if not points or not points[0][0] <= x <= points[-1][0]:
        return None
    right = bisect_left([p for p, _ in points], x)
    (x1, y1) = points[right]
    if x1 == x:
        return y1
    (x0, y0) = points[right - 1]
    share = (scale(x) - scale(x0)) / (scale(x1) - scale(x0))
    return y0 + share * (y1 - y0)
