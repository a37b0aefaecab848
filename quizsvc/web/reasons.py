"""Why a run failed, in the language of the page, and what to do about it."""

import re

from quizsvc.web.words import _

NUMBER = r"[0-9.e+]+"
PATTERNS = {
    "long": re.compile(
        rf"The run was stopped: it took longer than (?P<most>{NUMBER}) seconds\."
    ),
    "memory": re.compile(
        rf"The run needed more than the (?P<most>{NUMBER}) MB of memory it may use\."
    ),
    "unusable": re.compile(
        r"The experiment cannot use these parameters: (?P<most>.*)\.", re.S
    ),
    "stopped": re.compile(r"The run was stopped three times before it had a result\."),
    "changed": re.compile(r"The experiment changed since this run was asked for; .*"),
    "broken": re.compile(r"The experiment stopped with an error \((?P<most>\w+)\)\."),
}
"""The sentences that workers keep with a failed run."""


def reason(error: str | None) -> str:
    """A worker's sentence in words of the page; one that is not known as it is."""
    return _said(error or "")[0]


def advice(error: str | None) -> str:
    """What a person can do next; parameters are kept whatever it was."""
    return _said(error or "")[1]


def _said(error: str) -> tuple[str, str]:
    smaller = _("Your parameters are kept. Choose smaller ones and run it again.")
    again = _("Your parameters are kept. Run it again.")
    for kind, pattern in PATTERNS.items():
        if match := pattern.fullmatch(error):
            most = match.groupdict().get("most", "")
            return _words(kind, most, smaller, again)
    return error or _("no reason was kept."), _(
        "Your parameters are kept; run it again or change them."
    )


def _words(kind: str, most: str, smaller: str, again: str) -> tuple[str, str]:
    if kind == "long":
        return _(
            "it took longer than %(most)s seconds and was stopped.", most=most
        ), smaller
    if kind == "memory":
        return _(
            "it needed more than the %(most)s MB of memory it may use.", most=most
        ), smaller
    if kind == "unusable":
        return _(
            "the experiment cannot use these parameters (%(most)s).", most=most
        ), _("Your parameters are kept. Change them and run it again.")
    if kind == "stopped":
        return _("its worker stopped three times before there was a result."), again
    if kind == "changed":
        return _("the experiment's code changed while it waited."), again
    return _("the experiment stopped with an error (%(most)s).", most=most), _(
        "Your parameters are kept. Other parameters may work; the log of the service has the details."
    )
