"""A folder of question files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from question_bank.content.errors import ContentError, InvalidContent
from question_bank.content.frontmatter import Place
from question_bank.content.items import LANGUAGES, NAME, SOURCE, Lang, QuestionItem
from question_bank.content.parse import (
    Located,
    Translation,
    locate_question,
    locate_title,
    locate_translation,
)

TITLE_FILE = "pack.md"


@dataclass(frozen=True)
class PackItem:
    """A pack as its authors wrote it; ``files`` holds where each part stands."""

    slug: str
    title: Mapping[str, str]
    questions: tuple[QuestionItem, ...]
    files: Mapping[tuple[str, Lang], Located[object]] = field(compare=False)

    def where(self, slug: str, lang: Lang, place: Place) -> tuple[Path, int]:
        """The file and line of a part of a question."""
        file = self.files[slug, lang]
        return file.path, file.line(place)


def read_pack(folder: Path) -> PackItem:
    """All questions of a folder, by slug. Raises InvalidContent with every mistake."""
    pack = folder.resolve().name
    paths = sorted(folder.glob("*.md"))
    errors: list[ContentError] = []
    if not re.fullmatch(NAME, pack):
        errors.append(ContentError(folder, 1, f"{pack!r} cannot name a pack"))
    if folder / TITLE_FILE not in paths:
        errors.append(ContentError(folder / TITLE_FILE, 1, "the file is missing"))
    title: dict[str, str] = {}
    sources: dict[str, Located[QuestionItem]] = {}
    translations: dict[str, Located[Translation]] = {}
    for path in paths:
        slug, _, lang = path.name.removesuffix(".md").partition(".")
        try:
            if path.name == TITLE_FILE:
                title = dict(locate_title(read_text(path), path).item)
            elif lang:
                translations[slug] = _translation(path, lang)
            else:
                sources[slug] = locate_question(read_text(path), path)
        except InvalidContent as invalid:
            errors += invalid.errors
    files: dict[tuple[str, Lang], Located[object]] = {
        **{(slug, SOURCE): source for slug, source in sources.items()},
        **{(slug, text.item.lang): text for slug, text in translations.items()},
    }
    for slug, translation in translations.items():
        try:
            if slug in sources:
                sources[slug] = _translated(sources[slug], translation)
        except InvalidContent as invalid:
            errors += invalid.errors
    if not errors and not sources:  # to import it would retire every question
        errors.append(ContentError(folder / TITLE_FILE, 1, "no question is beside it"))
    if errors:
        raise InvalidContent(errors)
    questions = tuple(source.item for _, source in sorted(sources.items()))
    return PackItem(pack, title, questions, files)


def _translation(path: Path, lang: str) -> Located[Translation]:
    if lang == SOURCE or lang not in LANGUAGES:
        raise InvalidContent([ContentError(path, 1, f"unknown language {lang!r}")])
    source = path.with_name(path.name.replace(f".{lang}.md", ".md"))
    if not source.exists():
        raise InvalidContent([ContentError(path, 1, f"there is no {source.name}")])
    return locate_translation(read_text(path), path)


def read_text(path: Path) -> str:
    """A file's text. Raises InvalidContent when there is none, or it is not UTF-8."""
    try:
        data = path.read_bytes()
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise InvalidContent([ContentError(path, 1, message)]) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidContent([ContentError(path, line, "is not UTF-8")]) from error


def _translated(
    source: Located[QuestionItem], translation: Located[Translation]
) -> Located[QuestionItem]:
    """The question with its translation, whose parts must be the same, in order."""
    item, texts = source.item, translation.item.texts
    for kind, ours, theirs in (
        ("choices", [c.name for c in item.choices], list(texts.choices)),
        ("key_points", list(item.key_points), list(texts.key_points)),
    ):
        if ours == theirs:
            continue
        odd = [name for name in theirs if name not in ours]
        place = (kind, odd[0]) if odd else (kind,)
        line = translation.line(place)
        message = f"has {theirs}, the source file has {ours}, in this order"
        raise InvalidContent([ContentError(translation.path, line, message)])
    return replace(source, item=item.with_text(translation.item.lang, texts))
