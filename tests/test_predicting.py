"""Laws of predictions, of earlier runs behind a run, and of the gallery's sentences."""

from math import inf, isclose
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.web import asking, gallery, overlay, plots, predicting
from quizsvc.web.predicting import Apart
from sim import registry

from .web_helpers import FIGURE, FLOW, HEAT

finite = st.floats(-1e9, 1e9).map(lambda v: round(v, 6) + 0.0)
seeds = st.lists(finite, min_size=5, max_size=20)
LONG: dict[str, Any] = {
    **FIGURE,
    "series": [{**FIGURE["series"][0], "x": [1, 2, 4, 8, 16], "y": [1, 2, 4, 8, 16]}],
}
THEORY = {"name": {"en": "t", "zh": "t"}, "key": "t", "x": [1, 9], "y": [0, 0]}


@given(finite, st.lists(st.tuples(finite, finite), max_size=16))
def test_an_address_carries_a_prediction(
    number: float, curve: list[tuple[float, float]]
) -> None:
    sent = {"predicted": repr(number)}
    sent |= {f"curve-{x!r}": repr(y) for x, y in curve}
    first = predicting.read(sent)
    again = predicting.read(first.address)
    assert (again.number, again.curve) == (first.number, first.curve)
    assert first.number == number
    assert dict(again.curve) == dict(curve)
    assert not first.wrong


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ({"predicted": "much"}, {"predicted"}),
        ({"predicted": "nan"}, {"predicted"}),
        ({"predicted": "1,000"}, {"predicted"}),
        ({"predicted": "1e999"}, {"predicted"}),
        ({"curve": "1:2:3"}, {"curve"}),
        ({"curve": "1:inf"}, {"curve"}),
        ({"curve": ",".join(f"{i}:1" for i in range(17))}, {"curve"}),
        ({"curve-1": "up"}, {"curve-1"}),
        ({"curve-nan": "1"}, {"curve-nan"}),
        ({"predicted": "  ", "curve": "", "curve-1": " "}, set()),
    ],
)
def test_what_is_no_number_is_no_prediction(
    sent: dict[str, str], wrong: set[str]
) -> None:
    found = predicting.read(sent)
    assert found.wrong == wrong
    assert not found
    assert found.address == {}


@given(finite, seeds)
def test_a_distance_is_from_the_median_and_tells_the_side(
    number: float, values: list[float]
) -> None:
    found = predicting.distance(number, values)
    assert found is not None
    assert found.low <= found.middle <= found.high
    assert isclose(found.middle + found.off, number, abs_tol=1e-6)
    among = min(values) <= number <= max(values)
    assert (found.where == "among") is among
    if not among:
        assert (found.where == "above") is (number > max(values))
    assert found.factor is None or (found.factor >= 1 and min(number, found.middle) > 0)


def test_seeds_without_a_value_are_left_out() -> None:
    found = predicting.distance(2, [None, 1.0, inf, 3.0])
    assert found is not None
    assert (found.low, found.middle, found.high, found.factor) == (1, 2, 3, 1)
    assert predicting.distance(2, [None, None]) is None


@given(finite, seeds)
def test_a_predicted_number_stays_on_the_axis_with_the_seeds(
    number: float, values: list[float]
) -> None:
    found = plots.dots(values, -1, 1, number)
    assert found.mine is not None
    assert plots.LEFT <= found.mine <= plots.RIGHT
    assert all(plots.LEFT <= x <= plots.RIGHT for x, _, _ in found.marks)
    ends = [*values, -1, 1]
    if min(ends) <= number <= max(ends):
        assert found.beyond == 0
    assert plots.dots(values, -1, 1).mine is None


def test_a_curve_is_asked_for_at_places_that_tell_little() -> None:
    series = [THEORY, *LONG["series"]]
    figures = [HEAT, FLOW, FIGURE, {**LONG, "id": "long", "series": series}]
    found = predicting.frame(figures)
    assert found is not None
    assert (found.figure["id"], found.series) == ("long", 1)
    assert found.places == [1, 2, 8, 16]  # the axis is logarithmic
    assert found.low == 0  # an axis of sizes does not reach below zero
    assert found.high > 16
    assert predicting.frame([HEAT, FLOW, FIGURE]) is None


def test_a_log_axis_ends_at_whole_decades_with_one_to_spare() -> None:
    figure = {**LONG, "y": {**LONG["y"], "scale": "log"}}
    found = predicting.frame([figure])
    assert found is not None
    assert (found.low, found.high) == (0.1, 1000)


@given(st.lists(st.sampled_from([1, 2, 4, 8, 16]), min_size=1, unique=True))
def test_the_measured_curve_is_no_distance_from_itself(places: list[float]) -> None:
    curve = [(x, float(x)) for x in places]
    series = LONG["series"][0]
    same = predicting.apart(curve, series, "log", "linear")
    assert same == Apart(off=0, where="around")
    same = predicting.apart(curve, series, "log", "log")
    assert same == Apart(off=1, where="around")
    twice = [(x, 2 * y) for x, y in curve]
    far = predicting.apart(twice, series, "linear", "log")
    assert far == Apart(off=2, where="above")
    half = [(x, y / 2) for x, y in curve]
    far = predicting.apart(half, series, "linear", "log")
    assert far == Apart(off=2, where="below")


def test_a_curve_that_crosses_the_measured_one_is_on_both_sides() -> None:
    crossing = [(1, 2), (4, 4), (16, 8)]
    far = predicting.apart(crossing, LONG["series"][0], "log", "log")
    assert far == Apart(off=2, where="around")


def test_points_between_places_are_held_against_the_line_and_others_left_out() -> None:
    series = LONG["series"][0]
    far = predicting.apart([(3, 3.5)], series, "linear", "linear")
    assert far == Apart(off=0.5, where="above")
    assert predicting.apart([(0, 1), (32, 1)], series, "linear", "linear") is None
    assert predicting.apart([(4, -1)], series, "linear", "log") is None


def test_earlier_runs_lie_behind_the_curves_they_belong_to() -> None:
    label = {"en": "depth: 8", "zh": "深度：8"}
    two = {**LONG, "series": [THEORY, *LONG["series"], *LONG["series"]]}
    [found] = overlay.behind([two], [(label, [two]), (label, [two])])
    added = found["series"][3:]
    assert [(s["key"], s["of"], s["extra"]) for s in added] == [
        ("e1", 1, False),
        ("e1", 2, True),
        ("e2", 1, False),
        ("e2", 2, True),
    ]
    assert added[0]["legend"] == label
    assert added[0]["name"]["zh"] == "测得的 $p$ · 深度：8"
    assert all(s["low"] == s["high"] == [] for s in added)
    assert two["series"][3:] == []  # what was measured stays as it is


def test_figures_that_cannot_be_compared_have_nothing_behind_them() -> None:
    label = {"en": "x", "zh": "x"}
    wider = {**LONG, "x": {**LONG["x"], "scale": "linear"}}
    for figure, other in ((HEAT, HEAT), (FLOW, FLOW), (LONG, wider), (LONG, HEAT)):
        [found] = overlay.behind([figure], [(label, [other])])
        assert found["series"] == figure["series"]
    many = [(label, [LONG])] * (overlay.MOST + 2)
    [found] = overlay.behind([LONG], many)
    assert len(found["series"]) == 1 + overlay.MOST


def test_a_predicted_curve_is_one_more_series_of_its_figure() -> None:
    name = {"en": "mine", "zh": "我的"}
    other = {**LONG, "id": "other"}
    found = overlay.predicted([other, LONG], LONG["id"], 0, [(1, 2.0)], name)
    assert found[0]["series"] == other["series"]
    assert (
        found[1]["series"][-1] | {"x": [1], "y": [2.0], "key": "p"}
        == found[1]["series"][-1]
    )


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One."),
        ("At 0.5 it ends. Two.", "At 0.5 it ends."),
        ("With $x. y$ inside. Two.", "With $x. y$ inside."),
        ("一句。二句。", "一句。"),
        ("Is it? Yes.", "Is it?"),
        ("No end", "No end"),
        ("", ""),
    ],
)
def test_the_first_sentence_says_what_an_experiment_is_about(
    text: str, first: str
) -> None:
    assert gallery.first(text) == first


def test_every_experiment_has_a_number_to_predict_in_both_languages() -> None:
    entries = {entry.name: entry for entry in registry.catalogue()}
    assert asking.ASKED.keys() == entries.keys()
    for name, (metric, *question) in asking.ASKED.items():
        assert metric in {claim["metric"] for claim in entries[name].claims}, name
        assert all(text.endswith(("?", "？", "。", ".")) for text in question), name


def test_no_two_experiments_ask_for_the_same_and_a_share_says_its_range() -> None:
    for place in (1, 2):
        asked = [said[place] for said in asking.ASKED.values()]
        assert len(set(asked)) == len(asked)
    ranges = ("(0 to 1)", "（0 到 1）")
    for metric, *question in asking.ASKED.values():
        if "share" in metric or metric == "post_skip_gradient":
            assert all(r in text for r, text in zip(ranges, question, strict=True))
