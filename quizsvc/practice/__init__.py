"""Use cases of a candidate: what is due, show it, take the answer, explain, schedule.

Every function takes the session first and never commits. Those that write to the review
log hold the user's row until the transaction ends: one thing at a time happens to a log.
"""

from quizsvc.practice.answering import (
    Submission,
    find_answer,
    mark_answer,
    submit_answer,
)
from quizsvc.practice.evidence import EvidenceView
from quizsvc.practice.explaining import (
    Feedback,
    FeedbackChoice,
    FeedbackPoint,
    ReviewView,
    feedback,
)
from quizsvc.practice.presenting import Shown, find_presentation, present, shown
from quizsvc.practice.queue import DueItem, Today, due, today
from quizsvc.practice.reviewing import RATINGS, rebuild, reviews, undo
from quizsvc.practice.users import local_user

__all__ = [
    "RATINGS",
    "DueItem",
    "EvidenceView",
    "Feedback",
    "FeedbackChoice",
    "FeedbackPoint",
    "ReviewView",
    "Shown",
    "Submission",
    "Today",
    "due",
    "feedback",
    "find_answer",
    "find_presentation",
    "local_user",
    "mark_answer",
    "present",
    "rebuild",
    "reviews",
    "shown",
    "submit_answer",
    "today",
    "undo",
]
