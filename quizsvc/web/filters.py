"""What an address of the bank asks for: filters, order and place, each from an allow-list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from flask import url_for
from flask_babel import lazy_gettext as _l
from pydantic import TypeAdapter
from werkzeug.datastructures import MultiDict

from quizsvc.api import paging
from quizsvc.practice.explore import ORDERS, STANDINGS, Order, Place, Wanted
from quizsvc.refusals import Refused
from quizsvc.web import words
from quizsvc.web.words import _

LONGEST = 200  # characters of a search
STANDS = {
    "unseen": _l("Not met"),
    "learning": _l("Learning"),
    "due": _l("Due now"),
    "known": _l("Known"),
}
SORTS = {
    "fit": _l("Best match"),
    "level": _l("Level"),
    "title": _l("Title"),
    "due": _l("Next date"),
    "recall": _l("Least recall"),
}
MASTERIES = {
    "unmet": _l("Not met"),
    "thin": _l("Thin"),
    "partial": _l("Partial"),
    "good": _l("Good"),
    "firm": _l("Firm"),
}
FLAGGED = {"1": _l("yes")}
LABELS = {
    "q": _l("Search"),
    "topic": _l("Topic"),
    "level": _l("Level"),
    "form": _l("Form"),
    "tag": _l("Tag"),
    "state": _l("State"),
    "flagged": _l("Flagged"),
    "sort": _l("Order"),
}
AROUND = ("lang", "after", "over")  # what may stand beside them
PLACES: dict[Order, TypeAdapter[Place]] = {
    "fit": TypeAdapter(tuple[Literal["fit"], int, int, str, str]),
    "level": TypeAdapter(tuple[Literal["level"], int, str, str]),
    "title": TypeAdapter(tuple[Literal["title"], str, str]),
    "due": TypeAdapter(tuple[Literal["due"], str, int, str, str]),
    "recall": TypeAdapter(tuple[Literal["recall"], float, int, str, str]),
}


class Chip(NamedTuple):
    """A filter in use, and the address of the list without it."""

    name: str
    said: str
    href: str


@dataclass(frozen=True)
class Asked:
    """What was asked for that can be granted; ``troubles`` are sentences about the rest."""

    chosen: Mapping[str, str] = field(default_factory=dict)  # by name, in order
    after: Place | None = None
    troubles: Sequence[str] = ()

    @property
    def wanted(self) -> Wanted:
        chosen = self.chosen
        return Wanted(
            q=chosen.get("q"),
            topic=chosen.get("topic"),
            level=chosen.get("level"),
            type=chosen.get("form"),
            tag=chosen.get("tag"),
            state=chosen.get("state"),
            flagged=True if "flagged" in chosen else None,
        )

    @property
    def order(self) -> Order:
        """By level, or with words by how well they fit, unless something else is chosen."""
        usual: Order = "fit" if "q" in self.chosen else "level"
        return next((one for one in ORDERS if one == self.chosen.get("sort")), usual)

    @property
    def filters(self) -> dict[str, str]:
        return {name: value for name, value in self.chosen.items() if name != "sort"}

    def chips(self) -> list[Chip]:
        return [
            Chip(name, said(name, value), self.address(name))
            for name, value in self.filters.items()
        ]

    def address(self, *left_out: str, **more: str) -> str:
        """The address of the same list, without some filters."""
        kept: dict[str, Any] = dict(more)
        kept |= {n: value for n, value in self.chosen.items() if n not in left_out}
        return url_for("bank.index", **kept)


def read(fields: MultiDict[str, str], tags: Sequence[str]) -> Asked:
    """What the fields of an address or a form ask for."""
    chosen, troubles = {}, []
    allowed: dict[str, Sequence[str] | Mapping[str, object] | None] = {
        "q": None,
        "topic": words.TOPICS,
        "level": words.LEVELS,
        "form": words.FORMS,
        "tag": tags,
        "state": STANDINGS,
        "flagged": FLAGGED,
        "sort": ORDERS,
    }
    for name, values in fields.lists():
        value = values[0].strip()
        if name in AROUND or name == "csrf_token":
            continue
        if name not in allowed:
            troubles.append(_("The bank knows no filter “%(name)s”.", name=name[:40]))
        elif len(set(values)) > 1:
            what = _("%(filter)s: only one at a time.", filter=LABELS[name])
            troubles.append(what)
        elif not value:
            continue
        elif name == "q" and len(value) > LONGEST:
            what = _("A search has at most %(most)s characters.", most=LONGEST)
            troubles.append(what)
        elif (among := allowed[name]) is not None and value not in among:
            troubles.append(
                _(
                    "%(filter)s: there is no “%(value)s”.",
                    filter=LABELS[name],
                    value=value[:40],
                )
            )
        else:
            chosen[name] = value
    asked = Asked({name: chosen[name] for name in allowed if name in chosen})
    after = None
    try:
        after = paging.key_of(fields.get("after"), PLACES[asked.order])
    except Refused:
        what = _("The place in the list cannot be read; this is its beginning.")
        troubles.append(what)
    return Asked(asked.chosen, after, troubles)


def said(name: str, value: str) -> str:
    """A filter in words."""
    if name == "q":
        return _("“%(text)s”", text=value)
    if name == "flagged":
        return str(LABELS[name])
    names = {
        "topic": words.TOPICS,
        "tag": words.TAG_NAMES,
        "level": words.LEVELS,
        "form": words.FORMS,
        "state": STANDS,
    }.get(name, {})
    return _("%(title)s: %(value)s", title=LABELS[name], value=words.name(names, value))
