"""The rules for packs. Each is broken on purpose, at a known line."""

from pathlib import Path
from typing import Any

import pytest

from question_bank.content import QuestionItem, read_pack
from question_bank.lint import RULES, lint
from question_bank.lint.bias import chance_of_as_many
from question_bank.transfer import pack_folders
from tests.factories import ESTIMATE as SLOPE
from tests.factories import EVIDENCE, make_choices, make_item, write_pack
from tests.lint_helpers import findings, names, saying, with_choice


def evidence(**changes: Any) -> list[Any]:
    return [EVIDENCE.model_copy(update=changes)]


@pytest.mark.parametrize("kind", ["single", "multi", "open", "estimate"])
def test_a_good_question_has_no_findings(tmp_path: Path, kind: str) -> None:
    assert findings(tmp_path, make_item(type=kind)) == []


BROKEN = {
    "missing-translation": make_item(langs=["en"]),
    "key-mismatch": make_item(key=["inside", "outside"], evidence=evidence(refutes=())),
    "no-rationale": make_item(
        text={"pitfalls": [{"belief": "It 在 is outside."}]}, langs=["en"]
    ),
    "missing-depth": make_item(text={"hook": ""}),
    "no-reference": make_item(text={"references": []}),
    "unknown-follow-up": make_item(
        text={"follow_ups": [{"prompt": "And 呢?", "slug": "nothing"}]}
    ),
    "idle-phrase": make_item(
        type="open",
        text={"key_points": {"formula": {"text": "It 说 says.", "phrases": ["LN"]}}},
        points=["formula"],
    ),
    "untaught-point": make_item(type="open", text={"full": "Inside the branch 支路."}),
    "no-evidence": make_item(evidence=[]),
    "unbacked-choice": make_item(unmeasured=()),
    "measured-choice": make_item(unmeasured=["nowhere", "inside"]),
    "unknown-experiment": make_item(
        type="estimate",
        estimate={"metric": "residual_shrink.pre_stream_slope", "margin": 1},
    ),
    "unknown-choice": make_item(evidence=evidence(refutes=("elsewhere",))),
    "key-contradiction": make_item(evidence=evidence(supports=("outside",))),
    "unknown-claim": make_item(evidence=evidence(claim="residual_growth.nothing")),
    "unknown-parameter": make_item(evidence=evidence(params={"width": 3})),
    "refused-value": make_item(evidence=evidence(params={"heads": 3})),
    "letter-in-explanation": saying("So option A is right."),
    "untranslated": saying("This was left in English.", "zh", "short"),
    "chinese-in-math": saying("因为 $x_{层}$ 在增长。", "zh"),
    "bare-dollar": saying("It costs $5."),
    "bare-backtick": saying("The `code is open."),
    "longest-choice": with_choice("inside-out", "x" * 60, key=["inside-out"]),
}


@pytest.mark.parametrize("name", sorted(set(RULES) - {"near-duplicate"}))
def test_each_rule_finds_what_breaks_it(tmp_path: Path, name: str) -> None:
    item = BROKEN[name]
    if name == "untranslated":
        texts = item.texts["zh"].model_copy(update={"short": "Left in English here."})
        item = item.with_text("zh", texts)
    assert name in names(tmp_path, item)


PART = "estimate"
ESTIMATE = SLOPE.model_dump()
FIGURE = {"experiment": "residual_growth", "id": "ratio"}


@pytest.mark.parametrize(
    ("facts", "finding"),
    [
        ({"figure": FIGURE}, None),
        ({"figure": FIGURE | {"params": {"depth": 3}}}, None),
        (
            {"figure": FIGURE | {"experiment": "residual_shrink"}},
            "unknown-experiment: there is no experiment residual_shrink",
        ),
        (
            {"figure": FIGURE | {"params": {"width": 3}}},
            "unknown-parameter: residual_growth has no parameter 'width'",
        ),
        (
            {"type": "estimate", "estimate": {**ESTIMATE, "params": {"width": 3}}},
            "unknown-parameter: residual_growth has no parameter 'width'",
        ),
        ({"evidence": evidence(params={"heads": 4, "depth": 64})}, None),
        (
            {"evidence": evidence(params={"heads": 3})},
            "refused-value: residual_growth does not take this heads: "
            "3 is not one of [1, 2, 4, 8]",
        ),
        (
            {"figure": FIGURE | {"params": {"depth": 65}}},
            "refused-value: residual_growth does not take this depth: "
            "65 is greater than the maximum of 64",
        ),
        (
            {"type": "estimate", "estimate": {**ESTIMATE, "params": {"depth": "six"}}},
            "refused-value: residual_growth does not take this depth: "
            "'six' is not of type 'integer'",
        ),
        (
            {"type": "estimate", "evidence": evidence(supports=(), refutes=[PART])},
            "key-contradiction: residual_growth.post_stream_unit refutes 'estimate', "
            "which is a right choice",
        ),
        (
            {"type": "estimate", "evidence": evidence(supports=[PART], refutes=())},
            None,
        ),
        ({"unmeasured": ["elsewhere", "nowhere"]}, "no choice 'elsewhere'"),
        ({"type": "open", "unmeasured": ["formula"]}, "no choice 'formula'"),
        ({"evidence": [], "unmeasured": ["inside", "outside", "nowhere"]}, None),
    ],
)
def test_what_a_question_takes_from_experiments_is_there(
    tmp_path: Path, facts: dict[str, Any], finding: str | None
) -> None:
    found = [str(one) for one in findings(tmp_path, make_item(**facts))]
    assert len(found) == (finding is not None)
    assert all(finding and finding in one for one in found)


def test_a_choice_that_nothing_bears_on_is_pointed_at(tmp_path: Path) -> None:
    [finding] = findings(tmp_path, make_item(unmeasured=()))
    source = finding.path.read_text().split("\n")
    assert source[finding.line - 1].startswith("- [ ] `nowhere`")


def test_a_finding_tells_file_line_rule_and_message(tmp_path: Path) -> None:
    item = saying("One line.\n\nHere $5 is bare.")
    [finding] = findings(tmp_path, item)
    path = tmp_path / "pack" / "norm-position.md"
    line = path.read_text().split("\n").index("Here $5 is bare.") + 1
    message = r"a $ without its partner; currency is \$"
    assert str(finding) == f"{path}:{line}: bare-dollar: {message}"


def test_evidence_is_pointed_at_in_the_front_matter(tmp_path: Path) -> None:
    good, bad = EVIDENCE, EVIDENCE.model_copy(update={"supports": ("outside",)})
    [finding] = findings(tmp_path, make_item(evidence=[good, bad]))
    assert (finding.name, finding.line) == ("key-contradiction", 12)


def test_without_known_claims_evidence_is_not_held_against_them(
    tmp_path: Path,
) -> None:
    item = make_item(evidence=evidence(claim="nothing.at_all", params={"width": 3}))
    assert lint(read_pack(write_pack(tmp_path / "pack", [item]))) == []


@pytest.mark.parametrize(
    ("kind", "key", "broken"),
    [
        ("single", [], True),
        ("single", ["inside"], False),
        ("single", ["inside", "outside"], True),
        ("multi", [], True),
        ("multi", ["inside"], False),
        ("multi", ["inside", "outside", "nowhere"], True),
    ],
)
def test_a_key_fits_its_type(
    tmp_path: Path, kind: str, key: list[str], broken: bool
) -> None:
    item = make_item(type=kind, key=key, evidence=evidence(supports=(), refutes=()))
    assert ("key-mismatch" in names(tmp_path, item)) == broken


def test_explanations_grow_with_their_depth(tmp_path: Path) -> None:
    shallow = make_item(text={"full": "Inside 在里.", "detailed": "Inside 在里面."})
    fields = {
        f.message for f in findings(tmp_path, shallow) if f.name == "missing-depth"
    }
    assert fields == {"is no longer than the section 'detailed'"}


def test_the_explanations_make_each_key_point_and_no_misconception(
    tmp_path: Path,
) -> None:
    def one(phrase: str, misconception: str) -> QuestionItem:
        point = {"text": "It 说 says.", "phrases": [phrase]}
        point |= {"misconceptions": [misconception]}
        text = {"key_points": {"branch": point}, "full": "Inside the branch 支路" * 3}
        return make_item(type="open", points=["branch"], text=text)

    assert "untaught-point" not in names(tmp_path, one("the branch", "the stream"))
    assert "untaught-point" in names(tmp_path, one("the stream", "the norm"))
    assert "untaught-point" in names(tmp_path, one("inside", "the branch"))


def test_a_key_that_is_too_often_the_longest_choice_is_found(tmp_path: Path) -> None:
    def one(slug: str, longest: str) -> QuestionItem:
        item = make_item(slug, text={"stem": f"{slug} " * 9 + "在哪里?"})
        for lang in item.texts:
            choices = make_choices(lang, ["inside", "outside", "nowhere"])
            text = choices[longest].text.rstrip(".") + " now."
            choices[longest] = choices[longest].model_copy(update={"text": text})
            texts = item.texts[lang].model_copy(update={"choices": choices})
            item = item.with_text(lang, texts)
        return item

    slugs = ["alpha", "beta", "gamma", "delta", "zeta", "theta"]
    fair = [
        one(s, ["inside", "outside", "nowhere"][i % 3]) for i, s in enumerate(slugs)
    ]
    assert "longest-choice" not in names(tmp_path, *fair)
    unfair = [one(slug, "inside") for slug in slugs]
    found = [f for f in findings(tmp_path, *unfair) if f.name == "longest-choice"]
    assert [f.message.partition(";")[0] for f in found] == [
        f"the key is the longest choice in 6 of 6 single-choice questions in {lang}"
        for lang in ("en", "zh")
    ]


@pytest.mark.parametrize(
    ("hits", "chances", "probability"),
    [(0, [0.5], 1), (2, [0.5, 0.5], 0.25), (1, [0.25, 0.5], 0.625), (3, [0.1], 0)],
)
def test_the_chance_of_as_many_hits(
    hits: int, chances: list[float], probability: float
) -> None:
    assert chance_of_as_many(hits, chances) == pytest.approx(probability)


def test_nearly_equal_stems_are_found(tmp_path: Path) -> None:
    stem = (
        "Where does the normalisation of a Pre-Norm block stand in a Transformer? 在哪"
    )
    one = make_item("one", text={"stem": stem})
    same = make_item("same", text={"stem": stem.replace("Where", "where").upper()})
    other = make_item("other", text={"stem": "Why does warmup help Post-Norm? 为什么"})
    found = [
        f for f in findings(tmp_path, one, same, other) if f.name == "near-duplicate"
    ]
    assert [(f.path.name, f.line) for f in found] == [("same.md", 15)]


@pytest.mark.parametrize("folder", pack_folders(), ids=lambda folder: folder.name)
def test_the_shipped_packs_have_no_findings(folder: Path) -> None:
    assert [str(finding) for finding in lint(read_pack(folder))] == []
