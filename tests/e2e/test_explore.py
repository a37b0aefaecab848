"""The bank explored in a real browser: filters by keyboard, empty search, map, a round."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from .fit import too_wide

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_filters_by_keyboard_keep_the_focus_and_say_the_count(page: Page) -> None:
    page.goto("/questions")
    page.locator("#q").focus()
    page.keyboard.type("warmup")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=warmup"))
    expect(page.locator("#q")).to_be_focused()
    expect(page.locator("#count")).to_contain_text(re.compile(r"\d+ of \d+ questions"))
    expect(page.locator("#said")).to_contain_text("questions")

    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#level")).to_be_focused()
    page.keyboard.type("Hard")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("level=hard"))
    expect(page.locator("#filter")).to_be_focused()
    expect(page.locator("#level")).to_have_value("hard")
    levels = page.locator(".list tbody td:nth-child(3)")
    expect(levels).not_to_have_count(0)
    assert set(levels.all_inner_texts()) == {"Hard"}

    page.locator("#chip-level").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=warmup"))
    expect(page.locator("#chip-level")).to_have_count(0)
    expect(page.locator("#chip-q")).to_have_count(1)
    expect(page.locator("#q")).to_be_focused()


def test_a_search_without_results_leads_on(page: Page) -> None:
    page.goto("/questions?q=rotary+embedding&level=extreme&lang=en")
    expect(page.get_by_role("heading", name="No question fits")).to_be_visible()
    page.get_by_role("link", name="Without “rotary embedding”").click()
    expect(page.locator(".list tbody tr")).not_to_have_count(0)
    expect(page.locator("#level")).to_have_value("extreme")


def test_the_map_leads_to_a_list_and_that_to_a_round(page: Page) -> None:
    page.goto("/questions?lang=en")
    page.get_by_role("link", name="Map of topics").click()
    cell = page.locator(".map td a").first
    label = cell.get_attribute("aria-label") or ""
    questions = re.search(r"0 of (\d+) met", label)
    assert questions
    cell.click()
    expect(page.locator(".list tbody tr")).to_have_count(int(questions[1]))
    page.get_by_role("button", name="Practise").click()
    page.wait_for_url(re.compile("/practice/pres_"))
    page.keyboard.press("0")
    page.wait_for_url(re.compile("/answers/ans_"))
    expect(page.locator("[data-key=next]")).to_contain_text("Next of this round")


@pytest.mark.parametrize("path", ["/topics", "/questions?q=warmup&sort=title"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pages_fit_a_phone_and_nothing_moves(
    chromium: Browser, address: str, path: str, lang: str
) -> None:
    context = chromium.new_context(
        base_url=address, viewport={"width": 360, "height": 800}, has_touch=True
    )
    page = context.new_page()
    page.goto(f"{path}{'&' if '?' in path else '?'}lang={lang}")
    assert too_wide(page) == 0
    inner = page.locator(".scroll").first
    assert inner.evaluate("one => one.scrollWidth <= one.clientWidth")
    for control in page.locator("main :is(button, select, .chip):visible").all():
        box = control.bounding_box()
        assert box
        assert box["height"] >= 44, control.inner_text()
    shift = page.evaluate(
        """() => new Promise(done => {
          let sum = 0;
          new PerformanceObserver(list => {
            for (const entry of list.getEntries()) sum += entry.value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => done(sum), 300);
        })"""
    )
    assert shift < 0.01
    context.close()
