"""Use cases of a candidate: what is due, show it, take the answer, explain, schedule.

Every function takes the session first and never commits. Those that write to the review
log hold the user's row until the transaction ends: one thing at a time happens to a log.
"""

from question_bank.suggest import MAX_ANSWER
from quizsvc.practice.answering import (
    Confidence,
    Submission,
    find_answer,
    mark_answer,
    submit_answer,
)
from quizsvc.practice.bank import Found, published, search
from quizsvc.practice.evidence import EvidenceView
from quizsvc.practice.expiry import forget_expired
from quizsvc.practice.explaining import (
    Feedback,
    FeedbackChoice,
    FeedbackPoint,
    ReviewView,
    feedback,
)
from quizsvc.practice.presenting import (
    LIFETIME,
    Shown,
    find_presentation,
    present,
    shown,
)
from quizsvc.practice.queue import DueItem, Today, due, today
from quizsvc.practice.reviewing import (
    RATINGS,
    dates_by_rating,
    latest_review,
    rebuild,
    reviews,
    undo,
)
from quizsvc.practice.users import local_user

__all__ = [
    "LIFETIME",
    "MAX_ANSWER",
    "RATINGS",
    "Confidence",
    "DueItem",
    "EvidenceView",
    "Feedback",
    "FeedbackChoice",
    "FeedbackPoint",
    "Found",
    "ReviewView",
    "Shown",
    "Submission",
    "Today",
    "dates_by_rating",
    "due",
    "feedback",
    "find_answer",
    "find_presentation",
    "forget_expired",
    "latest_review",
    "local_user",
    "mark_answer",
    "present",
    "published",
    "rebuild",
    "reviews",
    "search",
    "shown",
    "submit_answer",
    "today",
    "undo",
]
