"""Pure: whether a text says what somebody looks for, in English or in Chinese.

Both sides are folded: NFKC, case, hyphens, British and American spelling, the usual names
of one thing. An English word is found by its beginning, less its ending; Chinese, which
has no spaces, by pieces of two characters and more that the text holds and that make up
what was typed.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from question_bank.suggest import HAN, normalise

_LETTER = rf"[^\W_{HAN}]"
_RUN = re.compile(rf"[{HAN}]+|{_LETTER}+(?:['’.‐-―_+-]{_LETTER}+)*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HYPHEN = re.compile("[-‐-―]")
_COMMAND = re.compile(r"\\(?!beta\b)[a-zA-Z]+")
_ENDING = re.compile(
    r"(?<=\w{4})(?:ations?|ions?|ings?|ed|(?<=is)e[sd]?)$"
    r"|(?<=\w{2})(?:(?<=ss|ch|sh)es|(?<=x)es|ies|(?<![suia])s)$"
)
_TWICE = re.compile(r"([bdgmnpt])\1$")  # clipping, embedded
_NORM = r"[- ]?norm(?:ali[sz]ation)?"
_NAMES = {
    "warmup": r"warm[- ]?up|预热|热身",
    "prenorm": rf"\bpre(?:{_NORM}|[- ]?ln\b)|前置?归一化",
    "postnorm": rf"\bpost(?:{_NORM}|[- ]?ln\b)|后置?归一化",
    "layernorm": rf"\blayer{_NORM}|层归一化|(?<!{_LETTER})ln(?!{_LETTER})",
    "batchnorm": rf"\bbatch{_NORM}|批量?归一化|(?<!{_LETTER})bn(?!{_LETTER})",
    "rmsnorm": rf"\brms{_NORM}|均方根归一化",
    "beta": r"β|\\?\bbeta",
}
_NAMED = {name: re.compile(pattern) for name, pattern in _NAMES.items()}
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and are at by do does for how in is it of on or the to was what when where "
        "which who why with",
    )
)
_EMPTY_HAN = (
    *("为什么", "什么", "怎么", "怎样", "如何", "哪些", "哪个", "是否", "需要", "可以"),
    *"的了和与或是在有中对吗呢把被为哪会能",
)


class Query(NamedTuple):
    """What is looked for: folded, whole and as the words that must all be there."""

    whole: str
    words: tuple[str, ...]


def searchable(text: str) -> str:
    """A text as queries are held against it: ``LayerNorm`` also as ``layer norm``,
    ``pre-norm`` also as ``prenorm``, and names as those of the same thing."""
    shown = unicodedata.normalize("NFKC", text)
    more = [name for name, said in _NAMED.items() if said.search(shown.casefold())]
    plain = _COMMAND.sub(" ", shown)
    for run in dict.fromkeys(_RUN.findall(plain)):
        more += {_CAMEL.sub(" ", run), _HYPHEN.sub("", run)} - {run}
    return _folded("\n".join((plain, *more)))


@lru_cache(maxsize=64)
def query(text: str) -> Query:
    """What somebody typed. Words that mean nothing alone count only if no other is there."""
    typed = normalise(text)
    for name, said in _NAMED.items():
        typed = said.sub(f" {name} ", typed)
    words = dict.fromkeys(filter(None, map(_stem, _RUN.findall(typed))))
    telling = tuple(word for word in words if word not in _EMPTY)
    return Query(_folded(text), telling or tuple(words))


def says(text: str, wanted: Query) -> bool:
    """Whether a searchable text says all of a query."""
    if not wanted.words:  # signs alone are taken as they are
        return bool(wanted.whole) and wanted.whole in text
    return all(_has(text, word) for word in wanted.words)


def closeness(title: str, rest: str, wanted: Query) -> int:
    """How well a question fits: 3 if its title holds the query as typed, 2 if it says all
    of it, 1 if title and the rest together do, 0 if they do not."""
    if says(title, wanted):
        return 3 if wanted.whole in title else 2
    return int(says(f"{title}\n{rest}", wanted))


def _folded(text: str) -> str:
    return normalise(text).replace("iz", "is").replace("yz", "ys")


def _stem(word: str) -> str:
    return _TWICE.sub(r"\1", _ENDING.sub("", _folded(word)))


def _has(text: str, word: str) -> bool:
    if re.match(f"[{HAN}]", word):
        return word in text or _made_of(word, text)
    return _beginning(word).search(text) is not None


@lru_cache(maxsize=256)
def _beginning(word: str) -> re.Pattern[str]:
    """A number or a single letter stands alone; other words may go on."""
    alone = word.isdigit() or len(word) == 1
    end = rf"(?!{_LETTER})" if alone else ""
    return re.compile(rf"(?<!{_LETTER})" + re.escape(word) + end)


def _made_of(word: str, text: str) -> bool:
    """Whether Chinese can be cut into pieces that the text holds; some may be left out."""
    reached, said = (
        {0},
        set[int](),
    )  # places that cuts lead to; those behind a said piece
    for start in range(len(word)):
        if start not in reached:
            continue
        for empty in _EMPTY_HAN:
            if word.startswith(empty, start):
                reached.add(start + len(empty))
                if start in said:
                    said.add(start + len(empty))
        for end in range(start + 2, len(word) + 1):
            if word[start:end] not in text:
                break
            reached.add(end)
            said.add(end)
    return len(word) in said
