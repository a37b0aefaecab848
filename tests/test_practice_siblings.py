"""Siblings: questions that one proof answers, told from the bank and kept off one day."""

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from question_bank.models import Evidence, Question
from quizsvc.models import User
from quizsvc.practice import due
from quizsvc.practice.covers import covers, families
from quizsvc.scheduling.planner import Why

from .practice_factories import AT, DAY, make_question, make_user
from .test_practice_queue import TODAY, remember

Proof = tuple[str, str, str]
PROOFS: list[Proof] = [("coin", claim, "{}") for claim in "abcd"]
banks = st.dictionaries(
    st.sampled_from(["one", "two", "three", "four", "five"]),
    st.sets(st.sampled_from(PROOFS), max_size=3),
)


def proof(claim: str, *, supports: bool = True, **params: int) -> Evidence:
    return Evidence(
        position=0,
        experiment="coin",
        claim=claim,
        params=params,
        outcome="supported",
        supports=["inside"] if supports else [],
        refutes=[] if supports else ["outside"],
    )


def reasons(session: Session, user: User, **query: object) -> dict[str, Why]:
    items = due(session, user, **({"at": AT} | query))  # type: ignore[arg-type]
    return {item.slug: item.reason for item in items}


@given(banks)
def test_whoever_is_proved_by_all_that_proves_another_is_its_sibling(
    proofs: dict[str, set[Proof]],
) -> None:
    family = families(proofs)
    for one, some in proofs.items():
        for other, more in proofs.items():
            if some and some <= more:
                assert family[one] == family[other]


@given(banks)
def test_without_a_proof_in_common_there_are_no_siblings(
    proofs: dict[str, set[Proof]],
) -> None:
    family = families(proofs)
    for one, some in proofs.items():
        others = [more for name, more in proofs.items() if name != one]
        if not any(some <= more or (more and more <= some) for more in others if some):
            assert list(family.values()).count(family[one]) == 1


@given(banks)
def test_the_order_of_the_bank_makes_no_siblings(
    proofs: dict[str, set[Proof]],
) -> None:
    def groups(bank: dict[str, set[Proof]]) -> set[frozenset[str]]:
        family = families(bank)
        return {
            frozenset(name for name in bank if family[name] == number)
            for number in family.values()
        }

    assert groups(proofs) == groups(dict(reversed(proofs.items())))


def test_a_sibling_comes_last_and_says_so(session: Session) -> None:
    user = make_user(session)
    make_question(session, "a", evidence=[proof("fair")])
    make_question(session, "b", evidence=[proof("fair"), proof("heavy")])
    make_question(session, "c", level="extreme", evidence=[proof("heavy", weight=2)])
    assert list(reasons(session, user).items()) == [
        ("a", "new"),
        ("c", "new"),
        ("b", "sibling"),
    ]


def test_what_was_answered_today_keeps_its_siblings_for_another_day(
    session: Session,
) -> None:
    user = make_user(session)
    met = make_question(session, "a", evidence=[proof("fair")])
    make_question(session, "b", evidence=[proof("fair")])
    remember(session, user, met, due=TODAY + 5 * DAY, last_day=TODAY)
    assert reasons(session, user) == {"b": "sibling"}
    assert reasons(session, user, at=AT + DAY) == {"b": "new"}


def test_what_refutes_a_wrong_choice_alone_gives_nothing_away(session: Session) -> None:
    user = make_user(session)
    for slug in ("a", "b"):
        make_question(session, slug, evidence=[proof("fair", supports=False)])
    assert set(reasons(session, user).values()) == {"new"}


def hash_of(question: Question) -> str:
    assert question.current is not None
    return question.current.content_hash


def test_the_covers_of_a_bank_are_read_once(session: Session) -> None:
    hashes = frozenset(hash_of(make_question(session, slug)) for slug in ("a", "b"))
    assert covers(session, hashes) is covers(session, hashes)
    assert covers(session, hashes).keys() == hashes


def test_what_is_published_anew_is_seen_at_once(session: Session) -> None:
    user = make_user(session)
    question = make_question(session, "a")
    before = due(session, user, at=AT)[0]
    other = make_question(session, "b", level="hard", langs=["zh"])
    question.current, other.retired_at = other.current, AT
    after = due(session, user, at=AT)[0]
    assert (before.slug, before.level, set(before.title)) == ("a", "easy", {"en", "zh"})
    assert (after.slug, after.level, set(after.title)) == ("a", "hard", {"zh"})
