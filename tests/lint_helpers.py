"""Packs with one flaw, and what the rules find in them."""

from pathlib import Path
from typing import Any

from question_bank.content import QuestionItem, read_pack
from question_bank.lint import Finding, lint
from tests.factories import make_item, write_pack

SCHEMA = {
    "properties": {
        "depth": {"type": "integer", "minimum": 1, "maximum": 64},
        "heads": {"enum": [1, 2, 4, 8], "type": "integer"},
    }
}
CLAIMS = {"residual_growth.post_stream_unit": SCHEMA}


def findings(folder: Path, *items: QuestionItem) -> list[Finding]:
    return lint(read_pack(write_pack(folder / "pack", items)), CLAIMS)


def names(folder: Path, *items: QuestionItem) -> set[str]:
    return {finding.name for finding in findings(folder, *items)}


def saying(text: str, lang: str = "en", field: str = "full") -> QuestionItem:
    """A question that has ``text`` in one field of one language."""
    item = make_item()
    padded = f"Inside the branch, as everyone knows by now.\n\n{text}"
    if lang == "zh":
        padded = f"归一化在残差支路的内部，所以主干一直在增长。\n\n{text}"
    texts = item.texts[lang].model_copy(update={field: padded})
    return item.with_text(lang, texts)


def with_choice(name: str, text: str, lang: str = "en", **facts: Any) -> QuestionItem:
    item = make_item(choices=["inside", "outside", name], **facts)
    choices = dict(item.texts[lang].choices)
    choices[name] = choices[name].model_copy(update={"text": text})
    texts = item.texts[lang].model_copy(update={"choices": choices})
    return item.with_text(lang, texts)
