"""What a plan is worth on the day of the interview, and what guessing does to it.

Simulated candidates, whose true memory differs from the scheduler's (benchmarks.learners),
follow the day's ranking until their minutes are up; a right answer takes 10 s, a wrong one
27 s. Measured is the true mean recall over all questions on the day. The peer is plain
FSRS-6 at 0.9: what is due, oldest first, then what is new. Twenty candidates for each
row. Guessing: choices among four, everything asked on its due day for half a year; naive
is plain FSRS-6 that takes a right answer for a known one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.learners import KINDS, RIGHT_SECONDS, WRONG_SECONDS, Learner
from quizsvc.scheduling import log
from quizsvc.scheduling.calibration import PRIOR, learned, target
from quizsvc.scheduling.candidate import meet
from quizsvc.scheduling.forecast import forecast
from quizsvc.scheduling.memory import (
    RETENTION,
    Ints,
    Memories,
    Rating,
    after_many,
    first_many,
    interval_many,
    retrievability,
)
from quizsvc.scheduling.planner import Aim, Deck, rank

GRID = {
    (300, 14, 20): 0.95,
    (300, 30, 15): 0.98,
    (600, 30, 20): 0.93,
    (600, 60, 20): 0.98,
}  # questions, days, minutes a day: the goal
CANDIDATES = 20
CHANCE, CHOSEN, HALF_A_YEAR, GUESSERS = 0.25, 200, 180, 20
START = date(2026, 1, 1)


def rows() -> list[dict[str, Any]]:
    """The grid for each kind of candidate, the forecast's honesty, and guessing."""
    return [*_grid(), *_told(), *_guessing()]


def _grid() -> Iterator[dict[str, Any]]:
    for kind in KINDS:
        for (questions, days, minutes), goal in GRID.items():
            plan = (kind, questions, days, minutes)
            ours, plain = (
                float(np.mean([_course(*plan, seed, aimed)[0] for seed in _seeds()]))
                for aimed in (True, False)
            )
            name = f"recall on the day, {questions}/{days}/{minutes}, {kind}"
            yield _row(f"{name} (peer: plain FSRS-6)", ours, plain)
            if kind == "near":
                yield _row(f"{name} (peer: the goal)", ours, goal)


def _told() -> Iterator[dict[str, Any]]:
    """How often the truth lay in the band forecast on the first day, and its mean."""
    for kind in KINDS:
        ends = [_course(kind, *plan, seed, True) for plan in GRID for seed in _seeds()]
        inside = float(np.mean([low <= end <= high for end, _, low, high in ends]))
        name = f"truth inside the band of the start, {kind} (peer: 0.9)"
        yield _row(name, inside, 0.9)
        told = float(np.mean([told for _, told, _, _ in ends]))
        true = float(np.mean([end for end, _, _, _ in ends]))
        yield _row(f"recall forecast at the start, {kind} (peer: truth)", told, true)


def _row(name: str, ours: float, peer: float) -> dict[str, Any]:
    return {
        "name": f"interview, {name}",
        "ours": ours,
        "peer": peer,
        "ratio": ours / peer,
        "unit": "",
    }


def _seeds() -> range:
    return range(CANDIDATES)


@cache
def _course(  # noqa: PLR0913, PLR0917 - a candidate, a plan, and whether it is followed
    kind: str, questions: int, days: int, minutes: int, seed: int, aimed: bool
) -> tuple[float, float, float, float]:
    """True recall on the day; and the recall, low and high forecast on the first."""
    learner = Learner(KINDS[kind], questions, np.random.default_rng(seed))
    deck = _unseen(questions)
    calibration, answers = PRIOR, [1.0, 2.0]  # right, all, of questions never met
    told = forecast(deck, Aim(days, 60.0 * minutes))
    for day in range(days):
        knows = answers[0] / answers[1]
        aim = Aim(days - day if aimed else None, 60.0 * minutes, knows)
        order = rank(deck, aim, calibration).order
        asked, right = learner.ask(order, day, 60.0 * minutes)
        new = ~deck.met[asked]
        answers[0] += right[new].sum()
        answers[1] += new.sum()
        if aimed:
            old = asked[~new]
            recall = retrievability(
                deck.elapsed[old].astype(float), deck.stability[old]
            )
            for r, y in zip(recall.tolist(), right[~new].tolist(), strict=True):
                calibration = learned(calibration, r, y)
        _answered(deck, asked, right, target(calibration) if aimed else 0.9)
        deck = deck._replace(elapsed=deck.elapsed + 1, due_in=deck.due_in - 1)
    end = float(learner.recall(days).mean())
    return end, told.recall, told.low, told.high


def _unseen(questions: int) -> Deck:
    ones, number = np.ones(questions), np.arange(questions)
    return Deck(
        stability=ones * np.nan,
        difficulty=ones * np.nan,
        elapsed=number * 0,
        due_in=number * 0,
        chance=ones * 0,
        right_seconds=ones * RIGHT_SECONDS,
        wrong_seconds=ones * WRONG_SECONDS,
        family=number,
        place=number,
    )


def _answered(
    deck: Deck, asked: Ints, right: NDArray[np.bool_], retention: float
) -> None:
    """Write into the deck what the scheduler believes after the answers of a day."""
    rating = np.where(right, int(Rating.GOOD), int(Rating.AGAIN))
    met = deck.met[asked]
    old = Memories(
        np.where(met, deck.stability[asked], 1.0),
        np.where(met, deck.difficulty[asked], 5.0),
    )
    again, once = after_many(old, deck.elapsed[asked], rating), first_many(rating)
    deck.stability[asked] = np.where(met, again.stability, once.stability)
    deck.difficulty[asked] = np.where(met, again.difficulty, once.difficulty)
    deck.elapsed[asked] = 0
    deck.due_in[asked] = interval_many(deck.stability[asked], retention)


@dataclass(frozen=True)
class _Line:
    question_id: int
    rating: int
    study_day: date
    chance: float
    confidence: str | None = None
    voided_at: datetime | None = None


def _guessing() -> Iterator[dict[str, Any]]:
    told = {
        aware: np.array([_half_a_year(seed, aware) for seed in range(GUESSERS)])
        for aware in (True, False)
    }
    (ours, true, reviews), (naive, truth, fewer) = (
        told[aware].mean(axis=0) for aware in (True, False)
    )
    off = abs(ours - true)
    yield _row("guessing, recall when due (peer: naive)", true, truth)
    yield _row("guessing, |predicted - true| (peer: naive)", off, abs(naive - truth))
    yield _row("guessing, |predicted - true| (peer: the goal)", off, 0.005)
    each = {aware: np.abs(t[:, 0] - t[:, 1]).mean() for aware, t in told.items()}
    name = "guessing, |predicted - true| of one candidate (peer: naive)"
    yield _row(name, float(each[True]), float(each[False]))
    yield _row("guessing, reviews (peer: naive)", reviews, fewer)
    yield _row("guessing, reviews (peer: the goal, 1.2 naive)", reviews, 1.2 * fewer)


def _half_a_year(seed: int, aware: bool) -> tuple[float, float, float]:
    """Means of predicted and true recall when due, and the number of reviews."""
    learner = Learner(KINDS["near"], CHOSEN, np.random.default_rng(seed))
    states: dict[int, log.State] = {}
    calibration = PRIOR
    due = np.zeros(CHOSEN, dtype=np.int64)
    predicted: list[float] = []
    true: list[float] = []
    for day in range(HALF_A_YEAR):
        today = np.flatnonzero(due <= day)
        truth = learner.recall(day)
        asked, right = learner.ask(today, day, chance=CHANCE)
        for question, passed in zip(asked.tolist(), right.tolist(), strict=True):
            line = _Line(
                question,
                Rating.GOOD if passed else Rating.AGAIN,
                START + timedelta(days=day),
                CHANCE if aware else 0.0,
            )
            before = states.get(question)
            if before is not None:
                true.append(float(truth[question]))
            if aware:
                met = meet(before, calibration, line, RETENTION, lambda *_: {})
                state, calibration = met.state, met.calibration
                recall = met.predicted
            else:
                state = log.step(before, line.rating, line.study_day)
                recall = before and retrievability(
                    before.elapsed(line.study_day), before.stability
                )
            if recall is not None:
                predicted.append(recall)
            states[question] = state
            due[question] = (state.due - START).days
    return float(np.mean(predicted)), float(np.mean(true)), float(len(true))
