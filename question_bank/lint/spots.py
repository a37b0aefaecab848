"""Where rules look, and how they point at what they find."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from question_bank.content import Lang, PackItem, Place, QuestionItem
from question_bank.content.prose import outside_code

Claims = Mapping[str, Mapping[str, Any]] | None
"""Each ``experiment.claim`` with the JSON Schema of the experiment's parameters."""
Rule = Callable[[PackItem, Claims], "Iterator[Spot]"]

DISPLAY = re.compile(r"(?<!\\)\$\$(.+?)(?<!\\)\$\$", re.DOTALL)
INLINE = re.compile(
    r"(?<![\\$])\$(?![\s$])((?:\\.|[^\\$])+?)(?<!\s)\$(?!\$)", re.DOTALL
)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)


@dataclass(frozen=True)
class Spot:
    """A part of a question, or a line ``below`` its first, and what is wrong there."""

    slug: str
    lang: Lang
    place: Place
    message: str
    below: int = 0


@dataclass(frozen=True)
class Passage:
    """One text of a question, with its place."""

    slug: str
    lang: Lang
    place: Place
    text: str

    def spot(self, offset: int, message: str) -> Spot:
        below = self.text.count("\n", 0, offset)
        return Spot(self.slug, self.lang, self.place, message, below)


def questions(pack: PackItem) -> Iterator[tuple[QuestionItem, Lang]]:
    """Every question in each of its languages."""
    for item in pack.questions:
        for lang in item.texts:
            yield item, lang


def passages(pack: PackItem) -> Iterator[Passage]:
    """Every text that a reader sees, except names and addresses."""
    for item, lang in questions(pack):
        for place, text in _passages(item, lang):
            if text:
                yield Passage(item.slug, lang, place, text)


def _passages(item: QuestionItem, lang: Lang) -> Iterator[tuple[Place, str]]:
    texts = item.texts[lang]
    for field in ("title", "stem", "short", "detailed", "full", "hook"):
        yield (field,), getattr(texts, field)
    for name, choice in texts.choices.items():
        yield ("choices", name), choice.text
        yield ("choices", name, "rationale"), choice.rationale
    for name, point in texts.key_points.items():
        yield ("key_points", name), point.text
    for i, pitfall in enumerate(texts.pitfalls):
        yield ("pitfalls", i), pitfall.belief
        yield ("pitfalls", i, "why"), pitfall.why
    for i, follow_up in enumerate(texts.follow_ups):
        yield ("follow_ups", i), follow_up.prompt
    for i, reference in enumerate(texts.references):
        yield ("references", i), reference.note


def without_code(text: str) -> str:
    """The text with code blanked out; every offset stays."""
    lines = text.split("\n")
    kept = dict(outside_code(lines))
    text = "\n".join(kept.get(i, " " * len(line)) for i, line in enumerate(lines))
    return CODE.sub(_blank, text)


def without_math(text: str) -> str:
    """The text with formulas and code blanked out; every offset stays."""
    return INLINE.sub(_blank, DISPLAY.sub(_blank, without_code(text)))


def formulas(text: str) -> Iterator[tuple[int, str]]:
    """Offset and content of each formula."""
    text = without_code(text)
    for match in DISPLAY.finditer(text):
        yield match.start(), match[1]
    for match in INLINE.finditer(DISPLAY.sub(_blank, text)):
        yield match.start(), match[1]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
