import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from .kept import CLEAR, KEPT, wait_for
from .service import browsing, find_chromium, serving


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have Chromium")
        pytest.skip("no Chromium on this machine")
    with browsing(executable) as browser:
        yield browser


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the service."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def address(chromium: Browser, data: Path) -> Iterator[str]:
    """Where a fresh service listens."""
    with serving(data) as address:
        yield address


@pytest.fixture
def page(chromium: Browser, address: str) -> Iterator[Page]:
    """A page that fails the test on a script error, a policy violation, a foreign request.

    What goes through a service worker cannot be seen here, so there is none.
    """
    context = chromium.new_context(
        base_url=address, locale="en-GB", service_workers="block"
    )
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on(
        "console",
        lambda said: troubles.append(said.text) if said.type == "error" else None,
    )
    page.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith((address, "data:", "blob:"))
            else troubles.append(f"foreign request: {asked.url}")
        ),
    )
    yield page
    context.close()
    assert troubles == []


@pytest.fixture(scope="module")
def device(chromium: Browser, address: str) -> Iterator[BrowserContext]:
    """A browser that keeps pages and answers, until the module's last test."""
    context = chromium.new_context(base_url=address, locale="en-GB")
    yield context
    context.close()


@pytest.fixture
def visitor(device: BrowserContext) -> Iterator[BrowserContext]:
    """A visitor whose device has kept the next questions, and no answer."""
    device.set_offline(False)
    page = device.new_page()
    page.goto("/")
    wait_for(page, "questions", KEPT)
    page.evaluate(CLEAR)
    page.close()
    yield device
    for page in device.pages:
        page.close()
