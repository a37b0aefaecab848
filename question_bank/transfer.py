"""Between folders of files and the database, both ways."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from question_bank.content import (
    SOURCE,
    TITLE_FILE,
    ContentError,
    InvalidContent,
    PackItem,
    content_hash,
    read_pack,
    render_files,
    render_pack,
)
from question_bank.editions import BANK, renew
from question_bank.lint import SERIOUS, lint
from question_bank.models import Pack, Question, Revision
from question_bank.rows import item_of, revision_of

CONTENT = Path(__file__).parent / "content"


class ForeignFiles(Exception):  # noqa: N818 - the name is the rule broken
    """A folder holds files that are not of the pack."""


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """How many questions an import touched, and how."""

    new: int
    revised: int
    unchanged: int
    restored: int  # their file was gone and is back
    retired: int


def pack_folder(slug: str = "norm-placement") -> Path:
    """The folder of a pack that comes with the package."""
    return CONTENT / slug


def pack_folders() -> list[Path]:
    """The folders of all packs that come with the package."""
    return sorted(path.parent for path in CONTENT.glob(f"*/{TITLE_FILE}"))


def import_pack(session: Session, folder: Path, *, at: datetime) -> ImportReport:
    """Make the bank say what the files of a pack say.

    A question whose content differs gets a new revision; one whose file is gone is
    retired, since answers refer to it. Importing the same files again changes nothing.
    Raises InvalidContent before anything is written, also for a pack that reads well
    and holds a question that cannot be asked.
    """
    item = read_pack(folder)
    if findings := lint(item, names=SERIOUS):
        raise InvalidContent(
            ContentError(one.path, one.line, f"{one.name}: {one.message}")
            for one in findings
        )
    pack = session.scalar(select(Pack).where(Pack.slug == item.slug).with_for_update())
    _refuse_foreign_slugs(session, item, pack)
    if pack is None:
        pack = Pack(slug=item.slug)
        session.add(pack)
    pack.title = dict(item.title)
    known = {question.slug: question for question in pack.questions}
    done = {"new": 0, "revised": 0, "unchanged": 0, "restored": 0, "retired": 0}
    for one in item.questions:
        question = known.pop(one.slug, None)
        digest = content_hash(one)
        if question is None:
            question = Question(slug=one.slug, pack=pack)
            session.add(question)
            done["new"] += 1
        elif question.retired_at is not None:
            question.retired_at = None
            done["restored"] += 1
        elif question.current is not None and question.current.content_hash == digest:
            done["unchanged"] += 1
        else:
            done["revised"] += 1
        if question.current is None or question.current.content_hash != digest:
            number = _next_number(session, question)
            revision = revision_of(one, number=number, at=at)
            revision.question = question
            question.current = revision
    for question in known.values():
        if question.retired_at is None:
            question.retired_at = at
            done["retired"] += 1
    session.flush()
    renew(session, BANK, changed=done["unchanged"] < sum(done.values()))
    return ImportReport(**done)


def export_pack(session: Session, slug: str, folder: Path) -> list[Path]:
    """Write a pack's questions as canonical files and return their paths.

    Raises LookupError for an unknown pack, and ForeignFiles when the folder holds
    other Markdown files, which an import would take for questions of the pack.
    """
    pack = session.scalar(select(Pack).where(Pack.slug == slug))
    if pack is None:
        raise LookupError(f"there is no pack {slug!r}")
    files = {TITLE_FILE: render_pack(pack.title)}
    for revision in current_revisions(session, pack):
        files |= render_files(item_of(revision))
    others = sorted({path.name for path in folder.glob("*.md")} - set(files))
    if others:
        raise ForeignFiles(f"{folder} holds other files: {', '.join(others)}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in files]


def pack_slugs(session: Session) -> list[str]:
    return list(session.scalars(select(Pack.slug).order_by(Pack.slug)))


def current_revisions(session: Session, pack: Pack | None = None) -> list[Revision]:
    """What can be asked now, by slug; of one pack or of all."""
    query = (
        select(Revision)
        .join(Question, Question.current_id == Revision.id)
        .where(Question.retired_at.is_(None))
        .order_by(Question.slug)
    )
    if pack is not None:
        query = query.where(Question.pack_id == pack.id)
    return list(session.scalars(query))


def _refuse_foreign_slugs(session: Session, item: PackItem, pack: Pack | None) -> None:
    slugs = [question.slug for question in item.questions]
    taken = session.scalars(select(Question).where(Question.slug.in_(slugs)))
    errors = []
    for question in taken:
        if question.pack is not pack:
            path, line = item.where(question.slug, SOURCE, ())
            message = f"{question.slug} is a question of pack {question.pack.slug}"
            errors.append(ContentError(path, line, message))
    if errors:
        raise InvalidContent(errors)


def _next_number(session: Session, question: Question) -> int:
    if question.id is None:
        return 1
    largest = select(func.max(Revision.number)).where(
        Revision.question_id == question.id
    )
    return (session.scalar(largest) or 0) + 1
