"""The rules about words: letters, languages, formulas."""

from pathlib import Path

import pytest

from tests.lint_helpers import names, saying, with_choice


@pytest.mark.parametrize(
    "text",
    [
        "Option B says so.",
        "As choice (C) says, it grows.",
        "A and B are correct.",
        "D is wrong because it grows.",
        "It is a combination of a and c.",
        "Both B and C hold.",
        "The first choice is tempting.",
        "The second answer option is tempting.",
        "See the choice above.",
        "All of the above hold.",
        "None of the above.",
    ],
)
def test_english_letters_and_positions_are_found(tmp_path: Path, text: str) -> None:
    assert names(tmp_path, saying(text)) == {"letter-in-explanation"}


@pytest.mark.parametrize(
    "text",
    [
        "选项B 是对的。",
        "选项 Ｃ 不成立。",
        "所以应该选 A。",
        "B 项混淆了两者。",
        "A 和 C 都对。",
        "D 错误。",
        "第一个选项很有迷惑性。",
        "第 2 个选项很有迷惑性。",
        "最后一个选项很有迷惑性。",
        "以上都对。",
        "以上说法都不对。",
        "上述选项都成立。",
    ],
)
def test_chinese_letters_and_positions_are_found(tmp_path: Path, text: str) -> None:
    assert names(tmp_path, saying(text, "zh")) == {"letter-in-explanation"}


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Adam is right for it, and a choice of optimiser matters.", "en"),
        ("The first layer and the last norm. A norm is wrong here.", "en"),
        ("For matrices $A$ and $B$, both $A$ and $B$ are full.", "en"),
        ("Run `choice A` in a shell, or\n\n```\noption A\n```", "en"),
        ("None of these papers compares both.", "en"),
        ("A large rate and a clip are not the same choice.", "en"),
        ("第一项是残差，第二项是支路；以上一层为准，选择 Adam。", "zh"),
        ("选用 BERT，BERT 正确地对应到各项。", "zh"),
    ],
)
def test_ordinary_words_are_not_taken_for_letters(
    tmp_path: Path, text: str, lang: str
) -> None:
    assert names(tmp_path, saying(text, lang)) == set()


def test_only_a_choice_that_stays_last_speaks_of_those_above(tmp_path: Path) -> None:
    last = with_choice("none", "None of the above.", fixed=["none"])
    assert names(tmp_path, last) == set()
    loose = with_choice("none", "None of the above.")
    assert names(tmp_path, loose) == {"letter-in-explanation"}


@pytest.mark.parametrize(
    ("text", "lang", "found"),
    [
        (r"It costs \$5 and \$10.", "en", set()),
        ("$x$ and $$\ny\n$$ and `$HOME`", "en", set()),
        ("From $5 to $10, it_grows.", "en", {"bare-dollar"}),
        ("It is $5 and then it costs $ more.", "en", {"bare-dollar"}),
        ("Only $x is open.", "en", {"bare-dollar"}),
        (r"$\text{if the norm}$ and $\operatorname{log det} x$", "en", set()),
        ("$costs five dollars$", "en", {"bare-dollar"}),
        (r"$x_\text{层}$ 在增长。", "zh", set()),
        ("$$\nx_{\\mathrm{层}}\n$$", "zh", {"chinese-in-math"}),
        ("价格 $5 和 $10，下划线，$\\frac12$。", "zh", {"bare-dollar"}),
    ],
)
def test_dollars_belong_to_formulas(
    tmp_path: Path, text: str, lang: str, found: set[str]
) -> None:
    item = saying(text + (" 归一化。" if lang == "zh" else ""), lang)
    assert found <= names(tmp_path, item) <= found | {"chinese-in-math"}


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("Pre-Norm", False),
        ("$x + F(x)$", False),
        ("RMSNorm", False),
        ("The norm is inside.", True),
    ],
)
def test_a_name_or_formula_needs_no_translation(
    tmp_path: Path, text: str, broken: bool
) -> None:
    item = with_choice("other", text, "zh")
    assert ("untranslated" in names(tmp_path, item)) == broken


def test_chinese_in_an_english_text_is_found(tmp_path: Path) -> None:
    assert names(tmp_path, saying("The 归一化 is inside.")) == {"untranslated"}
