"""Text to items. Every mistake of a file is found in one go."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from question_bank.content import frontmatter, sections
from question_bank.content.errors import ContentError, InvalidContent
from question_bank.content.frontmatter import FrontMatterError, Place
from question_bank.content.items import (
    ESTIMATE,
    SOURCE,
    Facts,
    Item,
    Line,
    QuestionItem,
    Texts,
)
from question_bank.content.prose import STRANGE
from question_bank.content.sections import HEADINGS, PROSE, Numbered, Reading

T = TypeVar("T", covariant=True)
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Translation:
    """The texts of a question in a language other than the source."""

    lang: Literal["zh"]
    texts: Texts


@dataclass(frozen=True)
class Located(Generic[T]):
    """What a file says, and where: ``line`` finds the line of a place in it."""

    item: T
    path: Path
    line: Callable[[Place], int]


class _Language(Item):
    language: Literal["zh"]


class _Title(Item):
    en: Line
    zh: Line


class _Pack(Item):
    title: _Title


def parse_question(source: str, path: Path) -> QuestionItem:
    """The question in a source file. Raises InvalidContent."""
    return locate_question(source, path).item


def parse_translation(source: str, path: Path) -> Translation:
    """The text in a translation file. Raises InvalidContent."""
    return locate_translation(source, path).item


def locate_question(source: str, path: Path) -> Located[QuestionItem]:
    """Like :func:`parse_question`, with the lines of all parts."""
    reading = Reading()
    body = _front_and_body(source, reading)
    facts = _build(Facts, reading.values.pop("front"), reading)
    _read_body(body, reading, source=True)
    choices = reading.values.pop("facts", [])
    if facts:
        _check_type(facts.type, reading)
    texts = _texts(reading)
    item = None
    if facts and texts and not reading.mistakes:
        values = {
            **dict(facts),
            "slug": path.stem,
            "choices": choices,
            "key_points": list(texts.key_points),
            "texts": {SOURCE: texts},
        }
        item = _build(QuestionItem, values, reading)
    return _finish(item, path, reading)


def locate_translation(source: str, path: Path) -> Located[Translation]:
    """Like :func:`parse_translation`, with the lines of all parts."""
    reading = Reading()
    body = _front_and_body(source, reading)
    front = _build(_Language, reading.values.pop("front"), reading)
    _read_body(body, reading, source=False)
    reading.values.pop("facts", None)
    if "choices" in reading.values and "key_points" in reading.values:
        reading.mistake(1, "either 'Choices' or 'Key points', not both")
    texts = _texts(reading)
    item = Translation(front.language, texts) if front and texts else None
    return _finish(item, path, reading)


def locate_title(source: str, path: Path) -> Located[dict[str, str]]:
    """The title in ``pack.md``, by language. Raises InvalidContent."""
    reading = Reading()
    body = _front_and_body(source, reading)
    if stray := next((n for n, text in body if text.strip()), None):
        reading.mistake(stray, "text below the front matter")
    pack = _build(_Pack, reading.values.pop("front"), reading)
    return _finish(dict(pack.title) if pack else None, path, reading)


def _front_and_body(source: str, reading: Reading) -> Numbered:
    """The body's lines; the front matter goes to ``reading.values["front"]``."""
    reading.values["front"] = {}
    lines = list(enumerate(source.replace("\r\n", "\n").split("\n"), start=1))
    for number, text in lines:
        if strange := STRANGE.search(text):
            reading.mistake(number, f"holds the character U+{ord(strange[0]):04X}")
    if reading.mistakes:
        return []
    ends = [number for number, text in lines if text == "---"][:2]
    if len(ends) < 2 or ends[0] != 1:
        reading.mistake(1, "must begin with front matter between two lines of ---")
        return [line for line in lines if line[0] > 1]
    front = "\n".join(text for _, text in lines[1 : ends[1] - 1])
    try:
        values, places = frontmatter.read(front)
    except FrontMatterError as error:
        reading.mistake(error.line + 1, str(error))
    else:
        reading.values["front"] = values
        reading.lines.update({p: line + 1 for p, line in places.items() if p})
    return lines[ends[1] :]


def _read_body(lines: Numbered, reading: Reading, *, source: bool) -> None:
    if not lines:
        return
    parts = sections.split(lines, reading)
    for name, part in parts.items():
        if name in PROSE:
            sections.prose(name, part, reading)
        elif name == "choices":
            sections.choices(part, reading, source=source)
        else:
            getattr(sections, name)(part, reading)
    missing = [h for name, h in HEADINGS.items() if name not in parts]
    for heading in missing:
        if heading not in {HEADINGS["choices"], HEADINGS["key_points"]}:
            reading.mistake(lines[-1][0], f"section {heading!r} is missing")


def _check_type(kind: str, reading: Reading) -> None:
    """An open question has key points, an estimate no list of parts, others choices."""
    needed = {"open": "key_points", ESTIMATE: None}.get(kind, "choices")
    if needed and not reading.values.get(needed):
        place: Place = (needed,) if (needed,) in reading.lines else ("type",)
        reading.mistake(
            reading.line(place), f"type {kind} needs section {HEADINGS[needed]!r}"
        )
    for other in {"choices", "key_points"} & reading.values.keys() - {needed}:
        reading.mistake(
            reading.line((other,)), f"type {kind} has no section {HEADINGS[other]!r}"
        )


def _texts(reading: Reading) -> Texts | None:
    """The texts; sections that are missing were reported as such already."""
    return _build(Texts, reading.values, reading, known_missing=True)


def _build(
    model: type[M], values: Any, reading: Reading, *, known_missing: bool = False
) -> M | None:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False):
            if known_missing and one["type"] == "missing" and reading.mistakes:
                continue
            where = ".".join(map(str, one["loc"]))
            words = one["msg"].removeprefix("Value error, ")
            reading.mistake(
                reading.line(one["loc"]), f"{where}: {words}" if where else words
            )
        return None


def _finish(item: T | None, path: Path, reading: Reading) -> Located[T]:
    if item is None or reading.mistakes:
        raise InvalidContent(
            ContentError(path, line, message) for line, message in reading.mistakes
        )
    return Located(item, path, reading.line)
