"""Laws of the search's words: what is found in a text, in both languages."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quizsvc.practice.explore.wording import closeness, query, says, searchable

ENGLISH = "Why does Pre-Norm's LayerNorm keep gradients steady at initialisation?"
CHINESE = "为什么 Post-Norm 在预热阶段之后，学习率$\\beta_2$的影响变小，梯度不会消失？"


def found(text: str, typed: str) -> bool:
    return says(searchable(text), query(typed))


@pytest.mark.parametrize(
    "typed",
    [
        *("gradient", "gradients", "GRADIENTS", "ｇｒａｄｉｅｎｔ", "grad"),
        *("pre-norm", "Pre‑Norm", "prenorm", "pre norm", "Pre-LN", "pre_norm"),
        *("layernorm", "layer norm", "layer-norm", "LN", "layer normalization"),
        *("initialization", "initialisations", "initialising", "steady gradients"),
        *(
            "what is the gradient?",
            "gradient, steady",
            "“gradients”",
            "  norm\u3000why ",
        ),
    ],
)
def test_english_is_found_however_it_is_written(typed: str) -> None:
    assert found(ENGLISH, typed)


@pytest.mark.parametrize(
    "typed",
    ["adient", "batch", "warmup", "gradient warmup", "prefix", "normal norms x"],
)
def test_english_that_is_not_there_is_not_found(typed: str) -> None:
    assert not found(ENGLISH, typed)


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "预热",
            "学习率",
            "梯度消失",
            "预热学习率",
            "学习率的影响",
            "为什么梯度会消失",
        ),
        *(
            "Post-Norm梯度",
            "post-norm 预热",
            "后置归一化",
            "ＰＯＳＴ－ＮＯＲＭ",
            "warmup",
        ),
        *("β2", "β₂", "beta2", "beta 2", "热"),
    ],
)
def test_chinese_needs_no_spaces(typed: str) -> None:
    assert found(CHINESE, typed)


@pytest.mark.parametrize(
    "typed", ["注意力", "预热注意力", "学习", "率学", "前置归一化", "β3", "2024"]
)
def test_chinese_is_cut_where_the_text_says_its_pieces(typed: str) -> None:
    assert found(CHINESE, typed) is (typed == "学习")


@pytest.mark.parametrize("typed", ["", " ", "_", "-", "\u200b"])
def test_nothing_is_found_by_nothing(typed: str) -> None:
    assert not found(ENGLISH, typed)
    assert not found(CHINESE, typed)


@pytest.mark.parametrize(("typed", "there"), [("%", True), ("*", False), (".*", False)])
def test_signs_are_taken_as_they_are(typed: str, there: bool) -> None:
    assert found("Where do the six % come from", typed) is there


def test_words_that_say_nothing_count_when_they_are_all() -> None:
    assert found("What is it?", "what")
    assert not found("Norm before attention", "what")
    assert found("为什么要预热", "为什么")
    assert not found("预热有多长", "为什么")


def test_commands_of_formulas_are_no_words() -> None:
    text = "The value of $\\mathrm{RMS}(x) \\le \\frac{1}{2}$"
    assert found(text, "rms")
    assert not found(text, "frac")
    assert not found(text, "mathrm")


@pytest.mark.parametrize(
    ("typed", "fit"),
    [("norm path", 3), ("path norm", 2), ("path gradient", 1), ("path decoder", 0)],
)
def test_a_title_that_says_it_all_fits_best(typed: str, fit: int) -> None:
    title, rest = searchable("The norm path"), searchable("Its gradient")
    assert closeness(title, rest, query(typed)) == fit


@given(st.text(max_size=80).filter(lambda text: "\\" not in text))  # TeX is not said
@example("A´")  # compatible with a space and an accent
def test_every_text_says_the_words_that_it_is_made_of(text: str) -> None:
    wanted = query(text)
    if wanted.words:
        assert says(searchable(text), wanted)


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=20))
def test_more_text_never_hides_a_word(one: str, more: str, typed: str) -> None:
    if found(one, typed):
        assert found(f"{one}\n\n{more}", typed) or not query(typed).words
