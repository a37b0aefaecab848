"""Estimates: a number held against what a run measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from question_bank.content import EstimateItem, QuestionItem
from question_bank.grading import interval
from quizsvc.models import Presentation
from quizsvc.practice.measured import figure_of, key_of, values_of


@dataclass(frozen=True, kw_only=True)
class MeasuredKey:
    """The key of an estimate: a median, the numbers that are right, and where from."""

    value: float
    low: float
    high: float
    unit: str | None
    factor: float | None
    margin: float | None
    values: list[float | None]  # one for each seed
    experiment: str
    metric: str
    params: dict[str, Any]  # what differs from the defaults
    run_id: str


@dataclass(frozen=True, kw_only=True)
class ShownFigure:
    """The figure that stood below the stem, and where it is from."""

    experiment: str
    id: str
    params: dict[str, Any]  # what differs from the defaults
    run_id: str
    data: Mapping[str, Any]


def near(
    session: Session, shown: Presentation, estimate: EstimateItem, number: float
) -> bool:
    """Whether a number is within the tolerance of the key that a showing pinned."""
    low, high = _interval(_key(session, shown, estimate), estimate)
    return low <= number <= high


def measured_key(
    session: Session, shown: Presentation, item: QuestionItem, lang: str
) -> MeasuredKey | None:
    """The key of an estimate, for after its answer; None for other questions."""
    estimate = item.estimate
    if estimate is None or shown.key_run_id is None:
        return None
    key = _key(session, shown, estimate)
    low, high = _interval(key, estimate)
    return MeasuredKey(
        value=key,
        low=low,
        high=high,
        unit=dict(estimate.unit)[lang] if estimate.unit else None,
        factor=estimate.factor,
        margin=estimate.margin,
        values=values_of(session, shown.key_run_id, estimate.metric_id),
        experiment=estimate.experiment,
        metric=estimate.metric_id,
        params=estimate.params,
        run_id=shown.key_run_id,
    )


def shown_figure(
    session: Session, shown: Presentation, item: QuestionItem
) -> ShownFigure | None:
    """The figure that a question was asked with, for after its answer."""
    run_id = shown.figure_run_id
    if item.figure is None or run_id is None:
        return None
    return ShownFigure(
        experiment=item.figure.experiment,
        id=item.figure.id,
        params=item.figure.params,
        run_id=run_id,
        data=figure_of(session, run_id, item.figure.id) or {},
    )


def _key(session: Session, shown: Presentation, estimate: EstimateItem) -> float:
    key = key_of(session, shown.key_run_id or "", estimate.metric_id)
    if key is None:
        raise LookupError(f"{shown.id}: the run that it pinned gives no key")
    return key


def _interval(key: float, estimate: EstimateItem) -> tuple[float, float]:
    return interval(key, factor=estimate.factor, margin=estimate.margin)
