"""Laws of what is drawn: dots against bounds, the table of a figure, its thumbnail."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.web import plots, tables

from .web_helpers import FIGURE, FLOW, HEAT

numbers = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (math.nan, "–"),
        (0.0, "0"),
        (-0.25, "−0.25"),
        (0.9996, "1"),
        (12.345, "12.3"),
        (999.9, "1000"),
        (1000, "1000"),
        (54321.0, "54321"),
        (1e-5, "10⁻⁵"),
        (-2.5e-7, "−2.5×10⁻⁷"),
        (3e12, "3×10¹²"),
    ],
)
def test_numbers_are_short_and_have_a_true_minus(
    value: float | None, text: str
) -> None:
    assert plots.number(value) == text


@given(st.lists(numbers, min_size=1, max_size=20), numbers)
def test_a_dot_is_filled_exactly_when_the_claim_holds(
    values: list[float], bound: float
) -> None:
    drawn = plots.dots(values, bound, None)
    assert [inside for _, _, inside in drawn.marks] == [v > bound for v in values]


@given(st.lists(numbers, min_size=1, max_size=20), numbers, st.floats(1e-3, 1e6))
def test_dots_and_bounds_stay_in_the_drawing(
    values: list[float], low: float, width: float
) -> None:
    drawn = plots.dots(values, low, low + width)
    xs = [x for x, _, _ in drawn.marks] + drawn.bounds + list(drawn.allowed)
    assert all(0 <= x <= 320 for x in xs)
    assert drawn.allowed[0] <= drawn.allowed[1]


@given(st.lists(numbers, min_size=2, max_size=20))
def test_dots_keep_the_order_of_the_values(values: list[float]) -> None:
    xs = [x for x, _, _ in plots.dots(values, 0.0, None).marks]
    pairs = sorted(zip(values, xs, strict=True))
    assert [x for _, x in pairs] == sorted(xs)


@pytest.mark.parametrize(("seeds", "places"), [(5, 5), (6, 6), (10, 10), (20, 10)])
def test_equal_values_are_stacked(seeds: int, places: int) -> None:
    ys = [y for _, y, _ in plots.dots([0.5] * seeds, None, 1.0).marks]
    assert len(set(ys)) == places
    assert min(ys) > 4
    assert max(ys) < 32


def test_a_seed_without_a_value_has_no_dot_but_is_told() -> None:
    drawn = plots.dots([0.5, None, math.nan], None, 1.0)
    assert len(drawn.marks) == 1
    assert drawn.label == "0.5, –, –"


def test_an_axis_of_sizes_begins_at_zero() -> None:
    assert plots.dots([0.0, 0.1], None, 1.0).marks[0][0] == plots.LEFT


def test_labels_of_close_bounds_do_not_meet() -> None:
    drawn = plots.dots([100.0], 0.9, 1.1)
    assert [label.anchor for label in drawn.labels][:2] == ["end", "start"]


def test_a_bound_close_to_one_is_told_apart_from_it() -> None:
    drawn = plots.dots([1.0], 0.999, 1.001)
    assert [label.text for label in drawn.labels][:2] == ["0.999", "1.001"]


def test_a_table_has_a_row_for_every_x_and_a_column_for_every_curve() -> None:
    table = tables.table(FIGURE)
    assert [(c.key, c.role) for c in table.columns] == [
        ("1", "mid"),
        ("1", "lo"),
        ("1", "hi"),
        ("t", "mid"),
    ]
    assert table.rows == [
        (1, [0.4, 0.3, 0.6, 0.5]),
        (10, [0.5, 0.4, 0.6, None]),
        (100, [None, None, None, 0.5]),
    ]


def test_a_thumbnail_draws_each_curve_inside_its_box() -> None:
    shapes = plots.thumbnail(FIGURE)
    assert [shape.key for shape in shapes] == ["1", "t"]
    for shape in shapes:
        x, y = re.findall(r"(\S+) (\S+?)(?:L|$)", shape.path.removeprefix("M"))[0]
        assert 0 <= float(x) <= 300
        assert 0 <= float(y) <= 110


def test_a_figure_without_values_has_an_empty_thumbnail() -> None:
    empty = {**FIGURE, "series": [{**FIGURE["series"][0], "y": [None, None, None]}]}
    assert plots.thumbnail(empty) == []


def test_a_heat_map_keeps_its_rows_and_names_its_columns() -> None:
    found = tables.heat(HEAT)
    assert [name["en"] for name, _ in found.rows] == ["none, $w = 0$", "long"]
    assert [[c.mid for c in cells] for _, cells in found.rows] == [
        [0.1, 1.0],
        [0.01, None],
    ]
    assert (found.rows[0][1][0].low, found.rows[1][1][0].low) == (0.05, None)
    assert [tables.tick(HEAT["x"], x) for x in found.columns] == HEAT["x"]["ticks"]


def test_a_result_from_before_axes_had_names_has_none() -> None:
    assert tables.tick(FIGURE["x"], 10) is None


def test_a_way_through_a_block_has_only_the_steps_it_takes() -> None:
    post, pre = tables.ways(FLOW)
    assert [step["does"] for _, step, _, _ in post.steps] == [
        *("in", "read", "map", "keep", "add", "norm")
    ]
    assert [place for place, *_ in pre.steps] == [0, 1, 2, 3, 4, 5]
    assert [gradient.mid for *_, gradient in pre.steps] == [1, 0.2, 0.5, 1, 1, 1]


def test_a_thumbnail_of_a_heat_map_covers_its_box_where_there_are_values() -> None:
    shapes = plots.thumbnail(HEAT)
    assert [shape.path.split("h")[0] for shape in shapes] == [
        *("M0.0 0.0", "M150.0 0.0", "M0.0 55.0")
    ]
    assert shapes[1].fill == plots.shade(1)
    assert shapes[2].fill == plots.shade(0)
    assert all(not shape.key for shape in shapes)


def test_a_thumbnail_shows_few_curves() -> None:
    many = {**FIGURE, "series": FIGURE["series"][:1] * 20}
    assert len(plots.thumbnail(many)) == plots.SHOWN


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_never_lies_before_a_smaller_one_in_the_colours(
    a: float, b: float
) -> None:
    def place(share: float) -> float:
        later, percent = re.findall(r"var\(--heat-(\d)\) (\d+)%", plots.shade(share))[0]
        return int(later) - 1 + int(percent) / 100

    low, high = sorted((a, b))
    assert 0 <= place(low) <= place(high) <= 2
