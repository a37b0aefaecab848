"""Markdown with formulas to safe HTML. Formulas become MathML; KaTeX may set them anew."""

import re
import time
from functools import lru_cache
from html import unescape
from typing import Any
from xml.etree.ElementTree import Element

import nh3
from markdown import Markdown
from markdown.blockprocessors import ParagraphProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString, Registry
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES

from quizsvc.formulas import mathml

MAX_LENGTH = 64 * 1024
MAX_OPENERS = 500
"""What a text may hold of the things whose end the parser looks for, each time anew."""

OPENERS = re.compile(r"\[|\\\(|~~~|```|\$\$|^(?:=+|-+)[ ]*$", re.MULTILINE)

EXTENSIONS = (
    "sane_lists",
    "tables",
    "pymdownx.arithmatex",
    "pymdownx.highlight",
    "pymdownx.superfences",
)
SETTINGS: dict[str, dict[str, Any]] = {
    "pymdownx.arithmatex": {
        "generic": True,
        "tex_inline_wrap": ["", ""],
        "tex_block_wrap": ["", ""],
    },
    "tables": {"use_align_attribute": True},  # a style attribute would break the policy
}

BLOCKS = {"blockquote", "div", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol"}
TABLES = {"table", "tbody", "td", "th", "thead", "tr"}
PHRASES = {"a", "br", "code", "em", "p", "pre", "span", "strong", "ul"}
CLASSES = {
    "div": {"arithmatex", "highlight"},
    "span": {"arithmatex", "nowrap", *filter(None, STANDARD_TYPES.values())},
}
CLEANER = nh3.Cleaner(
    tags=BLOCKS | TABLES | PHRASES,
    attributes={"a": {"href", "title"}, "td": {"align"}, "th": {"align"}},
    allowed_classes=CLASSES,
    url_schemes={"http", "https", "mailto"},
    link_rel="noreferrer",
)
MATH = re.compile(r'<(span|div) class="arithmatex">([^<]*)</\1>')
MATH_CLASSES = {"span": "tex", "div": "tex tex-block"}
MATH_SECONDS = 3.0  # for the formulas of a text; half a millisecond each is usual


# Placements and models. Latin letters alone bound a name: Chinese may stand right beside it.
NAME = (
    r"(?<![A-Za-z0-9-])(?:(?:Pre|Post)-Norm|(?:GPT|LLaMA)-[0-9]|GLM-130B|(?:OLMo|Gemma) [0-9])"
    r"(?![A-Za-z0-9])"
)


class _Name(InlineProcessor):
    """Keeps a name with a hyphen or a number from being broken between two lines."""

    def handleMatch(  # type: ignore[override]  # noqa: N802 - the name is the library's
        self, match: re.Match[str], data: str
    ) -> tuple[Element, int, int]:
        element = Element("span", {"class": "nowrap"})
        element.text = AtomicString(match[0])
        return element, match.start(0), match.end(0)


class _Corners(Treeprocessor):
    """The empty corner of a table is no header: a screen reader would find nothing to say."""

    def run(self, root: Element) -> None:
        for cell in root.iter("th"):
            if not len(cell) and not (cell.text or "").strip():
                cell.tag = "td"


class _House(Extension):
    """Raw HTML is text here, names never break, and a header says something."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - likewise
        md.preprocessors.deregister("html_block")
        md.inlinePatterns.deregister("html")
        md.inlinePatterns.register(_Name(NAME, md), "name", 5)
        md.treeprocessors.register(_Corners(md), "corners", 5)


def _parser() -> Markdown:
    return Markdown(extensions=[*EXTENSIONS, _House()], extension_configs=SETTINGS)


def _phrase_parser() -> Markdown:
    """A parser that knows no blocks: a line that begins like a list is no list."""
    md = _parser()
    md.parser.blockprocessors = Registry()
    md.parser.blockprocessors.register(ParagraphProcessor(md.parser), "paragraph", 10)
    return md


@lru_cache(maxsize=2048)
def render(text: str, *, inline: bool = False) -> Markup:
    """HTML of a Markdown text; of one line without its paragraph when ``inline``.

    A text over 64 KiB, or with so many brackets or levels that the parser would take
    seconds, is returned escaped and otherwise as it is. Formulas are ``<span class="tex">`` and
    ``<div class="tex tex-block">`` around MathML, or around a source that cannot be set.
    """
    if len(text.encode()) > MAX_LENGTH or len(OPENERS.findall(text)) > MAX_OPENERS:
        return _plain(text, inline)
    md = _phrase_parser() if inline else _parser()
    try:
        html = md.convert(" ".join(text.split("\n")) if inline else text)
    except RecursionError:
        return _plain(text, inline)
    if inline:
        html = html.removeprefix("<p>").removesuffix("</p>")
    return Markup(_set(CLEANER.clean(html)))  # noqa: S704 - cleaned one call ago


def _set(html: str) -> str:
    """Clean HTML with its formulas set; the cleaner would take MathML away."""
    until = time.monotonic() + MATH_SECONDS

    def formula(found: re.Match[str]) -> str:
        tag, source = found.groups()
        tex, late = unescape(source).strip(), time.monotonic() > until
        made = None if late else mathml(tex, display=tag == "div")
        return f'<{tag} class="{MATH_CLASSES[tag]}">{made or source}</{tag}>'

    return MATH.sub(formula, html)


def _plain(text: str, inline: bool) -> Markup:
    return escape(text) if inline else Markup("<p>{}</p>").format(text)


@lru_cache(maxsize=64)
def highlighted(source: str, language: str = "python") -> Markup:
    """A program as HTML: tokens by Pygments' short class names, lines with the ids
    ``line-1``, ``line-2`` …"""
    formatter = HtmlFormatter(cssclass="highlight", wrapcode=True, linespans="line")
    return Markup(highlight(source, get_lexer_by_name(language), formatter))  # noqa: S704 - escaped by Pygments


MARKS = str.maketrans("", "", "$*`{}\\")
SYMBOLS = {
    r"\varepsilon": "ε",
    r"\partial": "∂",
    r"\lambda": "λ",
    r"\approx": "≈",
    r"\alpha": "α",
    r"\sigma": "σ",
    r"\gamma": "γ",
    r"\lVert": "‖",
    r"\rVert": "‖",
    r"\nabla": "∇",
    r"\times": "×",
    r"\beta": "β",
    r"\cdot": "·",
    r"\odot": "⊙",
    r"\sqrt": "√",
    r"\ell": "ℓ",
    r"\eta": "η",
    r"\chi": "χ",
    r"\sum": "∑",
    r"\top": "ᵀ",
    r"\|": "‖",
    r"\,": " ",
    "^2": "²",
    "_2": "₂",
}
FONTS = re.compile(r"\\(?:mathrm|mathbf|text|operatorname)\b")
FRONT = re.compile(r"(?<=[‖√∂∇∑]) +(?=\w)")  # what ended a command's name


def plain(text: str) -> str:
    """A line of Markdown where no HTML can be: in an attribute, a title, a drawing."""
    for source, symbol in SYMBOLS.items():
        text = text.replace(source, symbol)
    return FRONT.sub("", FONTS.sub("", text)).translate(MARKS)
