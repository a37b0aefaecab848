"""A mock interview in a real browser: by keyboard alone, and in Chinese."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from .fit import too_wide

pytestmark = pytest.mark.browser

PATIENCE = 20_000  # milliseconds for a page on a busy machine
SHOWN = re.compile(r"/mock/mock_\w+/\d+$")
HOME = re.compile(r"/mock/mock_\w+$")


def test_an_interview_by_keyboard_alone(page: Page) -> None:
    page.goto("/mock")
    expect(page.locator("#fit")).to_contain_text("have room in the time")
    page.keyboard.press("Enter")
    page.wait_for_url(SHOWN)
    first = page.url
    expect(page.locator("#stem")).to_be_focused()
    expect(page.locator("#clock")).to_have_text(re.compile(r"0:5\d"))
    expect(page.locator("#done")).to_contain_text("I said it aloud")

    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("The residual path stays an identity.\nAnd a second line.")
    expect(page.locator("#done")).to_contain_text("Show key points")
    page.reload()
    expect(page.locator("#text")).to_have_value(
        re.compile("^The residual.*line.$", re.S)
    )
    page.keyboard.press("t")
    expect(page.locator("#clock")).to_be_hidden()
    page.keyboard.press("t")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")

    expect(page.locator("#verdict")).to_be_focused(timeout=PATIENCE)
    expect(page.locator("#verdict")).to_have_text("Key points")
    expect(page.locator(".said")).to_contain_text("And a second line.")
    assert (
        page.evaluate("Object.keys(localStorage).filter(k => k.startsWith('mock '))")
        == []
    )
    page.keyboard.press("1")
    expect(page.locator("[name=point]").first).to_be_checked()
    page.keyboard.press("Escape")
    page.locator("body").press("Enter")
    expect(page.locator("[name=rating]").first).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_contain_text("of")
    expect(page.locator(".ladder li")).not_to_have_count(0)

    page.keyboard.press("f")
    page.wait_for_url(lambda url: url != first)
    expect(page.get_by_text("follow-up to question 1")).to_be_visible()
    page.go_back()
    page.goto("/mock")
    expect(page.locator(".notice")).to_contain_text("An interview is open")
    page.locator(".notice a").click()
    page.wait_for_url(HOME)
    page.get_by_role("button", name="End the interview").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 question to drill")
    expect(page.locator("table")).to_have_count(2)
    page.goto("/mock")
    expect(page.locator(".rows li").first).to_contain_text("1 of 2 answered")


def test_the_clock_warns_in_words_and_never_cuts(page: Page) -> None:
    page.clock.install()
    page.goto("/mock")
    page.get_by_role("button", name="Start the interview").click()
    page.wait_for_url(SHOWN)
    page.locator("#text").fill("Said so far")
    page.clock.run_for(52_000)
    expect(page.locator("#clock-say")).to_contain_text("Ten seconds")
    page.clock.run_for(20_000)
    expect(page.locator("#clock")).to_have_text(re.compile(r"^\+0:1\d$"))
    expect(page.locator("#clock-say")).to_contain_text("nothing is cut off")
    expect(page.locator("#text")).to_have_value("Said so far")
    expect(page).to_have_url(SHOWN)


def test_an_interview_in_chinese_with_an_input_method(
    chromium: Browser, address: str
) -> None:
    context = chromium.new_context(
        base_url=address, locale="zh-CN", viewport={"width": 360, "height": 740}
    )
    page = context.new_page()
    page.goto("/mock?lang=zh")
    page.get_by_role("button", name="开始面试").click()
    page.wait_for_url(SHOWN)
    expect(page.locator("#clock-say")).to_contain_text("六十秒只是参考")
    page.locator("#text").fill("残差通路保持恒等。")
    composing = {"key": "Enter", "ctrlKey": True, "isComposing": True, "bubbles": True}
    page.locator("#text").dispatch_event("keydown", composing)
    expect(page.locator("#text")).to_be_visible()
    page.locator("#done").click()
    expect(page.locator("#verdict")).to_have_text("要点")
    assert too_wide(page) == 0
    page.locator("[name=rating][value=good]").click()
    expect(page.get_by_role("heading", name="追问阶梯")).to_be_visible()
    page.get_by_role("button", name="结束并看报告").click()
    page.wait_for_url(HOME)
    expect(page.get_by_role("heading", level=1)).to_have_text("1道题要练")
    assert too_wide(page) == 0
    context.close()
