"""A real service on loopback and a real Chromium, for tests and for screenshots."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SETTLE_SECONDS = 600  # on a slow machine
ENDED = {"succeeded", "failed", "cancelled"}
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def serving(data: Path) -> Iterator[str]:
    """``quizsvc serve`` on a free port; yields its address without a trailing slash."""
    command = Path(sys.executable).with_name("quizsvc")
    service = subprocess.Popen(
        [command, "serve", "--port", "0", "--data", data],
        env={"QUIZ_SLOTS": "1", **os.environ},  # leave a core to the browser
        stdout=subprocess.PIPE,
        text=True,
    )
    assert service.stdout is not None
    try:
        line = service.stdout.readline()
        assert line.startswith("quizsvc is ready: "), line
        yield line.split()[-1].rstrip("/")
    finally:
        service.terminate()
        service.wait(timeout=15)
        service.stdout.close()


@contextmanager
def browsing(executable: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=QUIET)
        yield browser
        browser.close()


def settle(browser: Browser, address: str) -> None:
    """Wait until the worker has done what a first start asks of it: every default run."""
    page = browser.new_page(base_url=address)
    listed = page.request.get("/api/v1/experiments?limit=100").json()["data"]
    left = {experiment["name"] for experiment in listed}
    give_up = time.monotonic() + SETTLE_SECONDS
    while left and time.monotonic() < give_up:
        for name in sorted(left):
            run = page.request.get(f"/api/v1/experiments/{name}").json()["default_run"]
            if run and page.request.get(f"/api/v1/runs/{run}").json()["state"] in ENDED:
                left.remove(name)
        time.sleep(0.5)
    page.close()


@contextmanager
def started() -> Iterator[tuple[Browser, str, Path]]:
    """A browser, a fresh service and its folder; without Chromium the program exits with 2."""
    executable = find_chromium()
    if executable is None:
        sys.stderr.write("no Chromium on this machine\n")
        sys.exit(2)
    with (
        tempfile.TemporaryDirectory() as data,
        serving(Path(data)) as address,
        browsing(executable) as browser,
    ):
        yield browser, address, Path(data)
