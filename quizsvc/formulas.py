"""TeX to MathML by the KaTeX of the pages, for readers without script.

KaTeX runs in QuickJS, within limits, and is loaded at the first formula.
MathML: https://www.w3.org/TR/mathml-core/
"""

import ctypes
import os
import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from quickjs import Function

MAX_LENGTH = 2000
"""Characters of a formula; the longest of the shipped questions has 276."""

SECONDS = 0.1  # a formula of the shipped questions takes half a millisecond
MEMORY = 8 * 1024 * 1024  # bytes; KaTeX itself takes 1.7 million

KATEX = Path(__file__).with_name("static") / "vendor" / "katex" / "katex.min.js"
TYPESET = r"""
function typeset(tex, displayMode) {
  const html = katex.renderToString(tex, {
    displayMode, output: 'mathml', strict: 'ignore', trust: false, maxExpand: 1000, maxSize: 20,
  });
  return /<math.*<\/math>/s.exec(html)[0];
}
"""

# What may come in uncleaned: elements and attributes that neither load nor run anything.
TAGS = (
    "annotation|math|menclose|mfrac|mi|mn|mo|mover|mpadded|mphantom|mroot|mrow|mspace|msqrt|"
    "mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|semantics"
)
NAMES = (
    "accent|accentunder|columnalign|columnlines|columnspacing|depth|display|displaystyle|"
    "encoding|fence|height|largeop|linebreak|linethickness|lspace|mathbackground|mathcolor|"
    "mathsize|mathvariant|maxsize|minsize|notation|rowlines|rowspacing|rspace|scriptlevel|"
    "separator|stretchy|valign|voffset|width|xmlns"
)
PURE = re.compile(
    rf'(?:[^<>]++|</(?:{TAGS})>|<(?:{TAGS})(?: (?:{NAMES})="[^"<>]*")*/?>)*+'
)
LOOKS = re.compile(r' (?:class|style)="[^"<>]*"')  # the policy allows no inline style

# What MathML Core has no more: letters by style, and bars that are fences by their form.
STYLED = re.compile(r'<(m[in]) mathvariant="([a-z-]+)">([^<&]+)</')
BAR = re.compile(r"<mo((?: (?:fence|stretchy|minsize|maxsize)=[^ <>]+)+)>(?=[∣∥]<)")
STYLES = {
    "bold": ("BOLD",),
    "bold-italic": ("BOLD ITALIC",),
    "double-struck": ("DOUBLE-STRUCK",),
    "fraktur": ("FRAKTUR", "BLACK-LETTER"),
    "monospace": ("MONOSPACE",),
    "sans-serif": ("SANS-SERIF",),
    "script": ("SCRIPT",),
}

_lock = Lock()


@lru_cache(maxsize=512)
def mathml(tex: str, *, display: bool) -> Markup | None:
    """``<math>`` with its source as annotation; None for what KaTeX cannot set in time."""
    if len(tex) > MAX_LENGTH:
        return None
    import quickjs  # a web process starts without it

    try:
        with _lock:  # one is made, whoever asks first
            typeset = _typesetter(os.getpid())
        made = LOOKS.sub("", typeset(tex, display, run_gc=False))
    except quickjs.JSException:
        return None
    made = STYLED.sub(_in_letters, BAR.sub(r'<mo lspace="0em" rspace="0em"\1>', made))
    return Markup(made) if PURE.fullmatch(made) else None  # noqa: S704 - checked


def _in_letters(found: re.Match[str]) -> str:
    tag, variant, text = found.groups()
    if variant not in STYLES:
        return found[0]
    letters = "".join(letter(character, variant) for character in text)
    return f"<{tag}>{letters}</"


def letter(character: str, variant: str) -> str:
    """A letter or digit in a style, such as 𝔼; itself, where Unicode has no such one."""
    name = unicodedata.name(character, "").replace(" LETTER", "")
    name = re.sub("^(LATIN|GREEK) ", "", name)
    for style in STYLES[variant]:
        for whole in (f"MATHEMATICAL {style} {name}", f"{style} {name}"):
            try:
                return unicodedata.lookup(whole)
            except KeyError:
                continue
    return character


@cache
def _typesetter(_process: int) -> "Function":
    """KaTeX on a thread of its own, which a forked process does not have."""
    import quickjs

    source = KATEX.read_text(encoding="utf-8") + TYPESET
    typeset = quickjs.Function("typeset", source, own_executor=True)
    typeset.set_memory_limit(MEMORY)
    typeset.set_time_limit(SECONDS)  # of each call
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)  # parsing KaTeX leaves more than 2 MB that glibc would keep
    return typeset
