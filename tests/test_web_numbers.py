"""A number as people write it, and where it lies beside a measured key."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.practice import MeasuredKey
from quizsvc.web import ruler
from quizsvc.web.numbers import read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("0,5", 0.5),
        ("0,125", 0.125),
        ("1e-3", 1e-3),
        ("1,5E+2", 150.0),
        ("１２．５", 12.5),
        ("−3", -3.0),
        ("－３", -3.0),
        ("+4", 4.0),
        (" 7 ", 7.0),
        ("7×10⁻⁴", 7e-4),
        ("7 x 10^-4", 7e-4),
        ("10⁻³", 1e-3),
        ("−10^2", -100.0),
        ("1e-999", 0.0),
    ],
)
def test_a_number_is_read_as_people_write_it(text: str, value: float) -> None:
    assert read(text) == value


NO_NUMBERS = [
    "",
    "-",
    "five",
    "五",
    "1,000",
    "12,345,678",
    "1,000e2",
    "1.2.3",
    "1 000",
    "1_000",
    "3²",
    "½",
    "50%",
    "0x10",
    "nan",
    "inf",
    "1e999",
    "1" * 41,
]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_not_one_number_is_not_guessed(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|large"):
        read(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back(value: float) -> None:
    assert read(repr(value)) == value


@given(st.text(max_size=50))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert abs(read(text)) < float("inf")


def place(mine: float | None, low: float, high: float, *values: float) -> ruler.Ruler:
    key = sorted(values)[len(values) // 2]
    return ruler.of(
        MeasuredKey(
            value=key,
            low=low,
            high=high,
            unit=None,
            factor=None,
            margin=1.0,
            values=[*values],
            experiment="coin",
            metric="share",
            params={},
            run_id="run_1",
        ),
        mine,
    )


finite = st.floats(-1e12, 1e12)


@given(
    st.one_of(st.none(), finite),
    st.lists(finite, min_size=1, max_size=9),
    st.floats(1e-6, 1e6),
)
def test_everything_lies_on_the_line_in_order(
    mine: float | None, values: list[float], margin: float
) -> None:
    key = sorted(values)[len(values) // 2]
    drawn = place(mine, key - margin, key + margin, *values)
    xs = [*drawn.right, drawn.key, *(x for x, _ in drawn.marks)]
    xs += [drawn.mine.x] if drawn.mine else []
    assert all(ruler.EDGE <= x <= ruler.WIDTH - ruler.EDGE for x in xs)
    assert drawn.right[0] <= drawn.key <= drawn.right[1]
    assert (drawn.mine is None) == (mine is None)


def test_a_number_far_off_stands_at_the_edge() -> None:
    assert place(0.5, 0.25, 1, 0.5, 0.4).beyond == 0
    assert place(1000, 0.25, 1, 0.5, 0.4).beyond == 1
    assert place(0.001, 0.25, 1, 0.5, 0.4).beyond == -1
    assert place(-1, 0.25, 1, 0.5, 0.4).beyond == -1


def test_right_numbers_a_factor_apart_lie_on_a_log_scale() -> None:
    drawn = place(None, 0.25, 1, 0.5, 0.5)
    assert drawn.log
    assert drawn.key - drawn.right[0] == pytest.approx(drawn.right[1] - drawn.key)
    assert not place(None, -1, 1, 0, 0).log
    assert not place(None, 0.9, 1.1, 1, 1).log
