"""The form of an experiment's parameters, made from its JSON Schema, and what it sends."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from werkzeug.datastructures import MultiDict

from quizsvc.models import Experiment, Run
from quizsvc.refusals import FieldError
from quizsvc.web import plots, words
from quizsvc.web.words import _
from sim.core import DEFAULT_SEEDS, MAX_SEEDS, MIN_SEEDS

EMPTY: dict[str, str] = {"en": "", "zh": ""}


@dataclass(frozen=True, kw_only=True)
class Control:
    """One parameter on the page."""

    name: str
    title: Mapping[str, str]
    about: Mapping[str, str]
    unit: Mapping[str, str]
    kind: Literal["number", "options", "switch"]
    value: Any  # as given, even if it cannot be used
    default: Any
    low: float | None = None
    high: float | None = None
    step: float | str = "any"
    options: tuple[Any, ...] = ()
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class Form:
    controls: list[Control]
    seeds: Control

    @property
    def errors(self) -> list[Control]:
        return [c for c in (*self.controls, self.seeds) if c.error]


def form(
    experiment: Experiment,
    values: Mapping[str, Any],
    seeds: object = len(DEFAULT_SEEDS),
    errors: tuple[FieldError, ...] = (),
) -> Form:
    """The controls of an experiment at these values; what is left out has its default."""
    wrong = {error.pointer.removeprefix("/params").split("/")[1] for error in errors}
    fields = experiment.schema["properties"]
    return Form(
        controls=[
            _control(name, field, values.get(name, field.get("default")), name in wrong)
            for name, field in fields.items()
        ],
        seeds=_control("seeds", _SEEDS, seeds, "seeds" in wrong),
    )


_SEEDS: dict[str, Any] = {
    "type": "integer",
    "default": len(DEFAULT_SEEDS),
    "minimum": MIN_SEEDS,
    "maximum": MAX_SEEDS,
    "x-control": {
        "title": {"en": "Seeds", "zh": "随机种子数"},
        "about": {
            "en": "Independent repetitions: seeds 0, 1, 2 and so on.",
            "zh": "独立重复的次数：种子取 0、1、2……",
        },
    },
}


def _control(name: str, field: Mapping[str, Any], value: Any, wrong: bool) -> Control:
    said = field.get("x-control", {})
    low, high = field.get("minimum"), field.get("maximum")
    kind: Literal["number", "options", "switch"] = "number"
    if "enum" in field:
        kind = "options"
    elif field.get("type") == "boolean":
        kind = "switch"
    whole = field.get("type") == "integer"
    return Control(
        name=name,
        title=said.get("title", {"en": name}),
        about=said.get("about", EMPTY),
        unit=said.get("unit", EMPTY),
        kind=kind,
        value=value,
        default=field.get("default"),
        low=low,
        high=high,
        step=said.get("step") or (1 if whole else "any"),
        options=tuple(field.get("enum", ())),
        error=_wanted(field, low, high) if wrong else "",
    )


def _wanted(field: Mapping[str, Any], low: float | None, high: float | None) -> str:
    """What may be entered, with an example."""
    example = plots.number(field.get("default")) if low is not None else ""
    if low is None or high is None:
        return _("This value cannot be used.")
    bounds = {"low": plots.number(low), "high": plots.number(high), "example": example}
    if field.get("type") == "integer":
        return _(
            "A whole number from %(low)s to %(high)s, such as %(example)s.", **bounds
        )
    return _("A number from %(low)s to %(high)s, such as %(example)s.", **bounds)


def read(schema: Mapping[str, Any], sent: MultiDict[str, str]) -> dict[str, Any]:
    """The parameters that a form or an address names; what cannot be read stays text."""
    values = {}
    for name, field in schema["properties"].items():
        if name in sent:
            values[name] = _typed(field, sent.getlist(name)[-1].strip())
    return values


def _typed(field: Mapping[str, Any], text: str) -> Any:
    if "enum" in field:
        return next((o for o in field["enum"] if str(o) == text), text)
    if field.get("type") == "boolean":
        return text == "true"
    if field.get("type") == "integer":
        return int(text) if re.fullmatch(r"-?[0-9]{1,15}", text) else text
    try:
        return float(text) if isfinite(float(text)) else text
    except ValueError:
        return text


def read_seeds(sent: MultiDict[str, str]) -> list[int]:
    """As many seeds as the form asks for, from 0; none for what is no small number."""
    text = sent.get("seeds", str(len(DEFAULT_SEEDS))).strip()
    return list(range(int(text))) if re.fullmatch("[0-9]{1,3}", text) else []


def differing(
    schema: Mapping[str, Any], values: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Title and value of each parameter that is not at its default."""
    fields = schema["properties"].items()
    return unlike(schema, values, {n: field.get("default") for n, field in fields})


def unlike(
    schema: Mapping[str, Any], values: Mapping[str, Any], others: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Title and value of each parameter that others have otherwise."""
    return [
        (
            words.said(field.get("x-control", {}).get("title", {"en": name})),
            shown(values[name]),
        )
        for name, field in schema["properties"].items()
        if name in values and values[name] != others.get(name)
    ]


def settings(schema: Mapping[str, Any], run: Run) -> list[tuple[str, str]]:
    """What differs from the defaults in a run, its seeds too."""
    differs = differing(schema, run.params)
    if run.seeds == list(DEFAULT_SEEDS):
        return differs
    counted = run.seeds == list(range(len(run.seeds)))
    seeds = str(len(run.seeds)) if counted else ", ".join(map(str, run.seeds))
    return [*differs, (words.said(_SEEDS["x-control"]["title"]), seeds)]


def shown(value: Any) -> str:
    """A parameter's value in words."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, int | float):
        return plots.number(value)
    return words.name(words.OPTIONS, str(value))
