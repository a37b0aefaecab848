"""Many hands at once: an answer is recorded once, and one user is made."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from quizsvc.db import reading, writing
from quizsvc.models import Answer, Presentation, Review, User
from quizsvc.practice import Submission, local_user, submit_answer
from quizsvc.refusals import Conflict, Refused

from .practice_factories import AT, ask, make_question, make_user


def submit_elsewhere(engine: Engine, user_id: int, presentation_id: str) -> str:
    """Submit in a session of its own, and say what came of it."""
    with writing(engine) as session:
        user = session.get_one(User, user_id)
        try:
            submit_answer(
                session, user, presentation_id, Submission(dont_know=True), at=AT
            )
            session.commit()
        except Refused as refusal:
            return refusal.code
        return "recorded"


def test_of_parallel_submissions_one_is_recorded(
    session: Session, engine: Engine
) -> None:
    user = make_user(session)
    shown = []
    for place in range(5):
        make_question(session, f"q{place}")
        shown.append(ask(session, user, f"q{place}").id)
    user_id = user.id
    session.commit()
    with ThreadPoolExecutor(8) as pool:
        said = pool.map(lambda name: submit_elsewhere(engine, user_id, name), shown * 8)
    results = list(said)
    assert results.count("recorded") == len(shown)
    assert set(results) == {"recorded", "already-answered"}
    with reading(engine) as fresh:
        assert fresh.scalar(select(func.count()).select_from(Answer)) == len(shown)
        sequences = fresh.scalars(select(Review.sequence)).all()
        assert sorted(sequences) == [1, 2, 3, 4, 5]


def test_a_submission_sees_an_answer_given_since_the_question_was_looked_at(
    session: Session, engine: Engine
) -> None:
    user = make_user(session)
    make_question(session, "one")
    shown = ask(session, user, "one")
    user_id, shown_id = user.id, shown.id
    session.commit()
    with writing(engine) as looking:
        me = looking.get_one(User, user_id)
        assert looking.get_one(Presentation, shown_id).answer is None
        looking.commit()
        assert submit_elsewhere(engine, user_id, shown_id) == "recorded"
        with pytest.raises(Conflict) as refusal:
            submit_answer(looking, me, shown_id, Submission(dont_know=True), at=AT)
    assert refusal.value.code == "already-answered"


def test_the_local_user_is_made_once_by_many(engine: Engine) -> None:
    def make(_: int) -> int:
        with writing(engine) as session:
            user = local_user(session, at=AT)
            session.commit()
            return user.id

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(make, range(8)))) == 1
