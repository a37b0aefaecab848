"""The bank as a candidate may see it: one question, or those that a search narrows to."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.orm import Session

from quizsvc.models import MemoryState
from quizsvc.practice import Submission, published, search, submit_answer
from quizsvc.refusals import NotFound

from .practice_factories import AT, ask, make_question, make_user


def stock(session: Session) -> None:
    make_question(session, "alpha", level="easy")
    make_question(session, "beta", type="multi", level="mid")
    make_question(session, "gamma", type="open", level="mid")
    make_question(session, "delta", langs=["en"], level="hard")
    make_question(session, "retired").retired_at = AT
    session.flush()


def slugs(session: Session, **query: Any) -> list[str]:
    found = search(session, **({"lang": "en", "limit": 9} | query))
    return [row.slug for row in found]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["alpha", "beta", "delta", "gamma"]),
        ({"lang": "zh"}, ["alpha", "beta", "gamma"]),
        ({"level": "mid"}, ["beta", "gamma"]),
        ({"level": "mid", "type": "open"}, ["gamma"]),
        ({"type": "multi"}, ["beta"]),
        ({"type": "choice"}, ["alpha", "beta", "delta"]),
        ({"topic": "placement", "pack": "pack"}, ["alpha", "beta", "delta", "gamma"]),
        ({"topic": "depth"}, []),
        ({"pack": "other"}, []),
        ({"q": "OF BETA"}, ["beta"]),
        ({"q": "stem", "limit": 2}, ["alpha", "beta"]),
        ({"after": "beta"}, ["delta", "gamma"]),
        ({"level": "", "type": "", "q": "", "after": "", "limit": 1}, ["alpha"]),
    ],
    ids=str,
)
def test_a_search_finds_what_passes_every_filter_by_slug(
    session: Session, query: dict[str, Any], expected: list[str]
) -> None:
    stock(session)
    assert slugs(session, **query) == expected


@pytest.mark.parametrize(
    "hidden", ["%", "_", "outside", "Short", "Hook", "Belief", "formulas", "phrase"]
)
def test_a_search_is_literal_and_looks_at_nothing_hidden(
    session: Session, hidden: str
) -> None:
    stock(session)
    assert slugs(session, q=hidden) == []


def test_a_search_tells_what_its_user_remembers(session: Session) -> None:
    stock(session)
    user, other = make_user(session), make_user(session, "bob")
    shown = ask(session, user, "beta")
    submit_answer(session, user, shown.id, Submission(dont_know=True), at=AT)
    for who, met in [(user, {"beta"}), (other, set()), (None, set())]:
        found = search(session, lang="zh", limit=9, user=who)
        assert {row.slug for row in found if row.state} == met
    (row,) = search(session, lang="zh", limit=9, user=user, q="beta")
    assert isinstance(row.state, MemoryState)
    assert row.state.due > (AT - timedelta(days=1)).date()
    assert (row.pack, row.text.title) == ("pack", "Title of beta (zh)")
    assert row.revision.type == "multi"


def test_what_is_published_is_the_current_revision(session: Session) -> None:
    stock(session)
    question = make_question(session, "new")
    assert published(session, "new") is question.current
    for slug in ("unknown", "retired"):
        with pytest.raises(NotFound) as refusal:
            published(session, slug)
        assert refusal.value.code == "unknown-question"
