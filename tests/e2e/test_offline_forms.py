"""What is entered without the network: forms are kept, numbers read as the service does."""

import json
import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from quizsvc.web import numbers

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WRITTEN = [
    *("0.5", ".5", "0,5", "5.", "1e-3", "1E+3", "7×10⁻⁴", "7 x 10^-4", "10^-3"),
    *("-10^2", "−3", "–3", "１２．５", "5*10^ 2", " 4 ", "+2", "1,000", "", "one"),
    *("1 2", "1e999", "10²", "2·10³", "1.2.3", "e5", "^2", "1" * 41, "0,500"),
    "12,345,678",
]


def test_a_form_that_could_not_be_sent_is_kept_and_sent_later(
    visitor: BrowserContext,
) -> None:
    page = visitor.new_page()
    page.goto("/plan")
    page.locator("[name=minutes_per_day]").fill("37")
    visitor.set_offline(True)
    page.locator("form:has([name=minutes_per_day]) .btn.main").click()
    page.wait_for_url(re.compile("/offline"))
    expect(page.locator("#unsent")).to_contain_text("37")
    visitor.set_offline(False)
    page.locator("#unsent button").first.click()
    page.wait_for_url(re.compile("/plan"))
    expect(page.locator("[name=minutes_per_day]")).to_have_value("37")
    page.goto("/offline")
    expect(page.locator("#questions")).to_be_visible()
    expect(page.locator("#unsent")).to_be_hidden()


def test_the_device_reads_numbers_as_the_service_does(page: Page) -> None:
    page.goto("/offline")
    read = page.evaluate(
        """async written => {
          const here = document.querySelector('script[src$="/offline.js"]').src;
          const { read } = await import(here.replace("offline.js", "offline/numbers.js"));
          return written.map(text => JSON.stringify(read(text)));
        }""",
        WRITTEN,
    )
    for text, value in zip(WRITTEN, map(json.loads, read), strict=True):
        try:
            assert numbers.read(text) == value, text
        except ValueError:
            assert value is None, text
