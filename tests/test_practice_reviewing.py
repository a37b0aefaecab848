"""The log is the truth: the cached state equals its fold, whatever happens, and undo."""

from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import MemoryState, Review, User
from quizsvc.practice import (
    RATINGS,
    Submission,
    dates_by_rating,
    latest_review,
    mark_answer,
    rebuild,
    reviews,
    submit_answer,
    undo,
)
from quizsvc.refusals import Conflict, NotFound
from quizsvc.scheduling.calibration import PRIOR, predicted
from quizsvc.scheduling.candidate import Candidate
from quizsvc.scheduling.memory import retrievability

from .practice_factories import AT, DAY, ask, make_question, make_user
from .practice_log import answer, cached, candidate, folded, known

CHOICE_SLUGS = ("one", "two", "three")


def test_undo_restores_the_state_exactly(session: Session, engine: Engine) -> None:
    user = make_user(session)
    make_question(session, "one")
    answer(session, user, "one", "inside")
    before = known(session, user)
    review = answer(session, user, "one", "outside", at=AT + 3 * DAY)
    after = known(session, user)
    assert after.states != before.states
    assert after.calibration != before.calibration == PRIOR
    undone = undo(session, user, review.id, at=AT + 4 * DAY)
    assert undone.voided_at == AT + 4 * DAY
    session.commit()
    with reading(engine) as fresh:
        assert known(fresh, fresh.get_one(User, user.id)) == before
        assert fresh.scalar(select(func.count()).select_from(Review)) == 2


def test_undoing_a_first_review_makes_the_card_new_again(session: Session) -> None:
    user = make_user(session)
    make_question(session, "one")
    undo(session, user, answer(session, user, "one", "inside").id, at=AT)
    assert cached(session, user) == {}
    assert ask(session, user, "one").reason == "new"


def test_undo_is_one_step(session: Session) -> None:
    user = make_user(session)
    for slug in ("one", "two"):
        make_question(session, slug)
    first = answer(session, user, "one", "inside")
    second = answer(session, user, "two", "inside")
    with pytest.raises(Conflict) as refusal:
        undo(session, user, first.id, at=AT)
    assert refusal.value.code == "not-latest"
    undo(session, user, second.id, at=AT)
    with pytest.raises(Conflict) as refusal:
        undo(session, user, second.id, at=AT)
    assert refusal.value.code == "already-undone"
    undo(session, user, first.id, at=AT)
    assert cached(session, user) == {}


def test_the_latest_review_is_the_one_that_can_be_undone(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    for slug in ("one", "two"):
        make_question(session, slug)
    assert latest_review(session, user) is None
    log = [answer(session, user, slug, "inside") for slug in ("one", "two")]
    answer(session, other, "one", "inside")
    while log:
        latest = latest_review(session, user)
        assert latest is log.pop()
        undo(session, user, latest.id, at=AT)
    assert latest_review(session, user) is None


def test_the_dates_by_rating_are_those_that_the_ratings_give(session: Session) -> None:
    user = make_user(session)
    question = make_question(session, type="open", points=["one"])
    for at in (AT, AT + 3 * DAY):
        shown = ask(session, user, at=at)
        said = Submission(text="Words.")
        given = submit_answer(session, user, shown.id, said, at=at)
        dates = dates_by_rating(session, user, given, at=at)
        assert list(dates) == list(RATINGS)
        for rating in RATINGS:
            with session.begin_nested() as trial:
                mark_answer(session, user, given.id, [], rating, at=at)
                assert cached(session, user)[question.id].due == dates[rating]
                trial.rollback()
        mark_answer(session, user, given.id, [], "good", at=at)


def test_nobody_undoes_for_somebody_else(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    make_question(session, "one")
    review = answer(session, user, "one", "inside")
    for who, review_id in [(other, review.id), (user, "rev_unknown")]:
        with pytest.raises(NotFound) as refusal:
            undo(session, who, review_id, at=AT)
        assert refusal.value.code == "unknown-review"
    assert review.voided_at is None


def test_a_lapse_is_counted_only_when_something_was_known(session: Session) -> None:
    user = make_user(session)
    question = make_question(session, "one")
    answer(session, user, "one", "outside")
    assert cached(session, user)[question.id].lapses == 0
    answer(session, user, "one", "outside", at=AT + DAY)
    assert cached(session, user)[question.id].lapses == 1


def test_a_clock_set_back_schedules_nothing_into_the_past(session: Session) -> None:
    user = make_user(session)
    question = make_question(session, "one")
    answer(session, user, "one", "inside", at=AT + 5 * DAY)
    answer(session, user, "one", "inside", at=AT)
    state = cached(session, user)[question.id]
    assert state.last_day == (AT + 5 * DAY).date()
    assert state.due > state.last_day
    assert [row.sequence for row in reviews(session, user, limit=9)] == [2, 1]


def test_a_journey_west_repeats_no_day(session: Session) -> None:
    user = make_user(session, zone="Pacific/Kiritimati")
    question = make_question(session, "one")
    answer(session, user, "one", "inside")
    user.time_zone = "Pacific/Honolulu"
    review = answer(session, user, "one", "inside", at=AT + timedelta(hours=1))
    assert review.study_day < AT.date()
    assert cached(session, user)[question.id].last_day >= AT.date()
    assert cached(session, user) == folded(session, user)


def test_the_log_is_read_newest_first_page_by_page(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    make_question(session, "one")
    for place in range(5):
        answer(session, user, "one", "inside", at=AT + place * DAY)
    answer(session, other, "one", "inside")
    first = reviews(session, user, limit=2)
    rest = reviews(session, user, limit=9, after=first[-1].sequence)
    assert [row.sequence for row in first + rest] == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("seed", range(5))
def test_the_state_is_the_fold_of_the_log_after_anything(
    session: Session, engine: Engine, seed: int
) -> None:
    rng = Random(seed)
    user, other = make_user(session), make_user(session, "bob", "Asia/Shanghai")
    for slug in CHOICE_SLUGS:
        make_question(session, slug)
    make_question(session, "open", type="open")
    at = AT
    for _ in range(60):
        at += timedelta(hours=rng.choice([-30, 0, 1, 5, 20, 60, 400]))
        who = rng.choice([user, user, other])
        what = rng.random()
        if what < 0.3:
            if latest := [
                r for r in reviews(session, who, limit=60) if not r.voided_at
            ]:
                undo(session, who, latest[0].id, at=at)
        elif what < 0.5:
            shown = ask(session, who, "open", at=at)
            text = Submission(text="An answer.")
            given = submit_answer(session, who, shown.id, text, at=at)
            mark_answer(session, who, given.id, [], rng.choice(RATINGS), at=at)
        else:
            name = rng.choice(["inside", "inside", "outside"])
            answer(session, who, rng.choice(CHOICE_SLUGS), name, at=at)
        session.commit()
    with reading(engine) as fresh:
        for user_id in (user.id, other.id):
            someone = fresh.get_one(User, user_id)
            assert known(fresh, someone) == candidate(fresh, someone)
            assert known(fresh, someone).calibration != PRIOR
        assert fresh.scalar(select(func.count(Review.voided_at))), "nothing was undone"


def test_rebuilding_gives_the_same_bits(session: Session) -> None:
    user = make_user(session)
    for slug in CHOICE_SLUGS:
        make_question(session, slug)
    for place, name in enumerate(["inside", "outside", "inside", "inside"]):
        for slug in CHOICE_SLUGS:
            answer(session, user, slug, name, at=AT + 4 * place * DAY)
    kept = known(session, user)
    rows = session.scalars(select(MemoryState).order_by(MemoryState.question_id)).all()
    rows[0].stability, rows[0].due = 1.0, AT.date()
    session.delete(rows[1])
    user.calibration = list(PRIOR)
    session.flush()
    rebuild(session, user)
    assert known(session, user) == kept


def test_rebuilding_forgets_what_no_log_tells_and_follows_a_new_target(
    session: Session,
) -> None:
    user = make_user(session)
    question, other = make_question(session, "one"), make_question(session, "two")
    answer(session, user, "one", "inside")
    kept = cached(session, user)[question.id]
    session.add(MemoryState(user_id=user.id, question_id=other.id, **kept._asdict()))
    user.target_retention = 0.8
    session.flush()
    rebuild(session, user)
    states = cached(session, user)
    assert set(states) == {question.id}
    assert states[question.id].due > kept.due
    assert states == folded(session, user)


def test_a_review_keeps_what_it_was_predicted_with(session: Session) -> None:
    user = make_user(session)
    make_question(session, "one")
    answer(session, user, "one", "inside")
    answer(session, user, "one", "outside", at=AT + 3 * DAY)
    taught = known(session, user)
    review = answer(session, user, "one", "inside", at=AT + 5 * DAY)
    assert review.calibration == list(taught.calibration)
    (state,) = taught.states.values()
    recall = retrievability(2, state.stability)
    assert review.predicted == predicted(taught.calibration, recall)


def test_a_right_choice_proves_less_than_an_own_answer(session: Session) -> None:
    user = make_user(session)
    guessed = make_question(session, "one", others=("outside",))
    known_for_sure = make_question(session, "open", type="open")
    answer(session, user, "one", "inside")
    shown = ask(session, user, "open")
    given = submit_answer(session, user, shown.id, Submission(text="Words."), at=AT)
    mark_answer(session, user, given.id, [], "good", at=AT)
    states = cached(session, user)
    assert states[guessed.id].stability < states[known_for_sure.id].stability


def test_what_was_never_folded_is_folded_before_the_next_review(
    session: Session,
) -> None:
    user = make_user(session)
    for slug in ("one", "two"):
        make_question(session, slug)
    for place, name in enumerate(["inside", "outside", "inside"]):
        answer(session, user, "one", name, at=AT + 4 * place * DAY)
    row = session.scalars(select(MemoryState)).one()
    row.stability, user.calibration = 1.0, None
    session.flush()
    answer(session, user, "two", "inside", at=AT + 9 * DAY)
    assert user.calibration is not None
    assert known(session, user) == candidate(session, user)


def test_undo_after_a_fold_of_the_whole_log_gives_the_same_bits(
    session: Session,
) -> None:
    user = make_user(session)
    for slug in ("one", "two"):
        make_question(session, slug)
    log = [
        answer(session, user, slug, name, at=AT + 4 * place * DAY)
        for place, name in enumerate(["inside", "outside", "inside", "inside"])
        for slug in ("one", "two")
    ]
    for place, review in enumerate(reversed(log)):
        if place == 2:
            user.target_retention = 0.8
            session.flush()
            rebuild(session, user)
        undo(session, user, review.id, at=AT + 30 * DAY)
        assert known(session, user) == candidate(session, user)
    assert known(session, user) == Candidate({}, PRIOR)
