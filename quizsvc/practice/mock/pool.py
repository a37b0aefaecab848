"""The questions that a mock interview can ask, as rows."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from question_bank.models import Estimate, Evidence, Question
from quizsvc.models import User
from quizsvc.practice.bank import held
from quizsvc.practice.measured import unready
from quizsvc.practice.mock.choosing import Candidate
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
    return [
        Candidate(
            id=one.id,
            slug=one.slug,
            type=one.cover.type,
            topic=one.cover.topic,
            level=one.cover.level,
            recall=None if one.state is None else recall(one.state, day, known),
            told=frozenset(told[one.revision_id]),
        )
        for one in held(session, user)
        if one.revision_id not in later
        and lang in one.cover.title
        and (not topics or one.cover.topic in topics)
        and (not levels or one.cover.level in levels)
    ]


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
