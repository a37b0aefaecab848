"""Laws of a figure as a file of comma-separated values."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc.figures import HEADER, as_csv

from .web_helpers import FIGURE, FLOW, HEAT

numbers = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))


def read(figure, lang="en"):
    return list(csv.DictReader(io.StringIO(as_csv(figure, lang))))


def test_every_point_of_every_series_has_a_line():
    assert as_csv(FIGURE, "en").splitlines() == [
        "series,x,x_name,y,low,high",
        "measured p,1,,0.4,0.3,0.6",
        "measured p,10,,0.5,0.4,0.6",
        "measured p,100,,,,",
        "theory,1,,0.5,,",
        "theory,100,,0.5,,",
    ]


def test_a_heat_map_names_its_rows_and_columns_in_the_language_asked_for():
    lines = read(HEAT, "zh")
    assert [(line["series"], line["x_name"]) for line in lines] == [
        *(("无，w = 0", "低"), ("无，w = 0", "高"), ("长", "低"), ("长", "高"))
    ]
    assert [line["y"] for line in lines] == ["0.1", "1.0", "0.01", ""]


def test_a_flow_names_its_steps():
    lines = read(FLOW)
    assert [line["x_name"] for line in lines if line["series"] == "Pre"][2] == (
        "Norm before"
    )
    assert {line["series"] for line in lines} == {
        *("Post", "Post, gradient", "Pre", "Pre, gradient")
    }


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@x", "\tx"])
def test_a_spreadsheet_takes_no_name_for_a_formula(name):
    series = [{**FIGURE["series"][1], "name": {"en": name, "zh": name}}]
    assert read({**FIGURE, "series": series})[0]["series"] == f"'{name}"


@given(st.text(), st.lists(st.tuples(numbers, numbers), min_size=1))
def test_what_is_written_can_be_read_back(name, points):
    one = {
        "name": {"en": name or "-", "zh": "-"},
        "x": list(range(len(points))),
        "y": [y for y, _ in points],
        "low": [low for _, low in points],
        "high": [],
    }
    lines = read({**FIGURE, "series": [one]})
    assert set(lines[0]) == set(HEADER)
    found = [(line["y"], line["low"]) for line in lines]
    assert found == [tuple("" if v is None else str(v) for v in p) for p in points]
