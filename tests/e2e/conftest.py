import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

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
def address(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Where a fresh service listens."""
    data: Path = tmp_path_factory.mktemp("data")
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
