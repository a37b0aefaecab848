"""What is wrong with a file of reviews: refused by its line, or left out and counted."""

import pytest
from sqlalchemy.orm import Session

from quizsvc.models import User
from quizsvc.practice import import_reviews
from quizsvc.practice.exchange import importing
from quizsvc.refusals import Invalid

from .practice_factories import AT, make_candidate
from .practice_log import HEAD, bring, forget, history, known, log


@pytest.fixture
def user(session: Session) -> User:
    return make_candidate(session, "one", "two")


def test_one_mistake_refuses_the_whole_file(session: Session, user: User) -> None:
    with pytest.raises(Invalid) as refused:
        bring(session, user, history(("one", 3, 3), ("one", 2, 7), ("two", -1, 3)))
    assert [error.pointer for error in refused.value.errors] == [
        "/lines/3/review_rating",
        "/lines/4/review_time",
    ]
    assert "Line 3" in refused.value.detail
    assert log(session, user) == []


def test_mistakes_are_told_up_to_a_hundred_and_counted(
    session: Session, user: User
) -> None:
    with pytest.raises(Invalid) as refused:
        bring(session, user, history(*[("one", 3, 7)] * 150))
    assert len(refused.value.errors) == 100
    assert "150 mistakes" in refused.value.detail


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (f"{HEAD}\none,\xff,3".encode("latin-1"), "/lines/2"),
        (b"\xff\xfe\0", "/lines/1"),
        (b"x" * (8 * 1024 * 1024 + 1), "/file"),
    ],
)
def test_what_is_no_text_or_too_long_is_refused(
    session: Session, user: User, data: bytes, pointer: str
) -> None:
    with pytest.raises(Invalid) as refused:
        import_reviews(session, user, data, at=AT)
    assert refused.value.errors[0].pointer == pointer


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "America", "", "\0"])
def test_an_unknown_zone_is_refused(session: Session, user: User, zone: str) -> None:
    with pytest.raises(Invalid) as refused:
        bring(session, user, history(), zone=zone)
    assert refused.value.errors[0].pointer == "/zone"


def test_unknown_cards_are_left_out_and_reported(session: Session, user: User) -> None:
    text = history(
        ("gone", 9, 3), ("one", 8, 3), ("gone", 7, 1), ("1711684180217", 6, 3)
    )
    report = bring(session, user, text)
    assert [tuple(card) for card in report.unknown] == [
        ("gone", 2, 2),
        ("1711684180217", 1, 5),
    ]
    assert (report.rows, report.new) == (4, 1)


def test_lines_out_of_order_and_said_twice_are_counted(
    session: Session, user: User
) -> None:
    tidy = history(("one", 9, 3), ("one", 5, 1), ("one", 2, 3))
    mixed = history(("one", 2, 3), ("one", 9, 3), ("one", 5, 1), ("one", 9, 3))
    report = bring(session, user, mixed)
    assert (report.new, report.repeated, report.out_of_order) == (3, 1, 2)
    found = log(session, user), known(session, user)

    forget(session, user)
    bring(session, user, tidy)
    assert (log(session, user), known(session, user)) == found


def test_a_file_that_contradicts_the_log_is_refused(
    session: Session, user: User
) -> None:
    bring(session, user, history(("one", 9, 3)))
    with pytest.raises(Invalid) as refused:
        bring(session, user, history(("one", 9, 1), ("two", 8, 3)))
    assert refused.value.errors[0].code == "contradiction"
    assert len(log(session, user)) == 1


def test_a_file_that_would_keep_all_others_waiting_is_refused(
    session: Session, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MOST", 2)
    rows = [("one", 3, 3), ("one", 2, 3), ("two", 1, 3)]
    with pytest.raises(Invalid) as refused:
        bring(session, user, history(*rows))
    assert (refused.value.errors[0].pointer, log(session, user)) == ("/file", [])
    bring(session, user, history(*rows[:2]))
    bring(session, user, history(*rows))  # only what is new counts
    assert len(log(session, user)) == 3


def test_lines_may_end_as_on_any_machine(session: Session, user: User) -> None:
    text = history(("one", 3, 3), ("two", 2, 3))
    for ending in ("\r", "\r\n", "\n"):
        bring(session, user, text.replace("\n", ending))
        assert len(log(session, user)) == 2
