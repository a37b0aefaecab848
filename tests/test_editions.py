"""Editions: what was read of the bank or the experiments is kept until they change."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from question_bank.content import FollowUpText, QuestionItem
from question_bank.models import Edition
from question_bank.transfer import import_pack
from quizsvc import lab
from quizsvc.db import writing
from quizsvc.models import Presentation, RunResult
from quizsvc.practice import EvidenceView, background

from .factories import make_item, write_pack
from .practice_factories import AT, ask, make_question, make_user
from .test_lab import make_entry
from .test_practice_evidence import CLAIM, RMS, VERDICT, make_evidence

ONE, TWO = make_item("one"), make_item("two")
REVISED = make_item("one", level="extreme")


def load(session: Session, folder: Path, items: Sequence[QuestionItem]) -> str:
    """Import a pack of these; returns the edition after it."""
    write_pack(folder, items)
    import_pack(session, folder, at=AT)
    return session.get_one(Edition, "bank").token


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        pytest.param([ONE, TWO], [ONE, TWO], True, id="unchanged"),
        pytest.param([ONE], [ONE, TWO], False, id="new"),
        pytest.param([ONE], [REVISED], False, id="revised"),
        pytest.param([ONE, TWO], [ONE], False, id="retired"),
    ],
)
def test_the_bank_has_a_new_edition_after_every_change_and_only_then(
    session: Session,
    tmp_path: Path,
    before: list[QuestionItem],
    after: list[QuestionItem],
    same: bool,
) -> None:
    first = load(session, tmp_path / "pack", before)
    assert (load(session, tmp_path / "pack", after) == first) is same


def test_a_question_that_comes_back_makes_a_new_edition(
    session: Session, tmp_path: Path
) -> None:
    editions = [
        load(session, tmp_path / "pack", items)
        for items in ([ONE, TWO], [ONE], [ONE, TWO])
    ]
    assert len(set(editions)) == 3


@pytest.mark.parametrize(
    ("after", "same"),
    [
        pytest.param([make_entry()], True, id="unchanged"),
        pytest.param([make_entry(source_hash="b" * 64)], False, id="changed"),
        pytest.param([make_entry(), make_entry("new")], False, id="new"),
        pytest.param([], False, id="gone"),
    ],
)
def test_the_catalogue_has_a_new_edition_after_every_change_and_only_then(
    session: Session, after: list[Any], same: bool
) -> None:
    lab.store_catalogue(session, [make_entry()])
    first = session.get_one(Edition, "catalogue").token
    lab.store_catalogue(session, after)
    assert (session.get_one(Edition, "catalogue").token == first) is same


def test_a_follow_up_that_is_retired_stops_leading_anywhere(
    engine: Engine, tmp_path: Path
) -> None:
    to_two = [FollowUpText(prompt="Next", slug="two")]
    texts = {
        lang: text.model_copy(update={"follow_ups": to_two})
        for lang, text in ONE.texts.items()
    }
    first = make_item("one", texts=texts)
    with writing(engine) as session:
        load(session, tmp_path / "pack", [first, TWO])
        shown = ask(session, make_user(session), "one").id
        session.commit()

    assert [leads(engine, shown) for _ in range(2)] == ["two", "two"]
    with writing(engine) as session:
        load(session, tmp_path / "pack", [first])
        session.commit()
    assert leads(engine, shown) is None


def leads(engine: Engine, presentation_id: str) -> str | None:
    with writing(engine) as session:
        shown = session.get_one(Presentation, presentation_id)
        return background(session, shown, lang="en").follow_ups[0].slug


def test_evidence_of_older_source_is_shown_no_more(engine: Engine) -> None:
    entry = make_entry("growth", claims=[CLAIM])
    with writing(engine) as session:
        lab.store_catalogue(session, [entry])
        make_question(session, evidence=[make_evidence()])
        shown = ask(session, make_user(session)).id
        run = lab.submit(session, "growth", {}, None, at=AT).run
        session.commit()
        assert proof(session, shown).verdict is None
        run.state = "succeeded"
        run.result = RunResult(
            metrics={"rms": RMS}, verdicts=[VERDICT], figures=[], seconds=1.0
        )
        session.commit()

    with writing(engine) as session:
        assert [proof(session, shown).values for _ in range(2)] == [RMS, RMS]
        lab.store_catalogue(session, [replace(entry, source_hash="b" * 64)])
        session.commit()
    with writing(engine) as session:
        assert (proof(session, shown).run_id, proof(session, shown).values) == (
            None,
            [],
        )


def proof(session: Session, presentation_id: str) -> EvidenceView:
    shown = session.get_one(Presentation, presentation_id)
    (view,) = background(session, shown, lang="en").evidence
    return view
