"""The words of pages and their translations: ``python -m quizsvc.web.messages`` renews both.

Templates and views hold the English words; ``translations/zh`` the Chinese ones, as a text
to edit (.po) and compiled (.mo). Both files are kept, so that nothing is built at start-up.
"""

from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

PACKAGE = Path(__file__).parent.parent
FOLDER = PACKAGE / "translations" / "zh" / "LC_MESSAGES"
EDITED, COMPILED = FOLDER / "messages.po", FOLDER / "messages.mo"
SOURCES = [("web/**.py", "python"), ("templates/**.html", "jinja2")]
STRICT = {"templates/**.html": {"silent": "false"}}
KEYWORDS = {**DEFAULT_KEYWORDS, "_l": None, "_p": ((1, "c"), 2)}


def extracted() -> Catalog:
    """Every message that templates and views use."""
    catalog = Catalog(project="quizsvc", charset="utf-8")
    found = extract_from_dir(
        PACKAGE, SOURCES, options_map=STRICT, keywords=KEYWORDS, strip_comment_tags=True
    )
    for _file, _line, message, comments, context in found:
        catalog.add(message, None, auto_comments=comments, context=context)
    return catalog


def edited() -> Catalog:
    with EDITED.open("rb") as file:
        return read_po(file, locale="zh")


def compiled() -> Catalog:
    with COMPILED.open("rb") as file:
        return read_mo(file)


def renew() -> None:
    """Add new messages to the edited file without a translation, drop those that nobody
    uses, and compile it."""
    catalog = edited()
    used = extracted()
    used.creation_date = catalog.creation_date  # or the file would never stay the same
    catalog.update(used, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    with EDITED.open("wb") as file:
        write_po(file, catalog, width=0, sort_output=True, no_location=True)
    with COMPILED.open("wb") as file:
        write_mo(file, catalog)


if __name__ == "__main__":
    renew()
