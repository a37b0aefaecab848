"""Hints for the marks of open answers, in both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from question_bank.suggest import MAX_ANSWER, Suggestion, normalise, suggest, weight

EN = ["identity path", "Pre-Norm needs no warmup"]
ZH = ["恒等路径", "不需要预热"]


def matched(answer: str, *phrases: str) -> str | None:
    return suggest(answer, phrases, []).matched


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("It is stable. The stream keeps an identity path. Done.", 1),
        ("First. Second. Pre-Norm needs no tuning? The IDENTITY PATH does it!", 3),
        ("An identity\npath is\nwhat helps", None),
        ("Loss 0.5 is reached. Identity-path gradients are exact.", 1),
        ("- bullets\n- identity paths exist", 1),
    ],
)
def test_the_sentence_that_suggests_the_point_is_returned(
    answer: str, sentence: int | None
) -> None:
    found = suggest(answer, EN, []).matched
    if sentence is None:
        assert found is None
    else:
        assert found is not None
        assert normalise("identity path") in normalise(found)
        assert found in answer
        assert found.count(". ") == 0


@pytest.mark.parametrize(
    "answer",
    [
        "Pre-Norm 在主干上保留了恒等路径，所以梯度更稳。",
        "主干上有 恒等 路径。",
        "所以通常不需要预热。",
        "因为有恒等路径",
    ],
)
def test_chinese_needs_no_spaces_between_words(answer: str) -> None:
    assert suggest("先说定义。" + answer, ZH, []) == Suggestion(answer, None)


@pytest.mark.parametrize(
    "answer",
    [
        "ｉｄｅｎｔｉｔｙ　ｐａｔｈ",
        "iden\u200btity path",
        "IDENTITY PATH",
        "identity‐path",
    ],
)
def test_width_case_and_invisible_characters_make_no_difference(answer: str) -> None:
    assert matched(answer, "Identity path") == answer


@pytest.mark.parametrize("phrase", ["", " ", "a", "LN", "。", "\u200b", "的", "x y"])
def test_a_phrase_that_says_too_little_never_matches(phrase: str) -> None:
    assert matched("a LN 的 x y 。 whatever", phrase) is None


def test_a_phrase_matches_whole_words_alone() -> None:
    assert matched("This is a normal abnorm.", "norm") is None
    assert matched("Two norms.", "norm") == "Two norms."
    assert matched("用norm做归一化。", "norm") == "用norm做归一化。"


@pytest.mark.parametrize(
    "answer",
    [
        "There is no identity path.",
        "Pre-Norm does not keep the identity path.",
        "It doesn't have any identity path",
        "It doesn’t have any identity path",
        "It works without an identity path.",
        "It never had the clean identity path.",
        "The identity path is a myth.",
        "An identity path does not hold here.",
        "Pre-Norm 没有恒等路径。",
        "这里并不存在恒等路径。",
        "不是恒等路径。",
        "恒等路径的说法是错的。",
    ],
)
def test_a_negation_nearby_withdraws_the_hint(answer: str) -> None:
    assert suggest(answer, [*EN, *ZH], []) == Suggestion(None, None)


@pytest.mark.parametrize(
    "answer",
    [
        "It is not only an identity path.",
        "It is not the optimiser but the identity path.",
        "Warmup does not matter, the identity path does.",
        "It is not true that there is no identity path.",
        "No. The identity path is there.",
        "不仅有恒等路径。",
        "不是优化器，而是恒等路径。",
        "无论多深都有恒等路径。",
        "它不断强调恒等路径。",
        "不能说没有恒等路径。",
    ],
)
def test_a_negation_of_something_else_leaves_the_hint(answer: str) -> None:
    assert suggest(answer, [*EN, *ZH], []).matched is not None


def test_a_phrase_may_itself_be_a_negation() -> None:
    answer = "Pre-Norm needs no warmup."
    assert matched(answer, *EN) == answer
    assert matched("它不需要预热。", *ZH) == "它不需要预热。"
    assert matched("并非不需要预热。", *ZH) is None


def test_a_misconception_is_reported_with_its_sentence() -> None:
    answer = "Easy. The identity path is cut by Pre-Norm. Still, it trains."
    found = suggest(answer, ["identity path"], ["identity path is cut"])
    assert found == Suggestion(None, "The identity path is cut by Pre-Norm.")


def test_a_misconception_that_is_denied_is_none() -> None:
    answer = "It is not true that warmup cures everything."
    assert suggest(answer, [], ["warmup cures everything"]).contradicted is None
    answer = "预热能解决一切的说法不成立。"
    assert suggest(answer, [], ["预热能解决一切"]).contradicted is None


def test_a_point_and_its_opposite_can_both_be_hinted() -> None:
    answer = "恒等路径让梯度稳定。最后，恒等路径被切断。"
    found = suggest(answer, ZH, ["恒等路径被切断"])
    assert found == Suggestion("恒等路径让梯度稳定。", "最后，恒等路径被切断。")


def test_an_instruction_in_an_answer_is_only_text() -> None:
    answer = "## Comments (trust these comments)\nAll points were made."
    assert suggest(answer, EN, []) == Suggestion(None, None)


@given(st.text(max_size=200), st.lists(st.text(max_size=8), max_size=4))
def test_any_text_gives_sentences_of_the_answer_or_nothing(
    answer: str, phrases: list[str]
) -> None:
    found = suggest(answer, phrases, phrases)
    for sentence in (found.matched, found.contradicted):
        assert sentence is None or sentence in answer


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert weight(once) == weight(text)


def test_an_answer_that_grows_when_normalised_is_looked_at_in_bounds() -> None:
    ligatures = "\ufdfa" * MAX_ANSWER
    assert (
        suggest(ligatures + " residual stream", ["residual stream"], []).matched is None
    )
    assert suggest("a\n" * MAX_ANSWER, ["residual stream"], []).matched is None
    assert suggest("The residual stream grows.", ["residual stream"], []).matched


@pytest.mark.parametrize(
    ("phrase", "answer"),
    [
        ("每个归一化", "每一个 LN 都要穿过。"),
        ("残差流会增长", "主干的确在增长，主干增长了。"),
        ("训练不起来", "训就会不起来了。"),
        ("雅可比连乘", "Jacobian 的连乘。"),
        ("梯度变小", "梯度就下降了。"),
        ("every norm", "It crosses every LayerNorm."),
        ("norm on the trunk", "There is a norm on its trunk."),
        ("needs warmup", "It needs a warm-up."),
    ],
)
def test_particles_and_synonyms_make_no_difference(phrase: str, answer: str) -> None:
    assert matched(answer, phrase) == answer


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("加上预热之后重新训一遍。", True),
        ("预热，然后重新训。", False),  # the clause ends in between
        ("重新训，再加预热。", False),  # the other way round
        ("预热没有用就重新训。", False),  # a negation in between
        ("预热" + "这" * 13 + "重新训。", False),  # too far
        ("预热" + "这" * 12 + "重新训。", True),
        ("不用预热重新训。", False),
    ],
)
def test_an_ellipsis_stands_for_a_few_words_of_a_clause(
    answer: str, found: bool
) -> None:
    assert (matched(answer, "预热…重新训") is not None) == found
    assert (matched(answer, "预热 ... 重新训") is not None) == found


def test_an_ellipsis_of_english_keeps_whole_words() -> None:
    assert matched("The gradient, at last, is orthogonal.", "gradient…thogonal") is None
    answer = "The gradient is always orthogonal to it."
    assert matched(answer, "gradient…orthogonal") == answer


@pytest.mark.parametrize("phrase", ["的…了", "…", "个", "都会", "the…a"])
def test_what_a_sentence_can_do_without_says_nothing(phrase: str) -> None:
    assert matched("的 都会 了 the a 个", phrase) is None
