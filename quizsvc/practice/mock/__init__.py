"""The mock interview: minutes, sixty-second answers, follow-ups, a report.

Its questions are shown, answered, marked and scheduled as everywhere else.
"""

from quizsvc.practice.bank import topics
from quizsvc.practice.mock.asking import Rung, ladder
from quizsvc.practice.mock.choosing import Candidate, choose, room
from quizsvc.practice.mock.clock import AWAY, GUIDE, Stage, left, spent, stage
from quizsvc.practice.mock.interview import (
    LONGEST,
    SHORTEST,
    Outline,
    Wish,
    end,
    find,
    find_open,
    go_on,
    open_id,
    outlines,
    question_at,
    start,
)
from quizsvc.practice.mock.pool import candidates
from quizsvc.practice.mock.report import Line, Outcome, Report, TopicLine, report

__all__ = [
    "AWAY",
    "GUIDE",
    "LONGEST",
    "SHORTEST",
    "Candidate",
    "Line",
    "Outcome",
    "Outline",
    "Report",
    "Rung",
    "Stage",
    "TopicLine",
    "Wish",
    "candidates",
    "choose",
    "end",
    "find",
    "find_open",
    "go_on",
    "ladder",
    "left",
    "open_id",
    "outlines",
    "question_at",
    "report",
    "room",
    "spent",
    "stage",
    "start",
    "topics",
]
