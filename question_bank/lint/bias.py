"""Rules about what gives a key away, and about questions that repeat each other."""

from collections.abc import Iterator
from itertools import combinations

from question_bank.content import SOURCE, Lang, PackItem, QuestionItem
from question_bank.lint.spots import Claims, Spot, questions
from question_bank.suggest import normalise

MUCH_LONGER = 1.6
CHANCE = 0.01
ALIKE = 0.8
SHINGLE = 5  # characters


def longest_choice(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """The length of a choice must not tell whether it is right."""
    for item, lang in questions(pack):
        right, wrong = _lengths(item, lang)
        if right and wrong and min(right) > MUCH_LONGER * max(wrong):
            message = f"right: {min(right)} characters, wrong: {max(wrong)} at most"
            yield Spot(item.slug, lang, ("choices",), message)
    for lang in {lang for _, lang in questions(pack)}:
        yield from _longest_too_often(pack, lang)


def near_duplicate(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """No two stems are nearly the same."""
    shingles = {
        item.slug: _shingles(item.texts[SOURCE].stem) for item in pack.questions
    }
    for one, other in combinations(shingles, 2):
        both = shingles[one] | shingles[other]
        alike = len(shingles[one] & shingles[other]) / max(len(both), 1)
        if alike > ALIKE:
            message = f"the stem is nearly that of {one!r} ({alike:.0%} alike)"
            yield Spot(other, SOURCE, ("stem",), message)


def chance_of_as_many(hits: int, chances: list[float]) -> float:
    """P(X ≥ hits) of a sum of independent events (Poisson binomial)."""
    distribution = [1.0]
    for p in chances:
        distribution = [
            (distribution[k] if k < len(distribution) else 0) * (1 - p)
            + (distribution[k - 1] * p if k else 0)
            for k in range(len(distribution) + 1)
        ]
    return sum(distribution[hits:])


def _longest_too_often(pack: PackItem, lang: Lang) -> Iterator[Spot]:
    chances, longest = [], []
    for item in pack.questions:
        if item.type != "single" or lang not in item.texts:
            continue
        right, wrong = _lengths(item, lang)
        if right and wrong:
            chances.append(1 / (len(right) + len(wrong)))
            if max(right) > max(wrong):
                longest.append(item.slug)
    if longest and chance_of_as_many(len(longest), chances) < CHANCE:
        message = (
            f"the key is the longest choice in {len(longest)} of {len(chances)} "
            f"single-choice questions in {lang}; chance gives {sum(chances):.1f}"
        )
        yield Spot(longest[0], lang, ("choices",), message)


def _lengths(item: QuestionItem, lang: Lang) -> tuple[list[int], list[int]]:
    """The lengths of the right and of the wrong choices."""
    texts = item.texts[lang].choices
    right = [len(texts[name].text) for name in texts if name in item.key]
    wrong = [len(texts[name].text) for name in texts if name not in item.key]
    return right, wrong


def _shingles(text: str) -> set[str]:
    text = normalise(text)
    return {text[i : i + SHINGLE] for i in range(max(len(text) - SHINGLE + 1, 1))}


RULES = (longest_choice, near_duplicate)
