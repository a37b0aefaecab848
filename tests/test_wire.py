import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.exceptions import BadRequest

from quizsvc.wire import MAX_DEPTH, MAX_INTEGER, decode

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner),
    max_leaves=20,
)


@given(plain)
def test_plain_json_comes_through_as_it_is(value: object) -> None:
    assert decode(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"NaN",
        b'{"a": Infinity}',
        b"[1e999]",
        b'{"a": 9223372036854775808}',
        b"1" * 3000,
        b'{"a": 1, "a": 2}',
        rb'["\u0000"]',
        rb'{"\u0000": 1}',
        rb'["\ud800"]',
        b"[" * 20_000,
        b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    ],
    ids=lambda body: body[:24].decode("latin-1"),
)
def test_what_a_database_or_a_client_cannot_hold_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        decode(body)


def test_brackets_inside_text_are_not_nesting() -> None:
    text = '["' + "[" * 1000 + r"\"[" + '"]'

    assert decode(text.encode()) == ["[" * 1000 + '"[']
