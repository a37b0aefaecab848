"""What a device keeps without the network: looked at, waited for, answered."""

import re
import time
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

PATIENCE = 60_000  # milliseconds until the next questions are kept, on a busy machine
KEPT = 20

STORE = """
const store = document.querySelector('script[src$="/offline.js"]').src;
const { all } = await import(store.replace("offline.js", "offline/store.js"));
"""
STORED = f"async name => {{ {STORE} return all(name); }}"
EVERYTHING = f"""async () => {{
  {STORE}
  const texts = [];
  for (const name of ["questions", "answers", "forms"]) texts.push(JSON.stringify(await all(name)));
  for (const name of await caches.keys()) {{
    const cache = await caches.open(name);
    for (const asked of await cache.keys()) {{
      texts.push(asked.url);
      if (!asked.url.includes("/static/")) texts.push(await (await cache.match(asked)).text());
    }}
  }}
  return texts.join("\\n");
}}"""
CLEAR = f"""async () => {{
  {STORE.replace("{ all }", "{ all, remove }")}
  for (const name of ["answers", "forms"]) for (const row of await all(name)) await remove(name, row.id);
}}"""


def stored(page: Page, name: str) -> list[dict[str, Any]]:
    return list(page.evaluate(STORED, name))


def wait_for(page: Page, name: str, many: int, state: str | None = None) -> None:
    """Until the device keeps so many of these."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        found = [row for row in stored(page, name) if state in {None, row.get("state")}]
        if len(found) == many:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"not {many} {name}: {stored(page, name)}")


def leave(context: BrowserContext) -> Page:
    """Go off the network; the page that is shown then."""
    page = context.new_page()
    page.goto("/offline")
    context.set_offline(True)
    page.goto("/")
    expect(page.locator("#questions li")).to_have_count(KEPT)
    names = page.locator("#questions li a").all_inner_texts()
    assert len(set(names)) == KEPT  # each by its title, not by its place in a day
    return page


def answer(page: Page, key: str = "s") -> str:
    """Answer the next kept question; its id."""
    expect(page.locator("#next")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/practice/pres_"))
    if page.locator(".choice").count() and key != "0":
        page.keyboard.press("1")
        page.keyboard.press(key)
    else:
        page.locator("#check [value=none]").click()
    page.wait_for_url(re.compile(r"/offline\?kept="))
    expect(page.locator("#kept")).to_be_visible()
    return page.url.split("=")[-1]
