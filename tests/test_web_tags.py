"""The tags of the bank are said in the language of the page."""

from flask import Flask
from flask_babel import force_locale

from question_bank.content import read_pack
from question_bank.transfer import pack_folder
from quizsvc.practice.explore.listing import read
from quizsvc.web import filters, words


def test_every_tag_that_can_be_asked_for_has_a_name() -> None:
    told = {
        tag
        for question in read_pack(pack_folder()).questions
        for tag in read(
            {lang: (said.title, said.stem) for lang, said in question.texts.items()},
            question.tags,
        ).tags
    }
    assert told
    assert told <= words.TAG_NAMES.keys()


def test_a_tag_is_said_in_chinese(app: Flask) -> None:
    with app.test_request_context(), force_locale("zh"):
        assert words.name(words.TAG_NAMES, "learning-rate") == "学习率"
        assert words.name(words.TAG_NAMES, "residual-stream") == "残差流"
        assert words.name(words.TAG_NAMES, "rmsnorm") == "RMSNorm"
        assert words.name(words.TAG_NAMES, "not-a-tag") == "not-a-tag"
        assert filters.said("tag", "warmup").endswith("预热")
