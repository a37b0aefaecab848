"""One strict decoder for every JSON body, so that both databases see the same input."""

import json
import math
import re
from functools import cached_property
from typing import Any

from flask import Request
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 64
UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # NUL and lone surrogates
MAX_INTEGER = 2**63 - 1


class StrictRequest(Request):
    """A request whose body, if it is read as JSON, is plain and bounded."""

    max_content_length = MAX_BYTES

    def get_json(self, *_args: Any, **_kwargs: Any) -> dict[str, Any]:
        """The body as an object.

        Raises UnsupportedMediaType unless it is declared as JSON (a foreign page cannot
        send that without asking first), BadRequest for anything but a plain object.
        """
        return self._json

    @cached_property
    def _json(self) -> dict[str, Any]:
        if not self.is_json:
            raise UnsupportedMediaType("The body must be application/json.")
        body = decode(self.get_data())
        if not isinstance(body, dict):
            raise BadRequest("The body must be a JSON object.")
        return body


def decode(data: bytes) -> Any:
    """Parse JSON that every database can store and every client can read back.

    Raises BadRequest for malformed text, NaN or Infinity, integers from 2**63, NUL or
    lone surrogates in strings, repeated members, and nesting deeper than 64.
    """
    try:
        text = data.decode("utf-8")
        _measure(text)
        body = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_integer,
            parse_float=_float,
            object_pairs_hook=_object,
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise BadRequest("The body is not valid JSON.") from error
    _check_strings(body)
    return body


def _measure(text: str) -> None:
    """Refuse deep nesting before parsing; brackets in strings do not count."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth, quoted, escaped = 0, False, False
    for character in text:
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise BadRequest(f"The body nests deeper than {MAX_DEPTH} levels.")
        elif character in "]}":
            depth -= 1


def _refuse_constant(name: str) -> Any:
    raise BadRequest(f"{name} is not a JSON number.")


def _integer(digits: str) -> int:
    if len(digits) > 20 or abs(int(digits)) > MAX_INTEGER:
        raise BadRequest("A whole number in the body is too large.")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise BadRequest("A number in the body is too large.")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadRequest("The body names a member twice.")
    return members


def _check_strings(value: Any) -> None:
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, dict):
        for name, member in value.items():
            check_text(name)
            _check_strings(member)
    elif isinstance(value, list):
        for item in value:
            _check_strings(item)


def check_text(value: str) -> None:
    """Raise BadRequest for text that a database or UTF-8 cannot hold."""
    if UNSTORABLE.search(value):
        raise BadRequest("A text in the request holds a NUL or a lone surrogate.")


class PlainJSON(DefaultJSONProvider):
    """JSON out: never NaN or Infinity, and text as it is."""

    ensure_ascii = False
    sort_keys = False

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return super().dumps(obj, allow_nan=False, **kwargs)
