"""The service's tables: users, practice, experiments and their runs."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, select, text
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from question_bank.base import Base, Key, Name, Slug
from question_bank.editions import BANK, CATALOGUE, token
from question_bank.models import Question, Revision

Opaque = String(40)  # an id made by question_bank.base.new_id
FIRST = text("predicted IS NULL")


class User(Base):
    """A candidate and the goal. Local mode has one, named ``local``."""

    __tablename__ = "user"

    id: Mapped[Key]
    name: Mapped[Slug] = mapped_column(unique=True)
    time_zone: Mapped[Slug]  # IANA name
    chose_zone: Mapped[bool] = mapped_column(default=False)  # else it is the machine's
    rollover_hour: Mapped[int]  # the local hour at which a study day begins
    target_retention: Mapped[float]
    interview_date: Mapped[date | None]
    minutes_per_day: Mapped[int] = mapped_column(default=20)
    # What is asked; an empty list is no restriction.
    packs: Mapped[list[str]] = mapped_column(default=list)
    topics: Mapped[list[str]] = mapped_column(default=list)
    levels: Mapped[list[str]] = mapped_column(default=list)
    languages: Mapped[list[str]] = mapped_column(default=list)
    # Mean and covariance of slope and offset: a cache that equals the fold of the review
    # log. None: it and the memory states are to be folded before the next review.
    calibration: Mapped[list[Any] | None]
    # The last review when the whole log was folded: later ones keep what was before them.
    folded: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]


class Presentation(Base):
    """A question shown once: it pins revision, order, language and scoring rule."""

    __tablename__ = "presentation"
    __table_args__ = (Index(None, "user_id", "question_id"),)

    id: Mapped[str] = mapped_column(Opaque, primary_key=True)  # pres_…
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"))
    revision_id: Mapped[int] = mapped_column(ForeignKey("revision.id"))
    lang: Mapped[Name]
    scoring: Mapped[Name]
    # [[opaque id, name], …] in the order shown; the opaque id is this showing's alone
    choices: Mapped[list[Any]]
    key_points: Mapped[list[Any]]
    key_run_id: Mapped[str | None] = mapped_column(
        ForeignKey("run.id")
    )  # an estimate's
    figure_run_id: Mapped[str | None] = mapped_column(ForeignKey("run.id"))
    reason: Mapped[Name]  # new | due | ahead: where it stood in the schedule
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]  # when its question was answered elsewhere

    question: Mapped[Question] = relationship()
    revision: Mapped[Revision] = relationship()
    answer: Mapped["Answer | None"] = relationship(back_populates="presentation")
    content_hash: Mapped[str] = column_property(  # of the revision
        select(Revision.content_hash)
        .where(Revision.id == revision_id)
        .scalar_subquery()
    )
    # What was read of the bank and of the experiments may be kept for as long as these stay.
    bank_edition: Mapped[str | None] = column_property(token(BANK))
    catalogue_edition: Mapped[str | None] = column_property(token(CATALOGUE))


class Answer(Base):
    """What the candidate said, and the score. At most one for each presentation."""

    __tablename__ = "answer"

    id: Mapped[str] = mapped_column(Opaque, primary_key=True)  # ans_…
    presentation_id: Mapped[str] = mapped_column(
        ForeignKey("presentation.id"), unique=True
    )
    chosen: Mapped[list[str]]  # names of choices
    text: Mapped[str]
    number: Mapped[float | None]  # of an estimate
    dont_know: Mapped[bool]
    confidence: Mapped[Name | None]  # sure | unsure
    score: Mapped[float | None]  # None until an open answer is marked
    correct: Mapped[bool | None]
    ticked: Mapped[list[str]]  # names of key points its author ticked
    seconds: Mapped[float]
    answered_at: Mapped[datetime]

    presentation: Mapped[Presentation] = relationship(back_populates="answer")
    review: Mapped["Review | None"] = relationship(back_populates="answer")


class Review(Base):
    """The review log: append-only, the truth about memory. Undo voids, never deletes."""

    __tablename__ = "review"
    __table_args__ = (
        # With what tells how often a question was failed, so that no row is looked at
        Index(
            "ix_review_tests",
            *("user_id", "question_id", "study_day", "rating", "voided_at"),
        ),
        Index(None, "user_id", "reviewed_at"),
        Index(None, "user_id", "study_day"),
        # The first answers to questions: few of a long log
        Index(None, "user_id", "sequence", sqlite_where=FIRST, postgresql_where=FIRST),
        UniqueConstraint("user_id", "sequence"),
    )

    id: Mapped[str] = mapped_column(Opaque, primary_key=True)  # rev_…
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"))
    # None for a review that was not given here but came from a file
    answer_id: Mapped[str | None] = mapped_column(ForeignKey("answer.id"), unique=True)
    sequence: Mapped[int]  # 1, 2, … for one user: order without a clock
    rating: Mapped[int]  # 1 Again, 2 Hard, 3 Good, 4 Easy
    chance: Mapped[float]  # of a right answer by one who knows nothing
    confidence: Mapped[Name | None]  # sure | unsure | dont-know
    seconds: Mapped[float | None]  # that the answer took, to the millisecond
    study_day: Mapped[date]  # the user's, with the zone in force at that moment
    reviewed_at: Mapped[datetime]
    predicted: Mapped[float | None]  # recall just before; None for the first
    calibration: Mapped[list[Any] | None]  # that it was predicted with, where kept
    before: Mapped[dict[str, Any] | None]  # memory state, None for the first
    after: Mapped[dict[str, Any]]
    voided_at: Mapped[datetime | None]

    question: Mapped[Question] = relationship()
    answer: Mapped[Answer | None] = relationship(back_populates="review")


class MemoryState(Base):
    """A card's state: a cache that equals the fold of the review log."""

    __tablename__ = "memory_state"
    __table_args__ = (Index(None, "user_id", "due"),)

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    question_id: Mapped[int] = mapped_column(
        ForeignKey("question.id"), primary_key=True
    )
    stability: Mapped[float]  # days
    difficulty: Mapped[float]  # 1 to 10
    last_day: Mapped[date]
    due: Mapped[date]
    reviews: Mapped[int]
    lapses: Mapped[int]


class Remark(Base):
    """What a candidate keeps beside a question: a flag and a note of his own."""

    __tablename__ = "remark"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    question_id: Mapped[int] = mapped_column(
        ForeignKey("question.id"), primary_key=True
    )
    flagged: Mapped[bool]
    note: Mapped[str]  # plain text, may be empty
    changed_at: Mapped[datetime]


class MockInterview(Base):
    """Open and other questions asked against a clock. What was said are answers."""

    __tablename__ = "mock_interview"
    __table_args__ = (Index(None, "user_id", "created_at"),)

    id: Mapped[str] = mapped_column(Opaque, primary_key=True)  # mock_…
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    minutes: Mapped[int]
    lang: Mapped[Name]
    topics: Mapped[list[str]]  # empty: all; so for levels
    levels: Mapped[list[str]]
    mixed: Mapped[bool]  # choices and estimates among the open questions
    ahead: Mapped[list[Any]]  # ids of the questions that are still to be asked
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]

    questions: Mapped[list["MockQuestion"]] = relationship(
        order_by="MockQuestion.position", back_populates="interview"
    )


class MockQuestion(Base):
    """A question that a mock interview has asked, in the order of asking."""

    __tablename__ = "mock_question"

    mock_id: Mapped[str] = mapped_column(
        ForeignKey("mock_interview.id"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)  # 1, 2, …
    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"))
    # None when it ran out without an answer and was forgotten
    presentation_id: Mapped[str | None] = mapped_column(
        ForeignKey("presentation.id", ondelete="SET NULL"), unique=True
    )
    follows: Mapped[int | None]  # the position of the question it is a follow-up of

    interview: Mapped[MockInterview] = relationship(back_populates="questions")
    question: Mapped[Question] = relationship()
    presentation: Mapped[Presentation | None] = relationship()


class IdempotencyKey(Base):
    """The reply to a request that must not happen twice, stored with its effect."""

    __tablename__ = "idempotency_key"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    body: Mapped[str]  # JSON, as it was sent
    location: Mapped[str | None]
    created_at: Mapped[datetime]


class Experiment(Base):
    """The catalogue: what the web process knows of an experiment without importing it."""

    __tablename__ = "experiment"

    name: Mapped[Slug] = mapped_column(primary_key=True)
    topic: Mapped[Slug]
    title: Mapped[dict[str, Any]]
    about: Mapped[dict[str, Any]]
    schema: Mapped[dict[str, Any]]
    claims: Mapped[list[Any]]
    seconds: Mapped[float]
    source_hash: Mapped[str] = mapped_column(String(64))
    source: Mapped[str]


class Run(Base):
    """A run of an experiment, addressed by its content. The row is the truth and the queue."""

    __tablename__ = "run"
    __table_args__ = (Index(None, "state", "priority", "queued_at"),)

    id: Mapped[str] = mapped_column(Opaque, primary_key=True)  # run_…
    # SHA-256 of experiment, source hash, canonical parameters and seeds
    content_key: Mapped[str] = mapped_column(String(64), unique=True)
    experiment: Mapped[Slug] = mapped_column(index=True)
    source_hash: Mapped[str] = mapped_column(String(64))
    params: Mapped[dict[str, Any]]  # complete and canonical: defaults filled in
    seeds: Mapped[list[Any]]
    state: Mapped[Name]  # queued | running | succeeded | failed | cancelled
    priority: Mapped[int]  # see lab.PERSON, QUESTION and START_UP
    attempt: Mapped[int]  # 0 before the first; the fence of every write by a worker
    lease_until: Mapped[datetime | None]
    progress: Mapped[float]
    cancel_requested: Mapped[bool]
    error: Mapped[str | None]  # one sentence: why it failed
    queued_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    result: Mapped["RunResult | None"] = relationship(back_populates="run")


class RunResult(Base):
    """What a run measured. Apart from its row, so that the queue stays light."""

    __tablename__ = "run_result"

    run_id: Mapped[str] = mapped_column(ForeignKey("run.id"), primary_key=True)
    metrics: Mapped[dict[str, Any]]
    verdicts: Mapped[list[Any]]
    figures: Mapped[list[Any]]
    seconds: Mapped[float]

    run: Mapped[Run] = relationship(back_populates="result")


class Worker(Base):
    """The last sign of life of each worker, for ``/readyz`` and the page of a waiting run."""

    __tablename__ = "worker"
    __table_args__ = (UniqueConstraint("name"),)

    id: Mapped[Key]
    name: Mapped[Slug]
    seen_at: Mapped[datetime]
