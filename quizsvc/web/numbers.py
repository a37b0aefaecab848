"""Pure: a number as people write it."""

import re
import unicodedata
from math import isfinite

LONGEST = 40  # characters
MINUS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}", "--")
RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
WRITTEN = re.compile(
    r"(?P<lead>[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+))"
    r"(?:e(?P<e>[+-]?[0-9]+)| ?[x*×·] ?10\^ ?(?P<power>[+-]?[0-9]+))?"
    r"|(?P<sign>[+-]?)10\^ ?(?P<bare>[+-]?[0-9]+)",
    re.IGNORECASE,
)


def read(text: str) -> float:
    """A number as people write it: 0.5, .5, 0,5, 1e-3, 7×10⁻⁴ or 10^-3.

    Full-width characters and the true minus count as plain ones. A comma is a decimal
    mark. Raises ValueError for anything else, for 1,000, which may be meant as one or as
    a thousand, and for what is too large.
    """
    if len(text) > LONGEST:
        raise ValueError("too long for a number")
    text = RAISED.sub(lambda raised: "^" + raised[0], text)
    text = unicodedata.normalize("NFKC", text).translate(MINUS).strip()
    match = WRITTEN.fullmatch(text)
    if match is None or GROUPED.fullmatch(match["lead"] or ""):
        raise ValueError(f"not a number: {text}")
    lead = match["lead"] or match["sign"] + "1"
    power = match["e"] or match["power"] or match["bare"] or "0"
    value = float(f"{lead.replace(',', '.')}e{power}")
    if not isfinite(value):
        raise ValueError(f"too large: {text}")
    return value
