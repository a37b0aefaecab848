"""Figures in a real browser: heat maps, the way through a block, files of both.

The pages are those of the application on results that no experiment had to make.
"""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import create_engine
from werkzeug.serving import make_server

from question_bank.base import Base
from quizsvc.app import create_app
from quizsvc.db import make_engine
from tests.api_helpers import stock
from tests.factories import make_item
from tests.web_helpers import FIGURE, FLOW, HEAT, finish_run

from .fit import too_wide

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OTHER = {
    **HEAT,
    "id": "other",
    "series": [{**HEAT["series"][0], "y": [0.5, 1.0]}],
}
MANY = {
    **FIGURE,
    "id": "many",
    "series": [{**FIGURE["series"][0], "key": str(key)} for key in range(1, 7)],
}
WHOLE = {
    **MANY,
    "id": "whole",
    "series": [
        {**one, "x": [1, 2, 5, 10], "y": [0.4, 0.5, 0.4, 0.5], "low": [], "high": []}
        for one in MANY["series"]
    ],
}
NAMED = {
    **FIGURE,
    "id": "named",
    "kind": "points",
    "x": {**HEAT["x"], "ticks": [{"en": "a long name " * 4, "zh": "长名"}] * 3},
    "series": [{**FIGURE["series"][0], "x": [0, 1, 2]}],
}


@pytest.fixture(scope="module")
def address(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Where the pages are; in place of a whole service."""
    folder: Path = tmp_path_factory.mktemp("figures")
    url = f"sqlite:///{folder}/quiz.sqlite"
    tables = create_engine(url)
    Base.metadata.create_all(tables)
    tables.dispose()
    engine = make_engine(url)
    stock(engine, folder, [make_item()])
    shown = [HEAT, OTHER, FLOW, MANY, WHOLE, NAMED, FIGURE]
    finish_run(engine, [0.5] * 5, "supported", shown)
    engine.dispose()
    app = create_app({"DATABASE_URL": url, "SECRET_KEY": "test"})
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()
    app.extensions["engine"].dispose()


def test_a_heat_map_is_read_by_arrow_keys_and_by_pointer(page: Page) -> None:
    page.goto("/experiments/coin?show=1")
    svg, value = (
        page.locator("#lab-map .plot svg"),
        page.locator("#lab-map .heat-value"),
    )
    svg.focus()
    expect(value).to_have_text("none, w = 0 · Rate: low · 0.1 (0.05–0.2)")
    page.keyboard.press("ArrowRight")
    expect(value).to_have_text("none, w = 0 · Rate: high · 1 (0.9–1.1)")
    page.keyboard.press("ArrowDown")
    expect(value).to_have_text("long · Rate: high · –")
    page.keyboard.press("ArrowDown")
    expect(value).to_have_text("long · Rate: high · –")
    svg.blur()
    expect(value).to_have_text("")
    svg.locator("rect.cell").last.hover(force=True)
    expect(value).to_have_text("long · Rate: high · –")
    assert svg.locator("rect.none").count() == 1


def test_the_colours_of_a_heat_map_have_a_scale_and_readable_numbers(
    page: Page,
) -> None:
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.goto("/experiments/coin?show=1")
        worst = page.evaluate(CONTRAST)
        assert worst >= 4.5, theme
    ticks = page.locator("#lab-map .plot text").all_text_contents()
    assert {"0.01", "0.1", "1"} <= set(ticks)


CONTRAST = """() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const light = colour => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(part => part / 255)
      .map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ratios = [...document.querySelectorAll('.on-first, .on-last')].map(label => {
    const ends = [label, label.previousElementSibling]
      .map(part => light(getComputedStyle(part).fill)).sort((a, b) => a - b);
    return (ends[1] + .05) / (ends[0] + .05);
  });
  return Math.min(...ratios);
}"""


def test_a_block_is_stepped_through_by_keyboard_alone(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto("/experiments/coin?show=1")
    say, flow = page.locator(".say"), page.locator("#lab-flow")
    expect(flow.get_by_role("button", name="Play")).to_be_hidden()
    expect(say).to_contain_text("Step to follow it")
    flow.get_by_role("button", name="Back").focus()
    page.keyboard.press("Tab")
    for _ in range(4):
        page.keyboard.press("Enter")
    expect(say).to_have_text(
        "Forward, 4 of 7. Attention: Post 0.7 (0.63–0.77); Pre 0.7 (0.63–0.77)"
    )
    page.keyboard.press("ArrowLeft")
    expect(say).to_have_text(
        "Forward, 3 of 7. Norm before: Post has no such step; Pre 1 (0.9–1.1)"
    )
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(say).to_contain_text("Gradient on its way back, 1 of 7. Norm of the sum")
    assert flow.locator(".flow.back").count() == 1
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    expect(say).to_contain_text("7 of 7. Stream enters: Post 1 (0.9–1.1); Pre 1")
    assert flow.locator(".flow.back").count() == 12
    page.keyboard.press("Home")
    expect(say).to_contain_text("The data goes up")


def test_a_block_plays_only_when_asked_and_stops_at_the_end(page: Page) -> None:
    page.clock.install(time=0)
    page.goto("/experiments/coin?show=1")
    page.clock.pause_at(3600)  # from here on time passes only when told to
    say, play = page.locator(".say"), page.locator("[data-flow=play]")
    page.clock.run_for(5_000)
    expect(say).to_contain_text("The data goes up")
    play.press("Enter")
    expect(play).to_have_text("Pause")
    expect(say).to_contain_text("Forward, 1 of 7")
    page.clock.run_for(3_000)
    expect(say).to_contain_text("Forward, 3 of 7")
    play.press("Enter")
    page.clock.run_for(5_000)
    expect(say).to_contain_text("Forward, 3 of 7")
    play.press("Enter")
    page.clock.run_for(60_000)
    expect(say).to_contain_text("Gradient on its way back, 7 of 7")
    expect(play).to_have_text("Play")


def test_other_placements_can_be_chosen_and_a_phone_shows_one(page: Page) -> None:
    page.goto("/experiments/coin?show=1")
    flow = page.locator("#lab-flow")
    first, second = flow.locator("select").nth(0), flow.locator("select").nth(1)
    assert flow.locator(".box.norm").count() == 2
    first.select_option("Pre")
    assert flow.locator(".box.norm").count() == 2
    second.select_option("Post")
    expect(flow.locator(".plot .axis-name").first).to_have_text("Pre")
    page.set_viewport_size({"width": 360, "height": 800})
    expect(second).to_be_hidden()
    expect(flow.locator(".box.norm")).to_have_count(1)
    assert too_wide(page) == 0


def test_heat_maps_of_one_run_that_are_compared_share_their_colours(page: Page) -> None:
    page.goto("/experiments/coin?show=1")
    ticks = [
        page.locator(f"#lab-{name} .plot text").all_text_contents()
        for name in ("map", "other")
    ]
    assert all({"0.01", "0.1", "1"} <= set(found) for found in ticks)


def test_many_curves_stand_side_by_side(page: Page) -> None:
    page.goto("/experiments/coin?show=1")
    legend = page.locator("#lab-many .legend")
    assert legend.locator("li:not(.vh)").count() == 0  # every panel has its title
    plot = page.locator("#lab-many .plot")
    plot.locator("svg").focus()
    value = legend.locator("output").first.text_content()
    assert value
    assert plot.get_by_text(value, exact=True).count() >= 6
    assert page.locator("#lab-many .plot .band").count() == 6
    assert page.locator("#lab-share .plot .band").count() == 1
    assert page.locator("#lab-many .plot .hair").count() == 6


def test_other_curves_lie_grey_behind_a_panel_and_never_fill_a_gap(page: Page) -> None:
    page.goto("/experiments/coin?show=1")
    whole, gaps = page.locator("#lab-whole"), page.locator("#lab-many")
    expect(whole.locator(".plot .line.so")).to_have_count(6 * 5)
    expect(whole.locator(".greys")).to_contain_text("the other curves")
    expect(gaps.locator(".plot .line.s1")).to_have_count(1)
    expect(gaps.locator(".plot .line.so")).to_have_count(0)
    expect(gaps.locator(".greys")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), [(1280, 500), (360, 640)])
def test_a_run_is_seen_beside_the_button_that_asked_for_it(
    page: Page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"/experiments/coin?tosses={width // 2}")
    for place in ("[data-folded]", "[data-result]"):
        button = page.locator(f"{place} button.btn:has-text('Run and compare')")
        button.click()
        status = page.locator("[data-status=lab]")
        expect(status.locator("progress")).to_be_in_viewport(ratio=1)
        expect(status.get_by_role("button", name="Cancel")).to_be_in_viewport(ratio=1)
        expect(button).to_be_focused()


@pytest.mark.parametrize(("show", "figures"), [("", False), ("&show=1", True)])
def test_a_cancelled_run_speaks_of_figures_only_where_there_are_some(
    page: Page, show: str, figures: bool
) -> None:
    page.goto(f"/experiments/coin?tosses={200 + figures}{show}")
    page.locator("#run-form .btn.main").click()
    status = page.locator("[data-status=lab]")
    status.get_by_role("button", name="Cancel").click()
    expect(status).to_contain_text("The run was cancelled.")
    before = status.get_by_text("Figures on this page are of the run before.")
    expect(before).to_be_visible(visible=figures)
    page.fill("#p-tosses", "7")
    expect(status).not_to_have_attribute("data-fresh", "")


def test_names_of_positions_stay_in_the_drawing(page: Page) -> None:
    page.goto("/experiments/coin?show=1")
    plot = page.locator("#lab-named .plot")
    room, names = plot.locator("svg").bounding_box(), plot.locator("text[transform]")
    assert names.count() == 3
    for place in range(3):
        box = names.nth(place).bounding_box()
        assert room
        assert box
        assert box["y"] + box["height"] <= room["y"] + room["height"]


@pytest.mark.parametrize("figure", ["map", "flow", "many", "share"])
def test_a_drawing_is_saved_as_svg_and_png_in_colours_that_every_program_knows(
    page: Page, figure: str, tmp_path: Path
) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/experiments/coin?show=1")
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            page.locator(f"#lab-{figure} [data-save={kind}]").click()
        assert download.value.suggested_filename == f"lab-{figure}.{kind}"
        download.value.save_as(tmp_path / kind)
    source = (tmp_path / "svg").read_text()
    assert not re.search(r"var\(|color-mix|light-dark|class=|style=", source)
    assert set(re.findall(r'(?:fill|stroke)="([^"]+)"', source)) <= {
        *re.findall(r'"(#[0-9a-f]{6})"', source),
        "none",
    }
    assert 'fill="#ffffff"' in source
    assert (tmp_path / "png").read_bytes().startswith(b"\x89PNG")


def test_the_data_of_a_figure_is_saved_without_script(
    chromium: Browser, address: str
) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/experiments/coin?show=1")
    with page.expect_download() as download:
        page.locator("#lab-map a[download]").click()
    assert download.value.suggested_filename.endswith("-map.csv")
    expect(page.locator("[data-save]").first).to_be_hidden()
    expect(page.locator("[data-flow]").first).to_be_hidden()
    page.locator("#lab-flow summary").click()
    expect(page.locator("#lab-flow tbody tr").nth(1)).to_be_visible()
    context.close()
