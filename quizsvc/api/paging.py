"""Keyset pages: ``after`` names the last item seen, so inserts neither repeat nor skip."""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlencode

from flask import Response, after_this_request, request

from quizsvc.refusals import FieldError, Refused

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    data: Sequence[T]
    has_more: bool
    next: str | None


def cursor(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def key_of(after: str | None) -> str | None:
    """The key inside a cursor. Raises Refused 400 for one that we did not make."""
    if after is None:
        return None
    try:
        padded = after + "=" * (-len(after) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise bad_cursor() from error


def bad_cursor() -> Refused:
    detail = "after is not a cursor of this list; use the next of the page before."
    return Refused(
        "bad-cursor",
        detail,
        [FieldError(pointer="/after", code="bad-cursor", detail=detail)],
    )


def page(items: Sequence[T], limit: int, key: Callable[[T], str]) -> Page[T]:
    """The first ``limit`` of items of which one more than that was asked for."""
    shown = items[:limit]
    more = len(items) > limit
    following = cursor(key(shown[-1])) if more else None
    if following:
        link = {**request.args.to_dict(), "after": following}

        @after_this_request
        def add_link(response: Response) -> Response:
            response.headers["Link"] = f'<{request.path}?{urlencode(link)}>; rel="next"'
            return response

    return Page(shown, more, following)


def following(
    items: Sequence[T], after: str | None, key: Callable[[T], str]
) -> Sequence[T]:
    """The items behind the cursor's, for lists that are ordered in memory."""
    wanted = key_of(after)
    if wanted is None:
        return items
    for place, item in enumerate(items):
        if key(item) == wanted:
            return items[place + 1 :]
    raise bad_cursor()
