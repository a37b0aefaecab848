"""Errors in words: what happened, what is kept, what to do."""

from dataclasses import dataclass

from quizsvc.web.words import _


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
                "Nothing was saved by this request, and nothing that was saved before is "
                "lost. Wait a few seconds and try again; a form can be sent again with "
                "the Back button."
            ),
        )
    return None
