"""What domain code raises when a request cannot be granted; the edge turns it into a reply."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class FieldError:
    """What is wrong with one member of the request, by JSON Pointer (RFC 6901)."""

    pointer: str
    code: str
    detail: str


class Refused(Exception):  # noqa: N818 - a refusal is no error of ours
    """A request that is understood and not granted.

    ``status`` is the HTTP status, ``code`` a stable word for programs, ``detail`` a
    sentence for people.
    """

    status = 400

    def __init__(
        self, code: str, detail: str, errors: Sequence[FieldError] = ()
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)


class NotFound(Refused):
    status = 404


class Conflict(Refused):
    status = 409


class Gone(Refused):
    status = 410


class Invalid(Refused):
    status = 422


class Busy(Refused):
    """It would be granted a little later."""

    status = 503


def invalid(pointer: str, code: str, detail: str) -> Invalid:
    """A refusal for a single field."""
    return Invalid(
        "invalid-input", detail, [FieldError(pointer=pointer, code=code, detail=detail)]
    )
