"""The questions that a mock interview can ask, as rows."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from question_bank.models import Estimate, Evidence, Question, Revision, RevisionText
from quizsvc.models import MemoryState, User
from quizsvc.practice.measured import unready
from quizsvc.practice.mock.choosing import Candidate
from quizsvc.practice.reviewing import STATE, state_of
from quizsvc.practice.users import calibration
from quizsvc.scheduling.candidate import recall
from quizsvc.scheduling.days import study_day


def candidates(  # noqa: PLR0913 - each is one way to narrow it
    session: Session,
    user: User,
    lang: str,
    *,
    topics: Sequence[str] = (),
    levels: Sequence[str] = (),
    at: datetime,
) -> list[Candidate]:
    """Published questions written in ``lang``; no topics or levels are all of them.

    One whose experiment is still being computed is left out.
    """
    day, known = study_day(at, user.time_zone, user.rollover_hour), calibration(user)
    told, later = _told(session), unready(session)
    mine = and_(MemoryState.question_id == Question.id, MemoryState.user_id == user.id)
    query = (
        select(
            Question.id,
            Question.slug,
            Revision.id.label("revision"),
            Revision.type,
            Revision.topic,
            Revision.level,
            *STATE,
        )
        .join(Revision, Revision.id == Question.current_id)
        .join(RevisionText, RevisionText.revision_id == Revision.id)
        .outerjoin(MemoryState, mine)
        .where(Question.retired_at.is_(None), RevisionText.lang == lang)
    )
    if topics:
        query = query.where(Revision.topic.in_(topics))
    if levels:
        query = query.where(Revision.level.in_(levels))
    found = []
    for number, slug, revision, type_, topic, level, *columns in session.execute(query):
        if revision in later:
            continue
        state = state_of(columns)
        found.append(
            Candidate(
                id=number,
                slug=slug,
                type=type_,
                topic=topic,
                level=level,
                recall=None if state is None else recall(state, day, known),
                told=frozenset(told[revision]),
            )
        )
    return found


def _told(session: Session) -> dict[int, set[str]]:
    """What the feedback on each published revision tells."""
    told: dict[int, set[str]] = defaultdict(set)
    claims = select(Evidence.revision_id, Evidence.experiment, Evidence.claim)
    metrics = select(Estimate.revision_id, Estimate.experiment, Estimate.metric)
    for table, query in ((Evidence, claims), (Estimate, metrics)):
        current = Question.current_id == table.revision_id
        for revision, experiment, name in session.execute(
            query.join(Question, current)
        ):
            told[revision].add(f"{experiment}.{name}")
    return told
