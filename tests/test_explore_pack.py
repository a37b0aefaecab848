"""Searches in the questions that are shipped: what they find, and what they must not tell."""

import re
from collections.abc import Iterator

import pytest

from question_bank.content import QuestionItem, read_pack
from question_bank.suggest import HAN
from question_bank.transfer import pack_folder
from quizsvc.practice.explore import Listed, Wanted, search
from quizsvc.practice.explore.listing import read
from quizsvc.practice.explore.wording import _NAMED

QUESTIONS = read_pack(pack_folder()).questions


def listed(item: QuestionItem) -> Listed:
    """A question as the bank lists it, never met."""
    shown = {str(lang): (text.title, text.stem) for lang, text in item.texts.items()}
    return Listed(
        id=0,
        slug=item.slug,
        pack="norm-placement",
        revision_id=0,
        type=item.type,
        level=item.level,
        topic=item.topic,
        words=read(shown, item.tags),
        state=None,
        standing="unseen",
        recall=None,
        flagged=False,
        wrong=False,
    )


BANK = [listed(item) for item in QUESTIONS]


def slugs(typed: str, lang: str) -> set[str]:
    return {one.slug for one in search(BANK, Wanted(q=typed), lang).questions}


@pytest.mark.parametrize(
    ("lang", "typed", "expected"),
    [
        ("en", "jacobian", "norm-jacobian-rank identity-path"),
        ("en", "what is the Jacobian of LayerNorm", "norm-jacobian-rank"),
        ("en", "gradient clipping", "clip-direction clip-versus-warmup"),
        ("en", "warm-up", "bert-six-percent sgd-and-warmup noam-peak-estimate"),
        ("en", "quantization", "int8-outlier"),
        ("en", "layer normalization averages", "layernorm-axis"),
        ("en", "QK norm logits", "qk-norm-bound"),
        ("en", "swin v2", "swin-v2-block"),
        ("en", "beta2", "beta2-warmup"),
        ("en", "batch norm", "batch-noise-estimate"),
        ("en", "ReZero gate", "rezero-first-step"),
        ("en", "embeddings", "small-embedding"),
        ("zh", "雅可比", "norm-jacobian-rank identity-path"),
        ("zh", "梯度裁剪", "clip-direction clip-versus-warmup"),
        ("zh", "预热", "bert-six-percent sgd-and-warmup noam-peak-estimate"),
        ("zh", "预热学习率", "noam-peak-estimate low-rate-or-warmup"),
        ("zh", "为什么梯度消失", "cross-attention-vanishing"),
        ("zh", "残差流", "stream-square-estimate original-block"),
        ("zh", "层归一化", "layernorm-axis layernorm-facts"),
        ("zh", "warmup", "bert-six-percent sgd-and-warmup"),
        ("zh", "ＳＷＩＮ", "swin-v2-block"),
        ("zh", "Post-Norm梯度", "why-steadier-gradients"),
        ("zh", "jacobian", "norm-jacobian-rank identity-path"),
        # nothing in the candidate's language: the other one is looked at
        ("en", "雅可比", "norm-jacobian-rank identity-path"),
        ("en", "学习率", "low-rate-or-warmup"),
    ],
)
def test_a_search_finds_what_a_candidate_means(
    lang: str, typed: str, expected: str
) -> None:
    found = slugs(typed, lang)
    assert found >= set(expected.split())
    assert len(found) <= len(BANK) / 4, "so many that it narrows nothing"


@pytest.mark.parametrize(
    "typed", ["rotary embedding", "旋转位置编码", "tokenizer", "狗"]
)
def test_a_search_for_what_the_bank_does_not_hold_finds_nothing(typed: str) -> None:
    assert not slugs(typed, "en")
    assert not slugs(typed, "zh")


def visible(item: QuestionItem) -> str:
    texts = item.texts.values()
    return " ".join(f"{text.title} {text.stem}" for text in texts).casefold()


def hidden(item: QuestionItem) -> Iterator[str]:
    """Every text of a question that is shown after the answer, and choices too."""
    for text in item.texts.values():
        yield from (text.short, text.detailed, text.full, text.hook)
        for choice in text.choices.values():
            yield from (choice.text, choice.rationale)
        for point in text.key_points.values():
            yield from (point.text, *point.phrases, *point.misconceptions)
        for pitfall in text.pitfalls:
            yield from (pitfall.belief, pitfall.why)
        for reference in text.references:
            yield from (reference.title, reference.note)
        yield from (follow_up.prompt for follow_up in text.follow_ups)
    yield from item.tags
    yield from (one.claim for one in item.evidence)


def only_hidden(item: QuestionItem) -> set[str]:
    """Words that stand only there: no visible word begins alike, no two of their
    characters stand side by side in what is visible."""
    seen = re.sub("iz", "is", visible(item))
    words = set()
    for text in hidden(item):
        for word in re.findall(r"[a-z]{5,}", re.sub("iz", "is", text.casefold())):
            if word[:3] not in seen:
                words.add(word)
        for run in re.findall(f"[{HAN}]{{2,4}}", text):
            if not any(run[n : n + 2] in seen for n in range(len(run) - 1)):
                words.add(run)
    names = _NAMED.values()
    return {word for word in words if not any(name.search(word) for name in names)}


def test_no_question_is_found_by_what_is_hidden_of_it() -> None:
    tried = 0
    for item in QUESTIONS:
        own = [one for one in BANK if one.slug == item.slug]
        every = sorted(only_hidden(item))
        words = every[:: max(len(every) // 25, 1)]  # all would take a minute
        tried += len(words)
        for word in words:
            for lang in ("en", "zh"):
                found = search(own, Wanted(q=word), lang).questions
                assert not found, (item.slug, word)
    assert tried > 1000


def test_a_tag_that_the_question_does_not_say_is_not_there() -> None:
    tags = {one.slug: set(one.words.tags) for one in BANK}
    every = {item.slug: set(item.tags) for item in QUESTIONS}
    # These would be the key, or a part of it.
    for slug, tag in (
        ("original-block", "post-norm"),
        ("post-attention-layernorm", "pre-norm"),
        ("missing-final-norm", "final-norm"),
        ("stuck-at-unigram", "vanishing-gradient"),
        ("weights-times-ten", "sandwich-norm"),
    ):
        assert tag in every[slug] - tags[slug]
        for lang in ("en", "zh"):
            assert slug not in slugs(tag, lang)
            found = search(BANK, Wanted(tag=tag), lang).questions
            assert slug not in {one.slug for one in found}
    assert "pre-norm" in tags["identity-path"]


def test_a_tag_tells_no_more_than_the_words_it_is_made_of() -> None:
    for tag in {tag for one in BANK for tag in one.words.tags}:
        having = {one.slug for one in BANK if tag in one.words.tags}
        assert having <= slugs(tag, "en"), tag
