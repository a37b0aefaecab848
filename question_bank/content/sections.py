"""The Markdown below the front matter: a title, a stem and sections under headings."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from question_bank.content.frontmatter import Place
from question_bank.content.items import FIXED, FOLLOW_UP, NAME
from question_bank.content.prose import HEADING, outside_code

HEADINGS = {
    "choices": "Choices",
    "key_points": "Key points",
    "short": "Short",
    "detailed": "Detailed",
    "full": "Full lesson",
    "hook": "Memory hook",
    "pitfalls": "Pitfalls",
    "follow_ups": "Follow-ups",
    "references": "References",
}
PROSE = ("stem", "short", "detailed", "full", "hook")

_CHOICE = re.compile(rf"- (?:\[([ x])\] )?`({NAME})` (\(fixed\) )?(.+)")
_POINT = re.compile(rf"- `({NAME})` (.+)")
_REFERENCE = re.compile(r"- \[(.+?)\]\((\S+?)\)(?:: (.+))?")


@dataclass
class Reading:
    """What has been read of a file: values by field, lines by place, and mistakes."""

    values: dict[str, object] = field(default_factory=dict)
    lines: dict[Place, int] = field(default_factory=dict)
    mistakes: list[tuple[int, str]] = field(default_factory=list)

    def mistake(self, line: int, message: str) -> None:
        self.mistakes.append((line, message))

    def line(self, place: Place) -> int:
        """The line of a place, or of what holds it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


Numbered = list[tuple[int, str]]
"""Lines with their numbers in the file."""


def split(lines: Numbered, reading: Reading) -> dict[str, Numbered]:
    """The lines of the title, the stem and each section, by field."""
    try:
        outside = {i for i, _ in outside_code(text for _, text in lines)}
    except ValueError as error:
        reading.mistake(lines[-1][0], str(error))
        return {}
    fields = {heading: name for name, heading in HEADINGS.items()}
    parts: dict[str, Numbered] = {"": []}
    current = parts[""]
    for index, (number, text) in enumerate(lines):
        match = HEADING.fullmatch(text) if index in outside else None
        if match is None:
            current.append((number, text))
            continue
        words = (match[2] or "").strip()
        if match[1] == "#":
            name = "stem" if "stem" not in parts else None
            reading.lines.setdefault(("title",), number)
            reading.values.setdefault("title", words)
            problem = "a second title; use ### inside sections"
        else:
            name = fields.get(words)
            problem = f"unknown section {words!r}; there are: {', '.join(fields)}"
        if name in parts:
            name, problem = None, f"a second section {words!r}"
        if name is None:
            reading.mistake(number, problem)
            current = []
            continue
        _keep_order(name, words, number, parts, reading)
        reading.lines[(name,)] = number
        current = parts[name] = []
    if stray := next((n for n, text in parts.pop("") if text.strip()), None):
        reading.mistake(stray, "text before the title")
    return parts


def _keep_order(
    name: str, words: str, number: int, parts: dict[str, Numbered], reading: Reading
) -> None:
    order = ["stem", *HEADINGS]
    if late := [p for p in parts if p and order.index(p) > order.index(name)]:
        reading.mistake(
            number, f"section {words!r} must stand before {HEADINGS[late[0]]!r}"
        )


def prose(name: str, lines: Numbered, reading: Reading) -> None:
    """A section of free Markdown."""
    text = "\n".join(text for _, text in lines)
    filled = [number for number, text in lines if text.strip()]
    if filled:
        reading.lines[(name,)] = filled[0]
    reading.values[name] = text.strip()


def choices(lines: Numbered, reading: Reading, *, source: bool) -> None:
    """``- [x] `name` (fixed) text`` and ``  > rationale``; facts only in the source."""
    facts: list[dict[str, object]] = []
    texts: dict[str, dict[str, object]] = {}

    def first(number: int, line: str) -> bool:
        match = _CHOICE.fullmatch(line)
        if match is None:
            return False
        mark, name, fixed, text = match.groups()
        if source and mark is None:
            reading.mistake(number, f"choice {name!r} needs [x] or [ ]")
        if not source and (mark is not None or fixed or text.startswith(FIXED)):
            reading.mistake(number, f"[x] and {FIXED} stand only in the source file")
        if name in texts:
            reading.mistake(number, f"a second choice {name!r}")
        facts.append({"name": name, "correct": mark == "x", "fixed": bool(fixed)})
        texts[name] = {"text": text}
        reading.lines[("choices", name)] = number
        return True

    def rationale(number: int, words: str) -> None:
        name = next(reversed(texts))
        _once(texts[name], "rationale", words, number, reading)
        reading.lines[("choices", name, "rationale")] = number

    form = "- [x] `name` text" if source else "- `name` text"
    _items(lines, reading, form, first, {"  > ": rationale})
    reading.values["choices"] = texts
    reading.values["facts"] = facts


def key_points(lines: Numbered, reading: Reading) -> None:
    """``- `name` text``, ``  + phrase | phrase`` and ``  ! misconception``."""
    texts: dict[str, dict[str, object]] = {}

    def first(number: int, line: str) -> bool:
        match = _POINT.fullmatch(line)
        if match is None:
            return False
        name, text = match.groups()
        if name in texts:
            reading.mistake(number, f"a second key point {name!r}")
        texts[name] = {"text": text}
        reading.lines[("key_points", name)] = number
        return True

    def phrases(key: str) -> Callable[[int, str], None]:
        def more(number: int, words: str) -> None:
            name = next(reversed(texts))
            listed = [phrase.strip() for phrase in words.split("|")]
            _once(texts[name], key, listed, number, reading)
            reading.lines[("key_points", name, key)] = number

        return more

    _items(
        lines,
        reading,
        "- `name` text",
        first,
        {"  + ": phrases("phrases"), "  ! ": phrases("misconceptions")},
    )
    reading.values["key_points"] = texts


def pitfalls(lines: Numbered, reading: Reading) -> None:
    """``- belief`` and ``  > why it is common``."""
    items: list[dict[str, object]] = []

    def first(number: int, line: str) -> bool:
        if not line.startswith("- "):
            return False
        reading.lines[("pitfalls", len(items))] = number
        items.append({"belief": line[2:].strip()})
        return True

    def why(number: int, words: str) -> None:
        _once(items[-1], "why", words, number, reading)
        reading.lines[("pitfalls", len(items) - 1, "why")] = number

    _items(lines, reading, "- the wrong belief", first, {"  > ": why})
    reading.values["pitfalls"] = items


def follow_ups(lines: Numbered, reading: Reading) -> None:
    """``- prompt`` or ``- prompt → `slug```."""
    items: list[dict[str, object]] = []

    def first(number: int, line: str) -> bool:
        if not line.startswith("- "):
            return False
        reading.lines[("follow_ups", len(items))] = number
        link = FOLLOW_UP.fullmatch(line[2:])
        items.append(
            {"prompt": link[1].strip(), "slug": link[2]}
            if link
            else {"prompt": line[2:].strip()}
        )
        return True

    _items(lines, reading, "- prompt → `slug`", first, {})
    reading.values["follow_ups"] = items


def references(lines: Numbered, reading: Reading) -> None:
    """``- [title](https://…)`` or ``- [title](https://…): note``."""
    items: list[dict[str, object]] = []

    def first(number: int, line: str) -> bool:
        match = _REFERENCE.fullmatch(line)
        if match is None:
            return False
        reading.lines[("references", len(items))] = number
        title, url, note = match.groups()
        items.append({"title": title, "url": url, "note": note or ""})
        return True

    _items(lines, reading, "- [title](https://…): note", first, {})
    reading.values["references"] = items


def _items(
    lines: Numbered,
    reading: Reading,
    form: str,
    first: Callable[[int, str], bool],
    more: dict[str, Callable[[int, str], None]],
) -> None:
    """Read a list: ``first`` takes the line of an item, ``more`` what stands under it."""
    begun = False
    for number, line in lines:
        text = line.rstrip()
        if not text:
            continue
        under = next((p for p in more if text.startswith(p)), None) if begun else None
        if under:
            more[under](number, text.removeprefix(under).strip())
        elif first(number, text):
            begun = True
        else:
            reading.mistake(number, f"not of the form {form!r}: {text[:60]!r}")


def _once(
    item: dict[str, object], key: str, value: object, line: int, reading: Reading
) -> None:
    if key in item:
        reading.mistake(line, f"a second line of {key}; write one")
    item[key] = value
