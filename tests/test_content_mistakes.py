"""What is wrong with a file is told with its line, all of it at once."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from question_bank.content import (
    ContentError,
    InvalidContent,
    parse_question,
    parse_translation,
    read_pack,
    render_question,
    render_translation,
)
from tests.factories import make_item, write_pack

PATH = Path("norm-position.md")
ZH = Path("norm-position.zh.md")
SINGLE = render_question(make_item())
OPEN = render_question(make_item(type="open"))
ESTIMATE = render_question(make_item(type="estimate"))


def errors(source: str, path: Path = PATH) -> list[tuple[int, str]]:
    """Line and message of every mistake."""
    parser = parse_translation if path == ZH else parse_question
    with pytest.raises(InvalidContent) as raised:
        parser(source, path)
    assert all(error.path == path for error in raised.value.errors)
    return [(error.line, error.message) for error in raised.value.errors]


@settings(deadline=None)
@given(st.text(max_size=300), st.integers(0, 60))
def test_a_damaged_file_is_an_error_or_a_question_never_a_crash(
    junk: str, position: int
) -> None:
    lines = render_question(make_item()).split("\n")
    lines[position % len(lines)] = junk
    source = "\n".join(lines)
    try:
        item = parse_question(source, PATH)
    except InvalidContent:
        assert errors(source)
    else:
        assert parse_question(render_question(item), PATH) == item


def line_of(source: str, start: str) -> int:
    return next(
        number
        for number, line in enumerate(source.split("\n"), start=1)
        if line.startswith(start)
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("level: easy", "level: simple", "level: Input should be 'easy'"),
        ("level: easy", "level: 3", "level: Input should be 'easy'"),
        ("level: easy", "level: easy\ncolour: red", "colour: Extra inputs"),
        ("level: easy", "level: easy\nlevel: mid", "duplicate key"),
        ("level: easy", "level: [easy", "YAML: "),
        ("level: easy", "level: easy\nscoring: halves", "scoring: Input should be"),
        ("tags: [pre-norm]", "tags: &a [pre-norm]", "anchors and aliases"),
        ("tags: [pre-norm]", "tags: *a", "anchors and aliases"),
        ("tags: [pre-norm]", "tags: !!set {a}", "YAML tags"),
        ("tags: [pre-norm]", "tags: [2017]", "tags.0: Input should be a valid string"),
        ("tags: [pre-norm]", "tags: [Pre Norm]", "tags.0: String should match"),
        ("tags: [pre-norm]", "tags: " + "[" * 20 + "]" * 20, "nested too deeply"),
        ("tags: [pre-norm]", "tags: " + "[" * 5000, "maximum nesting depth"),
        ("tags: [pre-norm]", "? [a, b]\n: c", "unhashable key"),
        ("tags: [pre-norm]", "tags: [{{a: 1}: b}]", "unhashable key"),
        ("tags: [pre-norm]", "tags: [no, 12:30, 2017-01-01]", "tags.1: String should"),
        ("- claim: residual_growth", "- claim: Residual", "evidence.0.claim"),
        ("  supports: [inside]", "  support: [inside]", "evidence.0.support: Extra"),
        ("- [x] `inside`", "- [y] `inside`", "not of the form"),
        ("- [x] `inside`", "- `inside`", "needs [x] or [ ]"),
        ("- [ ] `outside`", "- [ ] `inside`", "a second choice 'inside'"),
        ("- [ ] `outside`", "1. outside", "not of the form"),
        ("  > Because of outside.", "  > One.\n  > Two.", "a second line of rationale"),
        ("## Short", "## Brief", "unknown section 'Brief'"),
        ("## Short", "## Detailed", "a second section"),
        ("## Short", "# Short", "a second title"),
        ("Inside the branch.", "```\nx = 1", "a code block is not closed"),
        ("# Where", "text\n# Where", "text before the title"),
        ("- [Xiong et al. 2020](https:", "- [Xiong](ftp:", "references.0.url"),
        ("- [Xiong et al. 2020](https:", "- Xiong (https:", "not of the form"),
        ("Inside.", "In\x00side.", "holds the character U+0000"),
        ("Inside.", "In\ud800side.", "holds the character U+D800"),
        ("Inside.", "[" * 100, "nested too deeply"),
        ("Inside.", "> " * 100 + "x", "nested too deeply"),
        ("Inside.", "*" * 300, "same mark too often"),
        ("Inside.", "<a " * 2000, "same mark too often"),
        ("Where does", "x" * 65536 + " Where does", "longer than 64 KiB"),
        ("Where does $\\mathrm{LN}$ stand?", "", "stem: is empty"),
    ],
)
def test_a_mistake_is_told_with_its_line(old: str, new: str, message: str) -> None:
    source = SINGLE.replace(old, new, 1)
    assert source != SINGLE
    found = errors(source)
    assert [text for _, text in found if message in text], found
    line = next(number for number, text in found if message in text)
    first = line_of(SINGLE, old.split("\n")[0][:12]) if old in SINGLE else 1
    last = len(source.split("\n"))
    assert first - 3 <= line <= (last if "code block" in message else first + 5)


METRIC = "estimate: {metric: residual_growth.pre_stream_slope, "


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (METRIC + "factor: 2, margin: 1}", "either a factor or a margin"),
        (METRIC.rstrip(", ") + "}", "either a factor or a margin"),
        (METRIC + "factor: 1}", "estimate.factor: Input should be greater than 1"),
        (METRIC + "margin: 0}", "estimate.margin: Input should be greater than 0"),
        (METRIC + "margin: true}", "estimate.margin: Input should be a valid number"),
        (METRIC + "margin: .inf}", "estimate.margin: Input should be a finite"),
        (METRIC + "margin: 1, unit: {en: m}}", "estimate.unit.zh: Field required"),
        ("estimate: {metric: slope, margin: 1}", "estimate.metric: String should"),
        ("unmeasured: [a]", "type estimate and the field estimate belong together"),
        (METRIC + "margin: 1}\nfigure: {experiment: a}", "figure.id: Field required"),
        (
            METRIC + "margin: 1}\nfigure: {experiment: a.b, id: c}",
            "figure.experiment: String should match",
        ),
    ],
)
def test_an_estimate_or_figure_that_cannot_be_used_is_told(
    new: str, message: str
) -> None:
    old = METRIC + "factor: 1.5}"
    assert old in ESTIMATE
    assert any(message in text for _, text in errors(ESTIMATE.replace(old, new)))


def test_an_estimate_has_no_list_of_parts() -> None:
    for heading, name in (("Choices", "choices"), ("Key points", "key_points")):
        source = SINGLE if name == "choices" else OPEN
        parts = source[source.index(f"## {heading}") : source.index("## Short")]
        found = errors(ESTIMATE.replace("## Short", parts + "## Short"))
        assert f"type estimate has no section {heading!r}" in [t for _, t in found]


def test_all_mistakes_of_a_file_are_told_at_once() -> None:
    source = (
        SINGLE.replace("level: easy", "level: simple")
        .replace("- [ ] `outside`", "- `outside`")
        .replace("(https://", "(gopher://")
        .replace("## Memory hook\n\nNorm first.\n\n", "")
    )
    assert [line for line, _ in errors(source)] == [4, 21, 49, 50]


@pytest.mark.parametrize(
    "heading", ["Short", "Detailed", "Full lesson", "Memory hook", "Follow-ups"]
)
def test_a_missing_section_is_named(heading: str) -> None:
    before, _, after = SINGLE.partition(f"\n## {heading}\n")
    source = before + after[after.index("\n## ") :]
    assert [text for _, text in errors(source)] == [f"section {heading!r} is missing"]


def test_sections_stand_in_their_order() -> None:
    source = SINGLE.replace("## Short", "## X").replace("## Detailed", "## Short")
    assert "must stand before" in str(errors(source.replace("## X", "## Detailed")))


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        (SINGLE, "open", "type open needs section 'Key points'"),
        (OPEN, "single", "type single needs section 'Choices'"),
        (OPEN, "multi", "type multi has no section 'Key points'"),
    ],
)
def test_the_type_decides_between_choices_and_key_points(
    source: str, kind: str, message: str
) -> None:
    typed = source.replace("type: single", f"type: {kind}")
    typed = typed.replace("type: open", f"type: {kind}")
    assert message in [text for _, text in errors(typed)]


def test_only_a_multi_select_question_chooses_its_scoring() -> None:
    source = SINGLE.replace("level: easy", "level: easy\nscoring: each-option")
    assert errors(source) == [(1, "scoring is for multi-select questions")]


def test_the_key_and_the_fixed_choice_stand_only_in_the_source() -> None:
    source = render_translation(make_item(), "zh")
    for fact in ("[x] `inside`", "`inside` (fixed)"):
        message = "[x] and (fixed) stand only in the source file"
        assert message in [t for _, t in errors(source.replace("`inside`", fact), ZH)]


def test_a_translation_tells_its_language() -> None:
    source = render_translation(make_item(), "zh")
    assert parse_translation(source, ZH).lang == "zh"
    wrong = source.replace("language: zh", "language: en")
    assert errors(wrong, ZH) == [(2, "language: Input should be 'zh'")]


def pack_errors(folder: Path) -> list[ContentError]:
    with pytest.raises(InvalidContent) as raised:
        read_pack(folder)
    return list(raised.value.errors)


def test_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "pack", [make_item("a"), make_item("b")])
    (folder / "a.md").write_bytes(b"---\nok\n\xff\n")
    (folder / "b.md").write_text(SINGLE.replace("level: easy", "level: no"))
    (folder / "c.zh.md").write_text("")
    (folder / "d.fr.md").write_text("")
    (folder / "pack.md").write_text("---\ntitle: {en: Title}\n---\n\nText\n")
    told = [f"{e.path.name}:{e.line}: {e.message[:30]}" for e in pack_errors(folder)]
    assert told == [
        "a.md:3: is not UTF-8",
        "b.md:4: level: Input should be 'easy',",
        "c.zh.md:1: there is no c.md",
        "d.fr.md:1: unknown language 'fr'",
        "pack.md:2: title.zh: Field required",
        "pack.md:5: text below the front matter",
    ]


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (["outside", "inside"], 9),
        (["inside"], 9),
        (["inside", "elsewhere"], 13),
        (["inside", "outside", "more"], 15),
    ],
)
def test_a_translation_has_the_same_choices_in_the_same_order(
    tmp_path: Path, names: list[str], line: int
) -> None:
    item = make_item(choices=["inside", "outside"])
    folder = write_pack(tmp_path / "pack", [item])
    other = render_translation(make_item(choices=names), "zh")
    (folder / "norm-position.zh.md").write_text(other, "utf-8")
    [error] = pack_errors(folder)
    assert "in this order" in error.message
    assert error.line == line


def test_a_folder_without_a_title_is_no_pack(tmp_path: Path) -> None:
    [error] = pack_errors(tmp_path / "nothing")
    assert str(error).endswith("nothing/pack.md:1: the file is missing")


def test_a_folder_without_questions_is_no_pack(tmp_path: Path) -> None:
    [error] = pack_errors(write_pack(tmp_path / "pack", []))
    assert str(error).endswith("pack/pack.md:1: no question is beside it")


def test_a_folder_name_must_be_a_slug(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "My Pack", [])
    assert [e.message for e in pack_errors(folder)] == ["'My Pack' cannot name a pack"]


def test_what_is_no_file_is_named_like_any_mistake(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "pack", [make_item()])
    (folder / "folder.md").mkdir()
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "gone.md").symlink_to(folder / "nowhere")
    with pytest.raises(InvalidContent) as caught:
        read_pack(folder)
    assert {e.path.name for e in caught.value.errors} == {
        "folder.md", "loop.md", "gone.md"
    }  # fmt: skip
