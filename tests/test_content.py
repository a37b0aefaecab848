"""The file format of questions: files to items and back."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from question_bank.content import (
    TITLE_FILE,
    QuestionItem,
    content_hash,
    frontmatter,
    parse_question,
    parse_translation,
    read_pack,
    render_files,
    render_pack,
    render_question,
    render_translation,
)
from question_bank.transfer import pack_folders
from tests.content_strategies import items, lines, scalars
from tests.factories import make_item, make_texts, write_pack

PATH = Path("norm-position.md")
ZH = Path("norm-position.zh.md")
SINGLE = render_question(make_item())
SHIPPED = [path for folder in pack_folders() for path in sorted(folder.glob("*.md"))]


def parse(item: QuestionItem) -> QuestionItem:
    parsed = parse_question(render_question(item), PATH)
    if "zh" in item.texts:
        translation = parse_translation(render_translation(item, "zh"), ZH)
        parsed = parsed.with_text("zh", translation.texts)
    return parsed


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(items())
def test_parsing_undoes_rendering(item: QuestionItem) -> None:
    assert parse(item) == item


@pytest.fixture(scope="module")
def canonical() -> dict[Path, str]:
    """What every shipped file ought to say."""
    texts = {}
    for folder in pack_folders():
        pack = read_pack(folder)
        texts[folder / TITLE_FILE] = render_pack(pack.title)
        for item in pack.questions:
            for name, text in render_files(item).items():
                texts[folder / name] = text
    return texts


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_file_is_canonical(
    path: Path, canonical: dict[Path, str]
) -> None:
    assert path.read_text("utf-8") == canonical[path]


MEASURED = """---
topic: depth
type: estimate
level: mid
figure: {experiment: spike_monitor, id: monitor, params: {fault: logits}}
estimate: {metric: residual_growth.pre_slope, params: {depth: 24}, factor: 1.5, unit: {en: layers, zh: 层}}
---

# How steep"""


def test_an_estimate_and_a_figure_stand_on_one_line_each() -> None:
    body = render_question(make_item(type="estimate")).partition("stands\n")[2]
    item = parse_question(f"{MEASURED}\n{body}", PATH)
    assert item.estimate
    assert (
        item.estimate.experiment,
        item.estimate.metric_id,
        item.estimate.params,
    ) == (
        "residual_growth",
        "pre_slope",
        {"depth": 24},
    )
    assert item.figure
    assert item.figure.params == {"fault": "logits"}
    assert (item.rule, item.parts, item.choices) == ("tolerance", ("estimate",), ())
    assert render_question(item).startswith(MEASURED)


def test_a_question_without_the_newer_fields_keeps_its_hash() -> None:
    item = make_item(unmeasured=())
    fields = ("figure:", "estimate:", "unmeasured:")
    assert not any(field in render_question(item) for field in fields)
    assert content_hash(item) != content_hash(make_item(unmeasured=["nowhere"]))


def test_a_heading_inside_code_is_code() -> None:
    code = "```python\n# first\n## Short\n```"
    item = make_item(text={"full": code})
    assert parse(item).texts["en"].full == code


def test_no_is_a_word() -> None:
    source = SINGLE.replace("tags: [pre-norm]", "tags: [no, off, yes]")
    assert parse_question(source, PATH).tags == ("no", "off", "yes")


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "pack", [make_item()])
    file = folder / "norm-position.md"
    file.write_bytes(b"\xef\xbb\xbf" + SINGLE.replace("\n", "\r\n").encode())
    assert read_pack(folder).questions == (make_item(),)


def test_a_pack_holds_its_questions_by_slug(tmp_path: Path) -> None:
    both = [make_item("b"), make_item("a", type="open", langs=["en"])]
    pack = read_pack(write_pack(tmp_path / "pack", both, {"en": "T", "zh": "题"}))
    assert (pack.slug, pack.title) == ("pack", {"en": "T", "zh": "题"})
    assert pack.questions == (both[1], both[0])
    assert pack.where("b", "zh", ("choices", "inside")) == (
        tmp_path / "pack/b.zh.md",
        11,
    )


def test_the_hash_changes_with_every_language() -> None:
    item = make_item()
    assert content_hash(item) == content_hash(parse(item))
    assert content_hash(item) != content_hash(make_item(langs=["en"]))
    texts = make_texts("zh", choices=dict(item.texts["zh"].choices), hook="别的。")
    assert content_hash(item) != content_hash(item.with_text("zh", texts))


def test_items_cannot_be_changed() -> None:
    item = make_item()
    with pytest.raises(ValueError, match="frozen"):
        item.level = "hard"


@given(st.dictionaries(lines, st.one_of(scalars, st.lists(scalars, max_size=3))))
def test_a_flow_mapping_reads_back(params: dict[str, Any]) -> None:
    values, _ = frontmatter.read(f"params: {frontmatter.flow(params)}")
    assert values == {"params": params}
