"""the first tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "experiment",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("topic", sa.String(length=100), nullable=False),
        sa.Column("title", sa.JSON(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("schema", sa.JSON(), nullable=False),
        sa.Column("claims", sa.JSON(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_experiment")),
    )
    op.create_table(
        "pack",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("title", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pack")),
        sa.UniqueConstraint("slug", name=op.f("uq_pack_slug")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("content_key", sa.String(length=64), nullable=False),
        sa.Column("experiment", sa.String(length=100), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("seeds", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=40), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(), nullable=True),
        sa.Column("progress", sa.Double(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("queued_at", sa.DateTime(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("content_key", name=op.f("uq_run_content_key")),
    )
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_run_experiment"), ["experiment"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_run_state_run_priority_run_queued_at"),
            ["state", "priority", "queued_at"],
            unique=False,
        )

    op.create_table(
        "user",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("time_zone", sa.String(length=100), nullable=False),
        sa.Column("rollover_hour", sa.Integer(), nullable=False),
        sa.Column("target_retention", sa.Double(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user")),
        sa.UniqueConstraint("name", name=op.f("uq_user_name")),
    )
    op.create_table(
        "worker",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("seen_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker")),
        sa.UniqueConstraint("name", name=op.f("uq_worker_name")),
    )
    op.create_table(
        "idempotency_key",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("location", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_idempotency_key_user_id_user")
        ),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_idempotency_key")),
    )
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("pack_id", sa.Integer(), nullable=False),
        sa.Column("current_id", sa.Integer(), nullable=True),
        sa.Column("retired_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["current_id"],
            ["revision.id"],
            name=op.f("fk_question_current_id_revision"),
            use_alter=True,
        ),
        sa.ForeignKeyConstraint(
            ["pack_id"], ["pack.id"], name=op.f("fk_question_pack_id_pack")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.UniqueConstraint("slug", name=op.f("uq_question_slug")),
    )
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_question_pack_id"), ["pack_id"], unique=False
        )

    op.create_table(
        "run_result",
        sa.Column("run_id", sa.String(length=40), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("verdicts", sa.JSON(), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_run_result_run_id_run")
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_result")),
    )
    op.create_table(
        "memory_state",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("stability", sa.Double(), nullable=False),
        sa.Column("difficulty", sa.Double(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("due", sa.Date(), nullable=False),
        sa.Column("reviews", sa.Integer(), nullable=False),
        sa.Column("lapses", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
            name=op.f("fk_memory_state_question_id_question"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_memory_state_user_id_user")
        ),
        sa.PrimaryKeyConstraint("user_id", "question_id", name=op.f("pk_memory_state")),
    )
    with op.batch_alter_table("memory_state", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_memory_state_user_id_memory_state_due"),
            ["user_id", "due"],
            unique=False,
        )

    op.create_table(
        "revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("level", sa.String(length=40), nullable=False),
        sa.Column("topic", sa.String(length=100), nullable=False),
        sa.Column("scoring", sa.String(length=40), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
            name=op.f("fk_revision_question_id_question"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_revision")),
        sa.UniqueConstraint(
            "question_id", "number", name=op.f("uq_revision_question_id_number")
        ),
    )
    with op.batch_alter_table("revision", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_revision_topic"), ["topic"], unique=False)

    op.create_table(
        "choice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("correct", sa.Boolean(), nullable=False),
        sa.Column("fixed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"],
            ["revision.id"],
            name=op.f("fk_choice_revision_id_revision"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_choice")),
        sa.UniqueConstraint(
            "revision_id", "name", name=op.f("uq_choice_revision_id_name")
        ),
    )
    op.create_table(
        "evidence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("experiment", sa.String(length=100), nullable=False),
        sa.Column("claim", sa.String(length=100), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("outcome", sa.String(length=40), nullable=False),
        sa.Column("supports", sa.JSON(), nullable=False),
        sa.Column("refutes", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"],
            ["revision.id"],
            name=op.f("fk_evidence_revision_id_revision"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
    )
    with op.batch_alter_table("evidence", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_evidence_revision_id"), ["revision_id"], unique=False
        )

    op.create_table(
        "key_point",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"],
            ["revision.id"],
            name=op.f("fk_key_point_revision_id_revision"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_key_point")),
        sa.UniqueConstraint(
            "revision_id", "name", name=op.f("uq_key_point_revision_id_name")
        ),
    )
    op.create_table(
        "presentation",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("lang", sa.String(length=40), nullable=False),
        sa.Column("scoring", sa.String(length=40), nullable=False),
        sa.Column("choices", sa.JSON(), nullable=False),
        sa.Column("key_points", sa.JSON(), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
            name=op.f("fk_presentation_question_id_question"),
        ),
        sa.ForeignKeyConstraint(
            ["revision_id"],
            ["revision.id"],
            name=op.f("fk_presentation_revision_id_revision"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_presentation_user_id_user")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_presentation")),
    )
    with op.batch_alter_table("presentation", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_presentation_user_id_presentation_question_id"),
            ["user_id", "question_id"],
            unique=False,
        )

    op.create_table(
        "revision_text",
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("lang", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("stem", sa.String(), nullable=False),
        sa.Column("short", sa.String(), nullable=False),
        sa.Column("detailed", sa.String(), nullable=False),
        sa.Column("full", sa.String(), nullable=False),
        sa.Column("hook", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"],
            ["revision.id"],
            name=op.f("fk_revision_text_revision_id_revision"),
        ),
        sa.PrimaryKeyConstraint("revision_id", "lang", name=op.f("pk_revision_text")),
    )
    op.create_table(
        "answer",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("presentation_id", sa.String(length=40), nullable=False),
        sa.Column("chosen", sa.JSON(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("dont_know", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.String(length=40), nullable=True),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("correct", sa.Boolean(), nullable=True),
        sa.Column("ticked", sa.JSON(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("answered_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["presentation_id"],
            ["presentation.id"],
            name=op.f("fk_answer_presentation_id_presentation"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer")),
        sa.UniqueConstraint("presentation_id", name=op.f("uq_answer_presentation_id")),
    )
    op.create_table(
        "choice_text",
        sa.Column("choice_id", sa.Integer(), nullable=False),
        sa.Column("lang", sa.String(length=40), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("rationale", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["choice_id"], ["choice.id"], name=op.f("fk_choice_text_choice_id_choice")
        ),
        sa.PrimaryKeyConstraint("choice_id", "lang", name=op.f("pk_choice_text")),
    )
    op.create_table(
        "follow_up",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("lang", sa.String(length=40), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("prompt", sa.String(), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=True),
        sa.ForeignKeyConstraint(
            ["revision_id", "lang"],
            ["revision_text.revision_id", "revision_text.lang"],
            name=op.f("fk_follow_up_revision_id_lang_revision_text"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_follow_up")),
    )
    with op.batch_alter_table("follow_up", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_follow_up_revision_id_follow_up_lang"),
            ["revision_id", "lang"],
            unique=False,
        )

    op.create_table(
        "key_point_text",
        sa.Column("key_point_id", sa.Integer(), nullable=False),
        sa.Column("lang", sa.String(length=40), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("phrases", sa.JSON(), nullable=False),
        sa.Column("misconceptions", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["key_point_id"],
            ["key_point.id"],
            name=op.f("fk_key_point_text_key_point_id_key_point"),
        ),
        sa.PrimaryKeyConstraint("key_point_id", "lang", name=op.f("pk_key_point_text")),
    )
    op.create_table(
        "pitfall",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("lang", sa.String(length=40), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("belief", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id", "lang"],
            ["revision_text.revision_id", "revision_text.lang"],
            name=op.f("fk_pitfall_revision_id_lang_revision_text"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pitfall")),
    )
    with op.batch_alter_table("pitfall", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_pitfall_revision_id_pitfall_lang"),
            ["revision_id", "lang"],
            unique=False,
        )

    op.create_table(
        "reference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("lang", sa.String(length=40), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id", "lang"],
            ["revision_text.revision_id", "revision_text.lang"],
            name=op.f("fk_reference_revision_id_lang_revision_text"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reference")),
    )
    with op.batch_alter_table("reference", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_reference_revision_id_reference_lang"),
            ["revision_id", "lang"],
            unique=False,
        )

    op.create_table(
        "review",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("answer_id", sa.String(length=40), nullable=True),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("study_day", sa.Date(), nullable=False),
        sa.Column("reviewed_at", sa.DateTime(), nullable=False),
        sa.Column("predicted", sa.Double(), nullable=True),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("voided_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answer.id"], name=op.f("fk_review_answer_id_answer")
        ),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
            name=op.f("fk_review_question_id_question"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_review_user_id_user")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        sa.UniqueConstraint("answer_id", name=op.f("uq_review_answer_id")),
        sa.UniqueConstraint(
            "user_id", "sequence", name=op.f("uq_review_user_id_sequence")
        ),
    )
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_review_user_id_review_question_id_review_study_day"),
            ["user_id", "question_id", "study_day"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_review_user_id_review_reviewed_at"),
            ["user_id", "reviewed_at"],
            unique=False,
        )

    # question and revision refer to each other, so one of the two keys comes last
    with op.batch_alter_table("question") as batch_op:
        batch_op.create_foreign_key(
            op.f("fk_question_current_id_revision"), "revision", ["current_id"], ["id"]
        )


def downgrade() -> None:
    with op.batch_alter_table("question") as batch_op:
        batch_op.drop_constraint(
            op.f("fk_question_current_id_revision"), type_="foreignkey"
        )
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_review_user_id_review_reviewed_at"))
        batch_op.drop_index(
            batch_op.f("ix_review_user_id_review_question_id_review_study_day")
        )

    op.drop_table("review")
    with op.batch_alter_table("reference", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reference_revision_id_reference_lang"))

    op.drop_table("reference")
    with op.batch_alter_table("pitfall", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_pitfall_revision_id_pitfall_lang"))

    op.drop_table("pitfall")
    op.drop_table("key_point_text")
    with op.batch_alter_table("follow_up", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_follow_up_revision_id_follow_up_lang"))

    op.drop_table("follow_up")
    op.drop_table("choice_text")
    op.drop_table("answer")
    op.drop_table("revision_text")
    with op.batch_alter_table("presentation", schema=None) as batch_op:
        batch_op.drop_index(
            batch_op.f("ix_presentation_user_id_presentation_question_id")
        )

    op.drop_table("presentation")
    op.drop_table("key_point")
    with op.batch_alter_table("evidence", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_evidence_revision_id"))

    op.drop_table("evidence")
    op.drop_table("choice")
    with op.batch_alter_table("revision", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_revision_topic"))

    op.drop_table("revision")
    with op.batch_alter_table("memory_state", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_memory_state_user_id_memory_state_due"))

    op.drop_table("memory_state")
    op.drop_table("run_result")
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_question_pack_id"))

    op.drop_table("question")
    op.drop_table("idempotency_key")
    op.drop_table("worker")
    op.drop_table("user")
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_run_state_run_priority_run_queued_at"))
        batch_op.drop_index(batch_op.f("ix_run_experiment"))

    op.drop_table("run")
    op.drop_table("pack")
    op.drop_table("experiment")
