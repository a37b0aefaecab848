"""What goes in time: replies nobody asks for again, showings nobody answered."""

from datetime import timedelta

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import Answer, IdempotencyKey, Presentation, User
from quizsvc.practice import LIFETIME, Submission, forget_expired, submit_answer

from .practice_factories import AT, DAY, ask, make_question, make_user

HOUR = timedelta(hours=1)


def remember_reply(session: Session, user: User, key: str, *, hours: int) -> None:
    reply = {"fingerprint": "0" * 64, "status": 201, "body": "{}", "location": None}
    made = AT - hours * HOUR
    session.add(IdempotencyKey(user_id=user.id, key=key, created_at=made, **reply))
    session.flush()


def test_replies_are_kept_for_two_days(session: Session, engine: Engine) -> None:
    user = make_user(session)
    for key, hours in [("new", 0), ("kept", 47), ("old", 49), ("ancient", 999)]:
        remember_reply(session, user, key, hours=hours)
    forget_expired(session, at=AT)
    session.commit()
    with reading(engine) as fresh:
        assert set(fresh.scalars(select(IdempotencyKey.key))) == {"new", "kept"}


def test_showings_go_a_week_after_they_ran_out_unless_they_were_answered(
    session: Session, engine: Engine
) -> None:
    user = make_user(session)
    for slug in ("one", "two"):
        make_question(session, slug)
    gone = AT - LIFETIME - 7 * DAY - HOUR
    answered = ask(session, user, "one", at=gone)
    for slug in ("one", "two"):
        ask(session, user, slug, at=gone)
    submit_answer(session, user, answered.id, Submission(dont_know=True), at=gone)
    kept = {ask(session, user, "two", at=at).id for at in (gone + 2 * HOUR, AT)}
    forget_expired(session, at=AT)
    session.commit()
    with reading(engine) as fresh:
        left = set(fresh.scalars(select(Presentation.id)))
        assert left == {answered.id, *kept}
        assert fresh.scalars(select(Answer.presentation_id)).all() == [answered.id]
