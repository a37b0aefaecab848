"""Which day a card comes back on: the emptiest one near the day that its memory asks for.

Cards met together would stay together and make full days and empty ones. What is moved,
is moved by a tenth of its interval at most, and never for a recall worth mentioning.
"""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from quizsvc.scheduling.memory import MAX_INTERVAL

WIDEST = 7  # days that a long interval is moved by at most

OUTWARDS = [
    [
        timedelta(0),
        *(timedelta(n * s) for n in range(1, WIDEST + 1) for s in (side, -side)),
    ]
    for side in (1, -1)
]
"""From a day to those around it, the nearest first, and of two as near one or the other."""

Crowd = Callable[[date, date], Mapping[date, int]]
"""How many other cards come back on each day from one to another, both included."""


def spread(day: date, days: int, *, least: int, seed: int, crowd: Crowd) -> int:
    """The interval from ``day`` in place of ``days``: to the least loaded day in reach.

    Of equally loaded days the nearest; of two as near the ``seed`` picks one. Not below
    ``least``, unless ``days`` is, and never above the longest interval. A longer interval
    never becomes the shorter one, all else being equal.
    """
    reach = min(days // 10, WIDEST)
    low = max(days - reach, min(days, least))
    high = min(days + reach, MAX_INTERVAL)
    if low == high:
        return days
    due = day + timedelta(days=days)
    loads = crowd(due - timedelta(days=days - low), due + timedelta(days=high - days))
    chosen, fewest = days, None
    for shift in OUTWARDS[_even(seed)][: 2 * reach + 1]:
        if low <= days + shift.days <= high:
            load = loads.get(due + shift, 0)
            if fewest is None or load < fewest:
                chosen, fewest = days + shift.days, load
                if not load:
                    break
    return chosen


def _even(seed: int) -> bool:
    """Heads or tails: one bit of the seed, well mixed (Knuth's multiplicative hash)."""
    return (seed * 2654435761 >> 16) % 2 == 0
