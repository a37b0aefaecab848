"""The practice loop and the laboratory in a real browser."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from . import places
from .fit import too_wide

pytestmark = pytest.mark.browser

PATIENCE = 60_000  # milliseconds for an experiment on a busy machine


def start(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/practice/pres_"))


@pytest.mark.parametrize(
    ("lang", "asked", "verdict", "need"),
    [
        (
            "en",
            r"Question \d+ of \d+: ",
            "^(Right|Not right)$",
            "Tick at least one choice",
        ),
        ("zh", r"第\d+题，共\d+题：", "^(正确|不对)$", "至少勾选一项"),
    ],
)
def test_the_whole_loop_by_keyboard_alone(
    page: Page, lang: str, asked: str, verdict: str, need: str
) -> None:
    page.goto(f"/?lang={lang}")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/practice/pres_"))
    expect(page.locator("#stem")).to_be_focused()
    expect(page.locator("#stem")).to_have_text(re.compile(asked))
    page.keyboard.press("Enter")
    expect(page.locator("#say")).to_contain_text(need)
    page.keyboard.press("1")
    first = page.locator(".choice input").first
    expect(first).to_be_checked()
    page.keyboard.press("f")
    expect(page.locator("#flag")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("m")
    expect(page.locator("#note-text")).to_be_focused()
    page.keyboard.type("first s 先")
    page.keyboard.press("Escape")
    expect(first).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#all-keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator("#check button").nth(1)).to_be_focused()
    page.keyboard.press("s")

    page.wait_for_url(re.compile("/answers/ans_"))
    expect(page.locator("#verdict")).to_be_focused()
    expect(page.locator("#verdict")).to_have_text(re.compile(verdict))
    expect(page.locator(".review li")).not_to_have_count(0)
    expect(page.locator("#note-text")).to_have_value("first s 先")
    expect(page.locator("#flag")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("e")
    expect(page.locator(".detailed.read")).to_be_visible()
    expect(page.locator("#explanation")).to_be_in_viewport()

    page.keyboard.press("u")
    page.wait_for_url(re.compile("/practice/pres_"))
    expect(page.locator(".choice input:checked")).to_have_count(1)
    expect(page.locator(".choice input:checked")).to_be_focused()
    expect(page.locator("#note-text")).to_have_value("")  # it may tell the key
    page.keyboard.press("m")
    page.keyboard.type("sun")  # goes nowhere
    page.keyboard.press("Escape")
    expect(page.locator(".choice input:checked")).to_be_focused()
    page.keyboard.press("n")
    page.wait_for_url(re.compile("/answers/ans_"))
    answered = page.url
    compose(page)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/practice/pres_"))
    expect(page.locator("#stem")).to_be_focused()
    page.keyboard.press("u")
    page.wait_for_url(re.compile("/practice/pres_.*again"))
    page.keyboard.press("0")
    page.wait_for_url(re.compile("/answers/ans_"))
    page.goto(answered)
    expect(page.locator("#verdict")).to_be_visible()


def compose(page: Page) -> None:
    """Press Enter while an input method composes: it belongs to that."""
    at = page.url
    for member in ("isComposing: true", "keyCode: 229"):
        page.evaluate(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', "
            f"{{ key: 'Enter', bubbles: true, {member} }}))"
        )
    page.wait_for_timeout(200)
    assert page.url == at


def test_a_language_switch_keeps_words_note_and_clock(page: Page) -> None:
    start(page)
    page.locator("#timer-switch").click()
    expect(page.locator("#timer")).to_have_text("–:––")
    page.locator("#note-text").fill("half a thought")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    expect(page.locator("#note-text")).to_have_value("half a thought")
    expect(page.locator("#timer")).to_have_text("–:––")
    page.keyboard.press("t")
    expect(page.locator("#timer")).to_have_text(re.compile(r"^\d+:\d\d$"))
    page.reload()
    expect(page.locator("#note-text")).to_have_value("half a thought")


def test_single_keys_can_be_turned_off_and_stay_off(page: Page) -> None:
    start(page)
    page.keyboard.press("?")
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    for _ in range(2):
        page.keyboard.press("1")
        expect(page.locator(".choice input:checked")).to_have_count(0)
        expect(page.locator("#check kbd").first).to_be_hidden()
        page.reload()
    page.keyboard.press("?")
    page.locator("#keys-on").check()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator(".choice input:checked")).to_have_count(1)


def test_after_a_key_for_language_or_clock_enter_leads_on(page: Page) -> None:
    start(page)
    page.keyboard.press("1")
    page.keyboard.press("l")
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    expect(page.locator(".choice input").first).to_be_focused()
    page.keyboard.press("t")
    expect(page.locator(".choice input").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#check button").nth(1)).to_be_focused()
    page.keyboard.press("s")
    page.wait_for_url(re.compile("/answers/ans_"))
    page.keyboard.press("l")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/practice/pres_"))


def test_enter_leads_into_the_text_and_writes_nothing(page: Page) -> None:
    places.ask(places.OPEN)(page)
    expect(page.locator("#stem")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("Said")
    expect(page.locator("#text")).to_have_value("Said")
    page.locator("#note-text").press("Control+Enter")
    expect(page.locator("#text")).to_be_visible()
    page.locator("#text").press("Control+Enter")
    page.wait_for_url(re.compile("/answers/ans_"))


def test_who_tabs_to_the_language_stays_there(page: Page) -> None:
    start(page)
    page.locator("#language").press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    expect(page.locator("#language")).to_be_focused()


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_moves_while_formulas_and_figures_come(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/questions/identity-path")
    expect(page.locator(".katex").first).to_be_visible()
    shifts = {"/questions": moved(page)}
    page.locator("main form button").first.click()
    page.wait_for_url(re.compile("/practice/pres_"))
    shifts["/practice"] = moved(page)
    page.locator("#check [value=none]").click()
    page.wait_for_url(re.compile("/answers/ans_"))
    shifts["/answers"] = moved(page)
    page.goto("/")
    shifts["/"] = moved(page)
    assert shifts == dict.fromkeys(shifts, 0)


def moved(page: Page) -> float:
    """The layout shift of the page so far, a while after it was loaded."""
    shift = page.evaluate(
        """() => new Promise(done => {
          let sum = 0;
          new PerformanceObserver(list => {
            for (const entry of list.getEntries()) sum += entry.value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => done(sum), 500);
        })"""
    )
    return float(shift)


def test_an_experiment_runs_with_other_parameters_and_shows_its_verdicts(
    page: Page,
) -> None:
    page.goto("/experiments/batch_independence")
    field = page.locator("form[data-lab] input[type=number]").first
    expect(field).to_be_visible()
    field.fill(str(int(field.get_attribute("min") or 1) + 1))
    page.get_by_role("button", name="Run").first.click()

    expect(page).to_have_url(re.compile("/runs/run_"), timeout=PATIENCE)
    expect(page.locator("[data-result] .verdict").first).to_be_visible()
    expect(page.locator("[data-result] .plot svg").first).to_be_visible()


def test_the_language_changes_in_mid_question_and_keeps_the_ticks(page: Page) -> None:
    start(page)
    page.keyboard.press("2")
    page.locator("#language").click()

    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    expect(page.locator(".choice input").nth(1)).to_be_checked()
    expect(page.locator("legend")).to_contain_text("正确")


@pytest.mark.parametrize(
    "path", ["/", "/practice", "/questions", "/experiments", "/api/docs"]
)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_scrolls_sideways(page: Page, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(path)
    assert too_wide(page) == 0


def test_an_answer_goes_through_without_script(chromium: Browser, address: str) -> None:
    context = chromium.new_context(
        base_url=address, locale="zh-CN", java_script_enabled=False
    )
    page = context.new_page()
    page.goto("/practice")
    page.get_by_role("button").last.click()
    page.wait_for_url(re.compile("/practice/pres_"))
    page.locator(".choice").first.click()
    page.locator("#check [value=unsure]").click()
    page.wait_for_url(re.compile("/answers/ans_"))

    expect(page.locator("#verdict")).to_have_text(re.compile("正确|不对|错"))
    context.close()
