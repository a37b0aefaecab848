"""A run beside what a candidate expected of it, and beside earlier runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quizsvc.models import Experiment, Run
from quizsvc.web import asking, controls, language, notes, overlay, plots, predicting
from quizsvc.web.predicting import Apart, Distance, Frame, Prediction
from quizsvc.web.words import _

REACH = {
    "Layer": "depth",
    "Layers passed": "depth",
    "Depth (layers)": "depth",
    "Step": "steps",
}
"""The parameter that an axis goes as far as, by the label of the axis."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What a run's page shows of both."""

    figures: Sequence[Mapping[str, Any]]  # with earlier and predicted curves
    distance: Distance | None = None
    dots: plots.Dots | None = None  # the seeds and the predicted number
    curve: Apart | None = None  # how far off the predicted curve was
    factor: bool = False  # whether that is a factor
    drawn: Mapping[str, str] | None = None  # the title of the figure it was drawn for


def expected(experiment: Experiment, wanted: Prediction) -> dict[str, float]:
    """What the candidate predicted of the metric that was asked for."""
    if wanted.number is None:
        return {}
    return {asking.of(experiment).metric: wanted.number}


def of(
    experiment: Experiment, run: Run | None, wanted: Prediction, earlier: Sequence[Run]
) -> Compared:
    """A run held against a prediction, with earlier runs behind its figures."""
    result = run.result if run else None
    if run is None or result is None:
        return Compared(figures=())
    labels = [label(experiment, one, run) for one in earlier]
    results = [one.result.figures if one.result else [] for one in earlier]
    figures = overlay.behind(result.figures, list(zip(labels, results, strict=True)))
    values = result.metrics.get(asking.of(experiment).metric, [])
    distance, dots, curve, factor, drawn = None, None, None, False, None
    if wanted.number is not None:
        distance = predicting.distance(wanted.number, values)
        claim = _claim(experiment)
        if distance:
            dots = plots.dots(values, claim["above"], claim["below"], wanted.number)
    frame = predicting.frame(result.figures) if wanted.curve else None
    if frame is not None:
        figure = frame.figure
        series = figure["series"][frame.series]
        factor, drawn = figure["y"]["scale"] == "log", figure["title"]
        curve = predicting.apart(
            wanted.curve, series, figure["x"]["scale"], figure["y"]["scale"]
        )
        name = _here(_("your curve"))
        figures = overlay.predicted(
            figures, figure["id"], frame.series, wanted.curve, name
        )
    return Compared(
        figures=[notes.noted(run.experiment, figure) for figure in figures],
        distance=distance,
        dots=dots,
        curve=curve,
        factor=factor,
        drawn=drawn,
    )


def reach(experiment: Experiment, run: Run, frame: Frame) -> list[tuple[str, str]]:
    """Title and value of the parameter that says where a curve of the run ends, if any."""
    name = REACH.get(frame.figure["x"]["label"]["en"], "")
    values = {name: run.params[name]} if name in run.params else {}
    return controls.unlike(experiment.schema, values, {})


def _claim(experiment: Experiment) -> Mapping[str, Any]:
    metric = asking.of(experiment).metric
    found: Mapping[str, Any] = next(
        claim for claim in experiment.claims if claim["metric"] == metric
    )
    return found


def label(experiment: Experiment, earlier: Run, run: Run) -> Mapping[str, str]:
    """What an earlier run had otherwise than the one shown."""
    schema = experiment.schema
    parts = [
        _("%(title)s: %(value)s", title=title, value=value)
        for title, value in controls.unlike(schema, earlier.params, run.params)
    ]
    if earlier.seeds != run.seeds:
        parts.append(_("other seeds"))
    if earlier.source_hash != run.source_hash:
        parts.append(_("other code"))
    return _here(_(", ").join(parts) or _("the same again"))


def _here(text: str) -> Mapping[str, str]:
    """A text that was made for the language of the page."""
    return {language.chosen(): text, "en": text}
