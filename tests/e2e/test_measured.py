"""An estimate and a figure in a real browser, by keyboard alone."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.factories import make_item, write_pack

from .fit import too_wide
from .service import serving

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PATIENCE = 120  # seconds until a busy machine has run a small experiment
FIGURE = {"experiment": "batch_independence", "id": "batch_mean_variance"}
ESTIMATE = {"metric": "batch_independence.ln_single_rms", "factor": 1.25}


@pytest.fixture(scope="module")
def address(chromium: Browser, data: Path) -> Iterator[str]:
    """Where a service listens that has two questions more than it comes with."""
    unit = {"en": "units", "zh": "单位"}
    items = [
        make_item("how-large", type="estimate", estimate={**ESTIMATE, "unit": unit}),
        make_item("which-curve", figure=FIGURE),
    ]
    folder = write_pack(data / "small-pack", items)
    command = Path(sys.executable).with_name("quizsvc")
    subprocess.run([command, "--data", data, "bank", "import", folder], check=True)
    with serving(data) as address:
        yield address


def ask(page: Page, slug: str) -> None:
    """Have a question asked by Enter, once its experiment has been computed."""
    end = time.monotonic() + PATIENCE
    while (
        page.request.post(f"/api/v1/questions/{slug}/presentations", data={}).status
        == 409
    ):
        assert time.monotonic() < end, f"{slug} is still being computed"
        time.sleep(0.5)
    page.goto(f"/questions/{slug}")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/practice/pres_"))


def test_an_estimate_is_answered_by_keyboard(page: Page) -> None:
    ask(page, "how-large")
    field = page.locator("#number")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#say")).to_contain_text("Write a number")
    page.keyboard.press("Escape")
    page.keyboard.press("1")  # a digit beside the field goes into it
    expect(field).to_be_focused()
    page.keyboard.type(",02e0")
    expect(field).to_have_value("1,02e0")
    expect(page).to_have_url(re.compile("/practice/pres_"))  # digits and e are typed
    page.keyboard.press("Enter")
    expect(page.locator("#check button").nth(1)).to_be_focused()
    page.keyboard.press("s")

    page.wait_for_url(re.compile("/answers/ans_"))
    expect(page.locator("#verdict")).to_be_focused()
    expect(page.locator("#verdict")).to_have_text("Right")
    expect(page.locator(".ruler .dot")).to_have_count(5)
    expect(page.locator(".ruler .mine")).to_be_visible()
    expect(page.get_by_role("img", name="Your estimate: 1.02")).to_be_visible()

    page.keyboard.press("u")
    page.wait_for_url(re.compile("/practice/pres_"))
    expect(page.locator("#number")).to_have_value("1.02")


def test_a_zero_beside_the_field_is_a_number_and_d_says_dont_know(page: Page) -> None:
    ask(page, "how-large")
    for key, value in (("0", "0"), (".", "0."), ("5", "0.5")):
        page.keyboard.press("Escape")
        page.keyboard.press(key)
        expect(page.locator("#number")).to_have_value(value)
    expect(page).to_have_url(re.compile("/practice/pres_"))
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    page.wait_for_url(re.compile("/answers/ans_"))
    expect(page.locator("#verdict")).to_have_text("Not known yet")


def test_a_finger_does_not_get_the_field_at_once(
    chromium: Browser, address: str, page: Page
) -> None:
    ask(page, "how-large")
    with chromium.new_context(
        base_url=address, locale="en-GB", has_touch=True, is_mobile=True
    ) as context:
        phone = context.new_page()
        phone.goto(page.url)
        expect(phone.locator("#number")).to_be_visible()
        assert phone.evaluate("document.activeElement.id") != "number"


def test_what_is_no_number_is_told_beside_the_field(
    chromium: Browser, address: str
) -> None:
    # Not the fixture's page: the browser's console calls a refused form an error.
    with chromium.new_context(base_url=address, locale="en-GB") as context:
        page = context.new_page()
        ask(page, "how-large")
        page.locator("#number").fill("five")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        expect(page.locator("#wrong")).to_contain_text("“five” is not one number")
        expect(page.locator("#number")).to_have_value("five")
        expect(page.locator("#number")).to_be_focused()


def test_a_language_switch_keeps_the_number(page: Page) -> None:
    ask(page, "how-large")
    page.locator("#number").fill("0.75")
    page.locator("#language").click()
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    expect(page.locator("#number")).to_have_value("0.75")
    expect(page.locator("label[for=number]")).to_have_text("你的估计（单位）")


def test_enter_in_the_field_sends_nothing_without_script(
    chromium: Browser, address: str, page: Page
) -> None:
    ask(page, "how-large")
    with chromium.new_context(
        base_url=address, locale="en-GB", java_script_enabled=False
    ) as context:
        plain = context.new_page()
        plain.goto(page.url)
        plain.locator("#number").fill("1")
        plain.keyboard.press("Enter")
        expect(plain).to_have_url(page.url)
        plain.locator("#check [value=sure]").click()
        expect(plain.locator("#verdict")).to_have_text("Right")


def test_a_question_with_a_figure_is_answered_by_keyboard(page: Page) -> None:
    ask(page, "which-curve")
    figure = page.locator("#shown-figure")
    expect(figure.locator(".plot svg").first).to_be_visible()
    drawn = figure.locator("table").inner_text()
    page.reload()
    assert page.locator("#shown-figure table").inner_text() == drawn
    assert "batch_independence" not in page.content()

    page.keyboard.press("1")
    page.keyboard.press("s")
    page.wait_for_url(re.compile("/answers/ans_"))
    after = page.locator("#shown-batch_mean_variance")
    expect(after.locator(".plot svg").first).to_be_visible()
    assert after.locator("table").inner_text() == drawn
    expect(page.get_by_text("Drawn by")).to_be_visible()


@pytest.mark.parametrize("width", [320, 390])
def test_neither_scrolls_sideways_on_a_phone(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for slug in ("how-large", "which-curve"):
        ask(page, slug)
        assert too_wide(page) == 0
        page.locator("#check [value=none]").click()
        page.wait_for_url(re.compile("/answers/ans_"))
        assert too_wide(page) == 0
