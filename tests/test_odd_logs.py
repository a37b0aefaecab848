"""Logs as they come: whatever somebody did, it is folded, predicted, planned and told."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import isfinite
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks import prediction
from benchmarks.revlog import long_term
from quizsvc.practice.progress import Card, Entry, told
from quizsvc.scheduling.candidate import fold, recall
from quizsvc.scheduling.forecast import forecast
from quizsvc.scheduling.guessing import knows
from quizsvc.scheduling.planner import Aim, Deck, rank

DAY, NOW = date(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC)
YEARS = 30 * 365

Answer = tuple[int, int, int]  # card, rating, days since the answer before


@dataclass(frozen=True)
class Line:
    question_id: int
    rating: int
    study_day: date
    chance: float
    confidence: str | None = None
    voided_at: datetime | None = None


gaps = st.one_of(
    st.just(0), st.integers(0, 3), st.integers(0, 400), st.integers(-400, YEARS)
)
answers = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from([1, 3, 1, 3, 2, 4]), gaps),
    min_size=1,
    max_size=40,
)
chances = st.sampled_from([0.0, 1 / 31, 0.25, 0.5])

TWICE_A_DAY = [(1, rating, gap) for gap in (0, 0, 1, 0, 3, 0) for rating in (1, 3)]
FAILS_ALWAYS = [(1, 1, n % 2) for n in range(1000)]
PASSES_ALWAYS = [(1, 3, n % 3) for n in range(1000)]
AWAY_FOR_YEARS = [(1, 3, 0), (1, 3, YEARS), (1, 1, YEARS), (1, 3, 2), (2, 3, 0)]
BACKWARDS = [(n % 2, 3, -3) for n in range(40)]


def lines(log: Iterable[Answer], chance: float = 0.25) -> list[Line]:
    found, day = [], DAY + timedelta(days=YEARS)
    for card, rating, gap in log:
        day = min(max(day + timedelta(days=gap), DAY), date(2150, 1, 1))
        found.append(Line(card, rating, day, chance))
    return found


@given(answers, chances)
@settings(max_examples=10)
@example(TWICE_A_DAY, 0.25)
@example(FAILS_ALWAYS, 0.5)
@example(PASSES_ALWAYS, 0.0)
@example(AWAY_FOR_YEARS, 0.0)
@example(BACKWARDS, 0.25)
def test_any_log_leaves_a_candidate_who_can_be_planned_for(
    log: list[Answer], chance: float
) -> None:
    entries = lines(log, chance)
    states, calibration = fold(entries)
    assert all(isfinite(number) for number in calibration)
    for state in states.values():
        assert 0.001 <= state.stability <= 36500
        assert 1 <= state.difficulty <= 10
        assert state.due > state.last_day
    today = max(entry.study_day for entry in entries)
    for day in (today, today + timedelta(days=YEARS)):
        told_on = [recall(state, day, calibration) for state in states.values()]
        assert all(0 < chance_of < 1 for chance_of in told_on)
    met = list(states.values())
    deck = Deck(
        stability=np.array([s.stability for s in met]),
        difficulty=np.array([s.difficulty for s in met]),
        elapsed=np.array([s.elapsed(today) for s in met]),
        due_in=np.array([(s.due - today).days for s in met]),
        chance=np.full(len(met), chance),
        right_seconds=np.full(len(met), 20.0),
        wrong_seconds=np.full(len(met), 40.0),
        family=np.arange(len(met)),
        place=np.arange(len(met)),
    )
    for days in (None, 0, 3650):
        aim = Aim(days, 600.0, knows((e.rating > 1, chance) for e in entries))
        assert np.isfinite(rank(deck, aim, calibration).gain).all()
        future = forecast(deck, aim, calibration)
        assert 0 <= future.low <= future.recall <= future.high <= 1


@given(answers)
@settings(max_examples=10)
@example(FAILS_ALWAYS)
@example(AWAY_FOR_YEARS)
@example(BACKWARDS)
def test_any_log_can_be_told(log: list[Answer]) -> None:
    entries = lines(log)
    states, calibration = fold(entries)
    cards = [
        Card(number, f"q-{number}", {"en": "Q"}, "depth", "easy", state, calibration)
        for number, state in states.items()
    ]
    rows = [
        Entry(e.question_id, e.rating, e.study_day, 0.9, e.chance, None, None, NOW, 1.0)
        for e in entries
    ]
    found = told(rows, cards, max(entry.study_day for entry in entries))
    assert found.answers == len(entries)
    known = [one.recall.known for one in found.forecast]
    assert known == sorted(known, reverse=True)
    assert found.habit.streak <= found.habit.longest


def written(log: Iterable[Answer], file: Path, milliseconds: bool) -> Path:
    rows = ["card_id,review_rating,review_time"]
    at = datetime(2010, 1, 1, 12, tzinfo=UTC)
    for card, rating, gap in log:
        at += timedelta(days=min(max(gap, -30), 3000), minutes=1)
        moment = round(at.timestamp() * 1000) if milliseconds else at.isoformat()
        rows.append(f"card {card},{rating},{moment}")
    file.write_text("\n".join(rows), "utf-8")
    return file


@pytest.mark.parametrize("milliseconds", [True, False])
@pytest.mark.parametrize(
    "log",
    [
        pytest.param([(1, 3, 0)], id="one answer"),
        pytest.param([(n, 3, 0) for n in range(50)], id="nothing comes back"),
        pytest.param([(1, 3, 1)] * 3, id="three"),
        pytest.param([(n % 7, 3, n % 2) for n in range(90)], id="never wrong"),
        pytest.param([(n % 7, 1, n % 2) for n in range(90)], id="never right"),
        pytest.param([(n % 3, 1 + 2 * (n % 2), 1) for n in range(90)], id="1 and 3"),
        pytest.param([(1, 3 if n % 5 else 1, 1) for n in range(1000)], id="one card"),
        pytest.param(
            [(n % 9, 3, (0, 3000)[n % 20 == 0]) for n in range(99)], id="away"
        ),
        pytest.param([(n % 9, 3 if n % 4 else 0, 1) for n in range(99)], id="manual"),
        pytest.param(
            [(n % 9, 3 if n % 4 else 1, -1) for n in range(99)], id="reversed"
        ),
    ],
)
def test_any_file_is_predicted_and_judged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    log: list[Answer],
    milliseconds: bool,
) -> None:
    monkeypatch.setattr(prediction, "find_spec", lambda _: None)  # only our own peers
    reviews = long_term(written(log, tmp_path / "log.csv", milliseconds))
    rows = prediction.told(reviews)
    assert bool(rows) == bool(reviews)
    for row in rows:
        assert isfinite(row["ours"]), row
        assert isfinite(row["peer"]), row
