"""Laws of the choice of questions for a mock interview. Pure."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.practice.mock import Candidate, choose, room


def make(
    slug: str,
    *,
    type: str = "open",
    topic: str = "depth",
    recall: float | None = None,
    told: tuple[str, ...] = (),
) -> Candidate:
    return Candidate(
        id=int.from_bytes(slug.encode()),
        slug=slug,
        type=type,
        topic=topic,
        level="mid",
        recall=recall,
        told=frozenset(told),
    )


def slugs(chosen: list[Candidate]) -> list[str]:
    return [one.slug for one in chosen]


POOLS = st.lists(
    st.builds(
        make,
        st.text("abcdef", min_size=1, max_size=4),
        type=st.sampled_from(["open", "single", "estimate"]),
        topic=st.sampled_from(["depth", "placement", "models"]),
        recall=st.none() | st.floats(0, 1),
        told=st.lists(st.sampled_from("uvwxyz"), max_size=2).map(tuple),
    ),
    unique_by=lambda one: one.slug,
    max_size=30,
)


@given(POOLS, st.integers(5, 120), st.booleans(), st.integers(0, 2**32))
def test_the_choice_is_bounded_distinct_and_the_same_for_the_same_chance(
    pool: list[Candidate], minutes: int, mixed: bool, seed: int
) -> None:
    chosen = choose(pool, minutes, mixed=mixed, rng=Random(seed))

    assert chosen == choose(pool[::-1], minutes, mixed=mixed, rng=Random(seed))
    taken = [2 if one.type == "open" else 1 for one in chosen]
    assert sum(taken) <= minutes
    assert len(set(slugs(chosen))) == len(chosen)
    told = [claim for one in chosen for claim in one.told]
    assert len(set(told)) == len(told)
    assert mixed or {one.type for one in chosen} <= {"open"}


@given(POOLS, st.integers(0, 2**32))
def test_whoever_has_time_is_asked_all_that_give_nothing_away(
    pool: list[Candidate], seed: int
) -> None:
    chosen = choose(pool, 120, mixed=True, rng=Random(seed))
    told = {claim for one in chosen for claim in one.told}

    left = [one for one in pool if one not in chosen]
    assert all(not told.isdisjoint(one.told) for one in left)


@pytest.mark.parametrize(
    ("minutes", "alone", "mixed"),
    [(10, 5, 6), (20, 10, 12), (30, 15, 18), (45, 22, 27)],
)
def test_an_open_question_takes_two_minutes_and_another_one(
    minutes: int, alone: int, mixed: int
) -> None:
    assert room(minutes, mixed=False) == alone
    assert room(minutes, mixed=True) == mixed


def test_the_weakest_topic_and_what_was_never_met_come_first() -> None:
    pool = [
        make("known", topic="depth", recall=0.9),
        make("shaky", topic="placement", recall=0.3),
        make("fair", topic="placement", recall=0.6),
        make("unseen", topic="models"),
    ]
    for seed in range(10):
        chosen = choose(pool, 10, mixed=False, rng=Random(seed))
        assert slugs(chosen) == ["unseen", "shaky", "known", "fair"]


def test_chance_decides_between_equals() -> None:
    pool = [make(letter) for letter in "abcdefgh"]
    first = {slugs(choose(pool, 5, mixed=False, rng=Random(s)))[0] for s in range(200)}
    assert first == set("abcdefgh")


def test_mixed_forms_put_one_choice_behind_two_open_questions() -> None:
    pool = [make(f"o{n}") for n in range(9)]
    pool += [make(f"c{n}", type="single") for n in range(9)]
    chosen = choose(pool, 15, mixed=True, rng=Random(1))
    assert [one.type == "open" for one in chosen] == [True, True, False] * 3


def test_when_open_questions_run_out_the_others_fill_the_time() -> None:
    pool = [make("o"), *(make(f"c{n}", type="multi") for n in range(9))]
    chosen = choose(pool, 10, mixed=True, rng=Random(1))
    assert (slugs(chosen)[0], len(chosen)) == ("o", 9)
    assert slugs(choose(pool, 10, mixed=False, rng=Random(1))) == ["o"]


def test_when_there_are_open_questions_alone_they_take_no_more_than_the_time() -> None:
    pool = [make(f"o{n}") for n in range(9)]
    assert len(choose(pool, 10, mixed=True, rng=Random(1))) == 5


def test_of_two_that_tell_the_same_claim_one_is_asked() -> None:
    pool = [make("a", told=("x.y", "x.z")), make("b", told=("x.z",)), make("c")]
    for seed in range(10):
        chosen = set(slugs(choose(pool, 20, mixed=False, rng=Random(seed))))
        assert chosen in ({"a", "c"}, {"b", "c"})
