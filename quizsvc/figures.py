"""A figure of a run as comma-separated values."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

from quizsvc.markdown import plain

HEADER = ("series", "x", "x_name", "y", "low", "high")
FORMULA = re.compile(r"^(?=[=+\-@\t\r])")


def as_csv(figure: Mapping[str, Any], lang: str) -> str:
    """One line for each point (RFC 4180): its series, where it is, the median over the
    seeds, the smallest and the largest value. A number that is not finite is left out.

    The series of a heat map are its rows; those of a flow are a placement's data and its
    gradient, and x counts the steps.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEADER)
    writer.writerows(_lines(figure, lang))
    return out.getvalue()


def _lines(figure: Mapping[str, Any], lang: str) -> Iterator[tuple[object, ...]]:
    steps = [step["name"] for step in figure.get("steps") or ()]
    names = steps or figure["x"].get("ticks") or ()
    for series in figure["series"]:
        bands = [series[band] or [None] * len(series["x"]) for band in ("low", "high")]
        for x, *values in zip(series["x"], series["y"], *bands, strict=True):
            tick = _text(names[int(x)], lang) if names else ""
            yield (_text(series["name"], lang), x, tick, *values)


def _text(words: Mapping[str, str], lang: str) -> str:
    """A name as a cell; a spreadsheet must not take it for a formula."""
    return FORMULA.sub("'", plain(words.get(lang) or words["en"]))
