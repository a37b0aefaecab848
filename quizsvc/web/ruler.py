"""Pure: a number beside a measured key, on one line with every seed."""

from dataclasses import dataclass
from math import log10

from quizsvc.practice import MeasuredKey
from quizsvc.web.plots import Label, labels, number

WIDTH, EDGE = 320.0, 10.0
TOP, LOWEST, ROWS = 28.0, 60.0, 5  # where dots lie, in rows: equal ones are stacked
BESIDE = 70.0  # units within which a label leans away from an edge or its neighbour


@dataclass(frozen=True, kw_only=True)
class Ruler:
    """A number, a key, the numbers that are right and every seed, on 320 units."""

    right: tuple[float, float]  # from, to
    ends: list[Label]
    key: float
    marks: list[tuple[float, float]]  # x, y
    mine: Label | None
    beyond: int  # -1 or 1 when the number lies off an end, else 0
    log: bool


def of(measured: MeasuredKey, mine: float | None) -> Ruler:
    """Where everything lies. The scale is logarithmic where all is positive and the
    right numbers are a factor of two apart or more; a number far off stands at the edge.
    """
    low, high = measured.low, measured.high
    seeds = [value for value in measured.values if value is not None]
    log = low > 0 and min([*seeds, high]) > 0 and high / low >= 2
    scale = log10 if log else float
    first, last = scale(min([low, *seeds])), scale(max([high, *seeds]))
    room = (last - first) * 0.75 or 1.0
    first, last = first - room, last + room

    def x(value: float) -> float:
        share = (scale(value) - first) / (last - first)
        return round(EDGE + min(max(share, 0.0), 1.0) * (WIDTH - 2 * EDGE), 1)

    beyond = 0
    if mine is not None:
        off_low = (log and mine <= 0) or scale(mine) < first
        beyond = -1 if off_low else int(scale(mine) > last)
    return Ruler(
        right=(x(low), x(high)),
        ends=labels([(x(end), number(end)) for end in (low, high)], BESIDE),
        key=x(measured.value),
        marks=[
            (x(value), round(TOP + place % ROWS * (LOWEST - TOP) / (ROWS - 1), 1))
            for place, value in enumerate(seeds)
        ],
        mine=None if mine is None else _label(EDGE if beyond < 0 else x(mine), mine),
        beyond=beyond,
        log=log,
    )


def _label(x: float, value: float) -> Label:
    anchor = "start" if x < BESIDE else "end" if x > WIDTH - BESIDE else "middle"
    return Label(x=x, text=number(value), anchor=anchor)
