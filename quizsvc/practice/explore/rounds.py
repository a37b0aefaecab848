"""A round over a part of the bank: what to ask next of one topic, at one level or at all."""

from datetime import datetime

from sqlalchemy.orm import Session

from question_bank.content import LEVELS
from quizsvc.models import User
from quizsvc.practice.explore.listing import Listed, Wanted, everything, search
from quizsvc.practice.measured import unready
from quizsvc.practice.queue import due
from quizsvc.scheduling.days import study_day


def in_round(
    session: Session, user: User, wanted: Wanted, lang: str, *, at: datetime
) -> list[str]:
    """The slugs still to ask today of the questions that pass, in order.

    First those of today's queue, in its order; then, because the candidate asked for just
    these, the others: never met ones from easy to extreme, the least remembered first. What
    was answered today is done. One whose experiment is still being computed is left out.
    """
    day = study_day(at, user.time_zone, user.rollover_hour)
    later = unready(session)
    left = {
        one.slug: one
        for one in search(everything(session, user, at=at), wanted, lang).questions
        if one.revision_id not in later
        and (one.state is None or one.state.last_day < day)
    }
    queue = [item.slug for item in due(session, user, at=at) if item.slug in left]
    rest = sorted((left[slug] for slug in left.keys() - set(queue)), key=_ahead)
    return queue + [one.slug for one in rest]


def _ahead(one: Listed) -> tuple[float, int, str]:
    return one.recall or 0.0, LEVELS.index(one.level), one.slug
