"""Pure but for the language: numbers of the service as figures like those of experiments."""

from collections.abc import Sequence
from typing import Any

from quizsvc.web import language

Figure = dict[str, Any]


def figure(name: str, **facts: Any) -> Figure:
    said = {key: _said(facts.pop(key)) for key in ("title", "alt")}
    return {"id": name, "kind": "line", "value": None, "steps": [], **said, **facts}


def axis(label: str, ticks: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "label": _said(label),
        "scale": "linear",
        "ticks": [_said(t) for t in ticks],
    }


def series(
    name: str,
    key: str,
    x: Sequence[float],
    y: Sequence[float],
    band: tuple[Sequence[float], Sequence[float]] = ((), ()),
) -> dict[str, Any]:
    low, high = band
    return {"name": _said(name), "key": key, "x": x, "y": y, "low": low, "high": high}


def _said(text: str) -> dict[str, str]:
    return {language.chosen(): text}
