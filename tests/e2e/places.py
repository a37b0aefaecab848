"""Every state of every page: where it is, or how one gets there."""

import re
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

Way = Callable[[Page], None]

CHOICE, OPEN = "essential-difference", "explain-in-sixty-seconds"
PATIENCE = 120  # seconds until a busy machine has run a small experiment

ADDRESSES = {
    "today": "/",
    "start": "/practice",
    "bank": "/questions",
    "bank, nothing found": "/questions?q=nothing-like-it",
    "question": f"/questions/{CHOICE}",
    "topics": "/topics",
    "mock": "/mock",
    "lab": "/experiments",
    "experiment": "/experiments/batch_independence",
    "experiment, shown": "/experiments/batch_independence?show=1",
    "plan": "/plan",
    "progress": "/progress",
    "offline": "/offline",
    "missing": "/nowhere",
    "api": "/api/docs",
}


def goto(address: str) -> Way:
    return lambda page: void(page.goto(address))


def void(_done: object) -> None:
    return None


def ask(slug: str) -> Way:
    def way(page: Page) -> None:
        shown = page.request.post(f"/api/v1/questions/{slug}/presentations", data={})
        page.goto(f"/practice/{shown.json()['id']}")

    return way


def check(page: Page) -> None:
    """Answer what is asked, wrongly or not."""
    if page.locator("#text").count():
        page.locator("#text").fill("Post-Norm normalises the sum, Pre-Norm the input.")
        page.locator("#show-points").click()
    else:
        page.locator(".choice").first.click()
        page.locator("#check [value=unsure]").click()
    page.wait_for_url(re.compile("/answers/ans_"))


def answered(slug: str) -> Way:
    def way(page: Page) -> None:
        ask(slug)(page)
        check(page)

    return way


def marked(page: Page) -> None:
    answered(OPEN)(page)
    with page.expect_navigation():
        page.locator("[name=rating]").first.click()


def empty(page: Page) -> None:
    """An answer without a tick, sent past the script, comes back."""
    ask(CHOICE)(page)
    with page.expect_navigation():
        page.evaluate("document.querySelector('#ask').submit()")


def lost_session(page: Page) -> None:
    ask(CHOICE)(page)
    page.context.clear_cookies(name="session")
    page.locator(".choice").first.click()
    with page.expect_navigation():
        page.locator("#check [value=sure]").click()


def interview(page: Page) -> None:
    page.goto("/mock")
    page.locator("#wish .btn.main").click()
    page.wait_for_url(re.compile(r"/mock/\w+/1"))


def interview_over(page: Page) -> None:
    interview(page)
    page.goto(page.url.rsplit("/", 1)[0])


def a_run(page: Page) -> None:
    """A run that has succeeded."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        at = page.request.get("/api/v1/experiments/batch_independence").json()
        run = at["default_run"] or "none"
        if page.request.get(f"/api/v1/runs/{run}").json().get("state") == "succeeded":
            page.goto(f"/runs/{run}")
            return
        time.sleep(0.5)
    raise AssertionError("the experiment has not run")


def expired(data: Path) -> Way:
    def way(page: Page) -> None:
        ask(CHOICE)(page)
        with sqlite3.connect(data / "quiz.db", timeout=30) as database:
            database.execute(
                "UPDATE presentation SET expires_at = created_at WHERE id = ?",
                [page.url.split("/")[-1]],
            )
        database.close()
        page.reload()

    return way


def ways(data: Path) -> dict[str, Way]:
    """The way to every state; ``data`` is the folder of the service."""
    return {
        **{name: goto(address) for name, address in ADDRESSES.items()},
        "practice": ask(CHOICE),
        "practice, refused": empty,
        "practice, open": ask(OPEN),
        "practice, expired": expired(data),
        "practice, lost session": lost_session,
        "feedback": answered(CHOICE),
        "key points": answered(OPEN),
        "key points, marked": marked,
        "mock, asked": interview,
        "mock, report": interview_over,
        "run": a_run,
    }
