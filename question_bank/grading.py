"""Scores. A choice is known by its name, never by its position; a number by how near
it comes.
"""

from collections.abc import Set as AbstractSet

RULES = ("all-or-nothing", "net-correct", "each-option")
KEY_POINTS = "key-points"
"""The rule of open questions: the share of key points their author ticked."""
TOLERANCE = "tolerance"
"""The rule of estimates: right within a factor of the key, or a margin."""


def score(
    rule: str, key: AbstractSet[str], chosen: AbstractSet[str], options: int
) -> float:
    """The score of ``chosen`` against ``key`` among ``options`` choices, from 0 to 1.

    With TP right and FP wrong choices ticked and FN right ones left out:

    - ``all-or-nothing``: 1 for exactly the key
    - ``net-correct``: max(0, (TP - FP) / |key|)
    - ``each-option``: 1 - (FP + FN) / options, and 0 when nothing is ticked

    Raises ValueError for an unknown rule, an empty key or more names than options.
    """
    if not key:
        raise ValueError("a question without a key cannot be scored")
    if len(key | chosen) > options:
        raise ValueError("more choices are named than the question has")
    if rule == "all-or-nothing":
        return float(key == chosen)
    if rule == "net-correct":
        return max(0.0, (len(key & chosen) - len(chosen - key)) / len(key))
    if rule == "each-option":
        return 1 - len(key ^ chosen) / options if chosen else 0.0
    raise ValueError(f"no scoring rule {rule!r}; there are: {', '.join(RULES)}")


def interval(
    key: float, *, factor: float | None = None, margin: float | None = None
) -> tuple[float, float]:
    """The numbers that are right, from and to: within a factor of the key, which keeps
    its sign, or within a margin. Raises ValueError unless there is one of the two.
    """
    if factor is not None and margin is None:
        low, high = sorted((key / factor, key * factor))
        return low, high
    if margin is not None and factor is None:
        return key - margin, key + margin
    raise ValueError("a tolerance is either a factor or a margin")
