"""An answer is graded by names, recorded once, and moves the card by its own rating."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import Answer, MemoryState, Presentation, Review, User
from quizsvc.practice import (
    LIFETIME,
    MAX_ANSWER,
    Submission,
    find_answer,
    submit_answer,
)
from quizsvc.refusals import Conflict, Gone, Invalid, NotFound
from quizsvc.scheduling.guessing import answered
from quizsvc.scheduling.memory import Rating

from .practice_factories import AT, DAY, ask, ids, make_question, make_user


def choose(
    session: Session, user: User, shown: Presentation, *names: str, **said: Any
) -> Answer:
    submission = Submission(choices=ids(shown, *names), **said)
    return submit_answer(session, user, shown.id, submission, at=AT)


first_answer = partial(answered, None, 0)


def count(session: Session, table: type) -> int:
    return session.scalar(select(func.count()).select_from(table)) or 0


def test_an_answer_is_recorded_with_its_review_and_memory(
    session: Session, engine: Engine
) -> None:
    user = make_user(session)
    question = make_question(session)
    given = choose(session, user, ask(session, user), "inside", confidence="sure")
    session.commit()
    with reading(engine) as fresh:
        answer = fresh.get_one(Answer, given.id)
        assert (answer.chosen, answer.score, answer.correct) == (["inside"], 1.0, True)
        assert (answer.confidence, answer.answered_at) == ("sure", AT)
        review = fresh.scalars(select(Review)).one()
        assert review.answer_id == answer.id
        assert (review.rating, review.sequence) == (Rating.GOOD, 1)
        assert (review.study_day, review.reviewed_at) == (AT.date(), AT)
        assert (review.before, review.predicted) == (None, None)
        state = fresh.get_one(MemoryState, (user.id, question.id))
        assert state.due == AT.date() + 2 * DAY
        surely = first_answer(Rating.GOOD, chance=1 / 4, confidence="sure")
        assert (state.stability, state.difficulty) == surely
        assert review.after == {
            "stability": state.stability,
            "difficulty": state.difficulty,
            "last_day": "2026-03-02",
            "due": "2026-03-04",
            "reviews": 1,
            "lapses": 0,
        }


def test_a_later_review_says_what_was_predicted(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    choose(session, user, ask(session, user), "inside")
    shown = ask(session, user, at=AT + 2 * DAY)
    said = Submission(choices=ids(shown, "inside"))
    given = submit_answer(session, user, shown.id, said, at=AT + 2 * DAY)
    assert given.review is not None
    assert given.review.predicted is not None
    assert 0.8 < given.review.predicted < 0.9
    assert given.review.before is not None
    assert given.review.before["due"] == "2026-03-03"
    assert given.review.sequence == 2


@pytest.mark.parametrize(
    ("chosen", "score", "correct", "rating"),
    [
        (["a", "b", "c"], 1.0, True, Rating.GOOD),
        (["c", "b", "a"], 1.0, True, Rating.GOOD),
        (["a", "b"], 2 / 3, False, Rating.AGAIN),
        (["a", "b", "d"], 1 / 3, False, Rating.AGAIN),
        (["a", "d"], 0.0, False, Rating.AGAIN),
        (["a", "b", "c", "d", "e"], 1 / 3, False, Rating.AGAIN),
    ],
)
def test_only_a_fully_right_answer_is_a_pass(
    session: Session, chosen: list[str], score: float, correct: bool, rating: Rating
) -> None:
    user = make_user(session)
    make_question(
        session,
        type="multi",
        key=["a", "b", "c"],
        others=["d", "e"],
        scoring="net-correct",
    )
    given = choose(session, user, ask(session, user), *chosen)
    assert given.score == pytest.approx(score)
    assert given.correct is correct
    assert given.review is not None
    assert given.review.rating == rating


@pytest.mark.parametrize("confidence", ["sure", "unsure", None])
@pytest.mark.parametrize(
    ("name", "rating"), [("inside", Rating.GOOD), ("outside", Rating.AGAIN)]
)
def test_confidence_is_recorded_and_changes_no_rating(
    session: Session, confidence: str | None, name: str, rating: Rating
) -> None:
    user = make_user(session)
    make_question(session)
    given = choose(session, user, ask(session, user), name, confidence=confidence)
    assert given.confidence == confidence
    assert given.review is not None
    assert given.review.rating == rating


@pytest.mark.parametrize("type", ["single", "multi", "open"])
def test_i_dont_know_is_an_answer_and_means_again(session: Session, type: str) -> None:
    user = make_user(session)
    make_question(session, type=type)
    given = submit_answer(
        session, user, ask(session, user).id, Submission(dont_know=True), at=AT
    )
    assert (given.dont_know, given.score, given.correct) == (True, 0.0, False)
    assert given.review is not None
    assert given.review.rating == Rating.AGAIN


def test_i_dont_know_outweighs_what_was_ticked(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    given = choose(session, user, ask(session, user), "inside", dont_know=True)
    assert (given.chosen, given.correct) == ([], False)


def test_a_new_revision_does_not_change_how_an_older_showing_is_graded(
    session: Session,
) -> None:
    user = make_user(session)
    question = make_question(session)
    shown = ask(session, user)
    other = make_question(session, "other", key=["outside"], others=["inside"])
    question.current = other.current
    session.flush()
    assert choose(session, user, shown, "inside").correct is True


def test_time_is_taken_from_the_showing_when_it_is_not_told(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    make_question(session, "other")
    assert choose(session, user, ask(session, user), "inside", seconds=7).seconds == 7
    shown = ask(session, user, "other", at=AT - timedelta(seconds=42))
    assert choose(session, user, shown, "inside").seconds == 42


def test_a_presentation_is_answered_once(session: Session, engine: Engine) -> None:
    user = make_user(session)
    make_question(session)
    shown = ask(session, user)
    choose(session, user, shown, "inside")
    with pytest.raises(Conflict) as refusal:
        choose(session, user, shown, "outside")
    assert refusal.value.code == "already-answered"
    session.commit()
    with reading(engine) as fresh:
        assert fresh.scalars(select(Answer)).one().chosen == ["inside"]
        assert count(fresh, Review) == 1


def test_of_two_tabs_with_one_question_the_second_is_stale(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    make_question(session, "other")
    one, two, third = (
        ask(session, user),
        ask(session, user),
        ask(session, user, "other"),
    )
    later = AT + timedelta(minutes=5)
    for shown in (one, third):
        said = Submission(choices=ids(shown, "inside"))
        submit_answer(session, user, shown.id, said, at=later)
    said = Submission(choices=ids(two, "outside"))
    with pytest.raises(Conflict) as refusal:
        submit_answer(session, user, two.id, said, at=later)
    assert refusal.value.code == "stale-presentation"
    assert count(session, Review) == 2
    for shown in (one, two, third):
        session.refresh(shown)
        assert shown.expires_at == AT + LIFETIME
        assert shown.ended_at == (later if shown is two else None)


def test_an_answer_waits_for_a_day_and_no_longer(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    shown = ask(session, user)
    said = Submission(choices=ids(shown, "inside"))
    with pytest.raises(Gone) as refusal:
        submit_answer(session, user, shown.id, said, at=AT + LIFETIME)
    assert refusal.value.code == "expired"
    last = AT + LIFETIME - timedelta(seconds=1)
    assert submit_answer(session, user, shown.id, said, at=last).correct


def test_nobody_answers_for_somebody_else(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    make_question(session)
    shown = ask(session, user)
    for presentation_id in (shown.id, "pres_unknown"):
        with pytest.raises(NotFound) as refusal:
            submit_answer(
                session, other, presentation_id, Submission(dont_know=True), at=AT
            )
        assert refusal.value.code == "unknown-presentation"
    given = choose(session, user, shown, "inside")
    assert find_answer(session, user, given.id) is given
    for who, answer_id in [(other, given.id), (user, "ans_unknown")]:
        with pytest.raises(NotFound) as refusal:
            find_answer(session, who, answer_id)
        assert refusal.value.code == "unknown-answer"


@pytest.mark.parametrize(
    ("type", "said", "pointer", "code"),
    [
        ("single", {}, "/choices", "missing"),
        ("multi", {}, "/choices", "missing"),
        ("single", {"choices": ["c_unknown"]}, "/choices/0", "unknown-id"),
        ("single", {"choices": ["inside"]}, "/choices/0", "unknown-id"),
        ("single", {"text": "inside"}, "/text", "not-accepted"),
        ("open", {}, "/text", "missing"),
        ("open", {"text": " \n"}, "/text", "missing"),
        ("open", {"text": "x" * (MAX_ANSWER + 1)}, "/text", "too-long"),
        ("open", {"choices": ["c_any"], "text": "x"}, "/choices", "not-accepted"),
        ("open", {"text": "x", "confidence": "maybe"}, "/confidence", "not-an-option"),
        ("open", {"text": "x", "seconds": -1.0}, "/seconds", "out-of-range"),
        ("open", {"text": "x", "seconds": float("nan")}, "/seconds", "out-of-range"),
    ],
)
def test_an_answer_that_says_nothing_usable_is_refused(
    session: Session, type: str, said: dict[str, Any], pointer: str, code: str
) -> None:
    user = make_user(session)
    make_question(session, type=type)
    shown = ask(session, user)
    with pytest.raises(Invalid) as refusal:
        submit_answer(session, user, shown.id, Submission(**said), at=AT)
    assert [(e.pointer, e.code) for e in refusal.value.errors] == [(pointer, code)]
    assert count(session, Answer) == 0
    assert count(session, Review) == 0


def test_more_than_one_choice_on_a_single_choice_is_wrong(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    given = choose(session, user, ask(session, user), "inside", "outside")
    assert set(given.chosen) == {"inside", "outside"}
    assert (given.score, given.correct) == (0.0, False)
    assert given.review is not None
    assert given.review.rating == Rating.AGAIN


def test_a_choice_named_twice_is_chosen_once(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    given = choose(session, user, ask(session, user), "inside", "inside")
    assert (given.chosen, given.correct) == (["inside"], True)


def test_ids_of_another_showing_are_unknown(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    one, two = ask(session, user), ask(session, user)
    said = Submission(choices=ids(one, "inside"))
    with pytest.raises(Invalid) as refusal:
        submit_answer(session, user, two.id, said, at=AT)
    assert refusal.value.errors[0].code == "unknown-id"
