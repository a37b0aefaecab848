"""Progress in a real browser: an empty log, a history brought as a file, the plots of it."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from .fit import WIDTHS, misfits

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SLUGS = ("identity-path", "essential-difference")
HEAD = "card_id,review_time,review_rating,review_duration,confidence,chance"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Two months of two questions."""
    rng, now = Random(0), datetime.now(UTC)
    rows = [HEAD]
    for days in range(60, 0, -3):
        at = now - timedelta(days=days)
        for slug in SLUGS:
            word = rng.choice(["sure", "unsure"])
            rating = 3 if rng.random() < 0.8 else 1
            rows.append(f"{slug},{at.isoformat()},{rating},20000,{word},0.25")
    path = tmp_path / "history.csv"
    path.write_text("\n".join(rows), "utf-8")
    return path


def test_a_history_is_checked_added_and_plotted(page: Page, history: Path) -> None:
    page.goto("/")
    page.get_by_role("navigation").get_by_text("Progress").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Progress")
    expect(page.locator(".figure")).to_have_count(0)

    page.locator("#file").set_input_files(history)
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator(".card")).to_contain_text("40, of 2 questions")
    expect(page.locator(".figure")).to_have_count(0)
    page.get_by_role("button", name="Add 40 reviews").click()
    expect(page.locator(".notice")).to_contain_text("40 reviews were added")

    plots = page.locator(".plot svg[role=img]")
    expect(plots).to_have_count(4)
    for plot in plots.all():
        assert plot.get_attribute("aria-label")
    expect(page.locator("#told-calibration .whisker")).not_to_have_count(0)
    expect(page.locator("#told-weeks path.band")).to_have_count(1)

    with page.expect_download() as started:
        page.get_by_role("link", name="Download the log").click()
    copy = history.with_name("copy.csv")
    started.value.save_as(copy)
    assert copy.read_text("utf-8").count("\n") == 41
    page.locator("#file").set_input_files(copy)
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator(".card")).to_contain_text("There is nothing to add")


def test_mistakes_are_told_beside_the_form(
    chromium: Browser, address: str, tmp_path: Path
) -> None:
    file = tmp_path / "broken.csv"
    file.write_text("card_id,review_time,review_rating\nidentity-path,1,9\n", "utf-8")
    context = chromium.new_context(base_url=address)
    page = context.new_page()
    page.goto("/progress?lang=zh")
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name="检查文件").click()
    expect(page.locator("[role=alert] li")).to_have_count(2)
    expect(page.locator("[role=alert]")).to_contain_text("第2行")
    expect(page.locator("[role=alert]")).to_be_in_viewport()
    context.close()


def test_the_plotted_history_fits_every_screen(chromium: Browser, address: str) -> None:
    assert misfits(chromium, address, "/progress") == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_links_of_the_navigation_have_room(
    page: Page, width: int, lang: str
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"/progress?lang={lang}")
    links = page.locator(".nav a")
    expect(links.filter(visible=True)).to_have_count(6 if width > 640 else 5)
    boxes = [link.bounding_box() for link in links.filter(visible=True).all()]
    assert all(box and box["height"] >= 36 for box in boxes)
    expect(links.last).to_have_attribute("aria-current", "page")
    expect(links.last).to_have_text(re.compile("Progress|进展"))
