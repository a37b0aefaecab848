"""What nobody will ask for again, and when it goes."""

from datetime import datetime, timedelta

from sqlalchemy import delete, exists
from sqlalchemy.orm import Session

from quizsvc.models import Answer, IdempotencyKey, Presentation

REPLIES = timedelta(hours=48)  # after which a request sent again is a new one
UNANSWERED = timedelta(days=7)  # after their expiry


def forget_expired(session: Session, *, at: datetime) -> None:
    """Delete old idempotency keys, and presentations that ran out without an answer."""
    unanswered = ~exists().where(Answer.presentation_id == Presentation.id)
    for old in (
        delete(IdempotencyKey).where(IdempotencyKey.created_at < at - REPLIES),
        delete(Presentation).where(
            Presentation.expires_at < at - UNANSWERED, unanswered
        ),
    ):
        session.execute(old, execution_options={"synchronize_session": False})
