"""Every state of every page: accessible, steady, small, and of one piece on every screen."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from . import places
from .fit import too_wide

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
BUDGET = 150_000  # bytes of script and style that a page loads, packed
FRAMES = """() => new Promise(drawn =>
  requestAnimationFrame(() => requestAnimationFrame(drawn)))"""  # plots follow a new width
LEAST = 44  # pixels of a target under a finger

ALL = [
    (lang, theme, width)
    for lang in ("en", "zh")
    for theme in ("light", "dark")
    for width in (1280, 360)
]

RUN = """async () => {
  const rules = { "target-size": { enabled: true } };
  const { violations } = await axe.run(document, { resultTypes: ["violations"], rules });
  return violations.map(v => `${v.id}: ${v.nodes.map(n => n.target + " " + n.any.map(a => a.message)).join(" | ")}`);
}"""
SHIFT = """() => new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 100);
})"""
WEIGHT = """() => performance.getEntriesByType("resource")
  .filter(r => /\\.(js|css)(\\?|$)/.test(new URL(r.name).pathname))
  .reduce((sum, r) => sum + r.encodedBodySize, 0)"""
SMALL = """least => [...document.querySelectorAll(
    "button, .btn, summary, select, textarea, nav a, .foot a, label.choice, .seg label, a.chip, .ticks label, label.tick, input:not([type=hidden])")]
  .filter(e => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !e.matches(".vh, label input"))
  .map(e => [e, e.getBoundingClientRect()])
  .filter(([, r]) => r.width && (r.height < least - .5 || r.width < 24))
  .map(([e, r]) => `${e.tagName} ${e.className} “${e.textContent.trim().slice(0, 30)}” ${r.width.toFixed()}×${r.height.toFixed()}`)"""


def faults(page: Page, width: int) -> list[str]:
    """What is wrong with the page as it stands."""
    found = [f"axe {v}" for v in list[str](page.evaluate(f"{AXE}; ({RUN})()"))]
    if (shift := page.evaluate(SHIFT)) > 0.001:
        found.append(f"layout shift {shift:.3f}")
    if (weight := page.evaluate(WEIGHT)) > BUDGET:
        found.append(f"{weight} bytes of script and style")
    if width < 640:
        found += [f"target {small}" for small in page.evaluate(SMALL, LEAST)]
    narrow = [(320, 700)] if width < 640 else [(640, 450)]  # 450 high: zoomed to 200 %
    for size in [(width, 800), *narrow]:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(FRAMES)
        if over := too_wide(page):
            found.append(f"{over} px too wide at {size[0]}")
    return found


def context_of(lang: str, theme: str, width: int) -> dict[str, Any]:
    return {
        "color_scheme": theme,
        "locale": "zh-CN" if lang == "zh" else "en-GB",
        "viewport": {"width": width, "height": 800},
        "has_touch": width < 640,
        "is_mobile": width < 640,
        "service_workers": "block",
        "reduced_motion": "reduce",
    }


@pytest.mark.parametrize(("lang", "theme", "width"), ALL)
def test_every_page_is_without_fault(
    chromium: Browser, address: str, data: Path, lang: str, theme: str, width: int
) -> None:
    context = chromium.new_context(base_url=address, **context_of(lang, theme, width))
    page = context.new_page()
    found: dict[str, list[str]] = {}
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on(
        "console",
        lambda said: (
            troubles.append(said.text)
            if said.type == "error" and "Failed to load resource" not in said.text
            else None
        ),
    )
    page.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith((address, "data:", "blob:"))
            else troubles.append(f"foreign request: {asked.url}")
        ),
    )
    for name, way in places.ways(data).items():
        page.set_viewport_size({"width": width, "height": 800})
        way(page)
        found[name] = faults(page, width) + troubles
        troubles.clear()
    context.close()
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
