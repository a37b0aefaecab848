"""Laws of the renderer: formulas survive, nothing foreign or active comes out, it is quick."""

import re
import time
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizsvc import markdown
from quizsvc.markdown import MAX_LENGTH, MAX_OPENERS, highlighted, plain, render

FORMULAS = [
    r"\bar{a}_{n} = b_{n}",
    r"x_t = F_t * x_{t-1} * y",
    r"a < b & c > d",
    r"\begin{aligned} a_1 &= b \\ c_1 &= d \end{aligned}",
    r"\lVert J \rVert_2 \cdot \lVert y \rVert / \sqrt{d}",
    r"\text{如果 } x_1^* \_ \{a\}",
    r"[a](b) <i>d</i> \\ ![e](f)",
]
ACTIVE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "<javascript:alert(1)>",
    "![x](http://169.254.169.254/)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[x](https://example.org \"a' onclick='alert(1)\")",
    "<a href='javascript:alert(1)'>x</a>",
    "<div style='position:fixed'>x</div>",
    "<iframe src=//example.org></iframe>",
    "[x]: javascript:alert(1)\n\n[x]",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "```<script>\nx\n```",
    "$<script>alert(1)</script>$",
    "$$\n</div><img src=x onerror=alert(1)>\n$$",
    "`<script>alert(1)</script>`",
    '<span class="btn main">x</span>',
]


class Tree(HTMLParser):
    """The elements and attributes that a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def math(html: str) -> list[str]:
    """The TeX sources in a page."""
    found = re.findall(
        r'<(?:span|div) class="tex[^"]*">(?:<math.*?<annotation[^>]*>)?'
        r"(.*?)(?:</annotation></semantics></math>)?</(?:span|div)>",
        html,
        re.S,
    )
    return [unescape(tex).strip() for tex in found]


@pytest.mark.parametrize("tex", FORMULAS)
@pytest.mark.parametrize("inline", [False, True])
def test_a_formula_in_a_line_survives_untouched(tex: str, inline: bool) -> None:
    assert math(render(f"before ${tex}$ *after*", inline=inline)) == [tex]


@pytest.mark.parametrize("tex", FORMULAS)
def test_a_formula_on_its_own_survives_untouched(tex: str) -> None:
    html = render(f"before\n\n$$\n{tex}\n$$\n\nafter")
    assert math(html) == [tex]
    assert 'class="tex tex-block"' in html


def test_a_formula_on_one_line_of_its_own_is_a_block() -> None:
    assert math(render("$$x_t = F_t * x_{t-1}$$")) == ["x_t = F_t * x_{t-1}"]


def test_a_formula_is_set_for_readers_without_script() -> None:
    assert "<msub><mi>x</mi><mn>1</mn></msub>" in render("$x_1$")
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in (
        render("$$\nx_1\n$$")
    )


def test_a_formula_that_cannot_be_set_shows_its_source() -> None:
    assert render(r"$\frac{a<b$", inline=True) == (
        r'<span class="tex">\frac{a&lt;b</span>'
    )


def test_a_text_whose_formulas_take_too_long_keeps_their_sources(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(markdown, "MATH_SECONDS", 0.2)
    bomb = r"\def\a#1{#1#1#1#1#1#1#1#1#1}\a{\a{\a{\a{\a{x}}}}}"
    slow = [f"{bomb} + {n}" for n in range(40)]
    text = " ".join(f"${tex}$" for tex in [*slow, "y"])
    assert math(render(text)) == [*slow, "y"]
    assert "<math" not in render(text)


@pytest.mark.parametrize(
    "text",
    [
        '<span class="tex">x</span>',
        '<span class="arithmatex">x</span>',
        "```{.tex .tex-block}\nx\n```",
        "```{.arithmatex}\nx\n```",
        "`x`{.arithmatex}",
    ],
)
def test_only_dollars_make_a_formula(text: str) -> None:
    assert math(render(text)) == []
    assert "<math" not in render(text)


def test_amounts_of_money_are_not_formulas() -> None:
    assert math(render("价格 $5 和 $10")) == []


def test_prose_in_both_languages_becomes_html() -> None:
    html = render(
        "# 标题\n\n**重** *轻* `码` [链接](https://example.org)\n\n- 一\n- 二"
    )
    for part in (
        "<h1>",
        "<strong>重",
        "<em>轻",
        "<code>码",
        "<li>二",
        'rel="noreferrer"',
    ):
        assert part in html


def test_a_table_has_no_inline_style() -> None:
    html = render("| a | b |\n|---|--:|\n| $x_1$ | 2 |")
    assert '<td align="right">2' in html
    assert math(html) == ["x_1"]
    assert "style" not in html


@pytest.mark.parametrize("corner", ["", "  ", "$x$", "**a**", "`a`"])
def test_a_cell_heads_others_only_if_it_says_something(corner: str) -> None:
    html = render(f"| {corner} | b |\n|---|---|\n| | 2 |")
    assert html.count("<th>") == (2 if corner.strip() else 1)
    assert html.count("<td>") == (2 if corner.strip() else 3)


def test_code_is_marked_by_classes() -> None:
    html = render("```python\nreturn x_1 * y  # Pre-Norm\n```")
    assert '<span class="k">return' in html
    assert "nowrap" not in html


def test_a_program_is_marked_and_escaped() -> None:
    html = highlighted('def f(): return "<b>"')
    assert '<span class="k">def' in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    "name", ["Pre-Norm", "Post-Norm", "GPT-2", "GLM-130B", "OLMo 2"]
)
def test_names_of_placements_and_models_never_break(name: str) -> None:
    whole = f'<span class="nowrap">{name}</span>'
    assert (
        render(f"对 {name}，**{name}** [{name}](https://a.b) `{name}`").count(whole)
        == 3
    )
    assert whole not in render(f"${name}$")


def test_a_name_is_whole_beside_chinese_and_no_part_of_a_word() -> None:
    assert "nowrap" in render("把Pre-Norm写在前面")
    assert "nowrap" not in render("ChatGPT-2, GPT-20, pre-GPT-2")


def test_a_line_is_a_line_whatever_it_begins_with() -> None:
    for text in (
        "- a",
        "# a",
        "1. a",
        "> a",
        "    a",
        "a\n\nb",
        "| a | b |\n|---|---|",
    ):
        tags = Tree(render(text, inline=True)).tags
        assert tags == [], (text, tags)


@pytest.mark.parametrize("text", ACTIVE)
@pytest.mark.parametrize("inline", [False, True])
def test_nothing_active_or_foreign_comes_out(text: str, inline: bool) -> None:
    tree = Tree(render(text, inline=inline))
    assert not {"script", "img", "svg", "iframe", "style", "object"} & set(tree.tags)
    for name, value in tree.attributes:
        assert not name.startswith("on")
        assert name not in {"style", "src"}
        assert "script:" not in value.lower()
        assert not value.startswith("data:")
        assert "btn" not in value


@given(st.text(alphabet="<>\"'=/ abonclickscriptjv:()[]!`$\\*_#&;\n", max_size=80))
def test_no_text_brings_in_an_attribute_of_its_own(text: str) -> None:
    tree = Tree(re.sub("<math.*?</math>", "", render(text)))
    assert "script" not in tree.tags
    for name, value in tree.attributes:
        assert name in {"class", "href", "title", "rel"}
        assert name != "href" or re.match(r"(?i)https?:|mailto:|[^:]*$", value)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 13000,
        "![" * 6000,
        "[x][" * 6000,
        r"\(" * 6000,
        "~~~\n" * 6000,
        "=\n" * 6000,
    ],
    ids=repr,
)
def test_openers_without_end_are_given_back_as_text(text: str) -> None:
    assert unescape(re.sub("</?p>", "", render(text))) == text
    assert unescape(render(text, inline=True)) == text


def test_the_guard_lets_ordinary_texts_pass() -> None:
    text = "[a](https://example.org) " * MAX_OPENERS
    assert render(text).count("<a ") == MAX_OPENERS
    assert "<a " not in render(text + "[")


def test_a_text_that_is_too_long_is_given_back_as_text() -> None:
    text = "*字* " * (MAX_LENGTH // 5)
    assert "<em>" not in render(text)
    assert "<em>" in render(text[: MAX_LENGTH // 10])


def test_levels_without_end_do_no_harm() -> None:
    for text in ("1. " * 5000, "> " * 5000, "- " * 5000):
        assert render(text)


def test_the_same_text_is_rendered_once() -> None:
    text = f"once {time.monotonic()}"
    assert render(text) is render(text)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (r"Size of $\lVert y\rVert/\sqrt d$ in all", "Size of ‖y‖/√d in all"),
        (r"$\mathrm{LN}(x)$, **bold** and `code`", "LN(x), bold and code"),
        (r"$\lVert J\rVert_2 \approx \eta^2\,\sigma$", "‖J‖₂ ≈ η² σ"),
        ("Pre-Norm $1 + 0.5\\,l$", "Pre-Norm 1 + 0.5 l"),
    ],
)
def test_a_formula_can_be_said_without_html(line: str, words: str) -> None:
    assert plain(line) == words
