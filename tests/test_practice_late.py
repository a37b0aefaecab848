"""An answer that arrives late counts for the moment it was given."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import Answer, MemoryState, Presentation, Review
from quizsvc.practice import LIFETIME, Submission, due, submit_answer, today
from quizsvc.practice.answering import SKEW
from quizsvc.refusals import Gone, Invalid

from .api_helpers import answer, show, stock
from .factories import make_item
from .practice_factories import AT, DAY, ask, ids, make_question, make_user

MINUTE = timedelta(minutes=1)


def given(session: Session, moment: datetime, arrival: datetime) -> Answer:
    user = make_user(session)
    make_question(session)
    shown = ask(session, user)
    said = Submission(choices=ids(shown, "inside"), seconds=30, answered_at=moment)
    return submit_answer(session, user, shown.id, said, at=arrival)


def test_a_late_answer_counts_for_the_day_it_was_given(
    session: Session, engine: Engine
) -> None:
    moment = AT + LIFETIME - MINUTE
    given(session, moment, arrival=AT + 3 * DAY)
    session.commit()
    with reading(engine) as fresh:
        assert fresh.scalars(select(Answer)).one().answered_at == moment
        review = fresh.scalars(select(Review)).one()
        assert (review.reviewed_at, review.study_day) == (moment, moment.date())
        state = fresh.scalars(select(MemoryState)).one()
        assert state.last_day == moment.date()


def test_an_answer_given_after_the_expiry_is_refused_when_it_arrives(
    session: Session,
) -> None:
    with pytest.raises(Gone):
        given(session, AT + LIFETIME, arrival=AT + 3 * DAY)


@pytest.mark.parametrize("moment", [AT - SKEW - MINUTE, AT + MINUTE + SKEW + MINUTE])
def test_an_answer_is_given_neither_before_its_question_nor_in_the_future(
    session: Session, moment: datetime
) -> None:
    with pytest.raises(Invalid) as refusal:
        given(session, moment, arrival=AT + MINUTE)
    assert refusal.value.errors[0].pointer == "/answered_at"


@pytest.mark.parametrize(("moment", "counted"), [(AT - SKEW, AT), (AT + SKEW, AT)])
def test_a_clock_that_is_a_little_wrong_is_set_right(
    session: Session, moment: datetime, counted: datetime
) -> None:
    assert given(session, moment, arrival=AT).answered_at == counted


def test_late_answers_may_arrive_in_another_order(session: Session) -> None:
    user = make_user(session)
    for slug in ("one", "two"):
        make_question(session, slug)
    shown = {slug: ask(session, user, slug) for slug in ("one", "two")}
    for slug, moment in (("two", AT + 2 * MINUTE), ("one", AT + MINUTE)):
        said = Submission(dont_know=True, answered_at=moment)
        submit_answer(session, user, shown[slug].id, said, at=AT + DAY)
    log = session.scalars(select(Review).order_by(Review.sequence)).all()
    assert [r.reviewed_at - AT for r in log] == [2 * MINUTE, MINUTE]
    assert {state.last_day for state in session.scalars(select(MemoryState))} == {
        AT.date()
    }


def test_a_question_made_ahead_changes_nothing_that_is_due(session: Session) -> None:
    user = make_user(session)
    for slug in ("met", "new"):
        make_question(session, slug)
    met = ask(session, user, "met")
    submit_answer(session, user, met.id, Submission(dont_know=True), at=AT)
    later = AT + 9 * DAY
    before = due(session, user, at=later), today(session, user, at=later)
    for slug in ("met", "new"):
        ask(session, user, slug, at=later - MINUTE)
    assert (due(session, user, at=later), today(session, user, at=later)) == before
    assert session.scalars(select(MemoryState)).one().reviews == 1
    assert len(session.scalars(select(Review)).all()) == 1


@pytest.fixture
def bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item()])


def test_the_moment_of_a_late_answer_is_taken_and_sent_twice_is_stored_once(
    client: FlaskClient, engine: Engine, bank: None
) -> None:
    shown = show(client, "norm-position")
    with reading(engine) as session:
        made = session.scalars(select(Presentation)).one().created_at
    said = {"dont_know": True, "seconds": 5, "answered_at": made.isoformat()}
    replies = [answer(client, shown, "offline-1", **said) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [201, 201]
    assert replies[0].get_json() == replies[1].get_json()
    with reading(engine) as session:
        assert session.scalars(select(Answer)).one().answered_at == made


@pytest.mark.parametrize(
    "moment", ["2020-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "2026-01-01", 1]
)
def test_another_moment_is_422(client: FlaskClient, bank: None, moment: object) -> None:
    shown = show(client, "norm-position")
    reply = answer(client, shown, dont_know=True, answered_at=moment)
    assert reply.status_code == 422, reply.text
    assert reply.get_json()["errors"][0]["pointer"].endswith("/answered_at")
