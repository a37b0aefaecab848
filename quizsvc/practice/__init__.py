"""Use cases of a candidate: what is due, show it, take the answer, explain, schedule.

Every function takes the session first and never commits. Those that write to the review
log hold the user's row until the transaction ends: one thing at a time happens to a log.
"""

from question_bank.suggest import MAX_ANSWER
from quizsvc.practice.answering import (
    Confidence,
    Submission,
    answer_shown,
    find_answer,
    mark_answer,
    submit_answer,
)
from quizsvc.practice.bank import published
from quizsvc.practice.estimating import MeasuredKey, ShownFigure
from quizsvc.practice.evidence import EvidenceView
from quizsvc.practice.exchange import (
    MAX_FILE,
    Import,
    export_reviews,
    import_reviews,
)
from quizsvc.practice.expiry import forget_expired
from quizsvc.practice.explaining import (
    Feedback,
    FeedbackChoice,
    FeedbackPoint,
    ReviewView,
    background,
    explain,
    feedback,
)
from quizsvc.practice.goal import Goal, goal, options, set_goal
from quizsvc.practice.measured import NotComputed, compute
from quizsvc.practice.planning import Plan, plan
from quizsvc.practice.presenting import (
    LIFETIME,
    Shown,
    Tolerance,
    find_presentation,
    in_language,
    present,
    shown,
    shown_to_local,
    tolerance,
)
from quizsvc.practice.progress import Progress, progress
from quizsvc.practice.queue import DueItem, Today, behind, due, today
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
    "MAX_FILE",
    "RATINGS",
    "Confidence",
    "DueItem",
    "EvidenceView",
    "Feedback",
    "FeedbackChoice",
    "FeedbackPoint",
    "Goal",
    "Import",
    "MeasuredKey",
    "NotComputed",
    "Plan",
    "Progress",
    "ReviewView",
    "Shown",
    "ShownFigure",
    "Submission",
    "Today",
    "Tolerance",
    "answer_shown",
    "background",
    "behind",
    "compute",
    "dates_by_rating",
    "due",
    "explain",
    "export_reviews",
    "feedback",
    "find_answer",
    "find_presentation",
    "forget_expired",
    "goal",
    "import_reviews",
    "in_language",
    "latest_review",
    "local_user",
    "mark_answer",
    "options",
    "plan",
    "present",
    "progress",
    "published",
    "rebuild",
    "reviews",
    "set_goal",
    "shown",
    "shown_to_local",
    "submit_answer",
    "today",
    "tolerance",
    "undo",
]
