"""The bank explored: filters, order, standing, neighbours, the map of topics, rounds."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy.orm import Session

from quizsvc.models import User
from quizsvc.practice import (
    Submission,
    explore,
    latest_review,
    published,
    submit_answer,
    undo,
)
from quizsvc.practice.explore import ORDERS, Wanted
from quizsvc.practice.explore.listing import _words
from quizsvc.practice.remarks import keep
from quizsvc.scheduling.memory import RETENTION

from .practice_factories import AT, DAY, ask, ids, make_question, make_user


@pytest.fixture
def user(session: Session) -> User:
    """Somebody whose bank has five questions; one is retired."""
    make_question(session, "alpha", level="easy")
    make_question(session, "beta", type="multi", level="mid")
    make_question(session, "gamma", type="open", level="mid")
    make_question(session, "delta", langs=["en"], level="hard")
    depth = make_question(session, "depth", level="easy")
    assert depth.current is not None
    depth.current.topic = "depth"
    make_question(session, "retired").retired_at = AT
    for slug, tags in {"alpha": ["stem", "outside"], "beta": ["stem"]}.items():
        published(session, slug).tags = tags
    session.flush()
    return make_user(session)


def answer(session: Session, user: User, slug: str, *, right: bool, days: int) -> None:
    """Answer a question so many days before ``AT``."""
    at = AT - days * DAY
    shown = ask(session, user, slug, at=at)
    said = Submission(choices=ids(shown, "inside" if right else "outside"))
    submit_answer(session, user, shown.id, said, at=at)


def slugs(session: Session, user: User, lang: str = "en", **wanted: Any) -> list[str]:
    bank = explore.everything(session, user, at=AT)
    return [one.slug for one in explore.search(bank, Wanted(**wanted), lang).questions]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, "alpha beta delta depth gamma"),
        ({"lang": "zh"}, "alpha beta depth gamma"),
        ({"level": "mid"}, "beta gamma"),
        ({"level": "mid", "type": "open"}, "gamma"),
        ({"type": "multi"}, "beta"),
        ({"type": "choice"}, "alpha beta delta depth"),
        ({"topic": "placement", "pack": "pack"}, "alpha beta delta gamma"),
        ({"topic": "depth"}, "depth"),
        ({"topic": "models"}, ""),
        ({"pack": "other"}, ""),
        ({"tag": "stem"}, "alpha beta"),
        ({"tag": "outside"}, ""),  # no title or stem says it
        ({"q": "OF BETA"}, "beta"),
        ({"q": "stem"}, "alpha beta delta depth gamma"),
        ({"level": "", "type": "", "q": ""}, "alpha beta delta depth gamma"),
        ({"lang": "zh", "q": "delta"}, "delta"),  # written in English alone
        ({"lang": "zh", "q": "delta", "level": "easy"}, ""),
        ({"state": "unseen"}, "alpha beta delta depth gamma"),
        ({"state": "due"}, ""),
        ({"flagged": True}, ""),
        ({"flagged": False}, "alpha beta delta depth gamma"),
    ],
    ids=str,
)
def test_a_search_finds_what_passes_every_filter_by_slug(
    session: Session, user: User, query: dict[str, Any], expected: str
) -> None:
    assert slugs(session, user, **query) == expected.split()


@pytest.mark.parametrize(
    "hidden",
    [
        *("%", "_", "outside", "inside", "Short", "Hook", "Belief", "formulas"),
        *("phrase", "mistake", "Paper", "again", "retired"),
    ],
)
def test_a_search_is_literal_and_looks_at_nothing_hidden(
    session: Session, user: User, hidden: str
) -> None:
    assert slugs(session, user, q=hidden) == []
    assert slugs(session, user, "zh", q=hidden) == []


def test_a_question_is_unseen_then_due_or_learning_or_known(
    session: Session, user: User
) -> None:
    answer(session, user, "alpha", right=False, days=0)
    for days in (60, 50, 30, 1):
        answer(session, user, "beta", right=True, days=days)
    answer(session, user, "depth", right=False, days=30)
    keep(session, user, _id(session, user, "beta"), flagged=True, at=AT)
    states = {one.slug: one for one in explore.everything(session, user, at=AT)}
    assert {slug: one.standing for slug, one in states.items()} == {
        "alpha": "learning",
        "beta": "known",
        "delta": "unseen",
        "depth": "due",
        "gamma": "unseen",
    }
    for state in ("unseen", "learning", "due", "known"):
        found = slugs(session, user, state=state)
        assert found == [s for s, one in states.items() if one.standing == state]
    assert slugs(session, user, flagged=True) == ["beta"]
    other = make_user(session, "bob")
    assert (
        slugs(session, other, flagged=True) == slugs(session, other, state="due") == []
    )
    recalled = {slug: one.recall for slug, one in states.items()}
    assert recalled["gamma"] is None
    assert 0 < (recalled["depth"] or 0) < (recalled["beta"] or 0) < 1


def _id(session: Session, user: User, slug: str) -> int:
    bank = explore.everything(session, user, at=AT)
    return next(one.id for one in bank if one.slug == slug)


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_is_strict_and_has_every_question_once(
    session: Session, user: User, order: Any
) -> None:
    answer(session, user, "beta", right=True, days=9)
    answer(session, user, "depth", right=False, days=3)
    bank = explore.everything(session, user, at=AT)
    found = explore.search(bank, Wanted(q="stem"), "en")
    places = sorted(
        explore.place(one, order, lang="en", found=found, q="stem")
        for one in found.questions
    )
    assert all(one < other for one, other in pairwise(places))
    expected = {
        "fit": "alpha depth beta gamma delta",
        "level": "alpha depth beta gamma delta",
        "title": "alpha beta delta depth gamma",
        "due": "beta depth alpha gamma delta",
        "recall": "depth beta alpha gamma delta",
    }
    assert [place[-1] for place in places] == expected[order].split()


def test_what_is_related_shares_rare_tags_first(session: Session, user: User) -> None:
    bank = explore.everything(session, user, at=AT)
    assert [one.slug for one in explore.related(bank, "alpha", 2)] == ["beta", "delta"]
    assert [one.slug for one in explore.related(bank, "depth", 5)] == []


def test_the_map_counts_what_is_met_and_says_what_is_recalled(
    session: Session, user: User
) -> None:
    told = explore.topic_map(session, user, at=AT)
    assert [(row.topic, row.all.questions) for row in told.rows] == [
        ("placement", 4),
        ("depth", 1),
    ]
    assert told.levels == ["easy", "mid", "hard"]
    assert {row.all.mastery for row in told.rows} == {"unmet"}
    assert told.rows[0].levels["easy"].tomorrow is None

    for days in (60, 50, 30, 1):
        answer(session, user, "alpha", right=True, days=days)
    answer(session, user, "beta", right=True, days=1)
    user.interview_date = (AT + timedelta(days=400)).date()
    placement, depth = explore.topic_map(session, user, at=AT).rows
    easy, mid = placement.levels["easy"], placement.levels["mid"]
    assert (easy.questions, easy.met) == (1, 1)
    assert easy.tomorrow is not None
    assert easy.then is not None
    assert easy.share == easy.tomorrow > RETENTION > easy.then
    assert easy.mastery == "firm"
    assert mid.questions == 2
    assert mid.met == 1
    assert mid.tomorrow is not None
    assert mid.share == pytest.approx(
        mid.tomorrow / 2
    )  # the other one counts as not known
    assert placement.levels.keys() == {"easy", "mid", "hard"}
    assert placement.levels["hard"].then is None
    assert depth.levels.keys() == {"easy"}

    bank = {one.slug: one for one in explore.everything(session, user, at=AT)}
    assert explore.at_interview(user, bank["alpha"], at=AT) == easy.then
    assert explore.at_interview(user, bank["gamma"], at=AT) is None
    user.interview_date = (AT - timedelta(days=1)).date()
    assert explore.topic_map(session, user, at=AT).interview is None
    assert explore.at_interview(user, bank["alpha"], at=AT) is None


def test_what_was_answered_wrong_last_is_never_called_mastered(
    session: Session, user: User
) -> None:
    for days in (400, 380, 330, 200):
        answer(session, user, "alpha", right=True, days=days)

    def cell() -> explore.Cell:
        return explore.topic_map(session, user, at=AT).rows[0].levels["easy"]

    answer(session, user, "alpha", right=False, days=0)
    (wrong,) = (
        x for x in explore.everything(session, user, at=AT) if x.slug == "alpha"
    )
    assert wrong.wrong
    assert wrong.standing == "learning"
    assert wrong.recall is not None
    assert wrong.recall < 1  # tomorrow's: that of now would be one
    assert cell().tomorrow == wrong.recall
    assert (cell().share, cell().mastery) == (0.0, "thin")

    answer(session, user, "alpha", right=True, days=0)
    assert cell().share == cell().tomorrow
    assert cell().mastery in {"good", "firm"}


def test_a_wrong_answer_that_was_undone_is_not_the_last(
    session: Session, user: User
) -> None:
    answer(session, user, "alpha", right=True, days=3)
    answer(session, user, "alpha", right=False, days=0)
    newest = latest_review(session, user)
    assert newest is not None
    undo(session, user, newest.id, at=AT)
    bank = {one.slug: one for one in explore.everything(session, user, at=AT)}
    assert not bank["alpha"].wrong


def test_the_day_of_the_interview_is_told_while_it_is_ahead(
    session: Session, user: User
) -> None:
    answer(session, user, "alpha", right=True, days=0)
    for days, told in ((0, False), (1, True)):
        user.interview_date = (AT + timedelta(days=days)).date()
        found = explore.topic_map(session, user, at=AT)
        assert (found.interview is not None) == told


def test_a_round_asks_each_of_its_questions_once_a_day(
    session: Session, user: User
) -> None:
    for days in (9, 1):
        answer(session, user, "alpha", right=True, days=days)  # not due
    answer(session, user, "beta", right=False, days=30)  # due

    def left(**wanted: Any) -> list[str]:
        return explore.in_round(session, user, Wanted(**wanted), "en", at=AT)

    placement = left(topic="placement")
    assert placement[0] == "beta"
    assert placement[-1] == "alpha"
    assert sorted(placement) == ["alpha", "beta", "delta", "gamma"]
    assert left(topic="placement", level="mid") == ["beta", "gamma"]
    assert left(topic="depth") == ["depth"]
    assert left(q="of delta") == ["delta"]

    answer(session, user, "beta", right=False, days=0)
    answer(session, user, "alpha", right=True, days=0)
    assert sorted(left(topic="placement")) == ["delta", "gamma"]
    answer(session, user, "depth", right=True, days=0)
    assert left(topic="depth") == []


def test_a_round_goes_beyond_the_goal(session: Session, user: User) -> None:
    user.topics = ["depth"]
    found = explore.in_round(session, user, Wanted(topic="placement"), "en", at=AT)
    assert sorted(found) == ["alpha", "beta", "delta", "gamma"]


def test_what_is_retired_between_two_reads_of_the_bank_still_has_its_words(
    session: Session,
) -> None:
    question = make_question(session, "leaving")
    assert question.current is not None
    content = question.current.content_hash
    question.retired_at = AT
    session.flush()
    assert _words(session, {content})[content].titles["en"] == "Title of leaving (en)"
