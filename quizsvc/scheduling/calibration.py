"""Calibration: how a candidate's recall departs from the default memory model.

Two numbers a user on top of FSRS-6: p = sigmoid(a·logit R + b). The slope ``a`` is the
candidate's memory and wanders slowly. The offset ``b`` is the form of the hour: it
returns to none within some hundred answers, and so has no say in what a day far off
will bring. Both are learned from each answer by one step of an extended Kalman filter
(a Bayesian logistic regression; Fahrmeir 1992); predictions are spread by the remaining
doubt as in MacKay (1992). Guessing is in the observation: P(right) = g + (1 - g)·p.
"""

from math import exp, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from quizsvc.scheduling.memory import RETENTION, Floats, Number

WALK = 0.003  # of the slope, per answer
SPREAD = 0.3  # of the offset, when nothing is known of it
ANSWERS = 100  # until the offset has returned to 1/e of itself
KEPT = exp(-1 / ANSWERS)
STIRRED = SPREAD**2 * (1 - KEPT**2)
LOWEST, HIGHEST = 0.001, 0.999  # recall beyond these is not evidence of more
CERTAIN = 10.0  # log odds of what is never surer
EASIEST, HARDEST = 0.70, 0.98  # targets beyond these are not scheduled
FLATTEST, STEEPEST = 0.25, 4.0  # no memory is taken to be further off than that
TRUST = 0.25  # by how much of the slope, as a power, intervals are set


class Calibration(NamedTuple):
    """Mean and covariance of slope and offset."""

    a: float = 1.0
    b: float = 0.0
    aa: float = 0.04  # the variance of a
    ab: float = 0.0
    bb: float = SPREAD**2


class Calibrations(NamedTuple):
    """Many calibrations, one place in each array for each."""

    a: Floats
    b: Floats
    aa: Floats
    ab: Floats
    bb: Floats


PRIOR = Calibration()


def learned(
    calibration: Calibration, recall: float, right: bool, chance: float = 0.0
) -> Calibration:
    """The calibration after an answer to what had that ``recall`` by the memory model.

    For the first answer to a question in a study day only: a repetition within the day
    is no test of memory. Raises ValueError for a recall or a chance outside [0, 1].
    """
    if not (0 <= recall <= 1 and 0 <= chance <= 1):
        raise ValueError(f"recall {recall} with a chance of {chance}")
    a, b, aa, ab, bb = calibration
    x = _logit(recall)
    p = _sigmoid(a * x + b)
    seen = chance + (1 - chance) * p
    slope = (1 - chance) * p * (1 - p)
    pull_a, pull_b = aa * x + ab, ab * x + bb
    doubt = seen * (1 - seen) + slope * slope * (pull_a * x + pull_b)
    gain = slope * (right - seen) / doubt
    sure = slope * slope / doubt
    return Calibration(
        min(max(a + pull_a * gain, FLATTEST), STEEPEST),
        (b + pull_b * gain) * KEPT,
        aa - pull_a * pull_a * sure + WALK**2,
        (ab - pull_a * pull_b * sure) * KEPT,
        (bb - pull_b * pull_b * sure) * KEPT**2 + STIRRED,
    )


def predicted(calibration: Calibration, recall: float, ahead: float = 0.0) -> float:
    """The calibrated chance of recall, ``ahead`` answers from now (inf: some other day)."""
    a, b, aa, ab, bb = _later(calibration, ahead)
    x = _logit(recall)
    doubt = aa * x * x + 2 * ab * x + bb
    return _sigmoid((a * x + b) / sqrt(1 + pi * doubt / 8))


def predicted_many(
    calibration: Calibration | Calibrations, recall: Floats, ahead: float = 0.0
) -> Floats:
    """:func:`predicted` for an array of recalls, by one calibration or one for each."""
    columns = Calibrations._make(np.asarray(column) for column in calibration)
    a, b, aa, ab, bb = _later(columns, ahead)
    clear = np.clip(recall, LOWEST, HIGHEST)
    x = np.log(clear / (1 - clear))
    doubt = aa * x * x + 2 * ab * x + bb
    odds = np.clip((a * x + b) / np.sqrt(1 + pi * doubt / 8), -CERTAIN, CERTAIN)
    p: Floats = 1 / (1 + np.exp(-odds))
    return p


def target(calibration: Calibration, retention: float = RETENTION) -> float:
    """The recall by the memory model to ask again at, for a wanted retention.

    To be given to :func:`~quizsvc.scheduling.memory.interval`; 0.70 to 0.98. It solves
    sigmoid(a'·logit R) = retention. The offset is left out, as it will be gone when the
    interval ends, and of the slope only a part is used: all of it costs more reviews
    than it brings recall (``python -m benchmarks interview``).
    """
    slope = calibration.a**TRUST
    recall = 1 / (1 + exp(-_logit(retention) / slope))
    return min(max(recall, EASIEST), HARDEST)


def _logit(recall: float) -> float:
    clear = min(max(recall, LOWEST), HIGHEST)
    return log(clear / (1 - clear))


def _sigmoid(odds: float) -> float:
    return 1 / (1 + exp(-min(max(odds, -CERTAIN), CERTAIN)))


def _later(
    calibration: tuple[Number, Number, Number, Number, Number], ahead: float
) -> tuple[Number, Number, Number, Number, Number]:
    a, b, aa, ab, bb = calibration
    kept = exp(-ahead / ANSWERS)
    return a, b * kept, aa, ab * kept, bb * kept**2 + SPREAD**2 * (1 - kept**2)
