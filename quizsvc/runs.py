"""What pages ask about runs: which were before, which may be compared, what waits ahead."""

from collections.abc import Sequence

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from question_bank.models import Question, Revision
from quizsvc.lab import PERSON, USES
from quizsvc.models import Run


def earlier_runs(session: Session, name: str, limit: int) -> list[Run]:
    """The runs of an experiment that people asked for last, newest first.

    Those that questions need would tell what their figures show.
    """
    query = select(Run).where(Run.experiment == name, Run.priority == PERSON)
    query = query.order_by(Run.queued_at.desc(), Run.id).limit(limit)
    return list(session.scalars(query))


def measured_runs(session: Session, name: str, ids: Sequence[str]) -> list[Run]:
    """Those of these runs that are of the experiment and have a result, in this order."""
    query = select(Run).join(Run.result).where(Run.id.in_(ids), Run.experiment == name)
    found = {run.id: run for run in session.scalars(query)}
    return [found[run_id] for run_id in dict.fromkeys(ids) if run_id in found]


def ahead(session: Session, run: Run) -> int:
    """How many runs are worked on or wait in front of a waiting one."""
    sooner = or_(
        Run.priority < run.priority,
        (Run.priority == run.priority) & (Run.queued_at < run.queued_at),
    )
    query = select(func.count(Run.id)).where(
        or_(Run.state == "running", (Run.state == "queued") & sooner), Run.id != run.id
    )
    return session.scalar(query) or 0


def topics_using(session: Session) -> dict[str, set[str]]:
    """By experiment, the topics of the questions in use that lean on it."""
    found: dict[str, set[str]] = {}
    for table in USES:
        query = (
            select(table.experiment, Revision.topic)
            .join(Revision, Revision.id == table.revision_id)
            .join(Question, Question.current_id == Revision.id)
            .where(Question.retired_at.is_(None))
            .distinct()
        )
        for name, topic in session.execute(query):
            found.setdefault(name, set()).add(topic)
    return found
