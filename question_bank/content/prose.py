"""What text a file may hold: one-line texts and Markdown prose."""

import re
from collections.abc import Iterable, Iterator

MAX_BYTES = 64 * 1024
MAX_NESTING = 32
MAX_RUN = 200
MAX_MARKS = 1000  # Python-Markdown's time grows with the square of < and `
MAX_LINES = 2000

HEADING = re.compile(r"(#{1,2})(?: (.*))?")
"""A heading of the file's own structure; prose may use ### and deeper."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_QUOTES = re.compile(r"(?:\s*(?:>|[-+*]\s|\d+[.)]\s))*")
_RUN = re.compile(rf"([^\w\s-])\1{{{MAX_RUN},}}")
STRANGE = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\ufeff]")
"""What can be neither read nor stored faithfully: controls, surrogates, hidden breaks."""


def outside_code(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines outside fenced code with their index.

    Raises ValueError when a fence is not closed.
    """
    fence = ""
    for index, line in enumerate(lines):
        match = _FENCE.fullmatch(line)
        if fence:
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
        else:
            yield index, line
    if fence:
        raise ValueError("a code block is not closed")


def check_line(text: str) -> str:
    """A text on one line without space around it. Raises ValueError."""
    if "\n" in text or "\t" in text:
        raise ValueError("must stand on one line, without tabs")
    return _check(text)


def check_prose(text: str) -> str:
    """Markdown that a section can hold and that renders fast. Raises ValueError."""
    _check(text)
    for _, line in outside_code(text.split("\n")):
        if HEADING.fullmatch(line):
            raise ValueError(f"prose may not hold the heading {line!r}; use ###")
    return text


def _check(text: str) -> str:
    if text != text.strip():
        raise ValueError("has space around it")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ValueError(f"is longer than {MAX_BYTES // 1024} KiB")
    if strange := STRANGE.search(text):
        raise ValueError(f"holds the character U+{ord(strange[0]):04X}")
    marks = max(text.count("<"), text.count("`"))
    if marks > MAX_MARKS or text.count("\n") > MAX_LINES or _RUN.search(text):
        raise ValueError("repeats the same mark too often")
    if _nesting(text) > MAX_NESTING:
        raise ValueError("is nested too deeply")
    return text


def _nesting(text: str) -> int:
    """How deep brackets, quotes and lists nest in the worst paragraph."""
    deepest = depth = 0
    for line in text.split("\n"):
        if not line.strip():
            depth = 0
        marks = _QUOTES.match(line)
        quotes = marks[0].count(">") + len(marks[0].split()) if marks else 0
        indent = (len(line) - len(line.lstrip())) // 4
        deepest = max(deepest, quotes, indent)
        for character in line:
            if character in "[(":
                depth += 1
                deepest = max(deepest, depth)
            elif character in "])":
                depth = max(0, depth - 1)
    return deepest
