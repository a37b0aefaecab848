"""The log in and out of files: all or none, once, in its place; fold(log) = state."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from quizsvc.db import reading, writing
from quizsvc.models import Review, User
from quizsvc.practice import (
    Submission,
    export_reviews,
    import_reviews,
    latest_review,
    progress,
    reviews,
    submit_answer,
    undo,
)
from quizsvc.refusals import Conflict, Invalid

from .practice_factories import AT, DAY, ask, ids, make_candidate, make_user
from .practice_log import (
    HEAD,
    answer,
    bring,
    cached,
    candidate,
    forget,
    history,
    known,
    log,
)

SLUGS = ("one", "two", "three")


@pytest.fixture
def user(session: Session) -> User:
    return make_candidate(session, *SLUGS)


def test_a_history_of_another_tool_becomes_states(
    session: Session, engine: Engine, user: User
) -> None:
    text = history(("one", 30, 3), ("two", 20, 1), ("one", 10, 3), ("two", 5, 2))
    report = bring(session, user, text)
    session.commit()

    assert (report.rows, report.new, report.questions) == (4, 4, 2)
    assert (report.first, report.last) == (AT - 30 * DAY, AT - 5 * DAY)
    with reading(engine) as fresh:
        found = fresh.scalars(select(Review).order_by(Review.sequence)).all()
        assert [r.sequence for r in found] == [1, 2, 3, 4]
        assert [r.predicted is None for r in found] == [True, True, False, False]
        assert {(r.answer_id, r.chance, r.confidence) for r in found} == {
            (None, 0, None)
        }
        assert len(cached(fresh, user)) == 2
        assert known(fresh, user) == candidate(fresh, user)


def test_the_same_file_again_changes_nothing(session: Session, user: User) -> None:
    text = history(("one", 30, 3), ("two", 20, 1))
    bring(session, user, text)
    before = log(session, user), known(session, user)
    report = bring(session, user, text)

    assert (report.new, report.known, report.first) == (0, 2, None)
    assert (log(session, user), known(session, user)) == before


def test_a_dry_run_reports_the_same_and_changes_nothing(
    session: Session, user: User
) -> None:
    answer(session, user, "one", "inside")
    before = log(session, user), known(session, user)
    text = history(("one", 30, 3), ("elsewhere", 3, 3))
    dry = bring(session, user, text, dry_run=True)

    assert (log(session, user), known(session, user)) == before
    assert bring(session, user, text) == dry
    assert len(log(session, user)) == 2


def test_older_reviews_take_their_place_before_what_was_answered_here(
    session: Session, engine: Engine, user: User
) -> None:
    here = answer(session, user, "one", "inside", at=AT - DAY)
    said = here.before, here.after, here.predicted
    bring(session, user, history(("one", 20, 3), ("two", 0.5, 3)))
    session.commit()

    with reading(engine) as fresh:
        newest_first = reviews(fresh, user, limit=9)
        assert [r.answer_id is not None for r in newest_first] == [False, True, False]
        assert [r.sequence for r in newest_first] == [3, 2, 1]
        kept = newest_first[1]
        assert (kept.before, kept.after, kept.predicted) == said
        assert known(fresh, user) == candidate(fresh, user)
    answer(session, user, "three", "inside", at=AT)
    assert reviews(session, user, limit=1)[0].sequence == 4


def test_undo_takes_back_the_last_answer_and_never_what_was_imported(
    session: Session, user: User
) -> None:
    here = answer(session, user, "one", "inside", at=AT - DAY)
    bring(session, user, history(("one", 20, 3), ("one", 0.5, 3)))
    newest = reviews(session, user, limit=1)[0]
    with pytest.raises(Conflict) as refused:
        undo(session, user, newest.id, at=AT)
    assert refused.value.code == "imported-review"

    latest = latest_review(session, user)
    assert latest is not None
    assert latest.id == here.id
    undo(session, user, here.id, at=AT)
    assert known(session, user) == candidate(session, user)
    assert latest_review(session, user) is None


def test_what_was_undone_is_not_in_the_file_and_does_not_come_back(
    session: Session, user: User
) -> None:
    kept = answer(session, user, "one", "inside", at=AT - 2 * DAY)
    undone = answer(session, user, "two", "outside", at=AT - DAY)
    before = export_reviews(session, user)
    assert before.count("\n") == 3
    undo(session, user, undone.id, at=AT)
    after = export_reviews(session, user)
    assert after.splitlines() == before.splitlines()[:2]

    report = bring(session, user, before)
    assert (report.new, report.known) == (0, 2)
    assert set(cached(session, user)) == {kept.question_id}


def test_times_of_a_file_are_read_in_its_zone_and_days_in_it_too(
    session: Session, user: User
) -> None:
    text = f"{HEAD}\none,2026-01-05 03:30,3\none,2026-01-05 04:30,3"
    with pytest.raises(Invalid, match="zone"):
        bring(session, user, text)
    bring(session, user, text, zone="Asia/Shanghai")
    rows = session.scalars(select(Review).order_by(Review.sequence)).all()
    assert [r.study_day for r in rows] == [date(2026, 1, 4), date(2026, 1, 5)]
    assert rows[0].reviewed_at == datetime(2026, 1, 4, 19, 30, tzinfo=UTC)


def test_the_export_is_the_import_of_another_database(
    session: Session, engine: Engine, user: User
) -> None:
    rng = random.Random(5)
    for n in range(40):
        at = AT - timedelta(days=20) + timedelta(hours=11.3 * n, microseconds=7 * n)
        name = rng.choice(["inside", "inside", "outside"])
        shown = ask(session, user, rng.choice(SLUGS), at=at)
        said = Submission(
            choices=ids(shown, name),
            dont_know=n % 9 == 0,
            confidence=rng.choice([None, "sure", "unsure"]),
            seconds=rng.uniform(1, 90),
        )
        review = submit_answer(session, user, shown.id, said, at=at).review
        if review is not None and n % 7 == 3:
            undo(session, user, review.id, at=at + timedelta(seconds=5))
    text = export_reviews(session, user)
    told = progress(session, user, at=AT)
    assert told.confidence
    states = known(session, user)
    session.commit()

    with writing(engine) as fresh:
        other = make_user(fresh, "bob", "Pacific/Kiritimati")
        report = import_reviews(fresh, other, text.encode(), at=AT)
        fresh.commit()
    assert report.new == report.rows == text.count("\n") - 1
    with reading(engine) as fresh:
        bob = fresh.scalars(select(User).where(User.name == "bob")).one()
        assert export_reviews(fresh, bob) == text
        assert known(fresh, bob) == states == candidate(fresh, bob)
        bob.time_zone = user.time_zone
        assert progress(fresh, bob, at=AT) == told


def test_any_mixture_of_answers_undos_and_imports_folds_to_the_state(
    session: Session, user: User
) -> None:
    rng = random.Random(11)

    def answers(at: datetime) -> None:
        answer(
            session, user, rng.choice(SLUGS), rng.choice(["inside", "outside"]), at=at
        )

    def undoes(at: datetime) -> None:
        if latest := latest_review(session, user):
            undo(session, user, latest.id, at=at)

    def imports(at: datetime) -> None:
        rows = [
            (rng.choice(SLUGS), rng.uniform(0.1, 60), rng.randint(1, 4)) for _ in "12"
        ]
        import_reviews(session, user, history(*rows).encode(), at=at)

    actions: list[Callable[[datetime], None]] = [answers, answers, undoes, imports]
    for n in range(40):
        rng.choice(actions)(AT + n * timedelta(hours=5))
        assert known(session, user) == candidate(session, user)
    numbers = [row[0] for row in log(session, user)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_somebody_elses_log_stays_as_it_is(session: Session, user: User) -> None:
    bob = make_user(session, "bob")
    answer(session, bob, "one", "inside")
    before = log(session, bob), known(session, bob)
    bring(session, user, history(("one", 9, 3)))
    assert (log(session, bob), known(session, bob)) == before


def test_two_halves_make_the_whole(session: Session, user: User) -> None:
    rows = [("one", 30.0, 3), ("two", 25.0, 1), ("one", 20.0, 1), ("two", 9.0, 3)]
    bring(session, user, history(*rows))
    whole = log(session, user), known(session, user)
    forget(session, user)
    bring(session, user, history(*rows[1::2]))
    bring(session, user, history(*rows[::2]))
    assert (log(session, user), known(session, user)) == whole
