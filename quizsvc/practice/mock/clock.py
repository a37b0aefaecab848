"""The clock of a mock interview, and where each of its questions stands. Pure."""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from quizsvc.models import MockInterview, MockQuestion

GUIDE = 60.0
"""Seconds for an answer. It warns and never cuts."""
AWAY = timedelta(minutes=5)
"""Whoever does nothing for longer has left; more than this does not count as time used."""

Stage = Literal["asked", "marking", "done", "lost"]


def stage(asked: MockQuestion, *, at: datetime) -> Stage:
    """Where a question stands: to be answered, to be marked, done; lost is one that was
    left and has to be asked anew.
    """
    shown = asked.presentation
    if shown is None:
        return "lost"
    if shown.answer is not None:
        return "marking" if shown.answer.review is None else "done"
    over = min(shown.expires_at, shown.created_at + AWAY)
    return "lost" if shown.ended_at is not None or at >= over else "asked"


def spent(interview: MockInterview, *, at: datetime) -> float:
    """Seconds used so far; more than five minutes without a move count as five."""
    until = interview.ended_at or at
    moments = [interview.created_at, until]
    for one in interview.questions:
        if one.presentation is None:
            continue
        moments.append(one.presentation.created_at)
        if answer := one.presentation.answer:
            moments.append(answer.answered_at)
            if answer.review is not None:
                moments.append(answer.review.reviewed_at)
    within = sorted(min(moment, until) for moment in moments)
    gaps = (min(later - earlier, AWAY) for earlier, later in pairwise(within))
    return sum((gap.total_seconds() for gap in gaps), 0.0)


def left(interview: MockInterview, *, at: datetime) -> float:
    """Seconds left; none when time is up."""
    return max(60.0 * interview.minutes - spent(interview, at=at), 0.0)
