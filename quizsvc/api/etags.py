"""Edits by If-Match: what was written elsewhere since the client read is not lost."""

from flask import request
from werkzeug.exceptions import PreconditionFailed, PreconditionRequired
from werkzeug.http import quote_etag


def check(etag: str) -> None:
    """Whether the client read the state with that tag, which is about to be changed.

    Raises PreconditionRequired (428) without If-Match, PreconditionFailed (412) when it
    names another state.
    """
    if "If-Match" not in request.headers:
        raise PreconditionRequired("Say by If-Match which state is to be changed.")
    if etag not in request.if_match:
        raise PreconditionFailed("It has changed since it was read. Read it again.")


def header(etag: str) -> dict[str, str]:
    return {"ETag": quote_etag(etag)}
