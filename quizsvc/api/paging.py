"""Keyset pages: ``after`` tells the place of the last item seen, which need not be there
any more, so that nothing repeats or is skipped when items come and go.
"""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar
from urllib.parse import urlencode

from flask import Response, after_this_request, json, request
from pydantic import Field, TypeAdapter

from quizsvc.refusals import FieldError, Refused

T = TypeVar("T")
K = TypeVar("K")

NAME: TypeAdapter[str] = TypeAdapter(Annotated[str, Field(pattern=r"^[\w-]+$")])
NUMBER: TypeAdapter[int] = TypeAdapter(Annotated[int, Field(ge=1, lt=2**31)])
PLACE: TypeAdapter[tuple[int, str]] = TypeAdapter(
    tuple[Annotated[int, Field(ge=0, lt=2**31)], str]
)


@dataclass(frozen=True)
class Page(Generic[T]):
    data: Sequence[T]
    has_more: bool
    next: str | None


def cursor(key: object) -> str:
    """The key of an item, JSON in base64."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def key_of(after: str | None, kind: TypeAdapter[K]) -> K | None:
    """The key inside a cursor, which may come from anybody: it is checked like a body.

    Raises Refused 400 for one that cannot be of such a list.
    """
    if after is None:
        return None
    try:
        padded = after + "=" * (-len(after) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True)
        return kind.validate_json(text, strict=True)
    except ValueError as error:
        raise bad_cursor() from error


def bad_cursor() -> Refused:
    detail = "after is not a cursor of this list; use the next of the page before."
    wrong = FieldError(pointer="/after", code="bad-cursor", detail=detail)
    return Refused("bad-cursor", detail, [wrong])


def page(items: Sequence[T], limit: int, key: Callable[[T], object]) -> Page[T]:
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
