"""A candidate is the fold of the log: cards, calibration and due days, undone with it."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.scheduling import log
from quizsvc.scheduling.calibration import PRIOR, target
from quizsvc.scheduling.candidate import Candidate, fold, meet, recall
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import RETENTION, Rating, interval
from quizsvc.scheduling.spread import WIDEST, Crowd

DAY = date(2026, 3, 1)
UNDONE = datetime(2026, 3, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Line:
    question_id: int
    rating: int
    study_day: date
    chance: float = 0.0
    confidence: str | None = None
    voided_at: datetime | None = None


lines = st.builds(
    Line,
    st.integers(1, 4),
    st.sampled_from(Rating),
    st.dates(DAY, DAY + timedelta(days=400)),
    st.sampled_from([0.0, 1 / 15, 0.25, 0.5]),
    st.sampled_from([None, "sure", "unsure"]),
    st.sampled_from([None, None, None, UNDONE]),
)
logs = st.lists(lines, max_size=25)


def others(states: dict[int, State], number: int) -> Crowd:
    """Counts the cards but one by their due days, from the states alone."""

    def crowd(first: date, last: date) -> Counter[date]:
        due = [state.due for card, state in states.items() if card != number]
        return Counter(day for day in due if first <= day <= last)

    return crowd


@given(logs)
def test_without_guessing_the_memories_are_those_of_the_cards_alone(
    entries: list[Line],
) -> None:
    plain = [replace(entry, chance=0.0) for entry in entries]
    states = fold(plain).states
    by_card = sorted(plain, key=lambda entry: entry.question_id)
    for number, own in groupby(by_card, key=lambda entry: entry.question_id):
        alone = log.fold(own)
        if alone is None:
            assert number not in states
        else:
            assert states[number]._replace(due=alone.due) == alone


@given(logs, st.randoms())
def test_the_order_between_cards_changes_no_memory(
    entries: list[Line], random: object
) -> None:
    queues = {
        n: [entry for entry in entries if entry.question_id == n] for n in range(1, 5)
    }
    mixed = []
    while left := [queue for queue in queues.values() if queue]:
        mixed.append(random.choice(left).pop(0))  # type: ignore[attr-defined]
    one, other = fold(entries).states, fold(mixed).states
    assert {n: s._replace(due=DAY) for n, s in one.items()} == {
        n: s._replace(due=DAY) for n, s in other.items()
    }


@given(st.lists(st.one_of(lines, st.just("undo")), max_size=30))
def test_live_is_folded_under_any_mix_of_answers_and_undos(
    steps: list[Line | str],
) -> None:
    entries: list[Line] = []
    live = [Candidate({}, PRIOR)]  # before each answer that still counts, and now
    for step in steps:
        counted = [i for i, e in enumerate(entries) if e.voided_at is None]
        if isinstance(step, Line):
            entries.append(replace(step, voided_at=None))
            states, calibration = live[-1]
            met = meet(
                states.get(step.question_id),
                calibration,
                entries[-1],
                RETENTION,
                others(states, step.question_id),
            )
            live.append(
                Candidate({**states, step.question_id: met.state}, met.calibration)
            )
        elif counted:
            entries[counted[-1]] = replace(entries[counted[-1]], voided_at=UNDONE)
            live.pop()
        assert fold(entries) == live[-1]


@given(logs)
def test_undone_answers_count_for_nothing(entries: list[Line]) -> None:
    assert fold(entries) == fold([e for e in entries if e.voided_at is None])


@given(logs, st.floats(0.75, 0.97))
def test_the_due_day_follows_the_calibration_of_its_answer(
    entries: list[Line], retention: float
) -> None:
    states, calibration = fold(entries, retention)
    counted = [entry for entry in entries if entry.voided_at is None]
    if counted:
        last = states[counted[-1].question_id]
        days = interval(last.stability, target(calibration, retention))
        assert abs((last.due - last.last_day).days - days) <= min(days // 10, WIDEST)
    assert all(state.due > state.last_day for state in states.values())


def test_the_first_answer_and_a_repetition_within_the_day_teach_no_calibration() -> (
    None
):
    twice = [Line(1, Rating.AGAIN, DAY), Line(1, Rating.AGAIN, DAY)]
    assert fold(twice).calibration == PRIOR
    next_day = Line(1, Rating.AGAIN, DAY + timedelta(days=1))
    assert fold([*twice, next_day]).calibration != PRIOR


def test_a_candidate_who_forgets_more_is_asked_sooner() -> None:
    def history(rating: Rating) -> list[Line]:
        return [
            Line(n, r, DAY + timedelta(days=d))
            for d, r in [(0, Rating.GOOD), (4, rating)]
            for n in range(2, 60)
        ]

    asked = Line(1, Rating.GOOD, DAY + timedelta(days=4))
    forgets, keeps = (fold([*history(r), asked]) for r in (Rating.AGAIN, Rating.GOOD))
    assert forgets.states[1].memory == keeps.states[1].memory
    assert forgets.states[1].due <= keeps.states[1].due
    assert target(forgets.calibration) > target(keeps.calibration)


def test_a_likely_guess_comes_back_sooner() -> None:
    def due(chance: float, confidence: str | None = None) -> date:
        line = Line(1, Rating.GOOD, DAY, chance, confidence)
        again = replace(line, study_day=DAY + timedelta(days=9))
        return fold([line, again]).states[1].due

    assert due(0.5, "unsure") < due(0.5) < due(0.0)


def test_what_was_predicted_is_kept_with_the_answer() -> None:
    alone = (RETENTION, others({}, 1))
    first = meet(None, PRIOR, Line(1, Rating.GOOD, DAY), *alone)
    assert first.predicted is None
    later = DAY + timedelta(days=3)
    second = meet(first.state, first.calibration, Line(1, Rating.GOOD, later), *alone)
    assert second.predicted == recall(first.state, later, first.calibration)


def test_a_cram_passed_never_brings_a_card_forward() -> None:
    history = [Line(1, Rating.GOOD, DAY + timedelta(days=d)) for d in (0, 2, 10)]
    before = fold(history).states[1]
    for eve in (11, 12, 20):
        cram = Line(1, Rating.GOOD, DAY + timedelta(days=eve))
        after = fold([*history, cram]).states[1]
        assert after.due > before.due
        assert after.stability > before.stability


def test_cards_met_together_come_back_on_several_days() -> None:
    together = [
        Line(number, Rating.GOOD, DAY + timedelta(days=day))
        for day in (0, 2, 14)
        for number in range(100)
    ]
    days = Counter(state.due for state in fold(together).states.values())
    assert len(days) >= 5
    assert max(days.values()) <= 30


def test_an_impossible_line_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot get a 7"):
        fold([Line(1, Rating.GOOD, DAY), Line(1, 7, DAY)])


@given(
    st.lists(st.tuples(st.sampled_from(Rating), st.integers(0, 60)), min_size=1),
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
)
def test_a_cram_of_several_days_passed_never_brings_a_card_forward(
    history: list[tuple[Rating, int]], cram: list[int]
) -> None:
    day, state = DAY, None
    for rating, gap in history:
        day += timedelta(days=gap)
        state = log.step(state, rating, day)
    for gap in cram:
        day += timedelta(days=gap)
        after = log.step(state, Rating.GOOD, day)
        assert state is not None
        assert after.due >= state.due
        assert after.stability >= state.stability
        state = after
