"""Laws of flags and notes: kept by person and question, shown when they tell no key."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from quizsvc.db import reading
from quizsvc.models import Presentation, Remark
from quizsvc.practice import remarks
from quizsvc.practice.remarks import MAX_NOTE, NOTHING, Kept
from quizsvc.refusals import Invalid

from .practice_factories import AT, DAY, ask, make_question, make_user

LATER = AT + timedelta(minutes=5)


def rows(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(Remark)) or 0


def test_flag_and_note_are_kept(session: Session, engine: Engine) -> None:
    user, question = make_user(session), make_question(session)
    assert remarks.kept(session, user, question.id) == NOTHING
    remarks.keep(session, user, question.id, flagged=True, at=AT)
    remarks.keep(session, user, question.id, note=" 先归一化。\r\nThen add. ", at=LATER)
    session.commit()
    with reading(engine) as fresh:
        found = remarks.kept(fresh, user, question.id)
        assert found == Kept(True, "先归一化。\nThen add.", LATER)


def test_the_flag_leaves_the_note_as_it_is(session: Session) -> None:
    user, question = make_user(session), make_question(session)
    remarks.keep(session, user, question.id, note="Mine.", at=AT)
    for flag in (True, False):
        found = remarks.keep(session, user, question.id, flagged=flag, at=LATER)
        assert found == Kept(flag, "Mine.", AT)


def test_a_note_that_does_not_change_keeps_its_time(session: Session) -> None:
    user, question = make_user(session), make_question(session)
    remarks.keep(session, user, question.id, note="Mine.", at=AT)
    again = remarks.keep(session, user, question.id, note="Mine. ", at=LATER)
    assert again.written_at == AT


def test_flagged_questions_are_found(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    first, second, third = (make_question(session, slug) for slug in ("a", "b", "c"))
    remarks.keep(session, user, first.id, flagged=True, at=AT)
    remarks.keep(session, user, second.id, note="No flag.", at=AT)
    remarks.keep(session, other, third.id, flagged=True, at=AT)
    assert remarks.flagged(session, user) == {first.id}
    assert remarks.flagged(session, other) == {third.id}
    remarks.keep(session, user, first.id, flagged=False, at=AT)
    assert remarks.flagged(session, user) == set()


def test_without_flag_and_note_nothing_is_stored(
    session: Session, engine: Engine
) -> None:
    user, question = make_user(session), make_question(session)
    remarks.keep(session, user, question.id, flagged=False, note="  ", at=AT)
    assert rows(session) == 0
    remarks.keep(session, user, question.id, flagged=True, note="x", at=AT)
    assert rows(session) == 1
    remarks.keep(session, user, question.id, flagged=False, note="", at=AT)
    session.commit()
    with reading(engine) as fresh:
        assert rows(fresh) == 0
        assert remarks.kept(fresh, user, question.id) == NOTHING


def test_a_note_that_is_too_long_is_refused_and_the_old_one_stays(
    session: Session,
) -> None:
    user, question = make_user(session), make_question(session)
    remarks.keep(session, user, question.id, note="字" * MAX_NOTE, at=AT)
    with pytest.raises(Invalid) as refusal:
        remarks.keep(session, user, question.id, note="x" * (MAX_NOTE + 1), at=LATER)
    assert refusal.value.errors[0].pointer == "/note"
    assert remarks.kept(session, user, question.id).note == "字" * MAX_NOTE


def test_a_note_of_an_earlier_meeting_may_tell_the_key(session: Session) -> None:
    user, question = make_user(session), make_question(session)
    first = ask(session, user)
    now = remarks.keep(session, user, question.id, note="Inside.", at=LATER)
    later = ask(session, user, at=AT + DAY)
    assert not remarks.tells(now, first)
    assert remarks.tells(now, later)
    flag = remarks.keep(session, user, question.id, flagged=True, at=AT + 2 * DAY)
    assert remarks.tells(flag, later)
    assert not remarks.tells(NOTHING, later)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_only_what_was_written_before_the_question_was_shown_waits(
    written: int, shown: int
) -> None:
    note = Kept(False, "x", AT + timedelta(seconds=written))
    question = Presentation(created_at=AT + timedelta(seconds=shown))
    assert remarks.tells(note, question) is (written < shown)
