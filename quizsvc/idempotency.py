"""A request with an Idempotency-Key takes effect once, however often it is sent."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from flask import Response, json, request
from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from quizsvc.models import IdempotencyKey, User
from quizsvc.practice.writing import write
from quizsvc.refusals import Invalid, Refused

HEADER = "Idempotency-Key"
LONGEST = 255
_STORED = select(
    IdempotencyKey.fingerprint,
    IdempotencyKey.body,
    IdempotencyKey.status,
    IdempotencyKey.location,
).where(
    IdempotencyKey.user_id == bindparam("user_id"),
    IdempotencyKey.key == bindparam("key"),
)


class Reply(NamedTuple):
    """What the client is told: JSON, the status and where the new thing is.

    An empty body is written by whoever asked, also for a replay: from what is there.
    """

    body: str
    status: int
    location: str | None


def once(
    session: Session,
    user: User,
    effect: Callable[[], Reply],
    *,
    at: datetime,
    required: bool,
) -> Response:
    """Do ``effect`` and commit, or replay the reply that its first time was given.

    The reply is stored in the transaction of the effect, so neither exists without the
    other. Refusals are not stored: the same key may be tried again after the cause is
    mended. Of twins in flight one takes effect: on PostgreSQL the other waits for the
    row of the key, on SQLite for the file.

    Raises Refused 400 without a key when one is required, Invalid when the key came
    with another request before.
    """
    key = request.headers.get(HEADER, "").strip().strip('"')
    if not key:
        if required:
            raise Refused(
                "idempotency-key-required",
                f"Send an {HEADER} header with a value of your own, new for each answer.",
            )
        reply = effect()
        session.commit()
        return _response(*reply)
    if len(key) > LONGEST:
        raise Refused(
            "idempotency-key-too-long", f"An {HEADER} has at most {LONGEST} characters."
        )
    mark = _fingerprint()
    place = {"user_id": user.id, "key": key}
    try:
        reply = effect()
        write(
            session,
            IdempotencyKey,
            **place,
            fingerprint=mark,
            created_at=at,
            **reply._asdict(),
        )
    except (Refused, IntegrityError):  # perhaps since it has happened before
        session.rollback()
        found = session.connection().execute(_STORED, place).one_or_none()
        if found is None:
            raise
        if found.fingerprint != mark:
            raise Invalid(
                "idempotency-key-reused",
                f"This {HEADER} was used for another request. Use a new one.",
            ) from None
        response = _response(found.body, found.status, found.location)
        response.headers["Idempotent-Replayed"] = "true"
        return response
    session.commit()
    return _response(*reply)


def _fingerprint() -> str:
    """Method, path and body; the order of the body's members does not matter."""
    said = json.dumps(
        [request.method, request.path, request.get_json()], sort_keys=True
    )
    return hashlib.sha256(said.encode()).hexdigest()


def _response(body: str, status: int, location: str | None) -> Response:
    response = Response(body, status, mimetype="application/json")
    if location:
        response.headers["Location"] = location
    return response
