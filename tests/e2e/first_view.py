"""``python -m tests.e2e.first_view``: how soon pages are seen, and what they weigh.

For each page the median over several visits, in milliseconds, of the first byte and the
first contentful paint, with nothing cached and no default run left to do; and the packed
script and style it loads.
"""

import statistics
import sys

from playwright.sync_api import Browser

from . import places
from .service import settle, started
from .test_quality import WEIGHT

VISITS = 5
GOAL = 300  # milliseconds
PAINT = """() => new Promise(done => {
  const first = performance.getEntriesByType("navigation")[0].responseStart;
  new PerformanceObserver(list => {
    const paint = list.getEntriesByName("first-contentful-paint")[0];
    if (paint) done([first, paint.startTime]);
  }).observe({ type: "paint", buffered: true });
})"""


def main() -> int:
    with started() as (browser, address, data):
        settle(browser, address)
        late = [
            name
            for name, way in places.ways(data).items()
            if name in places.ADDRESSES or name in {"practice", "feedback", "run"}
            if not in_time(browser, address, name, way)
        ]
    return 1 if late else 0


def in_time(browser: Browser, address: str, name: str, way: places.Way) -> bool:
    views = []
    for _ in range(VISITS):
        context = browser.new_context(base_url=address, service_workers="block")
        page = context.new_page()
        way(page)
        views.append((*page.evaluate(PAINT), page.evaluate(WEIGHT)))
        context.close()
    first, paint, weight = map(statistics.median, zip(*views, strict=True))
    line = f"{name:22} first byte {first:5.0f} ms  seen {paint:5.0f} ms  {weight / 1000:5.1f} kB\n"
    sys.stdout.write(line)
    return bool(paint <= GOAL)


if __name__ == "__main__":
    sys.exit(main())
