"""Where a plan leads: recall until the date with a band, the load of each day, and what
today and a minute a day are worth.

The plan is played ahead on some hundred questions that stand for the deck, in at most
twenty-four steps, with the ranking that the candidate will meet. Whether an answer is right is
drawn from a fixed even sequence (additive recurrence by the golden ratio), so that a
forecast is the same each time it is made. Six plays run side by side: as planned, with
more and with less time, with nothing today, and with a better and a worse memory than
the calibration's mean; these two and the luck of the day make the band.
"""

from itertools import pairwise
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
QUESTIONS = 200  # played, instead of all
STEPS = 24
BAND = 1.645  # standard deviations: 90 %
PLANNED, MORE, LESS, LATER, BETTER, WORSE = range(6)
PLAYS = 6
GOLDEN = (sqrt(5) - 1) / 2


class Load(NamedTuple):
    """What each of the ``days`` from ``day`` on brings."""

    day: int  # 0 is today
    days: int
    answers: float
    new: float
    minutes: float


class Point(NamedTuple):
    """The recall of one day, if it is asked for on that day before any practice."""

    day: int  # 0 is today
    recall: float
    low: float
    high: float
    untouched: float  # if nothing is asked any more


class Forecast(NamedTuple):
    """The plan's end, ``days`` from now; recalls are means over the deck, 0 to 1."""

    days: int
    recall: float
    low: float
    high: float
    untouched: float  # if nothing is asked any more
    without_today: float  # if nothing is asked today, and all as planned from tomorrow
    minute_more: float  # change of recall by one more minute a day
    minute_less: float  # and by one fewer
    loads: list[Load]
    course: list[Point]  # from today to the end
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
    strides = np.linspace(1, max(days, 1), min(max(days, 1), STEPS)).round().astype(int)
    edges = np.unique([0, *strides]).tolist()  # today by itself
    loads, course = [], []
    fading = _untouched(sample, edges, calibration)
    for (day, end), untouched in zip(pairwise(edges), fading[:-1], strict=True):
        course.append(Point(day, *play.band(len(deck.stability)), untouched))
        loads.append(play.ask(day, end - day, days))
    last = Point(days, *play.band(len(deck.stability)), fading[-1])
    recall = play.recall()
    least = min(step, aim.seconds / 60)
    return Forecast(
        days=days,
        recall=last.recall,
        low=last.low,
        high=last.high,
        untouched=last.untouched,
        without_today=float(min(recall[LATER], recall[PLANNED])),
        minute_more=float(max(recall[MORE] - recall[PLANNED], 0.0) / step),
        minute_less=float(min(recall[LESS] - recall[PLANNED], 0.0) / least)
        if least
        else 0.0,
        loads=loads,
        course=[*course, last] if days else [last],
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
    """The six plays: arrays of (PLAYS · questions), moved ahead by :meth:`ask`."""

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
        minutes = np.array([0.0, step, -step, 0.0, 0.0, 0.0])
        self.seconds = share * np.maximum(aim.seconds + 60 * minutes, 0)
        self.left = np.zeros(PLAYS)
        self.target = target(calibration, retention)
        self.calibrations = _around(calibration, self.questions)
        self.drawn = 0

    def recall(self) -> Floats:
        """The mean recall of each play by now; what was never met counts 0."""
        mean: Floats = self._each(self._recalls()).mean(axis=1)
        return mean

    def band(self, questions: int) -> tuple[float, float, float]:
        """Recall as planned by now, and its band: of doubt, and luck with the questions."""
        each = self._each(self._recalls())
        recall = each.mean(axis=1)
        doubt = (recall[BETTER] - recall[WORSE]) / 2
        variance = (each[PLANNED] * (1 - each[PLANNED])).mean()
        half = sqrt(doubt**2 + BAND**2 * variance / questions)
        told = float(recall[PLANNED])
        return told, max(0.0, told - half), min(1.0, told + half)

    def ask(self, day: int, width: int, days: int) -> Load:
        """Use the time of ``width`` days in one go; the load of one, as planned."""
        aim = Aim(days - day if self.dated else None, 0.0, self.knows)
        value = worth(self.deck, aim, self.calibrations)
        key = urgency(self.deck, value, aim, self._short(aim), PLAYS)
        seconds = (
            self.seconds * (np.arange(PLAYS) != LATER) if day == 0 else self.seconds
        )
        asked = self._affordable(key, value, seconds * width + self.left)
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

    def _recalls(self) -> Floats:
        deck = self.deck
        elapsed = np.where(deck.met, deck.elapsed, 0).astype(np.float64)
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

    def _affordable(
        self, key: Floats, value: Worth, budget: Floats
    ) -> NDArray[np.bool_]:
        """Which are asked: in order of urgency while the time of each play lasts."""
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
    slopes = np.array([a, a, a, a, a + away, a - away])
    known = np.array([aa, aa, aa, aa, 0.0, 0.0])
    ones = np.ones(PLAYS)
    columns = (slopes, 0 * ones, known, ab * (known > 0), bb * ones)
    return Calibrations._make(np.repeat(column, questions) for column in columns)


def _untouched(sample: Deck, days: list[int], calibration: Calibration) -> list[float]:
    """The mean recall on each of some days, if nothing is asked any more."""
    elapsed = np.where(sample.met, sample.elapsed, 0) + np.array(days)[:, None]
    stability = np.where(sample.met, sample.stability, 1.0)
    recall = predicted_many(
        calibration, retrievability(elapsed.astype(np.float64), stability), np.inf
    )
    mean: list[float] = np.where(sample.met, recall, 0.0).mean(axis=1).tolist()
    return mean
