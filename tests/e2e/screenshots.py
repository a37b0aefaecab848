"""``python -m tests.e2e.screenshots``: every page as people see it.

Phone and desktop, light and dark, English and Chinese, into ``artifacts/``; and the
pictures of the README beside this file.
"""

import re
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page

from .service import browsing, find_chromium, serving

ROOT = Path(__file__).parents[2]
README = Path(__file__).parent / "shots"
ASKED = "essential-difference"
WIDTHS = {"phone": 390, "desktop": 1280}
PLACES = {
    "today": "/",
    "plan": "/plan",
    "start": "/practice",
    "bank": "/questions",
    "question": f"/questions/{ASKED}",
    "lab": "/experiments",
    "progress": "/progress",
    "experiment": "/experiments/residual_growth",
    "block": "/experiments/block_pipeline",
    "missing": "/nowhere",
    "api": "/api/docs",
}


def main() -> int:
    chromium = find_chromium()
    if chromium is None:
        sys.stderr.write("no Chromium on this machine\n")
        return 2
    with (
        tempfile.TemporaryDirectory() as data,
        serving(Path(data)) as address,
        browsing(chromium) as browser,
    ):
        wait_for_evidence(browser, address)
        picture_for_readme(browser, address)
        for lang in ("en", "zh"):
            for theme in ("light", "dark"):
                for size, width in WIDTHS.items():
                    photograph(browser, address, f"{lang}-{theme}-{size}", width)
    return 0


def wait_for_evidence(browser: Browser, address: str) -> None:
    """Until the worker has done what the pages show without asking."""
    page = browser.new_page(base_url=address)
    for name in ("residual_growth", "warmup_sensitivity", "block_pipeline"):
        for _ in range(240):
            run = page.request.get(f"/api/v1/experiments/{name}").json()["default_run"]
            done = (
                page.request.get(f"/api/v1/runs/{run}").json()["state"] if run else ""
            )
            if done == "succeeded":
                break
            time.sleep(0.5)
    page.close()


def photograph(browser: Browser, address: str, kind: str, width: int) -> None:
    lang, theme, _ = kind.split("-")
    context = browser.new_context(
        base_url=address,
        color_scheme="dark" if theme == "dark" else "light",
        locale="zh-CN" if lang == "zh" else "en-GB",
        viewport={"width": width, "height": 900},
    )
    page = context.new_page()
    for name, path in PLACES.items():
        page.goto(path)
        keep(page, ROOT / "artifacts" / f"{name}-{kind}.png")
    ask(page)
    keep(page, ROOT / "artifacts" / f"practice-{kind}.png")
    answer(page)
    keep(page, ROOT / "artifacts" / f"feedback-{kind}.png")
    context.close()


def picture_for_readme(browser: Browser, address: str) -> None:
    page = browser.new_page(
        base_url=address, locale="en-GB", viewport={"width": 1280, "height": 1560}
    )
    ask(page)
    answer(page)
    page.locator("#verdict").blur()
    README.mkdir(exist_ok=True)
    page.screenshot(path=README / "feedback.png")


def ask(page: Page) -> None:
    page.goto(f"/questions/{ASKED}")
    page.locator("main form button").first.click()
    page.wait_for_url(re.compile("/practice/pres_"))


def answer(page: Page) -> None:
    page.keyboard.press("1")
    page.keyboard.press("s")
    page.wait_for_url(re.compile("/answers/ans_"))


def keep(page: Page, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    page.screenshot(path=path, full_page=True)


if __name__ == "__main__":
    sys.exit(main())
