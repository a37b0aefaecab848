"""An open answer: its author ticks the key points it made and rates it, once."""

from datetime import timedelta

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import Answer, MemoryState, Presentation, Review, User
from quizsvc.practice import Submission, mark_answer, submit_answer
from quizsvc.refusals import Conflict, Invalid, NotFound
from quizsvc.scheduling.memory import Rating

from .practice_factories import AT, ask, ids, make_question, make_user


def write(session: Session, user: User, shown: Presentation, text: str) -> Answer:
    return submit_answer(session, user, shown.id, Submission(text=text), at=AT)


def count(session: Session, table: type) -> int:
    return session.scalar(select(func.count()).select_from(table)) or 0


def test_an_open_answer_waits_for_marks(session: Session) -> None:
    user = make_user(session)
    make_question(session, type="open")
    given = write(session, user, ask(session, user), "The norm is inside the branch.")
    assert (given.score, given.correct, given.review) == (None, None, None)
    assert count(session, MemoryState) == 0


@pytest.mark.parametrize(
    ("word", "rating"),
    [
        ("again", Rating.AGAIN),
        ("hard", Rating.HARD),
        ("good", Rating.GOOD),
        ("easy", Rating.EASY),
    ],
)
def test_marks_score_an_open_answer_and_its_own_rating_schedules_it(
    session: Session, engine: Engine, word: str, rating: Rating
) -> None:
    user = make_user(session)
    make_question(session, type="open")
    shown = ask(session, user)
    given = write(session, user, shown, "An answer.")
    ticks = ids(shown, "warmup", "formulas", "warmup")
    mark_answer(session, user, given.id, ticks, word, at=AT + timedelta(minutes=2))
    session.commit()
    with reading(engine) as fresh:
        answer = fresh.get_one(Answer, given.id)
        assert answer.ticked == ["formulas", "warmup"]
        assert (answer.score, answer.correct) == (0.5, None)
        assert answer.review is not None
        assert answer.review.rating == rating


def test_marks_may_tick_nothing(session: Session) -> None:
    user = make_user(session)
    make_question(session, type="open")
    given = write(session, user, ask(session, user), "An answer.")
    assert mark_answer(session, user, given.id, [], "again", at=AT).score == 0


def test_what_is_reviewed_is_not_marked_again(session: Session) -> None:
    user = make_user(session)
    make_question(session, type="open")
    make_question(session, "choice")
    shown = ask(session, user)
    given = write(session, user, shown, "An answer.")
    mark_answer(session, user, given.id, [], "good", at=AT)
    other_shown = ask(session, user, "choice")
    said = Submission(choices=ids(other_shown, "inside"))
    chosen = submit_answer(session, user, other_shown.id, said, at=AT)
    for answer in (given, chosen):
        with pytest.raises(Conflict) as refusal:
            mark_answer(session, user, answer.id, [], "easy", at=AT)
        assert refusal.value.code == "already-marked"
    assert count(session, Review) == 2


def test_marks_that_make_no_sense_are_refused(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    make_question(session, type="open")
    given = write(session, user, ask(session, user), "An answer.")
    with pytest.raises(Invalid) as refusal:
        mark_answer(session, user, given.id, ["kp_no", "kp_nor"], "good", at=AT)
    assert [e.pointer for e in refusal.value.errors] == ["/points/0", "/points/1"]
    with pytest.raises(Invalid) as refusal:
        mark_answer(session, user, given.id, [], "perfect", at=AT)
    assert refusal.value.errors[0].pointer == "/rating"
    with pytest.raises(NotFound):
        mark_answer(session, other, given.id, [], "good", at=AT)
    assert given.review is None
