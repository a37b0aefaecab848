"""What a figure must be before it is stored: checked by running.flaw."""

from dataclasses import replace

import pytest
import torch

from sim.core import Axis, Figure, Series, Step, Text
from sim.nets import figures
from sim.running import flaw

WORDS = Text(en="words", zh="词语")
AXIS = Axis(label=WORDS)
NAMED = Axis(label=WORDS, ticks=(WORDS, WORDS))
LINE = Series(name=WORDS, key="5", x=[0, 1], y=[1, 2])
CURVES = Figure(id="f", title=WORDS, alt=WORDS, x=AXIS, y=AXIS, series=[LINE])
HEAT = replace(CURVES, kind="heat", series=[LINE, LINE], value=AXIS)
STEPS = [Step(name=WORDS, does="in"), Step(name=WORDS, does="add")]
WAY = [replace(LINE, key="3"), replace(LINE, key="4")]
FLOW = replace(CURVES, kind="flow", series=WAY, steps=STEPS)


@pytest.mark.parametrize("figure", [CURVES, replace(CURVES, x=NAMED), HEAT, FLOW])
def test_what_can_be_drawn_has_no_flaw(figure):
    assert flaw(figure) is None


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (replace(CURVES, series=[replace(LINE, y=[1])]), "differ in length"),
        (replace(CURVES, series=[replace(LINE, x=[0, 2])], x=NAMED), "without a name"),
        (
            replace(CURVES, series=[replace(LINE, x=[0, 0.5])], x=NAMED),
            "without a name",
        ),
        (replace(CURVES, series=[replace(LINE, y=[1, 2])], y=NAMED), "without a name"),
        (replace(CURVES, value=AXIS), "axis of values"),
        (replace(HEAT, value=None), "axis of values"),
        (replace(HEAT, series=[LINE, replace(LINE, x=[0, 2])]), "in their columns"),
        (replace(HEAT, series=[]), "in their columns"),
        (replace(CURVES, steps=STEPS), "has steps"),
        (replace(FLOW, steps=[]), "has steps"),
        (replace(FLOW, series=WAY[:1]), "forward and a gradient"),
        (replace(FLOW, series=WAY[::-1]), "forward and a gradient"),
        (replace(FLOW, steps=STEPS[:1]), "follow the steps"),
        (replace(FLOW, series=[replace(s, x=[1, 0]) for s in WAY]), "follow the steps"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_told_why(figure, words):
    assert words in (flaw(figure) or "")


def test_a_heat_map_shows_the_median_over_the_seeds():
    values = torch.arange(30.0).view(2, 3, 5)  # (R, C, S)
    rows = [Text(en="a", zh="甲"), Text(en="b", zh="乙")]
    about = {"id": "h", "title": WORDS, "alt": WORDS, "x": AXIS, "y": AXIS}
    drawn = figures.heat(rows, [1, 2, 4], values, value=AXIS, **about)
    assert flaw(drawn) is None
    assert [row.name.en for row in drawn.series] == ["a", "b"]
    assert drawn.series[1].y == [17, 22, 27]
    assert (drawn.series[0].low, drawn.series[0].high) == ([0, 5, 10], [4, 9, 14])
