"""How well answers of a real review log are predicted: ours and the field's models.

Prequential: each long-term review is predicted from what came before it alone. Ours is
FSRS-6 at its default weights with the two numbers of the online calibration. Peers: the
share of right answers so far; SM-2, whose interval is taken as the stability; FSRS-6 at
its default weights; fsrs-rs, refitted on everything before the review at 64, 100, 150,
225 … reviews. Frozen: five splits in the order of time, nothing learned inside a fold,
the mean of the folds. The log is the file named by REVLOG.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from math import inf
from typing import Any

import numpy as np

from benchmarks.revlog import Judge, Review, compared, long_term, path
from quizsvc.scheduling.calibration import (
    PRIOR,
    Calibration,
    learned,
    predicted,
    predicted_many,
)
from quizsvc.scheduling.memory import WEIGHTS, Floats, Rating

FOLDS = 5
FIRST_FIT, GROWTH = 64, 1.5
GOAL, FROZEN_GOAL = 0.459, 0.4388 + 0.003


def rows() -> list[dict[str, Any]]:
    """One row for each measure, slice and peer; none without a log."""
    file = path()
    if file is None:
        print("no review log: name one by REVLOG", file=sys.stderr)
        return []
    return told(long_term(file))


def told(reviews: list[Review]) -> list[dict[str, Any]]:
    """The rows of a log; those of a slice or of folds only where there are reviews."""
    if not reviews:
        print("no card of the log came back on a later day", file=sys.stderr)
        return []
    judge = Judge(reviews)
    now, as_of = _ours(reviews)
    peers = {
        "constant": _constant(judge.right),
        "SM-2": np.array([_sm2(review) for review in reviews]),
        "FSRS-6 defaults": np.array([review.recall for review in reviews]),
    }
    if find_spec("fsrs_rs_python"):
        peers["fsrs-rs refitted"] = _refitted(reviews)
    peers = {name: np.clip(p, 1e-4, 1 - 1e-4) for name, p in peers.items()}
    default = {"FSRS-6 defaults": peers["FSRS-6 defaults"]}
    return [
        *_prequential(judge, now, peers),
        *_table("log loss as of the review before", judge, as_of, default, slice(None)),
        *_frozen(reviews, judge),
    ]


def _prequential(
    judge: Judge, ours: Floats, peers: dict[str, Floats]
) -> Iterator[dict[str, Any]]:
    whole = slice(None)
    n = len(ours)
    yield from _table("log loss", judge, ours, peers, whole)
    loss = judge.log_loss(ours, judge.weights()[0])
    yield _row(f"log loss, all {n} (peer: the goal)", loss, GOAL)
    for name, part in {
        "the first 200": slice(200),
        "200 to 1,600": slice(200, 1600),
        "the last half": slice(n // 2, None),
    }.items():
        if len(ours[part]):
            yield from _table(f"log loss, {name}", judge, ours, peers, part)
    for name, measure in (("RMSE(bins)", judge.rmse), ("AUC", judge.auc)):
        yield from _table(name, judge, ours, peers, whole, measure)


def _table(  # noqa: PLR0913, PLR0917 - a measure of whom on what against whom
    name: str,
    judge: Judge,
    ours: Floats,
    peers: dict[str, Floats],
    part: slice,
    measure: Any = None,
) -> Iterator[dict[str, Any]]:
    weights = judge.weights(part)
    for peer, p in peers.items():
        mine, its, low, high = compared(measure or judge.log_loss, ours, p, weights)
        row = _row(f"{name} (peer: {peer})", mine, its)
        if name == "AUC":
            row["ratio"] = mine / its if its else inf
        yield row | {"unit": f"difference {low:+.4f} to {high:+.4f}"}


def _row(name: str, ours: float, peer: float) -> dict[str, Any]:
    return {
        "name": f"prediction, {name}",
        "ours": ours,
        "peer": peer,
        "ratio": peer / ours,
        "unit": "",
    }


def _calibrations(reviews: list[Review]) -> list[Calibration]:
    """Before each review, and after the last."""
    calibrations = [PRIOR]
    for review in reviews:
        right = review.rating > Rating.AGAIN
        calibrations.append(learned(calibrations[-1], review.recall, right))
    return calibrations


def _ours(reviews: list[Review]) -> tuple[Floats, Floats]:
    """Predictions just before the answer, and as of the review that set the interval."""
    calibrations = _calibrations(reviews)
    now = [predicted(c, r.recall) for c, r in zip(calibrations, reviews, strict=False)]
    as_of = [
        predicted(calibrations[r.last], r.recall, ahead=place - r.last)
        for place, r in enumerate(reviews)
    ]
    return np.array(now), np.array(as_of)


def _constant(right: Floats) -> Floats:
    """The share of right answers so far, as if 9 of 10 had been before the first."""
    before = np.cumsum(right) - right
    share: Floats = (before + 9) / (np.arange(len(right)) + 10)
    return share


def _sm2(review: Review) -> float:
    """SM-2 (Wozniak 1990), forgetting exponentially, nine tenths recalled when due."""
    ease, interval, passed = 2.5, 1.0, 0
    for rating, _ in review.history:
        quality = (0, 1, 3, 4, 5)[rating]
        if quality < 3:
            passed, interval = 0, 1.0
            continue
        passed += 1
        interval = {1: 1.0, 2: 6.0}.get(passed, interval * ease)
        ease = max(1.3, ease + 0.1 - (5 - quality) * (0.08 + (5 - quality) * 0.02))
    return float(0.9 ** (review.elapsed / interval))


def _refitted(reviews: list[Review]) -> Floats:
    """fsrs-rs: default weights, then those of each fit until the next."""
    found = np.array([review.recall for review in reviews])
    start = float(FIRST_FIT)
    while start < len(reviews):
        end = min(round(start * GROWTH), len(reviews))
        part = slice(round(start), end)
        found[part] = _by_weights(reviews[part], _fit(reviews[: round(start)]))
        start *= GROWTH
    return found


def _fit(reviews: list[Review]) -> list[float]:
    rust = import_module("fsrs_rs_python")
    items = [
        _item([*review.history, (review.rating, review.elapsed)]) for review in reviews
    ]
    fitted: list[float] = rust.FSRS(WEIGHTS).compute_parameters(items)
    return fitted


def _by_weights(reviews: list[Review], weights: list[float]) -> Floats:
    rust = import_module("fsrs_rs_python")
    items = [_item(list(review.history)) for review in reviews]
    states = rust.FSRS(weights).memory_state_batch(items)
    stability = np.array([state.stability for state in states])
    elapsed = np.array([review.elapsed for review in reviews])
    factor = 0.9 ** (-1 / weights[20]) - 1
    recall: Floats = (1 + factor * elapsed / stability) ** -weights[20]
    return np.clip(recall, 1e-4, 1 - 1e-4)


def _item(history: list[tuple[int, int]]) -> Any:
    rust = import_module("fsrs_rs_python")
    return rust.FSRSItem([rust.FSRSReview(rating, gap) for rating, gap in history])


def _frozen(reviews: list[Review], judge: Judge) -> Iterator[dict[str, Any]]:
    """The folds of scikit-learn's TimeSeriesSplit, ours as of the end of training."""
    size = len(reviews) // (FOLDS + 1)
    if not size:
        return
    recall = np.array([review.recall for review in reviews])
    calibrations = _calibrations(reviews)
    losses: dict[str, list[float]] = {"ours": [], "FSRS-6 defaults": []}
    if find_spec("fsrs_rs_python"):
        losses["fsrs-rs"] = []
    for fold in range(FOLDS):
        start = len(reviews) - (FOLDS - fold) * size
        part = slice(start, start + size)
        told = {
            "ours": predicted_many(calibrations[start], recall[part], inf),
            "FSRS-6 defaults": recall[part],
        }
        if "fsrs-rs" in losses:
            told["fsrs-rs"] = _by_weights(reviews[part], _fit(reviews[:start]))
        for name, p in told.items():
            surprise = np.where(judge.right[part] == 1, p, 1 - p)
            losses[name].append(float(-np.log(surprise).mean()))
    means = {name: float(np.mean(each)) for name, each in losses.items()}
    for peer in list(means)[1:]:
        yield _row(f"log loss, frozen (peer: {peer})", means["ours"], means[peer])
    yield _row("log loss, frozen (peer: the goal)", means["ours"], FROZEN_GOAL)
