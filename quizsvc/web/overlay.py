"""Pure: earlier runs and a predicted curve as series of a run's figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from quizsvc.web.predicting import Point

MOST = 3  # earlier runs behind one: more would hide it
DRAWN = ("line", "points")
Figure = Mapping[str, Any]
Words = Mapping[str, str]


def behind(
    figures: Sequence[Figure], earlier: Sequence[tuple[Words, Sequence[Figure]]]
) -> list[dict[str, Any]]:
    """The figures with the measured curves of earlier runs, each run with its name.

    Keys "e1", "e2" … say which run; ``of`` which curve one lies behind. The first of a run
    has the run's name for the legend, the others are ``extra``. Figures whose axes differ,
    and heat maps and flows, stay as they are.
    """
    return [_with(figure, earlier) for figure in figures]


def _with(
    figure: Figure, earlier: Sequence[tuple[Words, Sequence[Figure]]]
) -> dict[str, Any]:
    series = [dict(one) for one in figure["series"]]
    if figure["kind"] in DRAWN:
        for number, (label, others) in enumerate(earlier[:MOST], start=1):
            other = next((o for o in others if _comparable(figure, o)), None)
            found = _pairs(figure, other) if other else []
            series += [
                _thin(one, place, f"e{number}", label, extra=rank > 0)
                for rank, (place, one) in enumerate(found)
            ]
    return {**figure, "series": series}


def _comparable(figure: Figure, other: Figure) -> bool:
    return all(figure[part] == other[part] for part in ("id", "kind", "x", "y"))


def _pairs(figure: Figure, other: Figure) -> list[tuple[int, Mapping[str, Any]]]:
    """Each measured curve's place with the earlier one of the same name or, since names
    may hold a parameter, the same place and key."""
    named = {one["name"]["en"]: one for one in other["series"]}
    pairs = []
    for place, one in enumerate(figure["series"]):
        if one["key"] == "t":
            continue
        there = other["series"][place : place + 1]
        same = there[0] if there and there[0]["key"] == one["key"] else None
        if twin := named.get(one["name"]["en"], same):
            pairs.append((place, twin))
    return pairs


def _thin(
    one: Mapping[str, Any], place: int, key: str, label: Words, *, extra: bool
) -> dict[str, Any]:
    name = {
        lang: f"{words} · {label.get(lang) or label['en']}"
        for lang, words in one["name"].items()
    }
    return {
        **one,
        "name": name,
        "legend": label,
        "key": key,
        "of": place,
        "extra": extra,
        "low": [],
        "high": [],
    }


def predicted(
    figures: Sequence[Figure],
    figure_id: str,
    place: int,
    curve: Sequence[Point],
    name: Words,
) -> list[dict[str, Any]]:
    """The figures, one of them with the curve that a candidate expected."""
    series = {
        "name": name,
        "key": "p",
        "of": place,
        "extra": False,
        "x": [x for x, _ in curve],
        "y": [y for _, y in curve],
        "low": [],
        "high": [],
    }
    return [
        {**figure, "series": [*figure["series"], series]}
        if figure["id"] == figure_id and curve
        else dict(figure)
        for figure in figures
    ]
