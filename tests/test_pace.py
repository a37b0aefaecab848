"""How long an answer takes, from those before it."""

from hypothesis import given
from hypothesis import strategies as st

from quizsvc.scheduling.pace import ENOUGH, LONGEST, USUAL, Pace, pace

seconds = st.floats(0, 1e6)


def test_until_it_is_known_an_answer_takes_the_usual_time() -> None:
    assert pace([]) == Pace(USUAL, USUAL)
    assert pace([(True, 5.0)] * 3) == Pace(USUAL, USUAL)


def test_right_and_wrong_answers_take_their_own_time() -> None:
    assert pace([(True, 12.0)] * ENOUGH + [(False, 45.0)] * ENOUGH) == Pace(12, 45)


@given(st.lists(st.tuples(st.booleans(), seconds)))
def test_a_time_away_counts_for_little(recent: list[tuple[bool, float]]) -> None:
    for typical in pace(recent):
        assert 1 <= typical <= LONGEST


@given(st.lists(seconds, min_size=ENOUGH))
def test_the_order_of_the_answers_does_not_matter(spent: list[float]) -> None:
    assert pace([(True, s) for s in spent]) == pace([(True, s) for s in sorted(spent)])
