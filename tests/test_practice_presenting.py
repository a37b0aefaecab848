"""A presentation pins what was shown, and shows nothing that tells the key."""

import json
from collections import Counter
from itertools import permutations
from random import Random

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from question_bank.content import ChoiceItem
from quizsvc.db import reading
from quizsvc.models import MemoryState, Presentation
from quizsvc.practice import (
    Submission,
    find_presentation,
    present,
    shown,
    submit_answer,
)
from quizsvc.practice.presenting import LIFETIME, shuffled
from quizsvc.refusals import Gone, Invalid, NotFound

from .practice_factories import AT, DAY, ask, ids, make_question, make_user

CHI_SQUARE_23 = 49.73  # the 99.9th percentile with 23 degrees of freedom


def test_a_presentation_pins_revision_order_language_and_rule(
    session: Session, engine: Engine
) -> None:
    user = make_user(session)
    question = make_question(session, type="multi", scoring="each-option")
    written = ask(session, user, lang="zh")
    session.commit()
    with reading(engine) as fresh:
        pinned = fresh.get_one(Presentation, written.id)
        assert pinned.id.startswith("pres_")
        assert pinned.revision_id == question.current_id
        assert pinned.lang == "zh"
        assert pinned.scoring == "each-option"
        assert {name for _, name in pinned.choices} == {
            "inside",
            "outside",
            "nowhere",
            "both",
        }
        assert pinned.choices == written.choices
        assert pinned.expires_at == AT + LIFETIME


def test_what_is_shown_is_in_the_language_and_order_of_the_presentation(
    session: Session,
) -> None:
    user = make_user(session)
    make_question(session)
    presentation = ask(session, user, lang="zh")
    view = shown(session, presentation)
    assert (view["slug"], view["lang"]) == ("norm-position", "zh")
    assert view["title"] == "Title of norm-position (zh)"
    assert [(c["id"], c["text"]) for c in view["choices"]] == [
        (opaque, f"{name} (zh)") for opaque, name in presentation.choices
    ]


@pytest.mark.parametrize("type", ["single", "open"])
def test_what_is_shown_tells_neither_key_nor_names(session: Session, type: str) -> None:
    user = make_user(session)
    make_question(session, type=type, key=["aim"], others=["miss"], points=["hit"])
    text = json.dumps(shown(session, ask(session, user)), default=str)
    for told in ("correct", "rationale", "aim: en", "Short", "Hook", "hit", "phrase"):
        assert told not in text


def test_ids_are_new_for_every_presentation(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    once, again = ask(session, user), ask(session, user)
    assert {c for c, _ in once.choices}.isdisjoint(c for c, _ in again.choices)
    assert all(opaque.startswith("c_") for opaque, _ in once.choices)


def test_key_points_keep_their_order_under_opaque_ids(session: Session) -> None:
    user = make_user(session)
    make_question(session, type="open", points=["one", "two", "three"])
    presentation = ask(session, user)
    assert [name for _, name in presentation.key_points] == ["one", "two", "three"]
    assert all(opaque.startswith("kp_") for opaque, _ in presentation.key_points)
    assert presentation.choices == []


def test_every_order_of_the_choices_is_equally_likely() -> None:
    names = ("inside", "outside", "nowhere", "both")
    choices = [ChoiceItem(name=name) for name in names]
    rng, draws = Random(1), 24_000
    seen = Counter(
        tuple(choice.name for choice in shuffled(choices, rng)) for _ in range(draws)
    )
    expected = draws / 24
    distance = sum(
        (seen[order] - expected) ** 2 / expected for order in permutations(names)
    )
    assert distance < CHI_SQUARE_23


def test_the_right_choice_is_shown_in_every_place_alike(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    rng, draws = Random(7), 400
    places: Counter[int] = Counter()
    for _ in range(draws):
        presentation = present(session, user, "norm-position", "en", at=AT, rng=rng)
        places[[name for _, name in presentation.choices].index("inside")] += 1
    expected = draws / 4
    distance = sum((places[place] - expected) ** 2 / expected for place in range(4))
    assert distance < 16.27  # the 99.9th percentile with 3 degrees of freedom


def test_fixed_choices_stay_last_in_their_own_order(session: Session) -> None:
    user = make_user(session)
    make_question(session, others=["all", "none", "outside"], fixed=["all", "none"])
    firsts = set()
    for seed in range(20):
        shown = present(session, user, "norm-position", "en", at=AT, rng=Random(seed))
        names = [name for _, name in shown.choices]
        assert names[2:] == ["all", "none"]
        firsts.add(names[0])
    assert firsts == {"inside", "outside"}


def test_the_same_chance_gives_the_same_order(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    orders = [[name for _, name in ask(session, user).choices] for _ in range(2)]
    assert orders[0] == orders[1]


@pytest.mark.parametrize(
    ("due_in", "reason"), [(None, "new"), (0, "due"), (-3, "due"), (5, "ahead")]
)
def test_a_presentation_knows_why_it_was_made(
    session: Session, due_in: int | None, reason: str
) -> None:
    user = make_user(session)
    question = make_question(session)
    if due_in is not None:
        session.add(
            MemoryState(
                user_id=user.id,
                question_id=question.id,
                stability=3.0,
                difficulty=5.0,
                last_day=AT.date() - 5 * DAY,
                due=AT.date() + due_in * DAY,
                reviews=1,
                lapses=0,
            )
        )
        session.flush()
    assert ask(session, user).reason == reason


def test_unknown_and_retired_questions_are_not_shown(session: Session) -> None:
    user = make_user(session)
    make_question(session, "retired").retired_at = AT
    for slug in ("unknown", "retired"):
        with pytest.raises(NotFound) as refusal:
            ask(session, user, slug)
        assert refusal.value.code == "unknown-question"


def test_a_question_is_not_shown_in_a_language_it_is_not_in(session: Session) -> None:
    user = make_user(session)
    make_question(session, langs=["en"])
    with pytest.raises(Invalid) as refusal:
        ask(session, user, lang="zh")
    assert refusal.value.errors[0].pointer == "/lang"


def test_a_presentation_is_its_users_alone(session: Session) -> None:
    user, other = make_user(session), make_user(session, "bob")
    make_question(session)
    presentation = ask(session, user)
    assert find_presentation(session, user, presentation.id, at=AT) is presentation
    for who, name in [(other, presentation.id), (user, "pres_unknown")]:
        with pytest.raises(NotFound) as refusal:
            find_presentation(session, who, name, at=AT)
        assert refusal.value.code == "unknown-presentation"


def test_a_presentation_runs_out_unless_it_was_answered(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    make_question(session, "other")
    left, answered = ask(session, user), ask(session, user, "other")
    said = Submission(choices=ids(answered, "inside"))
    submit_answer(session, user, answered.id, said, at=AT)
    late = AT + LIFETIME
    with pytest.raises(Gone) as refusal:
        find_presentation(session, user, left.id, at=late)
    assert refusal.value.code == "expired"
    assert find_presentation(session, user, answered.id, at=late) is answered
