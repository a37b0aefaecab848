"""Verdicts: what a claim's bounds make of one value for each seed."""

from dataclasses import replace
from math import inf, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sim import core
from sim.core import Claim, Outcome, Result, Text, bootstrap, judge, param

WORDS = Text(en="words", zh="词语")
CLAIM = Claim(
    id="claim", statement=WORDS, metric="m", above=0.0, source="-", regime=WORDS
)
RANK = {Outcome.REFUTED: 0, Outcome.INCONCLUSIVE: 1, Outcome.SUPPORTED: 2}

numbers = st.floats(-1e6, 1e6)
samples = st.lists(numbers, min_size=5, max_size=20)
overs = st.sampled_from(["seeds", "median"])


def outcome(values, **changes):
    return judge(replace(CLAIM, **changes), Result(metrics={"m": values})).outcome


@pytest.mark.parametrize(
    ("over", "values", "expected"),
    [
        ("seeds", [1, 2, 3, 4, 5], "supported"),
        ("seeds", [-1, 2, 3, 4, 5], "inconclusive"),
        ("seeds", [-1, -2, -3, -4, -5], "refuted"),
        ("seeds", [0, 0, 0, 0, 0], "refuted"),  # the bounds themselves are outside
        ("seeds", [1, 2, 3, 4, inf], "supported"),
        ("seeds", [1, 2, 3, 4, nan], "inconclusive"),
        ("seeds", [nan] * 5, "inconclusive"),
        ("median", [1, 2, 3, 4, 5], "supported"),
        ("median", [-1, 2, 3, 4, 5], "inconclusive"),
        ("median", [-1, -2, -3, -4, -5], "refuted"),
        ("median", [1, 2, 3, 4, nan], "inconclusive"),
        # of many seeds one may stray
        ("median", [-1, *range(1, 20)], "supported"),
        ("median", [1, *range(-19, 0)], "refuted"),
    ],
)
def test_a_lower_bound_is_judged(over, values, expected):
    assert outcome(values, over=over) == expected


@pytest.mark.parametrize(
    ("over", "values", "expected"),
    [
        ("seeds", [1, 2, 3, 4, 5], "supported"),
        ("seeds", [1, 2, 3, 4, 7], "inconclusive"),
        ("seeds", [-1, -1, 7, 7, 7], "refuted"),
        ("median", [1, 2, 3, 4, 5], "supported"),
        ("median", [1, 2, 3, 7, 7], "inconclusive"),
        # the interval of the median lies around the bounds: nothing is known
        ("median", [-1, -1, 7, 7, 7], "inconclusive"),
        ("median", [7, 8, 9, 10, 11], "refuted"),
    ],
)
def test_an_interval_is_judged(over, values, expected):
    assert outcome(values, over=over, above=0.0, below=6.0) == expected


@pytest.mark.parametrize("values", [[], [1, 2, 3, 4]])
def test_fewer_than_five_seeds_make_no_verdict(values):
    with pytest.raises(ValueError, match="5 seeds"):
        outcome(values)


@pytest.mark.parametrize("bounds", [(None, None), (1.0, 1.0), (2.0, 1.0)])
def test_a_claim_needs_room_between_its_bounds(bounds):
    with pytest.raises(ValueError, match="claim: "):
        replace(CLAIM, above=bounds[0], below=bounds[1])


def test_a_verdict_counts_hits_and_gives_the_median():
    verdict = judge(CLAIM, Result(metrics={"m": [-1, 2, 3, 4, 5]}))
    assert (verdict.claim, verdict.hits, verdict.seeds) == ("claim", 4, 5)
    assert verdict.low <= verdict.effect == 3 <= verdict.high


def test_a_value_that_is_no_number_leaves_no_effect():
    verdict = judge(CLAIM, Result(metrics={"m": [1, 2, 3, 4, nan]}))
    assert all(map(isnan, (verdict.effect, verdict.low, verdict.high)))


@given(samples, overs, st.randoms(use_true_random=False))
def test_the_order_of_the_seeds_does_not_matter(values, over, rng):
    claim = replace(CLAIM, over=over)
    shuffled = rng.sample(values, k=len(values))
    verdicts = [judge(claim, Result(metrics={"m": v})) for v in (values, shuffled)]
    assert verdicts[0] == verdicts[1]


@given(samples, overs, st.lists(numbers, min_size=4, max_size=4, unique=True))
def test_wider_bounds_never_make_a_verdict_worse(values, over, bounds):
    low, inner_low, inner_high, high = sorted(bounds)
    narrow = outcome(values, over=over, above=inner_low, below=inner_high)
    for above, below in [(low, high), (low, None), (None, high), (inner_low, None)]:
        assert (
            RANK[outcome(values, over=over, above=above, below=below)] >= RANK[narrow]
        )


@given(samples)
def test_the_interval_of_the_median_is_reproducible_and_inside_the_values(values):
    low, high = bootstrap(values)
    assert (low, high) == bootstrap(list(values))
    assert min(values) <= low <= high <= max(values)


@given(samples, st.integers(-10, 10), st.integers(1, 8))
def test_the_interval_moves_with_the_values(values, shift, power):
    values = [round(value) for value in values]
    low, high = bootstrap(values)
    moved = bootstrap([2**power * value + shift for value in values])
    assert moved == (2**power * low + shift, 2**power * high + shift)


def test_five_seeds_give_the_whole_range_and_more_seeds_less():
    # Of five, three or more draws of the smallest: probability .058, over .025.
    assert bootstrap([1, 2, 3, 4, 5]) == (1, 5)
    low, high = bootstrap(range(20))
    # Ranks that bound a median of 20 at 95% by the binomial law: 6th and 15th.
    assert 4 <= low <= 7
    assert 12 <= high <= 15


class Dial(core.Params):
    turns: int = param(3, ge=1, le=9, step=2, title=WORDS, about=WORDS, unit=WORDS)
    sizes: tuple[int, ...] = param((1, 2), title=WORDS, about=WORDS)


def test_a_parameter_carries_its_control():
    field = Dial.model_json_schema()["properties"]["turns"]
    words = {"en": "words", "zh": "词语"}
    assert (field["default"], field["minimum"], field["maximum"]) == (3, 1, 9)
    assert field["x-control"] == {
        "title": words,
        "about": words,
        "unit": words,
        "step": 2,
    }


@pytest.mark.parametrize(
    "given_",
    ['{"turns": 0}', '{"turns": "3"}', '{"turns": 2.5}', '{"turn": 3}', '{"sizes": 3}'],
)
def test_parameters_are_strict(given_):
    with pytest.raises(ValidationError):
        Dial.model_validate_json(given_)


def test_a_json_list_becomes_a_tuple():
    assert Dial.model_validate_json('{"sizes": [4, 5]}').sizes == (4, 5)
