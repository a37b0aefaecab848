"""Which sentence of an open answer seems to make a key point. A hint, never a verdict:
a wrong answer that reuses a point's words looks like a right one.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

MIN_WEIGHT = 3
"""A phrase counts from three letters, or two Chinese characters, on."""
WINDOW = 8
"""How many words or Chinese characters before a phrase a negation reaches."""
REACH = 200
"""The same in characters, however long the words."""
MAX_ANSWER = 20_000
"""An answer is looked at up to this many characters, also when normalising adds some."""
MAX_SENTENCES = 500
"""And up to this many sentences: nobody says more in an interview."""

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]+(?:'\w+)?")
_LETTER = re.compile(rf"[^\W{HAN}]")  # of a language that parts its words
_LOOSE_SPACE = re.compile(rf"(?<![^\W{HAN}]) | (?![^\W{HAN}])")
_SENTENCE = re.compile(
    r"[^\n。！？；!?;.]*(?:\.(?!\s|$)[^\n。！？；!?;.]*)*[。！？；!?;.]*\n?"
)
_CLAUSE = re.compile(
    r"[,:()、,]|\b(?:but|because|since|so|while|whereas|instead)\b"
    r"|但是?|而是|因为|因此|所以|然而|却"
)
_NOT = re.compile(
    r"\b(?:not(?! (?:only|just|merely)\b)|no|never|without|cannot|neither|nor|hardly"
    r"|rather than|avoids?|prevents?|denies|false|wrong|\w+n't)\b"
    r"|(?<!差)不(?![仅但只断同过论管])|没|无(?![论疑])|未(?!来)|非(?!常)|别(?!的)|避免|防止"
)
_DENIED = re.compile(
    r"(?: is| are| was)?(?: not true| untrue| false| wrong| incorrect| a myth)\b"
    r"|(?: does| do| did)(?: not|n't) (?:happen|occur|hold)\b"
    r"|(?:的?(?:说法|观点|结论|想法))?(?:是错|不对|不成立|不正确|有误|并不存在)"
)


@dataclass(frozen=True)
class Suggestion:
    """Sentences of the answer, as written: one that suggests the point was made, and one
    that suggests the opposite was said.
    """

    matched: str | None
    contradicted: str | None


def suggest(
    answer: str, phrases: Sequence[str], misconceptions: Sequence[str]
) -> Suggestion:
    """Look for a key point's phrases and misconceptions in an answer."""
    points, errors = _wanted(tuple(phrases)), _wanted(tuple(misconceptions))
    matched = contradicted = None
    for sentence, text in _sentences(answer):
        wrong = [span for phrase in errors for span in _spans(phrase, text)]
        if contradicted is None and any(_affirmed(text, span) for span in wrong):
            contradicted = sentence
        if matched is None and any(
            _affirmed(text, span) and not any(_overlap(span, other) for other in wrong)
            for phrase in points
            for span in _spans(phrase, text)
        ):
            matched = sentence
    return Suggestion(matched, contradicted)


def normalise(text: str) -> str:
    """What two spellings of the same words have in common.

    NFKC, without invisible characters, case, hyphens, and space that separates no words.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    text = " ".join(re.sub(r"[-‐-―_]", " ", text).split())
    return unicodedata.normalize("NFC", _LOOSE_SPACE.sub("", text))


def weight(phrase: str) -> int:
    """How much a phrase says: letters and digits, Chinese characters twice."""
    text = normalise(phrase)
    return sum(c.isalnum() for c in text) + len(re.findall(f"[{HAN}]", text))


Span = tuple[int, int]


@lru_cache(maxsize=1024)
def _wanted(phrases: tuple[str, ...]) -> list[str]:
    """Phrases as they are looked for; those that say too little are left out."""
    return [normalise(one) for one in phrases if weight(one) >= MIN_WEIGHT]


@lru_cache(maxsize=16)  # an answer is held against each of its key points
def _sentences(answer: str) -> list[tuple[str, str]]:
    """The sentences as written and as normalised."""
    pairs: list[tuple[str, str]] = []
    left = MAX_ANSWER
    for match in _SENTENCE.finditer(answer[:MAX_ANSWER]):
        if sentence := match[0].strip():
            text = normalise(sentence)[:left]
            left -= len(text)
            pairs.append((sentence, text))
        if left <= 0 or len(pairs) == MAX_SENTENCES:
            break
    return pairs


def _spans(phrase: str, text: str) -> Iterator[Span]:
    """Where a text holds a phrase: whole words, also in the plural; Chinese anywhere.

    By hand: a pattern with all Chinese characters takes milliseconds to compile, and a
    question has dozens of phrases.
    """
    opens, closes = map(_is_letter, (phrase[0], phrase[-1]))
    start = text.find(phrase)
    while start >= 0:
        end: int | None = start + len(phrase)
        if opens and _is_letter(text[max(0, start - 1) : start]):
            end = None
        elif closes:
            end = _end_of_word(text, start + len(phrase))
        if end is not None:
            yield start, end
        start = text.find(phrase, start + 1 if end is None else end)


def _end_of_word(text: str, place: int) -> int | None:
    """Where the word or its plural ends; None if it goes on in another way."""
    ends = (place + len(e) for e in ("es", "s", "") if text.startswith(e, place))
    return next((end for end in ends if not _is_letter(text[end : end + 1])), None)


def _is_letter(character: str) -> bool:
    return _LETTER.match(character) is not None


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _affirmed(text: str, span: Span) -> bool:
    """Whether nothing near the words says no; two negations cancel."""
    start, end = span
    before = _CLAUSE.split(text[max(0, start - REACH) : start])[-1]
    tokens = list(_TOKEN.finditer(before))[-WINDOW:]
    window = before[tokens[0].start() :] if tokens else ""
    negations = len(_NOT.findall(window)) + bool(_DENIED.match(text, end))
    return negations % 2 == 0
