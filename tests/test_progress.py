"""What a log tells: laws of every figure on the page of progress."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.practice.progress import Entry, told
from quizsvc.practice.progress.cards import at_least, learned, leeches, recall, topics
from quizsvc.practice.progress.habit import habit, longest, streak
from quizsvc.practice.progress.retention import (
    EDGES,
    calibration,
    compared,
    confidence,
    trials,
    weeks,
)
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.log import State
from quizsvc.scheduling.pace import LONGEST

from .progress_entries import DAY, TODAY, card, entry, logs
from .test_days import ZONES


def test_nothing_was_answered() -> None:
    found = told([], [card(1, None), card(2, None)], TODAY)
    assert (found.answers, found.retention, found.calibration) == (0, None, [])
    assert found.recall == (2, 0, None, 0)
    assert (found.habit.streak, found.habit.longest, found.habit.seconds) == (0, 0, 0)
    assert found.learned == ([], [])
    assert told([], [], TODAY).topics == []


def test_the_first_meeting_and_a_second_answer_on_a_day_are_no_tests() -> None:
    log = [entry(9, predicted=None), entry(9, 1), entry(4, 1), entry(4), entry(0)]
    assert [(t.day, t.passed) for t in trials(log)] == [
        (TODAY - 4 * DAY, False),
        (TODAY, True),
    ]


def test_what_is_predicted_is_a_right_answer_with_its_guesses() -> None:
    log = [entry(9), entry(0, predicted=0.8, chance=0.25)]
    assert [trial.chance for trial in trials(log)] == [pytest.approx(0.85)]


@given(logs)
def test_every_test_is_in_one_bin_and_no_bin_is_empty(log: list[Entry]) -> None:
    found = calibration(trials(log))
    assert sum(one.share.answers for one in found) == len(trials(log))
    for one in found:
        assert (one.low, one.high) in pairwise(EDGES)
        assert one.low <= one.predicted <= one.high
        assert 0 <= one.share.low <= one.share.right / one.share.answers
        assert one.share.right / one.share.answers <= one.share.high <= 1


@given(logs)
def test_the_bins_and_weeks_add_up_to_the_whole(log: list[Entry]) -> None:
    whole = compared(trials(log))
    found = calibration(trials(log))
    if whole is None:
        assert found == []
        return
    n = whole.share.answers
    assert sum(b.share.right for b in found) == whole.share.right
    mean = sum(b.predicted * b.share.answers for b in found) / n
    assert mean == pytest.approx(whole.predicted)
    shown = weeks(trials(log), TODAY)
    assert all(week.start.weekday() == 0 for week in shown)
    assert sum(week.share.answers for week in shown) <= n


def test_twelve_weeks_are_shown_from_monday_to_sunday() -> None:
    ago = [0, 2, 3, 79, 80]  # 2: Monday of this week; 79: of the first shown
    log = [entry(100), *(entry(days) for days in reversed(ago))]
    assert [(w.start, w.share.answers) for w in weeks(trials(log), TODAY)] == [
        (date(2025, 12, 15), 1),
        (date(2026, 2, 23), 1),
        (date(2026, 3, 2), 2),
    ]


def test_confidence_counts_all_answers_that_had_one() -> None:
    log = [
        entry(confidence="sure"),
        entry(rating=1, confidence="sure"),
        entry(confidence="unsure"),
        entry(rating=1, confidence="dont-know"),
        entry(),
    ]
    assert {w: (s.answers, s.right) for w, s in confidence(log).items()} == {
        "sure": (2, 1),
        "unsure": (1, 1),
        "dont-know": (1, 0),
    }


def test_recall_is_over_the_questions_met_and_what_is_known_over_all() -> None:
    found = recall([card(1), card(2, 20.0), card(3, None)], TODAY)
    assert (found.questions, found.met) == (3, 2)
    assert found.mean is not None
    assert 0.9 < found.mean < 1
    assert found.known == pytest.approx(2 * found.mean)


def test_recall_is_told_for_the_day_after_what_was_met_today() -> None:
    met = card(state=State(5.0, 5.0, TODAY, TODAY + 5 * DAY, 1, 0))
    found = told([entry(0, 1)], [met], TODAY)
    assert found.recall.mean == met.recall(TODAY + DAY) < met.recall(TODAY)
    assert found.topics[0].recall == found.recall


def test_the_forecast_begins_today_and_falls_for_thirty_days() -> None:
    found = told([entry(5)], [card(1), card(2, None)], TODAY).forecast
    assert (found[0].day, found[-1].day) == (TODAY, TODAY + 30 * DAY)
    assert all(one.recall.questions == 2 for one in found)
    means = [one.recall.mean or 0.0 for one in found]
    assert means == sorted(means, reverse=True)
    assert means[0] > means[-1] > 0


def test_topics_begin_with_the_one_that_is_known_least() -> None:
    cards = [
        card(1),
        card(2, None),
        card(3, topic="logits"),
        card(4, topic="new", stability=None),
    ]
    log = [entry(5, 1, 1), entry(5, 3, 3), entry(5, 3, 99)]
    found = topics(cards, log, TODAY)
    assert [(t.topic, t.recall.met, t.answers and t.answers.right) for t in found] == [
        ("new", 0, None),
        ("depth", 1, 0),
        ("logits", 1, 1),
    ]


def failing(ratings: list[int], predicted: float = 0.9) -> list[Entry]:
    days = len(ratings)
    first = entry(days + 1, predicted=None)
    return [
        first,
        *(entry(days - n, r, predicted=predicted) for n, r in enumerate(ratings)),
    ]


@pytest.mark.parametrize(
    ("ratings", "predicted", "is_leech"),
    [
        ([1, 1, 1], 0.9, True),
        ([1, 1], 0.99, False),  # two failures may be bad luck
        ([1, 1, 1], 0.5, False),  # was to be expected
        ([1, 1, 1, 3, 3, 3, 3, 3, 3, 3], 0.9, False),
        ([1, 1, 1, 1, 3, 3, 3, 3, 3, 3], 0.95, True),
        ([1, 1, 1, 1, *[3] * 10], 0.95, False),  # it was, and is learned
    ],
)
def test_a_leech_fails_more_often_than_was_predicted(
    ratings: list[int], predicted: float, is_leech: bool
) -> None:
    found = leeches([card()], trials(failing(ratings, predicted)))
    assert bool(found) is is_leech
    if found:
        assert found[0].failed == ratings[-10:].count(1)
        assert found[0].expected < found[0].failed


def test_the_least_likely_leech_comes_first() -> None:
    log = [e._replace(question_id=n) for n in (1, 2) for e in failing([1] * (2 + n))]
    found = leeches([card(1), card(2)], trials(log))
    assert [leech.card.id for leech in found] == [2, 1]


@given(st.lists(st.floats(0, 1), max_size=8), st.integers(0, 9))
def test_the_chance_of_so_many_failures_is_the_sum_over_all_outcomes(
    chances: list[float], count: int
) -> None:
    total = 0.0
    for outcome in product([0, 1], repeat=len(chances)):
        if sum(outcome) >= count:
            weight = 1.0
            for happened, p in zip(outcome, chances, strict=True):
                weight *= p if happened else 1 - p
            total += weight
    assert at_least(count, chances) == pytest.approx(total)


def test_learned_is_what_would_now_be_recalled_after_a_week_and_was_not() -> None:
    cards = [card(1, 20.0), card(2, 20.0), card(3, 3.0), card(4, None)]
    log = [
        entry(9, question=1, stability=9.0),  # lasted before
        entry(7, question=2, stability=2.0),
        entry(1, question=1, stability=20.0),
        entry(1, question=2, stability=20.0),
        entry(6, question=3, stability=3.0),
    ]
    found = learned(cards, log, TODAY)
    assert [c.id for c in found.first_met] == [3]
    assert [c.id for c in found.lasting] == [2]


@pytest.mark.parametrize(
    ("ago", "length"),
    [
        ([], 0),
        ([0], 1),
        ([1], 1),  # today is young
        ([2], 0),
        ([0, 1, 2, 4], 3),
        ([1, 2, 3], 3),
        ([-1, 0, 1], 3),  # flew west over the date line
        ([-9, 0], 1),  # a clock was wrong once
    ],
)
def test_a_streak_ends_today_or_yesterday(ago: list[int], length: int) -> None:
    assert streak({TODAY - n * DAY for n in ago}, TODAY) == length


@given(st.sets(st.dates(TODAY - 60 * DAY, TODAY), max_size=50))
def test_a_streak_grows_by_one_a_day_and_never_beyond_the_longest(
    practised: set[date],
) -> None:
    assert streak(practised, TODAY) <= longest(practised) <= len(practised)
    tomorrow = streak(practised | {TODAY + DAY}, TODAY + DAY)
    assert tomorrow == (streak(practised, TODAY) if TODAY in practised else 0) + 1


@pytest.mark.parametrize("zone", ZONES)
def test_an_answer_every_evening_and_night_is_one_streak_through_the_year(
    zone: str,
) -> None:
    start = datetime(2026, 1, 1, 12, tzinfo=UTC)
    at = [start + timedelta(hours=7 * n) for n in range(365 * 24 // 7)]
    log = [entry(study_day=study_day(moment, zone, 4)) for moment in at]
    today = log[-1].study_day
    found = habit(log, today)
    assert found.streak == found.longest == (today - log[0].study_day).days + 1
    assert found.week == 7
    grown = [
        streak({e.study_day for e in log[:n]}, log[n - 1].study_day)
        for n in range(1, 40)
    ]
    assert {b - a for a, b in pairwise(grown)} == {0, 1}


def test_flying_west_or_east_breaks_no_streak() -> None:
    noon = datetime(2026, 5, 1, 3, tzinfo=UTC)  # in Shanghai 11:00 on May 1
    flights = {"west": "America/New_York", "east": "Pacific/Kiritimati"}
    for zone in flights.values():
        days = [study_day(noon, "Asia/Shanghai", 4), study_day(noon, zone, 4)]
        log = [entry(study_day=day) for day in days]
        assert habit(log, days[1]).streak == len(set(days))


def test_days_are_counted_also_those_without_an_answer() -> None:
    found = habit([entry(0), entry(0, 1), entry(27), entry(28)], TODAY)
    assert [day.day for day in found.days] == [
        TODAY - n * DAY for n in range(27, -1, -1)
    ]
    assert sum(day.right for day in found.days) == 2
    assert (found.days[-1].right, found.days[-1].wrong) == (1, 1)
    assert (found.days[0].right, found.days[1].right) == (1, 0)


def test_a_question_left_open_overnight_counts_ten_minutes() -> None:
    found = habit(
        [entry(9), entry(6, seconds=30_000.0), entry(0, seconds=None), entry(0)], TODAY
    )
    assert (found.seconds_today, found.seconds_week) == (10, 10 + LONGEST)
    assert found.seconds == 20 + LONGEST


@given(logs)
def test_any_log_can_be_told(log: list[Entry]) -> None:
    bank = [card(1), card(2, 0.001), card(3, 36500.0), card(4, None), card(5)]
    found = told(log, bank, TODAY)
    assert found.answers == len(log)
    assert 0 <= found.recall.known <= found.recall.questions
    assert all(0 <= leech.chance < 0.01 for leech in found.leeches)
    assert (
        found.habit.seconds_today
        <= found.habit.seconds_week
        <= found.habit.seconds + 1e-6
    )
