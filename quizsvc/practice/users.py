"""Who practises."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from quizsvc.models import User
from quizsvc.scheduling.calibration import PRIOR, Calibration
from quizsvc.scheduling.memory import RETENTION

LOCAL = "local"
ROLLOVER_HOUR = 4
_BY_NAME = select(User).where(User.name == LOCAL)


def local_user(session: Session, *, at: datetime, time_zone: str | None = None) -> User:
    """The one user of local mode, made when it is first asked for.

    A zone that is given becomes the user's, unless he chose one; a new user without one
    lives in UTC.
    """
    user = session.scalar(_BY_NAME) or _made(session, at)
    if time_zone not in {None, user.time_zone} and not user.chose_zone:
        user.time_zone = time_zone
        session.flush()
    return user


def _made(session: Session, at: datetime) -> User:
    user = User(
        name=LOCAL,
        time_zone="UTC",
        rollover_hour=ROLLOVER_HOUR,
        target_retention=RETENTION,
        calibration=list(PRIOR),
        created_at=at,
    )
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError:  # another process was first
        return session.scalars(_BY_NAME).one()
    return user


def calibration(user: User) -> Calibration:
    """What the user's answers have taught, as cached; the prior where nothing is."""
    return PRIOR if user.calibration is None else Calibration(*user.calibration)


def lock(session: Session, user: User) -> None:
    """Hold the user until the transaction ends, as he is now.

    On PostgreSQL this is a row lock, and he is read anew; on SQLite the session that may
    write holds the whole file, and what it has read of the user stays.
    """
    if session.get_bind().dialect.name != "sqlite":
        session.refresh(user, with_for_update={"key_share": True})
