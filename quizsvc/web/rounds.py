"""A round over a part of the bank: its filters lie in the session cookie while it is on."""

from flask import session as cookie

from quizsvc.web.filters import Asked

KEPT = "round"


def begin(asked: Asked) -> None:
    cookie[KEPT] = asked.filters


def leave() -> None:
    cookie.pop(KEPT, None)


def current() -> dict[str, str]:
    """The filters of the round that is on; none without one."""
    return dict(cookie.get(KEPT, {}))
