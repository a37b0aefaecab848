"""Which sentence of an open answer seems to make a key point. A hint, never a verdict:
a wrong answer that reuses a point's words looks like a right one.

A phrase matches in other spellings and with other particles; an ellipsis in it stands for
a few words of the same clause.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

MIN_WEIGHT = 3
"""A phrase counts from three letters, or two Chinese characters, on."""
WINDOW = 8
"""How many words or Chinese characters before a phrase a negation reaches."""
GAP = 12
"""How many of them may stand for an ellipsis."""
REACH = 200
"""The same in characters, however long the words."""
MAX_ANSWER = 20_000
"""An answer is looked at up to this many characters, also when normalising adds some."""
MAX_SENTENCES = 500
"""And up to this many sentences: nobody says more in an interview."""

ELLIPSIS = "..."
"""As it stands in a text after normalising."""
HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTER = re.compile(rf"[^\W{HAN}]")  # of a language that parts its words
_ARTICLE = "(?:the|an?|its|their)"
_IDLE = re.compile(
    rf"[的了会就也都很呢]|一?个|(?<=[{HAN}]) | (?=[{HAN}])"
    rf"| ?(?<![^\W{HAN}]){_ARTICLE} (?=[{HAN}])|(?<![^\W{HAN}]){_ARTICLE} "
)  # what a sentence can do without
_NORM = r"(?<!pre )(?<!post )(?<!qk )(?<!rms )(?<!batch )(?<!weight )norms?"
_TERMS = {
    "pre norm": "pre ?lns?|prenorm|前置归一化",
    "post norm": "post ?lns?|postnorm|后置归一化",
    "梯度范数": "(?:grad(?:ient)?|梯度) ?norms?",
    "归一化": rf"layer ?norms?|lns?|层归一化?|{_NORM}",
    "范数": "模长|幅值|幅度",
    "rms": "均方根",
    "雅可比": "jacobians?|雅可比矩阵|雅克比(?:矩阵)?|导数",
    "残差流": "残差主干|残差stream|主干",
    "跳连": "残差连接|跳跃连接|短接",
    "支路": "分支",
    "增益": "gains?|gamma",
    "偏置": "bias|biases",
    "权重": "参数",
    "种子": "seeds?",
    "注意力": "attention",
    "嵌入": "embeddings?|词嵌入|词向量",
    "编码器": "encoders?",
    "解码器": "decoders?",
    "预热": "warm ?ups?|热身",
    "学习率": "lr",
    "裁剪": "clip(?:ping)?|剪裁",
    "尖峰": "spikes?|尖刺|毛刺",
    "损失": "loss(?:es)?",
    "训": "训练",
    "每层": "每一层|各层|逐层",
    "质量": "效果|性能|表现",
    "最终": "最后|到头来",
    "变大": "增大|增长|增加|变长|膨胀|涨(?:上去)?",
    "变小": "减小|缩小|下降|降低|减少|调小|调低",
    "不等于": "不代表|不说明|不意味着|并不等于|并不代表",
    "不一定": "未必|不见得",
    "不用": "不需要|不必|用不着|无需",
    "需要": "必须|一定要",
}  # what is looked for, and how it is said too
_NAMES = list(_TERMS)
_TOKEN = re.compile(rf"{'|'.join(_TERMS)}|[{HAN}]|[^\W{HAN}]+(?:'\w+)?")
_TERM = re.compile(
    rf"(?:(?<![^\W{HAN}])|(?=[{HAN}]))"
    rf"(?:{'|'.join(f'({said})' for said in _TERMS.values())})"
    rf"(?:(?![^\W{HAN}])|(?<=[{HAN}]))"
)
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
    for sentence, heard in _sentences(answer):
        wrong = [found for phrase in errors for found in _finds(phrase, heard)]
        if contradicted is None and any(_affirmed(heard.text, one) for one in wrong):
            contradicted = sentence
        if matched is None and any(
            _affirmed(heard.text, found)
            and not any(_overlap(found, other) for other in wrong)
            for phrase in points
            for found in _finds(phrase, heard)
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
    """How much a phrase says: letters and digits, Chinese characters twice.

    Words that a sentence can do without say nothing.
    """
    text = _IDLE.sub("", normalise(phrase))
    return sum(c.isalnum() for c in text) + len(re.findall(f"[{HAN}]", text))


Span = tuple[int, int]
Found = list[Span]
"""Where the parts of a phrase stand, in their order."""


class _Heard(NamedTuple):
    """A text in the terms that are looked for, and the same without idle words."""

    text: str
    bare: str
    places: list[int]  # in the text, of each character of the bare


@lru_cache(maxsize=1024)
def _wanted(phrases: tuple[str, ...]) -> list[list[str]]:
    """Phrases as they are looked for, in parts; those that say too little are left out."""
    told = [normalise(one) for one in phrases if weight(one) >= MIN_WEIGHT]
    parts = [[_hear(part).bare for part in one.split(ELLIPSIS)] for one in told]
    return [one for one in parts if all(one)]


@lru_cache(maxsize=16)  # an answer is held against each of its key points
def _sentences(answer: str) -> list[tuple[str, _Heard]]:
    """The sentences as written and as heard."""
    pairs: list[tuple[str, _Heard]] = []
    left = MAX_ANSWER
    for match in _SENTENCE.finditer(answer[:MAX_ANSWER]):
        if sentence := match[0].strip():
            text = normalise(sentence)[:left]
            left -= len(text)
            pairs.append((sentence, _hear(text)))
        if left <= 0 or len(pairs) == MAX_SENTENCES:
            break
    return pairs


def _hear(text: str) -> _Heard:
    text = _TERM.sub(lambda said: _NAMES[(said.lastindex or 1) - 1], text)
    idle = {place for one in _IDLE.finditer(text) for place in range(*one.span())}
    places = [place for place in range(len(text)) if place not in idle]
    return _Heard(text, "".join(text[place] for place in places), places)


def _finds(phrase: list[str], heard: _Heard) -> Iterator[Found]:
    """Where a text holds the parts of a phrase, each of them soon after the last."""
    first, *rest = phrase
    for span in _spans(first, heard):
        found = [span]
        for part in rest:
            end = found[-1][1]
            after = next(_spans(part, heard, since=end, until=end + REACH), None)
            if after is None or not _near(heard.text[end : after[0]]):
                break
            found.append(after)
        else:
            yield found


def _near(gap: str) -> bool:
    return not _CLAUSE.search(gap) and len(_TOKEN.findall(gap)) <= GAP


def _spans(
    part: str, heard: _Heard, since: int = 0, until: int = 2 * MAX_ANSWER
) -> Iterator[Span]:
    """Where a stretch of a text holds these words: whole ones, also in the plural;
    Chinese anywhere.

    By hand: a pattern with all Chinese characters takes milliseconds to compile, and a
    question has hundreds of phrases.
    """
    text, bare, places = heard
    opens, closes = map(_is_letter, (part[0], part[-1]))
    stop = bisect_left(places, until)
    at = bare.find(part, bisect_left(places, since), stop)
    while at >= 0:
        start, end = places[at], places[at + len(part) - 1] + 1
        if opens and _is_letter(text[max(0, start - 1) : start]):
            end = 0
        elif closes:
            end = _end_of_word(text, end) or 0
        if end:
            yield start, end
        at = bare.find(part, at + 1, stop)


def _end_of_word(text: str, place: int) -> int | None:
    """Where the word or its plural ends; None if it goes on in another way."""
    ends = (place + len(e) for e in ("es", "s", "") if text.startswith(e, place))
    return next((end for end in ends if not _is_letter(text[end : end + 1])), None)


def _is_letter(character: str) -> bool:
    return _LETTER.match(character) is not None


def _overlap(one: Found, other: Found) -> bool:
    return one[0][0] < other[-1][1] and other[0][0] < one[-1][1]


def _affirmed(text: str, found: Found) -> bool:
    """Whether nothing near the words says no; two negations cancel."""
    start, end = found[0][0], found[-1][1]
    before = _CLAUSE.split(text[max(0, start - REACH) : start])[-1]
    tokens = list(_TOKEN.finditer(before))[-WINDOW:]
    heard = [before[tokens[0].start() :] if tokens else ""]
    heard += [text[one[1] : other[0]] for one, other in pairwise(found)]
    negations = sum(len(_NOT.findall(window)) for window in heard)
    return (negations + bool(_DENIED.match(text, end))) % 2 == 0
