"""A candidate in the lab with a real worker: predict, run, compare, by keyboard alone."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from .fit import too_wide

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NAME = "batch_independence"  # a run of it takes a second
PATIENCE = 120_000
WORDS = {
    "en": {
        "run": "Run and compare",
        "mine": "Your prediction",
        "folded": "Predict, then look",
        "behind": "One earlier run lies behind",
        "shown": "shown",
    },
    "zh": {
        "run": "运行并比较",
        "mine": "你的预测",
        "folded": "先预测，再看结果",
        "behind": "有1次较早的运行",
        "shown": "当前显示",
    },
}


@pytest.fixture(autouse=True)
def _measured(page: Page) -> None:
    """The default run, which start-up asked for, is done."""
    for _ in range(PATIENCE // 500):
        run = page.request.get(f"/api/v1/experiments/{NAME}").json()["default_run"]
        if (
            run
            and page.request.get(f"/api/v1/runs/{run}").json()["state"] == "succeeded"
        ):
            return
        page.wait_for_timeout(500)
    raise AssertionError("the default run never ended")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the control has the focus."""
    page.evaluate("getSelection().removeAllRanges()")
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
            return
    raise AssertionError(f"no Tab leads to {selector}")


@pytest.mark.parametrize(("lang", "batch"), [("en", "24"), ("zh", "40")])
def test_predict_run_and_compare_by_keyboard(page: Page, lang: str, batch: str) -> None:
    said = WORDS[lang]
    page.goto(f"/experiments/{NAME}?lang={lang}")
    expect(page.locator("[data-result]")).to_contain_text(said["folded"])
    assert page.locator("[data-result] .dots").count() == 0
    assert page.locator(".figure .mark").count() == 0

    tab_to(page, "#predicted")
    page.keyboard.type("−0.9")
    tab_to(page, "[data-x]")
    page.keyboard.press("ArrowUp")
    height = page.locator("[data-x]").first.input_value()
    assert float(height) > 0
    expect(page.locator("#lab-expected .mark.sp")).to_have_count(1)
    page.keyboard.press("Enter")

    compared = re.compile(r"/runs/run_\w+\?predicted=-0.9&curve=")
    expect(page).to_have_url(compared, timeout=PATIENCE)
    card = page.locator("[aria-labelledby=mine]")
    expect(card).to_contain_text(said["mine"])
    expect(card).to_contain_text("−0.9")
    expect(card.locator(".dots .mine")).to_be_visible()
    expect(page.locator(".plot .line.sp")).to_have_count(1)
    expect(page.locator("[data-folded]")).to_have_count(0)

    tab_to(page, "#p-batch")
    page.keyboard.press("Control+A")
    page.keyboard.type(batch)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"with=run_"), timeout=PATIENCE)
    expect(page.locator("[data-result]")).to_contain_text(said["behind"])
    expect(page.locator("[data-result] .legend")).not_to_have_count(0)
    assert page.locator(".plot .line.se1").count() > 0
    now = page.locator("[data-earlier] [aria-current]")
    expect(now).to_contain_text(batch)
    expect(page.locator("[data-earlier]")).to_contain_text(said["shown"])

    tab_to(page, "[name=with]:checked")
    page.keyboard.press("Space")
    expect(page).not_to_have_url(re.compile("with=run_"), timeout=PATIENCE)
    expect(page.locator(".plot .line.se1")).to_have_count(0)
    assert page.evaluate("document.activeElement.name") == "with"


@pytest.mark.parametrize(
    ("locale", "no"), [("en-GB", "is not one number"), ("zh-CN", "不是一个数")]
)
def test_a_prediction_that_is_no_number_is_told_and_kept(
    chromium: Browser, address: str, locale: str, no: str
) -> None:
    context = chromium.new_context(base_url=address, locale=locale)
    page = context.new_page()
    page.goto(f"/experiments/{NAME}")
    page.fill("[data-x] >> nth=1", "up")
    page.locator("#run-form .btn.main").click()
    notice = page.locator("#run-form [data-refused]")
    expect(notice).to_contain_text(no)
    expect(notice).to_be_focused()
    notice.get_by_role("link").click()
    expect(page.locator("[data-x]").nth(1)).to_be_focused()
    expect(page.locator("[data-x]").nth(1)).to_have_value("up")
    expect(page.locator("[data-x][aria-invalid=true]")).to_have_count(1)
    context.close()


def test_the_address_shows_another_visitor_the_same(
    page: Page, chromium: Browser, address: str
) -> None:
    page.goto(f"/experiments/{NAME}")
    page.fill("#predicted", "-1.5")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/runs/run_"))
    context = chromium.new_context(
        base_url=address, locale="zh-CN", java_script_enabled=False
    )
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator("[aria-labelledby=mine]")).to_contain_text("你预测−1.5")
    expect(other.locator(".dots .mine").first).to_be_visible()
    context.close()


def test_a_number_is_predicted_without_script(chromium: Browser, address: str) -> None:
    context = chromium.new_context(
        base_url=address, locale="en-GB", java_script_enabled=False
    )
    page = context.new_page()
    page.goto(f"/experiments/{NAME}")
    page.fill("#predicted", "-1")
    page.locator("[data-x]").first.fill("0.1")
    page.get_by_role("button", name="Run and compare").first.click()
    page.wait_for_url(re.compile(r"/runs/run_\w+\?predicted=-1&curve="))
    expect(page.get_by_text("You said −1;")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Show me").click()
    expect(page.locator(".verdict").first).to_be_visible()
    context.close()


def test_a_click_sets_the_nearest_point_of_the_expected_curve(page: Page) -> None:
    page.goto(f"/experiments/{NAME}")
    drawing = page.locator("#lab-expected svg")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 30, box["y"] + box["height"] / 2)
    fields = page.locator("[data-x]")
    assert fields.last.input_value()
    assert not fields.first.input_value()
    page.set_viewport_size({"width": 360, "height": 800})
    expect(page.locator("#lab-expected .mark.sp")).to_have_count(1)
    assert too_wide(page) == 0


def test_the_expected_curve_is_drawn_as_the_service_reads_its_numbers(
    page: Page,
) -> None:
    page.goto(f"/experiments/{NAME}")
    field, point = page.locator("[data-x]").first, page.locator("#lab-expected .mark")
    field.fill("0.1")
    height = point.get_attribute("transform")
    assert height
    field.fill("1")
    expect(point).not_to_have_attribute("transform", height)
    field.fill("1×10⁻¹")
    expect(point).to_have_attribute("transform", height)


def test_three_placements_step_together_where_there_is_room(page: Page) -> None:
    for _ in range(PATIENCE // 500):
        run = page.request.get("/api/v1/experiments/block_pipeline").json()[
            "default_run"
        ]
        if page.request.get(f"/api/v1/runs/{run}").json().get("state") == "succeeded":
            break
        page.wait_for_timeout(500)
    page.emulate_media(reduced_motion="reduce")
    page.goto("/experiments/block_pipeline?show=1")
    flow = page.locator("#lab-flow")
    expect(flow.locator("select")).to_have_count(3)
    expect(flow.locator("select").nth(2)).to_be_visible()
    assert flow.locator(".plus").count() == 6  # two sublayers of each
    expect(flow.locator("[data-flow=play]")).to_be_hidden()
    tab_to(page, "[data-flow=back]")
    page.keyboard.press("ArrowRight")
    say = flow.locator(".say")
    expect(say).to_contain_text("Forward, 1 of")
    assert (say.text_content() or "").count(";") == 2  # three sizes
    page.set_viewport_size({"width": 360, "height": 800})
    expect(flow.locator("select").nth(1)).to_be_hidden()


def test_the_code_stands_beside_the_claims_and_opens_at_a_line(page: Page) -> None:
    page.goto(f"/experiments/{NAME}?show=1")
    code = page.locator("details:has(.code)")
    expect(code.locator(".code")).to_be_hidden()
    code.locator("summary").press("Enter")
    link = code.locator("a[href^='#line-']").first
    link.press("Enter")
    expect(page).to_have_url(re.compile("#line-"))
    expect(page.locator(".highlight [id^=line-]:target")).to_be_in_viewport()
