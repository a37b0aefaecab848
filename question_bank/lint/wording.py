"""Rules about words: no letters or positions, the right language, clean formulas."""

import re
from collections.abc import Iterator

from question_bank.content import SOURCE, PackItem
from question_bank.lint.spots import (
    Claims,
    Spot,
    formulas,
    passages,
    without_code,
    without_math,
)
from question_bank.suggest import HAN

_LETTER = r"(?<![A-Za-z0-9_-])[A-H](?![A-Za-z0-9_-])"
_VERDICT = r"(?:correct|right|wrong|incorrect|true|false)"
_ORDINAL = r"(?:first|second|third|fourth|fifth|sixth|last|previous|next|preceding)"
LETTERS = re.compile(
    rf"\b(?i:options?|choices?|answers?|alternatives?|distractors?) \(?{_LETTER}\)?"
    rf"|{_LETTER},? (?:and|or|nor) {_LETTER} (?:is|are) {_VERDICT}\b"
    rf"|{_LETTER} is {_VERDICT}\b"
    r"|\b(?i:combination of|both|neither|either|only) \(?[a-hA-H]\)? (?:and|or|nor)"
    r" \(?[a-hA-H]\)?(?!\w)"
    rf"|\b(?i:{_ORDINAL}) (?:\w+ )?(?:option|choice|alternative|distractor)s?\b"
    r"|\b(?i:option|choice|alternative|distractor)s? (?:above|below)\b"
    r"|选项\s*[A-Ha-hＡ-Ｈａ-ｈ](?![A-Za-z])|选\s*[A-HＡ-Ｈ](?![A-Za-z])"
    rf"|(?:{_LETTER}|[Ａ-Ｈ])\s*(?:选?项|正确|错误|是对的|是错的|对(?![A-Za-z比应])|错)"
    rf"|{_LETTER}\s*[和与、或及]\s*{_LETTER}\s*(?:都|均|皆|正确|错误|选)"
    r"|第\s*[一二三四五六1-6]\s*个?\s*选项|最后一?个?\s*选项|[上下前后][一两二三]个?\s*选项"
)
ABOVE = re.compile(
    r"\b(?i:all|none|both|neither|any|some|one) of the (?:above|below|following)\b"
    r"|以上(?:都|全|皆|均|选项|说法|答案|各项|几项)|上述(?:选项|各项|都|均|皆)"
)
_NAMED_TEXT = re.compile(r"\\(?:text|textbf|textit|mbox|operatorname)\*?\{[^{}]*\}")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_WORDS = re.compile(r"\b[A-Za-z]{3,}\s+[A-Za-z]{3,}\b")


def letter_in_explanation(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """Choices are shuffled: no text may name a letter or a position."""
    fixed = {
        (item.slug, "choices", choice.name)
        for item in pack.questions
        for choice in item.choices
        if choice.fixed
    }
    for passage in passages(pack):
        text = without_math(passage.text)
        patterns = [LETTERS]
        if (passage.slug, *passage.place) not in fixed:
            patterns.append(ABOVE)  # what stays last may speak of those above it
        for pattern in patterns:
            for match in pattern.finditer(text):
                message = f"{match[0]!r} names a letter or a position"
                yield passage.spot(match.start(), message)


def untranslated(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """Chinese text has Chinese in it, and English text has none."""
    for passage in passages(pack):
        text = without_math(passage.text)
        han = re.search(f"[{HAN}]", text)
        if passage.lang == SOURCE and han:
            yield passage.spot(han.start(), "holds Chinese characters")
        if (
            passage.lang != SOURCE
            and not han
            and len(re.findall(r"\b[a-z]+\b", text)) > 1
        ):
            yield passage.spot(0, "holds no Chinese characters")


def chinese_in_math(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    for passage in passages(pack):
        for offset, formula in formulas(passage.text):
            if match := re.search(f"[{HAN}]+", _NAMED_TEXT.sub("", formula)):
                message = rf"{match[0]!r} in a formula needs \text{{…}}"
                yield passage.spot(offset, message)


def bare_dollar(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    r"""Every $ begins or ends a formula; currency is written \$."""
    for passage in passages(pack):
        for offset, formula in formulas(passage.text):
            words = _COMMAND.sub(" ", _NAMED_TEXT.sub("", formula))
            if "\n\n" in formula or _WORDS.search(words):
                yield passage.spot(offset, f"no formula: ${formula[:30]}…")
        rest = re.sub(r"\\.", "  ", without_math(passage.text))
        if "$" in rest:
            message = r"a $ without its partner; currency is \$"
            yield passage.spot(rest.index("$"), message)


def bare_backtick(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """Every ` begins or ends code."""
    for passage in passages(pack):
        rest = without_code(passage.text)
        if "`" in rest:
            yield passage.spot(rest.index("`"), "a ` without its partner")


RULES = (
    letter_in_explanation,
    untranslated,
    chinese_in_math,
    bare_dollar,
    bare_backtick,
)
