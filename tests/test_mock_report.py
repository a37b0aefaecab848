"""Laws of the report on a mock interview."""

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import Review
from quizsvc.practice import mock
from quizsvc.practice.mock.report import outcome

from .mock_helpers import SECOND, answered, begin, go_on, stocked, told
from .practice_factories import AT, DAY


def test_the_report_says_what_was_strong_weak_missed_and_contradicted(
    session: Session, engine: Engine
) -> None:
    user = stocked(session)
    made = begin(session, user)
    answered(session, user, made, AT + 50 * SECOND, rating="good")
    go_on(session, user, made, AT + 100 * SECOND)
    answered(session, user, made, AT + 190 * SECOND, rating="again")
    go_on(session, user, made, AT + 240 * SECOND)
    mock.end(session, user, made, at=AT + 250 * SECOND)
    session.commit()
    with reading(engine) as fresh:
        view = told(fresh, user, made, AT + DAY)
        assert [line.outcome for line in view.lines] == ["strong", "weak", None]
        assert [line.stage for line in view.lines] == ["done", "done", "lost"]
        strong, weak, _ = view.lines
        assert (strong.ticked, strong.points, strong.score) == (3, 4, 0.75)
        assert strong.missed == ["depth (en)"]
        assert strong.contradictions == [("depth (en)", "And a mistake about depth.")]
        assert (strong.seconds, weak.seconds, view.over) == (50, 90, 1)
        assert weak.due == (AT + DAY).date()
        assert strong.due is not None
        assert strong.due > weak.due
        assert view.topics == [("placement", 2, 0.75, 1)]
        assert (view.score, view.planned) == (0.75, 3)
        assert (view.spent, view.answering) == (250, 50 + 90)


def test_no_more_time_went_into_answers_than_into_the_interview(
    session: Session,
) -> None:
    user = stocked(session)
    made = begin(session, user)
    answered(session, user, made, AT + 1200 * SECOND)  # away for most of it
    view = told(session, user, made, AT + 1200 * SECOND)
    assert view.lines[0].seconds == 1200
    assert view.answering == view.spent == 300


def test_what_is_undone_has_no_outcome_any_more(session: Session) -> None:
    user = stocked(session)
    made = begin(session, user)
    answered(session, user, made, AT + SECOND)
    session.scalars(select(Review)).one().voided_at = AT
    session.flush()
    view = told(session, user, made, AT)
    [line] = view.lines
    assert (line.rating, line.outcome, line.due) == (None, None, None)
    assert (line.undone, line.score, view.score, view.topics) == (True, None, None, [])
    [outline] = mock.outlines(session, user, limit=5)
    assert (outline.answered, outline.score) == (1, None)


@pytest.mark.parametrize(
    ("rating", "score", "said"),
    [
        ("again", 1.0, "weak"),
        ("hard", 1.0, "weak"),
        ("good", 0.4, "weak"),
        ("good", 0.5, "fair"),
        ("easy", 0.7, "strong"),
        (None, None, None),
    ],
)
def test_outcomes(rating: str | None, score: float | None, said: str | None) -> None:
    assert outcome(rating, score) == said


def test_interviews_are_listed_newest_first_with_their_result(session: Session) -> None:
    user = stocked(session)
    first = begin(session, user)
    answered(session, user, first, AT + SECOND)
    second = begin(session, user, at=AT + DAY)
    [new, old] = mock.outlines(session, user, limit=5)
    assert (new.interview.id, new.asked, new.answered, new.score) == (
        second,
        1,
        0,
        None,
    )
    assert (old.interview.id, old.asked, old.answered, old.score) == (first, 1, 1, 0.75)
    [rest] = mock.outlines(session, user, limit=5, after=second)
    assert rest.interview.id == first
