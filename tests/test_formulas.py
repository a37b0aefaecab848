"""Laws of the setter: every shipped formula becomes MathML, and nothing else comes in."""

import multiprocessing
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from question_bank.content import read_pack
from question_bank.transfer import pack_folder
from quizsvc.formulas import KATEX, MAX_LENGTH, TYPESET, letter, mathml
from quizsvc.markdown import render

FORMULA = re.compile(r'<(?:span|div) class="tex[^"]*">(.*?)</(?:span|div)>', re.S)
HOSTILE = [
    r"\href{javascript:alert(1)}{x}",
    r"\url{javascript:alert(1)}",
    r"\htmlData{onclick=alert(1)}{x}",
    r"\htmlStyle{position:fixed}{x}",
    r"\htmlClass{btn}{x}",
    r"\htmlId{main}{x}",
    r"\includegraphics{https://example.org/a.png}",
    r"\color{red\" onload=\"alert(1)}x",
    r"</math><script>alert(1)</script>",
    r"\text{</annotation></math><img src=x onerror=alert(1)>}",
    r"\text{\" onclick=\"alert(1)}",
    r"\fcolorbox{red}{blue}{x}\rule{9999em}{9999em}",
    r"\unicode{x3c}script\unicode{x3e}",
    r"\char`<script\char`>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]
ENDLESS = [
    r"\def\a{\a\a}\a",
    r"\edef\a{\a\a}\a",
    r"\edef\a{x}\edef\a{\a\a}" + r"\edef\a{\a\a}" * 60 + r"\a",
    r"\def\a{\b\b}\def\b{\a\a}\a",
    r"\def\a#1{#1#1#1#1#1#1#1#1#1}\a{\a{\a{\a{\a{\a{x}}}}}}",
    r"\sqrt{" * 250 + "x" + "}" * 250,
    r"\left(" * 300,
    "{" * MAX_LENGTH,
    "x" * (MAX_LENGTH + 1),
    r"\begin{matrix}" * 100,
]


def words(value: Any) -> Iterator[str]:
    """Every text in nested lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from words(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from words(one)


def attributes(markup: str) -> set[str]:
    return {name for e in ElementTree.fromstring(markup).iter() for name in e.attrib}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_formula_of_the_shipped_questions_is_set(lang: str) -> None:
    found = [
        formula
        for question in read_pack(pack_folder()).questions
        for text in words(question.model_dump()["texts"][lang])
        if "$" in text
        for formula in FORMULA.findall(render(text))
    ]
    assert len(found) > 1000
    assert [formula for formula in found if not formula.startswith("<math")] == []
    assert [
        formula for formula in found if "cc0000" in formula
    ] == []  # unknown command
    for formula in found:
        assert ElementTree.fromstring(formula).tag.endswith("}math")


@pytest.mark.parametrize("display", [False, True])
@pytest.mark.parametrize("tex", HOSTILE)
def test_a_hostile_source_stays_inert(tex: str, display: bool) -> None:
    made = mathml(tex, display=display)
    if made is not None:
        tags = set(re.findall(r"<([a-z]+)", made))
        assert not {"script", "img", "a", "mglyph", "maction", "annotation-xml"} & tags
        assert not {"href", "src", "style", "class", "id", "alt"} & attributes(made)
        assert not any(name.startswith(("on", "data")) for name in attributes(made))
    assert "<script" not in render(f"${tex}$")
    assert "<img" not in render(f"$$\n{tex}\n$$")


@pytest.mark.parametrize("tex", ENDLESS, ids=lambda tex: tex[:20])
def test_a_source_without_end_is_given_up_and_the_next_is_set(tex: str) -> None:
    assert mathml(tex, display=False) is None
    assert mathml.__wrapped__("x^2", display=False) is not None


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="\\{}$&#^_%~<>\"'= abcdefhilmnoprstx12", max_size=60))
def test_whatever_is_set_is_well_formed_and_keeps_its_source(tex: str) -> None:
    made = mathml(tex, display=False)
    if made is not None:
        annotation = ElementTree.fromstring(made)[0][-1]
        assert (annotation.text or "").strip() == tex.strip()


def test_a_letter_keeps_its_meaning_where_styles_are_unknown() -> None:
    made = str(mathml(r"\mathbb{E}\mathcal{L}\mathbf{1}\mathbb{R}", display=False))
    for one in ("<mi>𝔼</mi>", "<mi>ℒ</mi>", "<mn>𝟏</mn>", "<mi>ℝ</mi>"):
        assert one in made
    assert letter("如", "bold") == "如"
    assert letter("C", "fraktur") == "ℭ"


def test_bars_of_a_norm_stand_close_and_parallels_apart() -> None:
    made = str(mathml(r"\lVert x\rVert \parallel y", display=False))
    assert made.count('<mo lspace="0em" rspace="0em" stretchy="false">∥</mo>') == 2
    assert "<mo>∥</mo>" in made


def test_many_threads_get_the_same_formula() -> None:
    sources = [rf"\frac{{a_{{{n % 7}}}}}{{b}}" for n in range(70)]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(_afresh, sources))
    assert made == [_afresh(tex) for tex in sources]
    assert all(tex in unescape(one) for tex, one in zip(sources, made, strict=True))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_sets_formulas_of_its_own() -> None:
    before = _afresh("x^2")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_afresh, ["x^2"] * 4).get(timeout=30) == [before] * 4


def _afresh(tex: str) -> str:
    return str(mathml.__wrapped__(tex, display=False))


def test_the_browser_sets_under_the_same_limits() -> None:
    script = (KATEX.parents[2] / "math.js").read_text(encoding="utf-8")
    for option in (
        "strict: 'ignore'",
        "trust: false",
        "maxExpand: 1000",
        "maxSize: 20",
    ):
        assert option in script
        assert option in TYPESET


def test_a_process_without_formulas_does_without_an_engine() -> None:
    code = "import sys, quizsvc.app; sys.exit('quickjs' in sys.modules)"
    root = Path(__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == 0
