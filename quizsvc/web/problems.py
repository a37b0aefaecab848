"""Errors in words: what happened, what is kept, what to do."""

from dataclasses import dataclass

from flask import request

from quizsvc.security import is_ours
from quizsvc.web.words import _

STALE = "stale-form"  # a form whose token does not belong to the visitor's session


@dataclass(frozen=True, kw_only=True)
class Problem:
    title: str
    kept: str  # what is kept, and what to do
    ask: bool = False  # whether the way on is another question


def problem(status: int, code: str) -> Problem:
    """The words for an error page."""
    said = _by_code(code) or _by_status(status)
    if said is not None:
        return said
    if status >= 500:
        return Problem(
            title=_("Something broke here"),
            kept=_(
                "It is our fault. What you answered before is kept; this request was not. "
                "Go back and try again."
            ),
        )
    return Problem(
        title=_("This request could not be granted"),
        kept=_(
            "Nothing was changed. The page may have been open for long: go back, load it "
            "again and repeat what you did."
        ),
    )


def sent_again(status: int, code: str) -> list[tuple[str, str]] | None:
    """The fields of a form of ours that was not taken and may be sent again.

    Only a request that a page of ours sent is offered again under a new token: a person
    still has to press the button.
    """
    if request.method != "POST" or not is_ours(request):
        return None
    if status != 503 and code != STALE:
        return None
    return [f for f in request.form.items(multi=True) if f[0] != "csrf_token"]


def _by_code(code: str) -> Problem | None:
    if code in {"expired", "stale-presentation"}:
        return Problem(
            title=_("This question was shown too long ago"),
            kept=_(
                "A question waits a day for its answer, and not longer than until you "
                "answer it elsewhere. Nothing was recorded just now, and everything you "
                "answered before is kept. Let it be asked again."
            ),
            ask=True,
        )
    if code in {"not-latest", "already-undone", "imported-review"}:
        return Problem(
            title=_("This answer cannot be taken back any more"),
            kept=_(
                "Only the latest answer can be undone, and only once. Your log is as it "
                "was."
            ),
        )
    if code == "storage-full":
        return Problem(
            title=_("The disk is full"),
            kept=_(
                "Nothing was saved by this request, and nothing that was saved before is "
                "lost. Free some space on the machine of the service and try again; it "
                "need not be restarted."
            ),
        )
    if code == "database-broken":
        return Problem(
            title=_("The database cannot be used"),
            kept=_(
                "Nothing was saved by this request. The log of the service says what is "
                "wrong: its folder may be out of reach, or its file damaged or of "
                "another version. If it is damaged, stop the service and put an earlier "
                "copy in its place."
            ),
        )
    if code == STALE:
        return Problem(
            title=_("This form has lost its session"),
            kept=_(
                "It was opened in a session that your browser no longer has, so it is not "
                "certain that you sent it. Nothing was saved."
            ),
        )
    return None


def _by_status(status: int) -> Problem | None:
    if status == 404:
        return Problem(
            title=_("There is nothing at this address"),
            kept=_(
                "It may have been retired or mistyped. Your answers and runs are kept."
            ),
        )
    if status == 413:
        return Problem(
            title=_("That was too much at once"),
            kept=_("Nothing was saved. Go back, shorten the text and send it again."),
        )
    if status == 503:
        return Problem(
            title=_("The database is busy"),
            kept=_(
                "Something else writes to it for longer than a request may wait. Nothing "
                "was saved by this request, and nothing that was saved before is lost. "
                "Wait a few seconds and try again."
            ),
        )
    return None
