"""Whether pages fit the screens they are seen on."""

from itertools import product

from playwright.sync_api import Browser, Page

WIDTHS = (320, 360, 1280)


def too_wide(page: Page) -> int:
    """By how many pixels the page is wider than its screen."""
    root = "document.documentElement"
    over = page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")
    return max(0, int(over))  # below 0: the gutter of a scrollbar that is not there


def misfits(browser: Browser, address: str, path: str) -> list[str]:
    """The languages and widths of screens in which a page scrolls sideways."""
    found = []
    for lang, width in product(("en", "zh"), WIDTHS):
        page = browser.new_page(
            base_url=address, viewport={"width": width, "height": 800}
        )
        page.goto(f"{path}?lang={lang}")
        if over := too_wide(page):
            found.append(f"{lang} at {width}: {over} px too wide")
        page.close()
    return found
