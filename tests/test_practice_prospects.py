"""Laws of what is said of the days after an answer, and of today from the front door."""

from datetime import date

import pytest
from sqlalchemy.orm import Session

from quizsvc.models import Answer, User
from quizsvc.practice import Submission, submit_answer, undo
from quizsvc.practice.glance import glance
from quizsvc.practice.prospects import Rung, prospect, rungs, until

from .practice_factories import AT, DAY, ask, ids, make_question, make_user


def give(session: Session, user: User, name: str, days: int = 0) -> Answer:
    at = AT + days * DAY
    shown = ask(session, user, at=at)
    said = Submission(choices=ids(shown, name), confidence="sure")
    return submit_answer(session, user, shown.id, said, at=at)


@pytest.mark.parametrize("name", ["inside", "outside"])
def test_right_answers_lead_on_and_each_time_for_longer(
    session: Session, name: str
) -> None:
    user = make_user(session)
    make_question(session)
    given = give(session, user, name)
    found = prospect(session, user, given)
    assert given.review is not None
    assert found is not None
    due = date.fromisoformat(given.review.after["due"])
    assert due < found.then[0] < found.then[1]
    assert found.then[1] - found.then[0] >= found.then[0] - due
    assert 0 < found.recall < 1


def test_what_is_foretold_comes_true_when_it_is_answered_right(
    session: Session,
) -> None:
    user = make_user(session)
    make_question(session)
    first = give(session, user, "inside")
    told = prospect(session, user, first)
    assert first.review is not None
    assert told is not None
    back = first.review.after["due"]
    days = next(n for n in range(1000) if str((AT + n * DAY).date()) == back)
    second = give(session, user, "inside", days)
    assert second.review is not None
    reach = max(1, (told.then[0] - (AT + days * DAY).date()).days // 10)
    came = second.review.after["due"]
    near = [str(told.then[0] + n * DAY) for n in range(-reach, reach + 1)]
    assert came in near


def test_an_answer_that_the_card_no_longer_stands_at_foretells_nothing(
    session: Session,
) -> None:
    user = make_user(session)
    make_question(session)
    first, second = give(session, user, "inside"), give(session, user, "outside", 30)
    assert second.review is not None
    assert prospect(session, user, first) is None
    assert prospect(session, user, second) is not None
    undo(session, user, second.review.id, at=AT + 31 * DAY)
    assert prospect(session, user, second) is None
    assert prospect(session, user, first) is not None


def test_of_two_answers_with_the_same_date_the_last_foretells(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    first, second = give(session, user, "outside"), give(session, user, "outside")
    assert first.review is not None
    assert second.review is not None
    assert first.review.after["due"] == second.review.after["due"]
    assert prospect(session, user, first) is None
    assert prospect(session, user, second) is not None


def test_rungs_say_level_and_next_date(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    make_question(session, "other", level="hard")
    give(session, user, "inside")
    found = rungs(session, user, ["norm-position", "other", "none"])
    assert found["other"] == Rung("hard", None)
    assert found["norm-position"].due is not None
    assert set(found) == {"norm-position", "other"}
    assert rungs(session, user, []) == {}


def test_days_of_practice_are_counted_once_each(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    make_question(session)
    seen = glance(session, user, at=AT)
    assert (seen.week, seen.started) == (0, False)
    for day in (0, 1, 1, 7):
        last = give(session, user, "inside", day)
    for day, week in ((0, 1), (1, 2), (6, 2), (7, 2), (8, 1), (13, 1), (14, 0)):
        assert glance(session, user, at=AT + day * DAY).week == week, day
    assert last.review is not None
    undo(session, user, last.review.id, at=AT + 8 * DAY)
    assert glance(session, user, at=AT + 8 * DAY).week == 0
    assert not glance(session, other, at=AT).started


def test_days_ahead_end_with_the_interview() -> None:
    today, day = AT.date(), DAY
    days = [today + 3 * day, today + 9 * day, today + 30 * day]
    assert until(None, days, today) == days
    assert until(today - day, days, today) == days  # one that is over counts as none
    assert until(today + 9 * day, days, today) == days[:2]
    assert until(today, days, today) == []
