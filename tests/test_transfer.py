"""Files to rows and back."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from question_bank import models
from question_bank.content import InvalidContent, QuestionItem, read_pack
from question_bank.rows import item_of
from question_bank.transfer import (
    ForeignFiles,
    ImportReport,
    current_revisions,
    export_pack,
    import_pack,
    pack_folder,
    pack_folders,
)
from quizsvc.db import reading, writing
from tests.factories import make_item, write_pack

AT = datetime(2027, 1, 2, 3, 4, tzinfo=UTC)
LATER = AT + timedelta(days=1)


def report(**counts: int) -> ImportReport:
    none = {"new": 0, "revised": 0, "unchanged": 0, "restored": 0, "retired": 0}
    return ImportReport(**(none | counts))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "small-pack"


def load(
    engine: Engine, folder: Path, items: Iterable[QuestionItem], at: datetime = AT
) -> ImportReport:
    write_pack(folder, items)
    with writing(engine) as session:
        done = import_pack(session, folder, at=at)
        session.commit()
    return done


def question(session: Session, slug: str = "norm-position") -> models.Question:
    found = session.scalar(select(models.Question).where(models.Question.slug == slug))
    assert found is not None
    return found


def revisions(session: Session, slug: str = "norm-position") -> list[models.Revision]:
    query = (
        select(models.Revision)
        .join(models.Question, models.Revision.question_id == models.Question.id)
        .where(models.Question.slug == slug)
        .order_by(models.Revision.number)
    )
    return list(session.scalars(query))


ITEMS = [
    make_item("first-one", fixed=["nowhere"]),
    make_item(
        "second-one",
        type="multi",
        key=["inside", "nowhere"],
        scoring="each-option",
        evidence=[
            {
                "claim": "gradient_flow.post_last_flat",
                "params": {"depth": 24, "rate": 0.5, "norm": "rms", "list": [1, 2]},
                "outcome": "refuted",
                "refutes": ["outside"],
            }
        ],
    ),
    make_item("third-one", type="open"),
    make_item("untranslated-one", langs=["en"]),
]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.slug)
def test_a_stored_question_reads_back_as_its_file(
    engine: Engine, folder: Path, item: QuestionItem
) -> None:
    assert load(engine, folder, [item]) == report(new=1)
    with reading(engine) as session:
        revision = question(session, item.slug).current
        assert revision is not None
        assert item_of(revision) == item
        assert (revision.number, revision.created_at) == (1, AT)


def test_importing_twice_changes_nothing(engine: Engine, folder: Path) -> None:
    load(engine, folder, ITEMS)
    assert load(engine, folder, ITEMS, LATER) == report(unchanged=4)
    with reading(engine) as session:
        count = session.scalar(select(func.count()).select_from(models.Revision))
        assert count == len(ITEMS)


def test_white_space_that_changes_nothing_makes_no_revision(
    engine: Engine, folder: Path
) -> None:
    load(engine, folder, [make_item()])
    file = folder / "norm-position.md"
    file.write_bytes(file.read_bytes().replace(b"\n## ", b"\n\n\n## ") + b"\n\n")
    with writing(engine) as session:
        assert import_pack(session, folder, at=LATER) == report(unchanged=1)


def test_a_changed_file_gets_a_new_revision_and_keeps_the_old_one(
    engine: Engine, folder: Path
) -> None:
    load(engine, folder, [make_item()])
    changed = make_item(level="hard")
    assert load(engine, folder, [changed], LATER) == report(revised=1)
    with reading(engine) as session:
        first, second = revisions(session)
        assert item_of(first) == make_item()
        assert item_of(second) == changed
        assert (second.number, second.created_at) == (2, LATER)
        assert question(session).current is second


def test_a_changed_translation_is_a_change(engine: Engine, folder: Path) -> None:
    load(engine, folder, [make_item(langs=["en"])])
    assert load(engine, folder, [make_item()], LATER) == report(revised=1)


def test_choices_keep_their_names_across_revisions(
    engine: Engine, folder: Path
) -> None:
    load(engine, folder, [make_item(choices=["inside", "outside"])])
    load(engine, folder, [make_item(choices=["new", "outside", "inside"])], LATER)
    with reading(engine) as session:
        names = [[c.name for c in r.choices] for r in revisions(session)]
        assert names == [["inside", "outside"], ["new", "outside", "inside"]]


def test_a_question_without_a_file_is_retired_and_comes_back_with_it(
    engine: Engine, folder: Path
) -> None:
    both = [make_item(), make_item("other-one")]
    load(engine, folder, both)
    assert load(engine, folder, both[:1], LATER) == report(unchanged=1, retired=1)
    with reading(engine) as session:
        assert question(session, "other-one").retired_at == LATER
        assert [r.question.slug for r in current_revisions(session)] == [
            "norm-position"
        ]
    assert load(engine, folder, both[:1], LATER) == report(unchanged=1)
    assert load(engine, folder, both) == report(unchanged=1, restored=1)
    with reading(engine) as session:
        assert question(session, "other-one").retired_at is None
        assert len(revisions(session, "other-one")) == 1


def test_a_question_that_comes_back_changed_gets_a_revision(
    engine: Engine, folder: Path
) -> None:
    other = make_item("other")
    load(engine, folder, [make_item(), other])
    load(engine, folder, [other])
    found = load(engine, folder, [make_item(level="mid"), other])
    assert found == report(restored=1, unchanged=1)
    with reading(engine) as session:
        levels = [r.level for r in revisions(session) if r.question.slug != "other"]
        assert levels == ["easy", "mid"]


def test_one_bad_file_stops_the_whole_import(engine: Engine, folder: Path) -> None:
    write_pack(folder, ITEMS)
    (folder / "broken.md").write_text("no front matter\n")
    with writing(engine) as session:
        with pytest.raises(InvalidContent, match=r"broken\.md"):
            import_pack(session, folder, at=AT)
        session.commit()
    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(models.Pack)) == 0


@pytest.mark.parametrize(
    ("item", "rule"),
    [
        (make_item(key=[]), "key-mismatch"),
        (make_item(key=["inside", "outside"]), "key-mismatch"),
        (make_item(key=["outside"]), "key-contradiction"),
        (make_item(choices=["outside", "nowhere"], key=["outside"]), "unknown-choice"),
    ],
    ids=["no key", "two keys", "evidence for a wrong choice", "evidence for no choice"],
)
def test_a_question_that_cannot_be_asked_is_not_imported(
    engine: Engine, tmp_path: Path, item: QuestionItem, rule: str
) -> None:
    folder = write_pack(tmp_path / "pack", [make_item("good"), item])
    with writing(engine) as session, pytest.raises(InvalidContent, match=rule):
        import_pack(session, folder, at=AT)
    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(models.Question)) == 0


def test_a_question_belongs_to_one_pack(engine: Engine, tmp_path: Path) -> None:
    load(engine, tmp_path / "one-pack", [make_item()])
    with pytest.raises(InvalidContent, match="a question of pack one-pack"):
        load(engine, tmp_path / "other-pack", [make_item()])


def test_a_new_title_reaches_the_bank(engine: Engine, folder: Path) -> None:
    load(engine, folder, ITEMS)
    write_pack(folder, ITEMS, {"en": "New", "zh": "新"})
    with writing(engine) as session:
        import_pack(session, folder, at=LATER)
        session.commit()
    with reading(engine) as session:
        pack = session.scalars(select(models.Pack)).one()
        assert pack.title == {"en": "New", "zh": "新"}


def test_an_export_imports_as_unchanged(
    engine: Engine, folder: Path, tmp_path: Path
) -> None:
    load(engine, folder, ITEMS)
    target = tmp_path / "export" / "small-pack"
    with writing(engine) as session:
        written = export_pack(session, "small-pack", target)
        assert import_pack(session, target, at=LATER) == report(unchanged=4)
    assert sorted(written) == sorted(target.iterdir())
    for path in written:
        assert path.read_bytes() == (folder / path.name).read_bytes()


def test_an_export_leaves_out_what_is_retired(
    engine: Engine, folder: Path, tmp_path: Path
) -> None:
    load(engine, folder, ITEMS)
    load(engine, folder, ITEMS[:2])
    target = tmp_path / "export" / "small-pack"
    with reading(engine) as session:
        export_pack(session, "small-pack", target)
    assert [q.slug for q in read_pack(target).questions] == ["first-one", "second-one"]


def test_an_export_never_mixes_with_other_files(
    engine: Engine, folder: Path, tmp_path: Path
) -> None:
    load(engine, folder, ITEMS[:1])
    target = write_pack(tmp_path / "export", [make_item("foreign-one")])
    with reading(engine) as session, pytest.raises(ForeignFiles, match="foreign"):
        export_pack(session, "small-pack", target)
    assert not (target / "first-one.md").exists()


def test_exporting_an_unknown_pack_is_refused(engine: Engine, tmp_path: Path) -> None:
    with reading(engine) as session, pytest.raises(LookupError, match="no pack"):
        export_pack(session, "nothing", tmp_path)


def test_the_shipped_packs_are_found() -> None:
    assert pack_folder() in pack_folders()
