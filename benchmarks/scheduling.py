"""What scheduling costs: one answer's updates, and a day's plan for 10,000 questions.

Processor time, the median of five turns; every peer is a goal. A tenth of the many reviews
are of the same day.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from quizsvc.scheduling.calibration import PRIOR, learned
from quizsvc.scheduling.candidate import fold
from quizsvc.scheduling.forecast import forecast
from quizsvc.scheduling.guessing import answered
from quizsvc.scheduling.memory import Memories, Memory, after, after_many
from quizsvc.scheduling.planner import Aim, Deck, rank

TURNS = 5
ANSWERS, QUESTIONS, MANY = 20_000, 10_000, 1_000_000
START = date(2026, 1, 1)

CARDS = Memories(np.full(MANY, 4.0), np.full(MANY, 6.0))
ELAPSED = np.arange(MANY) % 10
RATINGS = 1 + np.arange(MANY) // 10 % 4


@dataclass(frozen=True)
class _Line:
    question_id: int
    rating: int
    study_day: date
    chance: float
    confidence: str | None = None
    voided_at: datetime | None = None


def rows() -> list[dict[str, Any]]:
    """One row for each thing that is timed, against its goal."""
    deck, short, spare = _deck(), Aim(14, 1200.0), Aim(90, 36_000.0)
    log = [
        _Line(n % 500, 3 if n % 5 else 1, START + timedelta(days=n // 50), 0.25)
        for n in range(ANSWERS)
    ]
    single = {
        "memory update": (_memory, 1.5),
        "calibration update": (_calibration, 20.0),
        "memory update that knows about guessing": (_guess, 20.0),
        "fold of a whole log": (lambda: fold(log), 50.0),
    }
    plans: dict[str, Callable[[], object]] = {
        "ranking, time short": lambda: rank(deck, short),
        "ranking, time to spare": lambda: rank(deck, spare),
        "ranking, no date": lambda: rank(deck, Aim()),
        "forecast of 14 days": lambda: forecast(deck, short),
        "forecast of 90 days": lambda: forecast(deck, spare),
    }
    return [
        *(
            _row(name, _seconds(work) / ANSWERS * 1e6, goal, "µs per answer")
            for name, (work, goal) in single.items()
        ),
        {
            "name": "scheduling, memory updates of many at once (peer: the goal; ratio: ours / goal)",
            "ours": (fast := MANY / _seconds(_many) / 1e6),
            "peer": 5.0,
            "ratio": fast / 5.0,
            "unit": "million reviews/s",
        },
        *(
            _row(f"{name}, {QUESTIONS:,} questions", _seconds(work) * 1e3, 50.0, "ms")
            for name, work in plans.items()
        ),
    ]


def _row(name: str, ours: float, goal: float, unit: str) -> dict[str, Any]:
    return {
        "name": f"scheduling, {name} (peer: the goal)",
        "ours": ours,
        "peer": goal,
        "ratio": goal / ours,
        "unit": unit,
    }


def _seconds(work: Callable[[], object]) -> float:
    spent = []
    for _ in range(TURNS):
        gc.collect()
        start = process_time()
        work()
        spent.append(process_time() - start)
    return median(spent)


def _memory() -> None:
    memory = Memory(4.0, 6.0)
    for _ in range(ANSWERS):
        after(memory, 6, 3)


def _many() -> Memories:
    return after_many(CARDS, ELAPSED, RATINGS)


def _calibration() -> None:
    calibration = PRIOR
    for n in range(ANSWERS):
        calibration = learned(calibration, 0.87, n % 8 > 0, 0.25)


def _guess() -> None:
    memory = Memory(4.0, 6.0)
    for _ in range(ANSWERS):
        answered(memory, 6, 3, 0.25)


def _deck() -> Deck:
    """A quarter never met; variants in pairs."""
    rng = np.random.default_rng(0)
    n = QUESTIONS
    stability = 10 ** rng.uniform(-0.5, 2.5, n)
    stability[::4] = np.nan
    return Deck(
        stability=stability,
        difficulty=rng.uniform(1, 10, n),
        elapsed=rng.integers(0, 60, n),
        due_in=rng.integers(-20, 60, n),
        chance=np.full(n, 0.25),
        right_seconds=np.full(n, 20.0),
        wrong_seconds=np.full(n, 50.0),
        family=np.arange(n) // 2,
        place=np.arange(n),
    )
