"""Laws of the translations: every word of the pages is there, and compiled."""

import re

from babel.messages import Message
from babel.messages.checkers import python_format
from flask import Flask
from flask_babel import gettext, pgettext

from quizsvc.web import controls, messages, words
from sim import registry


def key(message: Message) -> tuple[str | None, str]:
    return message.context, message.id if isinstance(message.id, str) else message.id[0]


def strings(message: Message) -> list[str]:
    said = message.string
    return [said] if isinstance(said, str) else list(said)


def test_every_message_of_the_pages_is_translated() -> None:
    known = {key(message): message for message in messages.edited() if message.id}
    used = {key(message) for message in messages.extracted() if message.id}
    assert used == set(known)
    assert not [key(m) for m in known.values() if m.fuzzy or not all(strings(m))]


def test_the_compiled_file_says_what_the_edited_one_says() -> None:
    def said(catalog: messages.Catalog) -> dict[object, list[str]]:
        return {key(message): strings(message) for message in catalog if message.id}

    assert said(messages.compiled()) == said(messages.edited())


def test_translations_keep_the_values() -> None:
    catalog = messages.edited()
    for message in catalog:
        if message.id and message.python_format:
            python_format(catalog, message)
            for said in strings(message):
                names = {part[1] for part in re.finditer(r"%\((\w+)\)", said)}
                every = message.id if isinstance(message.id, str) else message.id[-1]
                assert names == set(re.findall(r"%\((\w+)\)", every)), every


def test_chinese_has_full_width_punctuation() -> None:
    for message in messages.edited():
        for said in strings(message) if message.id else []:
            assert not re.search(r"[\u4e00-\u9fff][,;:!?()]", said), said


GAP = r"(?:[+−]?\d|%\(\w+\)s|\{\w*\})"  # a number, or the place of one
UNEVEN = re.compile(
    rf"[\u4e00-\u9fff] {GAP}|(?:\d|\)s|\}}|%) [\u4e00-\u9fff]|(?:\d|\)s) %%|\uff0f"
)


def test_chinese_leaves_the_gap_around_a_number_to_the_browser() -> None:
    """One rule: no space between Chinese and a number or a value, and none before %."""
    for uneven in (
        "第 3 题",
        "第3 题",
        "有 %(num)s题",
        "%(num)s 题",
        "90 %% 区间",
        "4／7",
    ):
        assert UNEVEN.search(uneven), uneven
    for even in ("第3题", "用 Adam 训练", "90%%区间", "文件大于8 MiB。", "N %(count)s"):
        assert not UNEVEN.search(even), even
    for message in messages.edited():
        for said in strings(message) if message.id else []:
            assert not UNEVEN.search(said), said


def test_a_form_of_question_has_one_name_in_chinese() -> None:
    said = [text for one in messages.edited() if one.id for text in strings(one)]
    assert any("开放题" in text for text in said)
    assert not [text for text in said if re.search("问答题|简答题|主观题", text)]


def test_names_in_a_list_stand_between_enumeration_commas(app: Flask) -> None:
    with app.test_request_context("/?lang=zh"):
        assert gettext(", ").join(["2", "4"]) == "2、4"
        assert pgettext("clause", ", ") == "，"


def test_a_word_without_a_name_is_shown_as_it_is() -> None:
    assert words.name(words.OPTIONS, "heads") == "heads"
    assert words.name(words.OPTIONS, "rms") == "RMSNorm"


def test_every_value_that_an_experiment_lets_one_choose_has_a_name() -> None:
    values = {
        value
        for entry in registry.catalogue()
        for field in entry.schema["properties"].values()
        for value in field.get("enum", ())
        if isinstance(value, str)
    }
    assert values
    assert sorted(values - words.OPTIONS.keys()) == []


def test_a_chosen_value_is_named_in_the_language_of_the_page(app: Flask) -> None:
    for lang, said in (("en", "Norm on the output"), ("zh", "支路输出归一化")):
        with app.test_request_context(f"/?lang={lang}"):
            assert controls.shown("output") == said
            assert controls.shown("sandwich") == "Sandwich-Norm"
