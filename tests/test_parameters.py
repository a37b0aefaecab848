"""Parameters are checked before anything is computed, and have one canonical form."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quizsvc.parameters import canonical, param_errors, seed_errors

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "depth": {"type": "integer", "default": 12, "minimum": 2, "maximum": 48},
        "gain": {"type": "number", "default": 1.0, "minimum": 0.5, "maximum": 2.0},
        "operator": {"type": "string", "default": "ln", "enum": ["ln", "rms"]},
        "causal": {"type": "boolean", "default": False},
        "offset": {"type": "integer", "default": 0},
    },
}
DEFAULTS = {"depth": 12, "gain": 1.0, "operator": "ln", "causal": False, "offset": 0}


def test_defaults_are_filled_in() -> None:
    assert canonical(SCHEMA, {}) == DEFAULTS


def test_whole_floats_are_ints_and_ints_are_floats_where_the_schema_says_so() -> None:
    values = canonical(SCHEMA, {"depth": 6.0, "gain": 1, "offset": -0.0})
    text = '{"depth": 6, "gain": 1.0, "operator": "ln", "causal": false, "offset": 0}'
    assert json.dumps(values) == text


@pytest.mark.parametrize(
    ("params", "pointer", "code"),
    [
        ({"depth": 1}, "/params/depth", "out-of-range"),
        ({"depth": 49}, "/params/depth", "out-of-range"),
        ({"depth": 10**6}, "/params/depth", "out-of-range"),
        ({"depth": 2**64}, "/params/depth", "out-of-range"),
        ({"depth": 10**400}, "/params/depth", "out-of-range"),
        ({"depth": True}, "/params/depth", "wrong-type"),
        ({"depth": 2.5}, "/params/depth", "wrong-type"),
        ({"depth": "6"}, "/params/depth", "wrong-type"),
        ({"depth": None}, "/params/depth", "wrong-type"),
        ({"depth": [6]}, "/params/depth", "wrong-type"),
        ({"gain": float("nan")}, "/params/gain", "wrong-type"),
        ({"gain": float("inf")}, "/params/gain", "wrong-type"),
        ({"gain": 0}, "/params/gain", "out-of-range"),
        ({"gain": False}, "/params/gain", "wrong-type"),
        ({"operator": "bn"}, "/params/operator", "not-an-option"),
        ({"operator": "ln\0"}, "/params/operator", "not-an-option"),
        ({"causal": 1}, "/params/causal", "wrong-type"),
        ({"offset": 2**64}, "/params/offset", "out-of-range"),
        ({"width": 3}, "/params/width", "unknown-field"),
        ({"a/b~c": 3}, "/params/a~1b~0c", "unknown-field"),
        ([], "/params", "wrong-type"),
        (None, "/params", "wrong-type"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(
    params: Any, pointer: str, code: str
) -> None:
    [error] = param_errors(SCHEMA, params)
    assert (error.pointer, error.code) == (pointer, code)


def test_a_value_out_of_range_is_told_the_range() -> None:
    [error] = param_errors(SCHEMA, {"depth": 99})
    assert error.detail == "depth must be between 2 and 48."


def test_a_range_with_one_end_reads_well() -> None:
    schema = {"properties": {"rate": {"type": "number", "exclusiveMinimum": 0}}}
    [error] = param_errors(schema, {"rate": 0})
    assert error.detail == "rate must be more than 0."


def test_every_wrong_parameter_is_named_at_once() -> None:
    errors = param_errors(SCHEMA, {"gain": 9, "depth": 1, "width": 2})
    pointers = [error.pointer for error in errors]
    assert pointers == ["/params/width", "/params/depth", "/params/gain"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["ln", ""]),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


@example({"offset": 2.0**53 + 2})
@given(st.dictionaries(st.sampled_from([*DEFAULTS, "other"]), json_values))
def test_parameters_are_refused_or_have_one_canonical_form(params: Any) -> None:
    if not param_errors(SCHEMA, params):
        values = canonical(SCHEMA, params)
        assert not param_errors(SCHEMA, values)
        assert json.dumps(canonical(SCHEMA, values)) == json.dumps(values)
        assert list(values) == list(DEFAULTS)
        json.dumps(values, allow_nan=False)


@pytest.mark.parametrize(
    ("seeds", "pointer", "code"),
    [
        ([0, 1, 2, 3], "/seeds", "out-of-range"),
        (list(range(21)), "/seeds", "out-of-range"),
        ([0, 1, 2, 3, 3], "/seeds", "not-distinct"),
        ([0, 1, 2, 3, True], "/seeds/4", "wrong-type"),
        ([0, 1, 2, 3.0, 4], "/seeds/3", "wrong-type"),
        ([-1, 1, 2, 3, 4], "/seeds/0", "out-of-range"),
        ([0, 1, 2, 3, 2**31], "/seeds/4", "out-of-range"),
        ([[0], 1, 2, 3, 4], "/seeds/0", "wrong-type"),
        ("01234", "/seeds", "wrong-type"),
        (5, "/seeds", "wrong-type"),
    ],
)
def test_seeds_are_five_to_twenty_distinct_numbers(
    seeds: Any, pointer: str, code: str
) -> None:
    [error] = seed_errors(seeds)
    assert (error.pointer, error.code) == (pointer, code)


@pytest.mark.parametrize("seeds", [[0, 1, 2, 3, 2**31 - 1], list(range(20))])
def test_good_seeds_pass(seeds: list[int]) -> None:
    assert seed_errors(seeds) == []
