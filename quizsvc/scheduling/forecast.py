"""Where a plan leads: recall at the date with a band, the load of each day, and what a
minute a day is worth.

The plan is played ahead on some hundred questions that stand for the deck, in at most
twenty-four steps, with the ranking that the candidate will meet. Whether an answer is right is
drawn from a fixed even sequence (additive recurrence by the golden ratio), so that a
forecast is the same each time it is made. Five plays run side by side: as planned, with
more and with less time, and with a better and a worse memory than the calibration's
mean; these two and the luck of the day make the band.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quizsvc.scheduling.calibration import (
    PRIOR,
    Calibration,
    Calibrations,
    predicted_many,
    target,
)
from quizsvc.scheduling.memory import (
    RETENTION,
    Floats,
    Ints,
    Memories,
    Rating,
    after_many,
    first_many,
    interval_many,
    retrievability,
)
from quizsvc.scheduling.planner import (
    Aim,
    Deck,
    Worth,
    is_short,
    needed_seconds,
    urgency,
    worth,
)

HORIZON = 30  # days to look ahead when there is no date
QUESTIONS = 240  # played, instead of all
STEPS = 24
BAND = 1.645  # standard deviations: 90 %
PLANNED, MORE, LESS, BETTER, WORSE = range(5)
PLAYS = 5
GOLDEN = (sqrt(5) - 1) / 2


class Load(NamedTuple):
    """What each of the ``days`` from ``day`` on brings."""

    day: int  # 0 is today
    days: int
    answers: float
    new: float
    minutes: float


class Forecast(NamedTuple):
    """The plan's end, ``days`` from now; recalls are means over the deck, 0 to 1."""

    days: int
    recall: float
    low: float
    high: float
    untouched: float  # if nothing is asked any more
    minute_more: float  # change of recall by one more minute a day
    minute_less: float  # and by one fewer
    loads: list[Load]
    short: bool


def forecast(
    deck: Deck,
    aim: Aim,
    calibration: Calibration = PRIOR,
    retention: float = RETENTION,
) -> Forecast:
    """Play the plan ahead to its date, or ``HORIZON`` days without one.

    Raises ValueError for a deck without questions.
    """
    if not len(deck.stability):
        raise ValueError("no questions to forecast")
    days = aim.days if aim.days is not None and aim.dated else HORIZON
    sample, share = _sample(deck)
    step = _step(aim)
    play = _Play(sample, share, aim, calibration, retention)
    edges = np.unique(np.linspace(0, days, min(days, STEPS) + 1).round().astype(int))
    loads = [
        play.ask(int(day), int(width), days)
        for day, width in zip(edges[:-1], np.diff(edges), strict=True)
    ]
    if not days:
        loads = [play.ask(0, 1, 0)]
    recall = play.recall(0)
    doubt = (recall[BETTER] - recall[WORSE]) / 2
    luck = BAND * sqrt(play.variance() / len(deck.stability))
    half = sqrt(doubt**2 + luck**2)
    least = min(step, aim.seconds / 60)
    return Forecast(
        days=days,
        recall=float(recall[PLANNED]),
        low=max(0.0, float(recall[PLANNED]) - half),
        high=min(1.0, float(recall[PLANNED]) + half),
        untouched=float(_untouched(sample, days, calibration)),
        minute_more=float(max(recall[MORE] - recall[PLANNED], 0.0) / step),
        minute_less=float(min(recall[LESS] - recall[PLANNED], 0.0) / least)
        if least
        else 0.0,
        loads=loads,
        short=is_short(deck, aim),
    )


def _step(aim: Aim) -> float:
    """Minutes that more and less time differ by: a single one is lost in rounding."""
    return max(1.0, aim.seconds / 60 / 5)


def _sample(deck: Deck) -> tuple[Deck, float]:
    """Questions that stand for the deck, and how many are played for each it has.

    A large deck is thinned evenly along recall, a small one repeated.
    """
    n = len(deck.stability)
    recall = retrievability(
        np.where(deck.met, deck.elapsed, 0).astype(np.float64),
        np.where(deck.met, deck.stability, 1.0),
    )
    order = np.lexsort((deck.place, np.where(deck.met, recall, 2.0)))
    if n > QUESTIONS:
        chosen = order[np.linspace(0, n - 1, QUESTIONS).round().astype(int)]
    else:
        chosen = np.repeat(order, max(1, QUESTIONS // n))
    return Deck._make(column[chosen] for column in deck), len(chosen) / n


class _Play:
    """The five plays: arrays of (PLAYS · questions), moved ahead by :meth:`ask`."""

    def __init__(
        self,
        sample: Deck,
        share: float,
        aim: Aim,
        calibration: Calibration,
        retention: float,
    ) -> None:
        self.questions = len(sample.stability)
        self.deck = Deck._make(np.tile(column, PLAYS) for column in sample)
        self.share, self.knows, self.dated = share, aim.knows, aim.dated
        step = _step(aim)
        minutes = np.array([0.0, step, -step, 0.0, 0.0])
        self.seconds = share * np.maximum(aim.seconds + 60 * minutes, 0)
        self.left = np.zeros(PLAYS)
        self.target = target(calibration, retention)
        self.calibrations = _around(calibration, self.questions)
        self.drawn = 0

    def recall(self, ahead: int) -> Floats:
        """The mean recall of each play so many days on; what was never met counts 0."""
        mean: Floats = self._each(self._recalls(ahead)).mean(axis=1)
        return mean

    def variance(self) -> float:
        """The mean variance of one question being recalled or not, as planned."""
        recall = self._each(self._recalls(0))[PLANNED]
        return float((recall * (1 - recall)).mean())

    def ask(self, day: int, width: int, days: int) -> Load:
        """Use the time of ``width`` days in one go; the load of one, as planned."""
        aim = Aim(days - day if self.dated else None, 0.0, self.knows)
        value = worth(self.deck, aim, self.calibrations)
        key = urgency(self.deck, value, aim, self._short(aim), PLAYS)
        asked = self._affordable(key, value, width)
        planned = np.zeros(len(asked), dtype=bool)
        planned[: self.questions] = asked[: self.questions]
        per_day = self.share * width
        load = Load(
            day,
            width,
            answers=float(planned.sum() / per_day),
            new=float((planned & ~self.deck.met).sum() / per_day),
            minutes=float(value.seconds[planned].sum() / 60 / per_day),
        )
        self._answer(np.flatnonzero(asked))
        self.deck = self.deck._replace(
            elapsed=self.deck.elapsed + width, due_in=self.deck.due_in - width
        )
        return load

    def _each(self, column: Floats) -> Floats:
        """A row for each play."""
        rows: Floats = column.reshape(PLAYS, self.questions)
        return rows

    def _recalls(self, ahead: int) -> Floats:
        deck = self.deck
        elapsed = np.where(deck.met, deck.elapsed + ahead, 0).astype(np.float64)
        stability = np.where(deck.met, deck.stability, 1.0)
        recall = predicted_many(
            self.calibrations, retrievability(elapsed, stability), np.inf
        )
        return np.where(deck.met, recall, 0.0)

    def _short(self, aim: Aim) -> NDArray[np.bool_]:
        if not self.dated:
            return np.zeros(len(self.deck.place), dtype=bool)
        needed = self._each(needed_seconds(self.deck, aim)).sum(axis=1)
        short: NDArray[np.bool_] = self.seconds * max(aim.days or 0, 1) < needed
        return np.repeat(short, self.questions)

    def _affordable(self, key: Floats, value: Worth, width: int) -> NDArray[np.bool_]:
        """Which are asked: in order of urgency while the time of each play lasts."""
        budget = self.seconds * width + self.left
        today = np.isfinite(key)
        seconds = self._each(np.where(today, value.seconds, 0.0))
        order = np.argsort(self._each(key), axis=1, kind="stable")
        spent = np.cumsum(np.take_along_axis(seconds, order, axis=1), axis=1)
        fits = np.empty(order.shape, dtype=bool)
        np.put_along_axis(fits, order, spent <= budget[:, None], axis=1)
        # what is left buys part of the next question tomorrow, if there is one
        waiting = spent[:, -1] > budget
        self.left = np.where(waiting, budget - (seconds * fits).sum(axis=1), 0.0)
        return fits.ravel() & today

    def _answer(self, asked: Ints) -> None:
        deck = self.deck
        met = deck.met[asked]
        stability = np.where(met, deck.stability[asked], 1.0)
        difficulty = np.where(met, deck.difficulty[asked], 5.0)
        elapsed = np.where(met, deck.elapsed[asked], 0)
        own = Calibrations._make(column[asked] for column in self.calibrations)
        recall = predicted_many(
            own, retrievability(elapsed.astype(np.float64), stability), np.inf
        )
        knew = np.where(met, recall, self.knows)
        self.drawn += 1
        place = asked % self.questions
        even = (place * GOLDEN + self.drawn * GOLDEN * GOLDEN * 7) % 1
        rating = np.where(even < knew, int(Rating.GOOD), int(Rating.AGAIN))
        new = first_many(rating)
        old = after_many(Memories(stability, difficulty), elapsed, rating)
        deck.stability[asked] = np.where(met, old.stability, new.stability)
        deck.difficulty[asked] = np.where(met, old.difficulty, new.difficulty)
        deck.elapsed[asked] = 0
        deck.due_in[asked] = interval_many(deck.stability[asked], self.target)


def _around(calibration: Calibration, questions: int) -> Calibrations:
    """For each play its calibration, the better and the worse one without doubt of a."""
    a, _, aa, ab, bb = calibration
    away = BAND * sqrt(aa)
    slopes = np.array([a, a, a, a + away, a - away])
    known = np.array([aa, aa, aa, 0.0, 0.0])
    ones = np.ones(PLAYS)
    columns = (slopes, 0 * ones, known, ab * (known > 0), bb * ones)
    return Calibrations._make(np.repeat(column, questions) for column in columns)


def _untouched(sample: Deck, days: int, calibration: Calibration) -> np.float64:
    elapsed = np.where(sample.met, sample.elapsed + days, 0).astype(np.float64)
    stability = np.where(sample.met, sample.stability, 1.0)
    recall = predicted_many(calibration, retrievability(elapsed, stability), np.inf)
    mean: np.float64 = np.where(sample.met, recall, 0.0).mean()
    return mean
