"""The content tables: a question, its immutable revisions, and their text by language."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from question_bank.base import Base, Key, Name, Slug


class Pack(Base):
    """A folder of questions that are imported and published together."""

    __tablename__ = "pack"

    id: Mapped[Key]
    slug: Mapped[Slug] = mapped_column(unique=True)
    title: Mapped[dict[str, Any]]  # text by language

    questions: Mapped[list["Question"]] = relationship(back_populates="pack")


class Question(Base):
    """What stays the same while revisions come and go: the card that is scheduled."""

    __tablename__ = "question"

    id: Mapped[Key]
    slug: Mapped[Slug] = mapped_column(unique=True)
    pack_id: Mapped[int] = mapped_column(ForeignKey("pack.id"), index=True)
    current_id: Mapped[int | None] = mapped_column(
        ForeignKey("revision.id", use_alter=True)
    )
    retired_at: Mapped[datetime | None]

    pack: Mapped[Pack] = relationship(back_populates="questions")
    current: Mapped["Revision | None"] = relationship(
        foreign_keys=[current_id], post_update=True
    )


class Revision(Base):
    """One published state of a question. Never changed after it was written."""

    __tablename__ = "revision"
    __table_args__ = (UniqueConstraint("question_id", "number"),)

    id: Mapped[Key]
    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"))
    number: Mapped[int]
    content_hash: Mapped[str] = mapped_column(String(64))  # of the canonical files
    type: Mapped[Name]  # single | multi | open | estimate
    level: Mapped[Name]  # easy | mid | hard | extreme
    topic: Mapped[Slug] = mapped_column(index=True)
    scoring: Mapped[Name]  # a rule of question_bank.grading
    tags: Mapped[list[str]]
    unmeasured: Mapped[list[str]]  # names of choices on which no measurement can bear
    created_at: Mapped[datetime]

    question: Mapped[Question] = relationship(foreign_keys=[question_id])
    texts: Mapped[list["RevisionText"]] = relationship(cascade="all, delete-orphan")
    choices: Mapped[list["Choice"]] = relationship(
        cascade="all, delete-orphan", order_by="Choice.position"
    )
    key_points: Mapped[list["KeyPoint"]] = relationship(
        cascade="all, delete-orphan", order_by="KeyPoint.position"
    )
    evidence: Mapped[list["Evidence"]] = relationship(
        cascade="all, delete-orphan", order_by="Evidence.position"
    )
    estimate: Mapped["Estimate | None"] = relationship(cascade="all, delete-orphan")
    figure: Mapped["Figure | None"] = relationship(cascade="all, delete-orphan")


class RevisionText(Base):
    """A revision in one language. All prose is Markdown with $formulas$."""

    __tablename__ = "revision_text"

    revision_id: Mapped[int] = mapped_column(
        ForeignKey("revision.id"), primary_key=True
    )
    lang: Mapped[Name] = mapped_column(primary_key=True)  # en | zh
    title: Mapped[str]
    stem: Mapped[str]
    short: Mapped[str]
    detailed: Mapped[str]
    full: Mapped[str]
    hook: Mapped[str]

    pitfalls: Mapped[list["Pitfall"]] = relationship(
        cascade="all, delete-orphan", order_by="Pitfall.position"
    )
    follow_ups: Mapped[list["FollowUp"]] = relationship(
        cascade="all, delete-orphan", order_by="FollowUp.position"
    )
    references: Mapped[list["Reference"]] = relationship(
        cascade="all, delete-orphan", order_by="Reference.position"
    )


class Choice(Base):
    """A choice. ``name`` is the author's stable id, the same in every revision."""

    __tablename__ = "choice"
    __table_args__ = (UniqueConstraint("revision_id", "name"),)

    id: Mapped[Key]
    revision_id: Mapped[int] = mapped_column(ForeignKey("revision.id"))
    position: Mapped[int]
    name: Mapped[Slug]
    correct: Mapped[bool]
    fixed: Mapped[bool]  # stays last when choices are shuffled

    texts: Mapped[list["ChoiceText"]] = relationship(cascade="all, delete-orphan")


class ChoiceText(Base):
    __tablename__ = "choice_text"

    choice_id: Mapped[int] = mapped_column(ForeignKey("choice.id"), primary_key=True)
    lang: Mapped[Name] = mapped_column(primary_key=True)
    text: Mapped[str]
    rationale: Mapped[str]


class KeyPoint(Base):
    """Something a good open answer says. ``name`` is stable like a choice's."""

    __tablename__ = "key_point"
    __table_args__ = (UniqueConstraint("revision_id", "name"),)

    id: Mapped[Key]
    revision_id: Mapped[int] = mapped_column(ForeignKey("revision.id"))
    position: Mapped[int]
    name: Mapped[Slug]

    texts: Mapped[list["KeyPointText"]] = relationship(cascade="all, delete-orphan")


class KeyPointText(Base):
    """The point, phrases that suggest it was made, and phrases that suggest it was missed."""

    __tablename__ = "key_point_text"

    key_point_id: Mapped[int] = mapped_column(
        ForeignKey("key_point.id"), primary_key=True
    )
    lang: Mapped[Name] = mapped_column(primary_key=True)
    text: Mapped[str]
    phrases: Mapped[list[str]]
    misconceptions: Mapped[list[str]]


def of_one_text() -> tuple[ForeignKeyConstraint, Index]:
    """For lines that belong to a revision in one language."""
    return (
        ForeignKeyConstraint(
            ["revision_id", "lang"], ["revision_text.revision_id", "revision_text.lang"]
        ),
        Index(None, "revision_id", "lang"),
    )


class Pitfall(Base):
    """A common wrong belief and why it is common."""

    __tablename__ = "pitfall"
    __table_args__ = of_one_text()

    id: Mapped[Key]
    revision_id: Mapped[int]
    lang: Mapped[Name]
    position: Mapped[int]
    belief: Mapped[str]
    why: Mapped[str]


class FollowUp(Base):
    """The next question an interviewer asks; ``slug`` when the bank has it."""

    __tablename__ = "follow_up"
    __table_args__ = of_one_text()

    id: Mapped[Key]
    revision_id: Mapped[int]
    lang: Mapped[Name]
    position: Mapped[int]
    prompt: Mapped[str]
    slug: Mapped[Slug | None]


class Reference(Base):
    __tablename__ = "reference"
    __table_args__ = of_one_text()

    id: Mapped[Key]
    revision_id: Mapped[int]
    lang: Mapped[Name]
    position: Mapped[int]
    title: Mapped[str]
    url: Mapped[str]
    note: Mapped[str]


class Evidence(Base):
    """A claim of an experiment, at given parameters, and the verdict the key needs."""

    __tablename__ = "evidence"

    id: Mapped[Key]
    revision_id: Mapped[int] = mapped_column(ForeignKey("revision.id"), index=True)
    position: Mapped[int]
    experiment: Mapped[Slug]
    claim: Mapped[Slug]
    params: Mapped[dict[str, Any]]  # what differs from the experiment's defaults
    outcome: Mapped[Name]  # supported | refuted: the verdict that agrees with the key
    supports: Mapped[list[str]]  # names of choices or key points, or "estimate"
    refutes: Mapped[list[str]]


class Estimate(Base):
    """The key of a question for a number: a metric's median over the default seeds."""

    __tablename__ = "estimate"

    revision_id: Mapped[int] = mapped_column(
        ForeignKey("revision.id"), primary_key=True
    )
    experiment: Mapped[Slug] = mapped_column(index=True)
    metric: Mapped[Slug]
    params: Mapped[dict[str, Any]]  # what differs from the experiment's defaults
    factor: Mapped[float | None]  # how near an answer must come: one of the two
    margin: Mapped[float | None]
    unit: Mapped[dict[str, Any] | None]  # text by language


class Figure(Base):
    """The figure of an experiment that is shown with a question."""

    __tablename__ = "figure"

    revision_id: Mapped[int] = mapped_column(
        ForeignKey("revision.id"), primary_key=True
    )
    experiment: Mapped[Slug] = mapped_column(index=True)
    figure: Mapped[Slug]  # its id among the experiment's figures
    params: Mapped[dict[str, Any]]  # what differs from the experiment's defaults


class Edition(Base):
    """Names what a database holds of the bank, or of the catalogue of experiments.

    The token is new after every change, and no two databases share one: what was read
    may be kept under it. Where there is none, nothing may be kept.
    """

    __tablename__ = "edition"

    name: Mapped[Name] = mapped_column(primary_key=True)  # BANK | CATALOGUE
    token: Mapped[Name]
