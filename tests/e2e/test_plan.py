"""The plan in a real browser: a date is set, and the curve towards it is drawn."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from .fit import misfits

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_date_is_set_and_the_way_to_it_is_drawn(page: Page) -> None:
    page.goto("/plan")
    day = datetime.now(UTC) + timedelta(days=20)
    page.get_by_label("Day of the interview").fill(f"{day:%Y-%m-%d}")
    page.get_by_label("Minutes a day").fill("5")
    page.get_by_role("button", name="Save the goal").click()
    expect(page.locator(".notice[role=status]")).to_contain_text("Saved.")
    expect(page.get_by_role("heading", level=1)).to_contain_text("to the interview")

    today = page.locator("section[aria-labelledby=now]")
    expect(today.get_by_role("heading", level=2)).to_contain_text("about 5 minutes")
    expect(today.locator("ul.rows li").first).to_contain_text("Never asked so far")

    plot = page.locator("#plan-course .plot svg[role=img]")
    expect(page.locator("#plan-course path.band")).to_have_count(1)
    assert (plot.get_attribute("aria-label") or "").startswith("Recall goes from 0 %")
    plot.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#plan-course .legend output").first).not_to_be_empty()

    today.get_by_role("button", name="Start practice").click()
    page.wait_for_url(re.compile("/practice/pres_"))


def test_the_plan_fits_every_screen(chromium: Browser, address: str) -> None:
    assert misfits(chromium, address, "/plan") == []
