"""Guessing: what a right answer proves when it could have been right by chance.

Chance level and observation: Birnbaum's three-parameter model with a fixed lower
asymptote, P(right) = g + (1 - g)·R. What was a guess is told from what was known by
Bayes' rule, k = R / (R + g(1 - R)), and the memory after the answer lies between the one
after Good and the one after Again: S' = S_good^k · S_again^(1 - k), D' linear in k.
"""

from collections import Counter
from collections.abc import Iterable
from math import sqrt
from typing import Literal, NamedTuple

from quizsvc.scheduling.memory import (
    Memory,
    Number,
    Rating,
    after,
    first,
    retrievability,
)

Confidence = Literal["sure", "unsure"]

# Of what is known four in five are called sure, of guesses one in five: an assumption
# until a candidate's own answers say better.
SURE_OF_KNOWN, SURE_OF_GUESS = 0.8, 0.2
NEVER_MET = 0.5  # the chance of knowing a question before the first answer
ASSUMED = 10  # first answers that this assumption counts for, beside a candidate's own
ROUNDS = 30


def chance(kind: str, choices: int = 0, *, dont_know: bool = False) -> float:
    """The chance of a fully right answer by one who knows nothing, 0 to 1.

    One of the choices for a ``single``, any but the empty set for a ``multi``; an
    answer that is written, a number or "I don't know" is never right by chance. Raises
    ValueError for a choice among fewer than two, or an unknown kind.
    """
    if kind not in {"single", "multi", "open", "estimate"}:
        raise ValueError(f"no such kind of question: {kind}")
    if kind in {"open", "estimate"} or dont_know:
        return 0.0
    if choices < 2:
        raise ValueError(f"a choice among {choices}")
    return 1 / choices if kind == "single" else 1 / (2**choices - 1)


def right(recall: Number, chance: Number | float) -> Number:
    """The chance of a right answer, from the chance of recall."""
    seen: Number = chance + (1 - chance) * recall
    return seen


def known(recall: float, chance: float, confidence: str | None = None) -> float:
    """The chance that a right answer was known and not guessed, 0 to 1."""
    guess = chance * (1 - recall) * _odds(confidence)
    return 1.0 if guess == 0 else recall / (recall + guess)


def knows(first_answers: Iterable[tuple[bool, float]]) -> float:
    """The chance that a candidate knows a question never met, from (right, chance) of his
    first answers to others.

    The share of what was known and not guessed by expectation maximization (Dempster,
    Laird and Rubin 1977), with the assumption of one half counting as ten answers.
    """
    wrong, guesses = 0, Counter[float]()
    for was_right, chance in first_answers:
        if was_right:
            guesses[chance] += 1
        else:
            wrong += 1
    share = NEVER_MET
    for _ in range(ROUNDS):
        held = sum(many * known(share, guess) for guess, many in guesses.items())
        share = (ASSUMED * NEVER_MET + held) / (ASSUMED + wrong + guesses.total())
    return share


def _odds(confidence: str | None) -> float:
    """How many times as often as what is known, a guess is called so."""
    if confidence == "sure":
        return SURE_OF_GUESS / SURE_OF_KNOWN
    if confidence == "unsure":
        return (1 - SURE_OF_GUESS) / (1 - SURE_OF_KNOWN)
    return 1.0


def answered(
    memory: Memory | None,
    elapsed: int,
    rating: int,
    chance: float = 0.0,
    confidence: str | None = None,
) -> Memory:
    """The memory after an answer that may have been a guess; None is a card never met.

    Without a chance of guessing, and after Again, it is the plain FSRS-6 update. Raises
    ValueError as that does, and for a chance outside [0, 1).
    """
    if not 0 <= chance < 1:
        raise ValueError(f"no chance of guessing: {chance}")
    knew = first(rating) if memory is None else after(memory, elapsed, rating)
    if not chance or rating == Rating.AGAIN:
        return knew
    if memory is None:
        guessed, recall = first(Rating.AGAIN), NEVER_MET
    else:
        guessed = after(memory, elapsed, Rating.AGAIN)
        recall = retrievability(elapsed, memory.stability)
    k = known(recall, chance, confidence)
    return Memory(
        knew.stability**k * guessed.stability ** (1 - k),
        k * knew.difficulty + (1 - k) * guessed.difficulty,
    )


class Share(NamedTuple):
    """How often a confidence was right: of ``answers``, with a 95 % interval."""

    answers: int
    right: int
    low: float
    high: float


def how_often_right(answers: Iterable[tuple[str | None, bool]]) -> dict[str, Share]:
    """How often "sure" and "unsure" were right, by the word; none where none was said.

    The interval is Wilson's (1927), which holds for few answers too.
    """
    counts: dict[str, list[int]] = {}
    for confidence, was_right in answers:
        if confidence is not None:
            count = counts.setdefault(confidence, [0, 0])
            count[0] += 1
            count[1] += was_right
    return {word: Share(n, r, *_wilson(n, r)) for word, (n, r) in counts.items()}


def _wilson(n: int, r: int) -> tuple[float, float]:
    z = 1.96
    middle = (r + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * sqrt(r * (n - r) / n + z * z / 4)
    return max(0.0, middle - half), min(1.0, middle + half)
