"""``python -m tests.e2e.screenshots``: every page as people see it.

Phone and desktop, light and dark, English and Chinese, into ``artifacts/``; and the
pictures of the README beside this file. The candidate has practised for a month.
"""

import os
import random
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, Page

from question_bank.transfer import pack_folder

from .places import ADDRESSES, ways
from .service import settle, started

ARTIFACTS = Path(__file__).parents[2] / "artifacts"
README = Path(__file__).parent / "shots"
ASKED = "essential-difference"
MORE = ("mock, asked", "mock, report", "key points", "practice, expired", "run")
WIDTHS = {"phone": 390, "desktop": 1280}
PLACES = {
    **ADDRESSES,
    "experiment": "/experiments/residual_growth",
    "block": "/experiments/block_pipeline",
}


def main() -> int:
    with started() as (browser, address, data):
        settle(browser, address)
        practised(data)
        plan(browser, address)
        pictures_for_readme(browser, address, data)
        for lang in ("en", "zh"):
            for theme in ("light", "dark"):
                for size, width in WIDTHS.items():
                    kind = f"{lang}-{theme}-{size}"
                    photograph(browser, address, data, kind, width)
    return 0


def practised(data: Path) -> None:
    """Nine of ten questions met in the last month, and met again; some forgotten."""
    chance, lines = random.Random(1), ["card_id,review_time,review_rating"]
    slugs = sorted(
        path.stem for path in pack_folder().glob("*.md") if "." not in path.stem
    )
    for slug in (slug for slug in slugs if slug not in {ASKED, "pack"}):
        at = datetime.now(UTC) - timedelta(days=chance.uniform(1, 30))
        gap = 1.0
        while at < datetime.now(UTC) and chance.random() < 0.9:
            right = chance.random() < 0.85
            lines.append(f"{slug},{at.isoformat()},{3 if right else 1}")
            gap = gap * 3 if right else 1.0
            at += timedelta(days=gap)
    log = data / "month.csv"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = Path(sys.executable).with_name("quizsvc")
    here = {**os.environ, "QUIZ_DATA": str(data)}
    subprocess.run([command, "reviews", "import", log], check=True, env=here)


def plan(browser: Browser, address: str) -> None:
    """An interview in three weeks, a quarter of an hour a day."""
    page = browser.new_page(base_url=address)
    day = datetime.now(UTC).date() + timedelta(days=21)
    now = page.request.get("/api/v1/plan")
    goal = {"interview_date": day.isoformat(), "minutes_per_day": 15}
    told = page.request.put(
        "/api/v1/plan", data=goal, headers={"If-Match": now.headers["etag"]}
    )
    assert told.ok, told.text()
    page.close()


def photograph(
    browser: Browser, address: str, data: Path, kind: str, width: int
) -> None:
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
        keep(page, name, kind)
    for name in MORE:
        ways(data)[name](page)
        keep(page, name, kind)
    ask(page)
    keep(page, "practice", kind)
    answer(page)
    keep(page, "feedback", kind)
    context.close()


def pictures_for_readme(browser: Browser, address: str, data: Path) -> None:
    page = browser.new_page(
        base_url=address, locale="en-GB", viewport={"width": 1280, "height": 1560}
    )
    README.mkdir(exist_ok=True)
    ask(page)
    answer(page)
    page.locator("#verdict").blur()
    page.screenshot(path=README / "feedback.png")
    page.set_viewport_size({"width": 1280, "height": 1100})
    run = page.request.get("/api/v1/experiments/residual_growth").json()["default_run"]
    page.goto(f"/runs/{run}?predicted=1.5")
    page.screenshot(path=README / "run.png")
    for name in ("plan", "topics"):
        page.goto(f"/{name}")
        page.screenshot(path=README / f"{name}.png")
    ways(data)["mock, asked"](page)
    page.screenshot(path=README / "mock.png")
    page.close()


def ask(page: Page) -> None:
    page.goto(f"/questions/{ASKED}")
    page.locator("main form button").first.click()
    page.wait_for_url(re.compile("/practice/pres_"))


def answer(page: Page) -> None:
    page.keyboard.press("1")
    page.keyboard.press("s")
    page.wait_for_url(re.compile("/answers/ans_"))


def keep(page: Page, name: str, kind: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    file = "-".join(re.findall(r"\w+", f"{name} {kind}"))
    page.screenshot(path=ARTIFACTS / f"{file}.png", full_page=True)


if __name__ == "__main__":
    sys.exit(main())
