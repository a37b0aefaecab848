"""The memory of a card after an answer, and its next interval: ours, ``fsrs``, ``fsrs-rs``.

All walk the same random histories. ``fsrs-rs`` gives the four possible next states at
once for a single card, and final memories without intervals for many: what its interface
has to offer.
"""

import gc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import Any

import fsrs
import numpy as np

from quizsvc.scheduling.memory import (
    WEIGHTS,
    Ints,
    after,
    after_many,
    first,
    first_many,
    interval,
    interval_many,
)

CARDS, ANSWERS = 2_000, 10
MANY = 100_000
REPEATS = 3
UNIT = "µs per answer"

Histories = list[list[tuple[int, int]]]  # (days since the last answer, rating)


def rows() -> list[dict[str, Any]]:
    """One row for each peer and each of: a card at a time, many cards at once."""
    gaps, ratings = _arrays(MANY)
    histories = [
        list(zip(*history, strict=True))
        for history in zip(gaps[:CARDS].tolist(), ratings[:CARDS].tolist(), strict=True)
    ]
    walks = {
        "ours, one": (_one_by_one(histories), CARDS),
        "ours, many": (_all_at_once(gaps, ratings), MANY),
        "fsrs": (_fsrs(histories), CARDS),
    }
    if find_spec("fsrs_rs_python"):
        walks["fsrs-rs, one"] = (_fsrs_rs(histories), CARDS)
        walks["fsrs-rs, many"] = (_fsrs_rs_batch(histories), CARDS)
    spent: dict[str, list[float]] = {name: [] for name in walks}
    for _ in range(REPEATS):
        for name, (walk, cards) in walks.items():
            spent[name].append(_seconds(walk) / (cards * ANSWERS) * 1e6)
    return list(_compared({name: median(times) for name, times in spent.items()}))


def _compared(spent: dict[str, float]) -> Iterator[dict[str, Any]]:
    for name, ours, peer in (
        ("one card (peer: fsrs)", "ours, one", "fsrs"),
        ("many cards (peer: fsrs)", "ours, many", "fsrs"),
        ("one card (peer: fsrs-rs, Rust)", "ours, one", "fsrs-rs, one"),
        ("many cards (peer: fsrs-rs, Rust)", "ours, many", "fsrs-rs, many"),
    ):
        if peer in spent:
            yield {
                "name": f"memory after an answer, {name}",
                "ours": spent[ours],
                "peer": spent[peer],
                "ratio": spent[peer] / spent[ours],
                "unit": UNIT,
            }


def _seconds(walk: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    start = perf_counter()
    walk()
    spent = perf_counter() - start
    gc.enable()
    return spent


def _arrays(cards: int) -> tuple[Ints, Ints]:
    """Gaps and ratings, (cards, ANSWERS): one gap in ten is on the same day."""
    rng = np.random.default_rng(0)
    shape = (cards, ANSWERS)
    gaps = np.floor(10 ** rng.uniform(0, 2, shape)).astype(np.int64)
    gaps[rng.random(shape) < 0.1] = 0
    return gaps, rng.choice([1, 2, 3, 4], shape, p=[0.15, 0.1, 0.65, 0.1])


def _one_by_one(histories: Histories) -> Callable[[], None]:
    def walk() -> None:
        for (_, rating), *rest in histories:
            memory = first(rating)
            interval(memory.stability)
            for gap, rating in rest:
                memory = after(memory, gap, rating)
                interval(memory.stability)

    return walk


def _all_at_once(gaps: Ints, ratings: Ints) -> Callable[[], None]:
    columns = [
        (np.ascontiguousarray(gaps[:, j]), np.ascontiguousarray(ratings[:, j]))
        for j in range(ANSWERS)
    ]

    def walk() -> None:
        cards = first_many(columns[0][1])
        interval_many(cards.stability)
        for gap, rating in columns[1:]:
            cards = after_many(cards, gap, rating)
            interval_many(cards.stability)

    return walk


def _fsrs(histories: Histories) -> Callable[[], None]:
    scheduler = fsrs.Scheduler(
        learning_steps=(), relearning_steps=(), enable_fuzzing=False
    )
    calls: list[list[tuple[fsrs.Rating, datetime]]] = []
    for history in histories:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        calls.append([])
        for gap, rating in history:
            at += timedelta(days=gap)
            calls[-1].append((fsrs.Rating(rating), at))

    def walk() -> None:
        for number, history in enumerate(calls):
            card = fsrs.Card(card_id=number + 1)
            for rating, at in history:
                card, _ = scheduler.review_card(card, rating, at)

    return walk


def _fsrs_rs(histories: Histories) -> Callable[[], None]:
    model = import_module("fsrs_rs_python").FSRS(WEIGHTS)
    names = ("", "again", "hard", "good", "easy")
    calls = [[(gap, names[rating]) for gap, rating in history] for history in histories]

    def walk() -> None:
        for history in calls:
            memory = None
            for gap, name in history:
                memory = getattr(model.next_states(memory, 0.9, gap), name).memory

    return walk


def _fsrs_rs_batch(histories: Histories) -> Callable[[], None]:
    rust = import_module("fsrs_rs_python")
    model = rust.FSRS(WEIGHTS)
    items = [
        rust.FSRSItem([rust.FSRSReview(rating, gap) for gap, rating in history])
        for history in histories
    ]
    return lambda: model.memory_state_batch(items)
