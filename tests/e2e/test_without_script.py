"""Formulas for readers whose browser runs no script."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from . import places
from .fit import too_wide

pytestmark = pytest.mark.browser

ASKED = "weights-times-ten"  # formulas in choices, a table of them in the explanation
BOXES = """() => [...document.querySelectorAll('math')]
  .filter(e => e.checkVisibility({ visibilityProperty: true }))
  .map(e => [e.closest('.tex'), e.getBoundingClientRect()])
  .map(([around, box]) => [box.width, box.height, around.getBoundingClientRect().right])"""


@pytest.fixture
def plain(chromium: Browser, address: str) -> Iterator[Page]:
    """A phone without script."""
    context = chromium.new_context(
        base_url=address,
        java_script_enabled=False,
        viewport={"width": 360, "height": 800},
    )
    yield context.new_page()
    context.close()


def check_formulas(page: Page) -> None:
    """Formulas have a size and stay on the page; no source of theirs is seen."""
    boxes = page.evaluate(BOXES)
    assert boxes
    for width, height, right in boxes:
        assert width > 4
        assert height > 8
        assert right <= 360
    seen = page.locator("main").inner_text()
    assert "\\" not in seen
    assert "$" not in seen
    assert page.locator(".katex").count() == 0
    assert too_wide(page) == 0


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_formulas_are_set_without_script(plain: Page, lang: str) -> None:
    shown = plain.request.post(
        f"/api/v1/questions/{ASKED}/presentations", data={"lang": lang}
    )
    plain.goto(f"/practice/{shown.json()['id']}?lang={lang}")
    expect(plain.locator("html")).to_have_attribute("lang", re.compile(f"^{lang}"))
    check_formulas(plain)
    form = plain.locator("form.ask").bounding_box()
    choice = plain.locator(".choice").first.bounding_box()
    assert form is not None
    assert choice is not None
    assert choice["x"] + choice["width"] <= form["x"] + form["width"]
    plain.locator(".choice").first.click()
    plain.locator("#check [value=unsure]").click()
    plain.wait_for_url(re.compile("/answers/ans_"))
    check_formulas(plain)
    plain.locator(".depths .seg label").nth(1).click()
    table = plain.locator(".detailed mtable")
    expect(table).to_be_visible()
    check_formulas(plain)
    names, values = table.locator("mtr").first.locator("mtd").all()
    left, right = names.bounding_box(), values.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"] + 1


def test_the_same_formulas_are_set_by_script(page: Page) -> None:
    places.ask(ASKED)(page)
    assert (
        page.locator("main .tex").count() == page.locator("main .tex > .katex").count()
    )
    assert page.locator("main .tex > math").count() == 0
    places.check(page)
    page.locator(".depths .seg label").nth(1).click()
    expect(page.locator(".detailed .tex-block .katex").first).to_be_visible()
    assert page.locator(".katex-error").count() == 0
