"""Nothing that a person entered is lost when the service fails; charts bear anything."""

import os
import re
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from .service import serving
from .test_loop import PATIENCE

pytestmark = pytest.mark.browser

BUSY = "<h1>The database is busy</h1><p>Nothing was saved.</p>"


@pytest.fixture
def shaky(chromium: Browser, address: str) -> Iterator[Page]:
    """A page whose service may fail, which the browser's console is told."""
    context = chromium.new_context(
        base_url=address, locale="en-GB", service_workers="block"
    )
    yield context.new_page()
    context.close()


def refuse(route: Route) -> None:
    if route.request.method == "POST":
        route.fulfill(status=503, body=BUSY, content_type="text/html")
    else:
        route.continue_()


def ask(page: Page, slug: str) -> None:
    page.goto(f"/questions/{slug}")
    page.locator("main form button").first.click()
    page.wait_for_url(re.compile("/practice/pres_"))


def test_an_open_answer_is_kept_until_its_feedback_is_there(shaky: Page) -> None:
    ask(shaky, "why-steadier-gradients")
    asked = shaky.url
    shaky.locator("#text").fill("The path of the residual stream is free.")
    shaky.route("**/practice/pres_*", refuse)
    shaky.locator("#show-points").click()
    expect(shaky.locator("h1")).to_have_text("The database is busy")
    shaky.goto("/")
    shaky.goto(asked)
    expect(shaky.locator("#text")).to_have_value(
        "The path of the residual stream is free."
    )
    shaky.unroute("**/practice/pres_*")
    shaky.locator("#show-points").click()
    shaky.wait_for_url(re.compile("/answers/ans_"))
    assert shaky.evaluate("Object.keys(sessionStorage)") == []


def test_parameters_are_kept_when_a_run_cannot_be_asked_for(shaky: Page) -> None:
    shaky.goto("/experiments/batch_independence")
    field = shaky.locator("form[data-lab] input[type=number]").first
    field.fill(value := str(int(field.get_attribute("min") or 1) + 2))
    run, notice = shaky.locator("#run-form .btn.main"), shaky.locator("[data-refused]")

    shaky.route("**/experiments/*", refuse)
    run.click()
    expect(notice).to_have_text("The database is busy Nothing was saved.")
    shaky.unroute("**/experiments/*")
    shaky.route("**/experiments/*", lambda route: route.abort())
    run.click()
    expect(notice).to_contain_text("The service does not answer.")
    assert shaky.url.endswith("/experiments/batch_independence")
    expect(field).to_have_value(value)


def test_a_language_that_was_chosen_stays_behind_the_service_worker(
    chromium: Browser, address: str
) -> None:
    context = chromium.new_context(base_url=address, locale="en-GB")
    page = context.new_page()
    page.goto("/questions")
    page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    page.reload()
    assert page.evaluate("navigator.serviceWorker.controller !== null")
    page.locator("#language").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    page.goto("/progress")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    context.close()


def default_run(page: Page) -> str:
    """The run of the small experiment, once it has ended."""
    for _ in range(PATIENCE // 500):
        known = page.request.get("/api/v1/experiments/batch_independence").json()
        run = known["default_run"] or "none"
        if page.request.get(f"/api/v1/runs/{run}").json().get("state") == "succeeded":
            break
        page.wait_for_timeout(500)
    return str(run)


def test_a_run_beside_an_answer_has_ids_of_its_own(page: Page) -> None:
    default_run(page)
    ask(page, "layernorm-axis")
    page.keyboard.press("0")
    page.wait_for_url(re.compile("/answers/ans_"))
    page.locator("details:has([data-lab=batch_independence]) > summary").click()
    form = page.locator("[data-lab=batch_independence]")
    form.get_by_role("button", name="Run", exact=True).click()

    result = page.locator("[data-result=batch_independence]")
    expect(result.locator(".claims")).to_be_visible(timeout=PATIENCE)
    ids = page.locator("[id]").evaluate_all("all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))
    link = page.locator("[data-status=batch_independence] a.down")
    heading = result.locator(f"h2#{(link.get_attribute('href') or '').split('#')[1]}")
    expect(heading).to_have_text("Claims")
    assert result.locator("section").first.get_attribute(
        "aria-labelledby"
    ) == heading.get_attribute("id")


def test_fresh_evidence_leaves_the_form_beside_it_alone(page: Page) -> None:
    run = default_run(page)

    def as_if_it_ran(route: Route) -> None:
        reply = route.fetch()
        waiting = (
            f'data-proofs="batch_independence" data-run="{run}" data-state="queued"'
        )
        body = reply.text().replace('data-proofs="batch_independence"', waiting)
        route.fulfill(response=reply, body=body)

    ask(page, "layernorm-axis")
    page.route("**/answers/ans_*", as_if_it_ran, times=1)
    page.keyboard.press("0")
    page.wait_for_url(re.compile("/answers/ans_"))
    page.locator("details:has([data-lab=batch_independence]) > summary").click()
    field = page.locator("[data-lab=batch_independence] input[type=number]").first
    field.fill(value := str(int(field.get_attribute("min") or 1) + 2))

    expect(page.locator("[data-proofs=batch_independence]")).not_to_have_attribute(
        "data-run", re.compile(".*"), timeout=PATIENCE
    )
    expect(field).to_have_value(value)


def test_a_figure_without_a_place_for_any_value_can_be_pointed_at(page: Page) -> None:
    page.goto("/experiments/batch_independence?show=1")
    figure = page.locator(".figure").first
    expect(figure.locator("svg[role=img]")).to_be_visible(timeout=PATIENCE)
    page.evaluate(
        """async () => {
          const lab = document.querySelector('script[src$="/lab.js"]').src;
          const { draw } = await import(lab.replace("lab.js", "chart.js"));
          const figure = document.querySelector(".figure");
          for (const head of figure.querySelectorAll("tbody th")) head.dataset.v = "";
          draw(figure);
          figure.querySelector(".plot svg").dispatchEvent(new PointerEvent("pointermove"));
        }"""
    )
    expect(figure.locator(".hair")).to_have_attribute("d", "")


@pytest.fixture(scope="module")
def abandoned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a service of its own: that of the others has a worker."""
    return tmp_path_factory.mktemp("abandoned")


@pytest.fixture(scope="module")
def without_worker(chromium: Browser, abandoned: Path) -> Iterator[str]:
    """A service whose worker does nothing any more."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("the worker is looked for in /proc")
    with serving(abandoned) as address:
        worker = worker_of(abandoned)
        os.kill(worker, signal.SIGSTOP)
        yield address
        os.kill(worker, signal.SIGCONT)


def worker_of(data: Path) -> int:
    """The process that runs experiments for the service of a folder."""
    wanted = f"QUIZ_DATA={data}".encode()
    for _ in range(PATIENCE // 100):
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if words[-2:-1] == [b"worker"] and wanted in (
                    process / "environ"
                ).read_bytes().split(b"\0"):
                    return int(process.name)
        time.sleep(0.1)
    raise AssertionError("there is no worker")


def test_an_answer_that_met_a_busy_database_is_sent_again_with_one_button(
    chromium: Browser, without_worker: str, abandoned: Path
) -> None:
    context = chromium.new_context(base_url=without_worker, locale="zh-CN")
    page = context.new_page()
    ask(page, "why-steadier-gradients")
    page.locator("#text").fill(words := "残差流的路径\n没有缩放。")
    other = sqlite3.connect(abandoned / "quiz.db", isolation_level=None, timeout=60)
    other.execute("BEGIN IMMEDIATE")
    page.locator("#show-points").click()
    expect(page.locator("h1")).to_have_text("数据库正忙", timeout=PATIENCE)
    expect(page.locator(".said")).to_have_text(words, use_inner_text=True)
    other.execute("ROLLBACK")
    other.close()
    page.get_by_role("button", name="再次发送").click()
    page.wait_for_url(re.compile("/answers/ans_"))
    expect(page.locator("main")).to_contain_text("残差流的路径")
    context.close()


def test_pages_of_experiments_say_that_the_worker_is_away(
    shaky: Page, without_worker: str
) -> None:
    for _ in range(PATIENCE // 500):
        shaky.goto(f"{without_worker}/experiments")
        if shaky.locator(".notice.away").count():
            break
        shaky.wait_for_timeout(500)
    expect(shaky.locator(".notice.away")).to_contain_text("experiments do not start")
    shaky.goto(f"{without_worker}/questions")
    expect(shaky.locator(".notice.away")).to_have_count(0)
