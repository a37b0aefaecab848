"""Laws of a mock interview, from its start to its end."""

from typing import Any

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from question_bank.models import FollowUp, Question, RevisionText
from quizsvc.db import reading, writing
from quizsvc.models import MemoryState, MockInterview, Review, User
from quizsvc.practice import (
    Submission,
    forget_expired,
    mark_answer,
    mock,
    submit_answer,
)
from quizsvc.refusals import Conflict, Invalid, NotFound

from .mock_helpers import SECOND, answered, begin, go_on, stocked, told
from .practice_factories import AT, DAY, make_question, make_user


def test_the_start_asks_the_first_question_and_keeps_the_plan(
    session: Session, engine: Engine
) -> None:
    user = stocked(session)
    made = begin(session, user, minutes=10, lang="zh", levels=["easy"])
    session.commit()
    with reading(engine) as fresh:
        interview = fresh.get_one(MockInterview, made)
        assert (interview.minutes, interview.lang) == (10, "zh")
        assert (interview.levels, interview.ended_at) == (["easy"], None)
        [asked] = interview.questions
        assert asked.presentation is not None
        assert (asked.position, asked.presentation.lang) == (1, "zh")
        assert asked.presentation.created_at == AT
        assert len(interview.ahead) == 2
        assert asked.question_id not in interview.ahead


def test_an_answer_enters_log_and_schedule_like_any_other(
    session: Session, engine: Engine
) -> None:
    user = stocked(session)
    made = begin(session, user)
    answered(session, user, made, AT + 50 * SECOND, rating="hard")
    session.commit()
    with reading(engine) as fresh:
        review = fresh.scalars(select(Review)).one()
        [asked] = mock.find(fresh, user, made).questions
        assert review.question_id == asked.question_id
        assert (review.rating, review.seconds) == (2, 50.0)
        assert fresh.get(MemoryState, (user.id, asked.question_id)) is not None


def test_the_next_question_comes_when_the_last_is_done(session: Session) -> None:
    user = stocked(session)
    made = begin(session, user)
    first = go_on(session, user, made, AT + SECOND)
    assert first is not None
    assert first.position == 1
    answered(session, user, made, AT + 50 * SECOND)
    second = go_on(session, user, made, AT + 100 * SECOND)
    again = go_on(session, user, made, AT + 101 * SECOND)
    assert second is not None
    assert second is again
    assert second.position == 2
    assert second.question_id != first.question_id


def test_when_nothing_is_left_there_is_no_next(session: Session) -> None:
    user = stocked(session, open_questions=1)
    made = begin(session, user)
    answered(session, user, made, AT + SECOND)
    assert go_on(session, user, made, AT + 60 * SECOND) is None


def test_who_left_is_asked_anew_with_a_fresh_minute(
    session: Session, engine: Engine
) -> None:
    user = stocked(session)
    made = begin(session, user)
    session.commit()
    later = AT + 3 * DAY
    [asked] = mock.find(session, user, made).questions
    before = asked.presentation_id
    assert mock.stage(asked, at=AT + 299 * SECOND) == "asked"
    assert mock.stage(asked, at=later) == "lost"
    go_on(session, user, made, later)
    session.commit()
    with reading(engine) as fresh:
        [asked] = mock.find(fresh, user, made).questions
        assert asked.presentation_id != before
        assert asked.presentation is not None
        assert asked.presentation.created_at == later
        assert mock.stage(asked, at=later) == "asked"


def test_what_was_forgotten_unanswered_does_not_break_it(
    session: Session, engine: Engine
) -> None:
    user = stocked(session)
    made = begin(session, user)
    session.commit()
    later = AT + 30 * DAY
    with writing(engine) as other:
        forget_expired(other, at=later)
        other.commit()
    with writing(engine) as other:
        user = other.get_one(User, user.id)
        [asked] = mock.find(other, user, made).questions
        assert asked.presentation is None
        assert told(other, user, made, later).lines == []
        again = go_on(other, user, made, later)
        assert again is not None
        assert again.position == 1


def test_a_question_that_was_retired_meanwhile_is_left_out(session: Session) -> None:
    user = stocked(session)
    made = begin(session, user)
    interview = mock.find(session, user, made)
    retired = [interview.questions[0].question_id, interview.ahead[0]]
    for number in retired:
        session.get_one(Question, number).retired_at = AT
    session.flush()
    asked = go_on(session, user, made, AT + DAY)
    assert asked is not None
    assert asked.position == 1
    assert asked.question_id not in retired


def follow(session: Session, *slugs: str) -> None:
    """Give every question these follow-ups, which the bank holds."""
    for text in session.scalars(select(RevisionText)):
        text.follow_ups = [
            FollowUp(position=place, prompt="And this?", slug=slug)
            for place, slug in enumerate(slugs)
        ]
    session.flush()


def test_a_follow_up_takes_the_place_of_the_last_one_ahead(session: Session) -> None:
    user = make_user(session)
    for slug in ("open-0", "open-1", "open-2", "single"):
        make_question(session, slug, type="single" if slug == "single" else "open")
    follow(session, "single")
    made = begin(session, user)
    answered(session, user, made, AT + SECOND)
    asked = go_on(session, user, made, AT + 60 * SECOND, follow="single")
    assert asked is not None
    assert (asked.position, asked.follows, asked.question.slug) == (2, 1, "single")
    interview = mock.find(session, user, made)
    assert len(interview.ahead) == 1


def test_a_follow_up_that_was_ahead_is_not_asked_twice(session: Session) -> None:
    user = make_user(session)
    for slug in ("open-0", "open-1", "open-2"):
        make_question(session, slug, type="open")
    follow(session, "open-0", "open-1", "open-2")
    made = begin(session, user)
    last = mock.find(session, user, made).ahead[-1]
    answered(session, user, made, AT + SECOND)
    slug = session.get_one(Question, last).slug
    go_on(session, user, made, AT + 60 * SECOND, follow=slug)
    interview = mock.find(session, user, made)
    assert len(interview.ahead) == 1
    assert last not in interview.ahead


@pytest.mark.parametrize("slug", ["open-0", "open-1", "gone", "never"])
def test_only_a_follow_up_of_the_last_question_follows_it(
    session: Session, slug: str
) -> None:
    user = stocked(session)
    made = begin(session, user)
    answered(session, user, made, AT + SECOND)
    with pytest.raises(Invalid) as refusal:
        go_on(session, user, made, AT + 60 * SECOND, follow=slug)
    assert refusal.value.errors[0].pointer == "/follow"


def test_a_new_interview_ends_the_open_one_and_keeps_it(session: Session) -> None:
    user = stocked(session)
    first = begin(session, user)
    answered(session, user, first, AT + SECOND)
    second = begin(session, user, at=AT + 60 * SECOND)
    open_one = mock.find_open(session, user)
    assert open_one is not None
    assert open_one.id == second
    assert mock.find(session, user, first).ended_at == AT + 60 * SECOND
    assert [one.stage for one in told(session, user, first, AT + DAY).lines] == ["done"]


def test_ending_twice_changes_nothing_and_nothing_is_asked_after(
    session: Session,
) -> None:
    user = stocked(session)
    made = begin(session, user)
    mock.end(session, user, made, at=AT + SECOND)
    assert mock.end(session, user, made, at=AT + DAY).ended_at == AT + SECOND
    with pytest.raises(Conflict):
        go_on(session, user, made, AT + DAY)
    assert mock.find_open(session, user) is None


def test_an_answer_can_be_marked_after_the_end(session: Session) -> None:
    user = stocked(session)
    made = begin(session, user)
    shown = mock.find(session, user, made).questions[0].presentation
    assert shown is not None
    given = submit_answer(session, user, shown.id, Submission(aloud=True), at=AT)
    mock.end(session, user, made, at=AT + SECOND)
    assert [one.stage for one in told(session, user, made, AT).lines] == ["marking"]
    mark_answer(session, user, given.id, [], "again", at=AT + DAY)
    [line] = told(session, user, made, AT + DAY).lines
    assert (line.stage, line.outcome, line.score) == ("done", "weak", 0.0)


def test_time_away_counts_no_more_than_five_minutes(session: Session) -> None:
    user = stocked(session)
    made = begin(session, user, minutes=10)
    interview = mock.find(session, user, made)
    assert mock.spent(interview, at=AT + 90 * SECOND) == 90
    assert mock.left(interview, at=AT + 90 * SECOND) == 510
    assert mock.spent(interview, at=AT + DAY) == 300
    answered(session, user, made, AT + 50 * SECOND)
    interview = mock.find(session, user, made)
    assert mock.spent(interview, at=AT + 100 * SECOND) == 100
    assert mock.spent(interview, at=AT + DAY) == 50 + 40 + 300
    go_on(session, user, made, AT + DAY)
    answered(session, user, made, AT + DAY + 100 * SECOND)
    interview = mock.find(session, user, made)
    assert mock.left(interview, at=AT + DAY + 500 * SECOND) == 0


def test_a_stranger_sees_nothing_of_it(session: Session) -> None:
    user = stocked(session)
    made = begin(session, user)
    other = make_user(session, "eve")
    for use in (mock.find, mock.end):
        with pytest.raises(NotFound):
            use(session, other, made, **({"at": AT} if use is mock.end else {}))
    with pytest.raises(NotFound):
        go_on(session, other, made, AT)
    assert mock.outlines(session, other, limit=5) == []
    assert mock.find_open(session, other) is None
    with pytest.raises(NotFound):
        mock.question_at(mock.find(session, user, made), 2)


@pytest.mark.parametrize(
    ("wish", "pointers"),
    [
        ({"minutes": 4}, ["/minutes"]),
        ({"minutes": 121, "lang": "de"}, ["/minutes", "/lang"]),
        ({"topics": ["placement", "cooking"]}, ["/topics/1"]),
        ({"levels": ["easy", "deadly"]}, ["/levels/1"]),
        ({"levels": ["extreme"]}, ["/topics"]),
    ],
)
def test_a_wish_that_cannot_be_granted_says_where(
    session: Session, wish: dict[str, Any], pointers: list[str]
) -> None:
    user = stocked(session)
    with pytest.raises(Invalid) as refusal:
        begin(session, user, **wish)
    assert [error.pointer for error in refusal.value.errors] == pointers
