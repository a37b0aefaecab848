"""Any question that can be written down."""

import string
from typing import Any

from hypothesis import strategies as st

from question_bank.content import QuestionItem
from question_bank.content.prose import check_line, check_prose


def passes(check: Any, text: str) -> bool:
    try:
        check(text)
    except ValueError:
        return False
    return True


names = st.from_regex(r"[a-z0-9]{1,6}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)
characters = st.one_of(
    st.sampled_from(list(" #-`*_$[]()<>|!+:→\n\"'\\归一化，。")),
    st.sampled_from(string.ascii_letters),
    st.characters(exclude_categories=["Cc", "Cs"]),
)
lines = (
    st.text(characters, min_size=1, max_size=30)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text and passes(check_line, text))
)
prose = (
    st.lists(st.one_of(lines, st.sampled_from(["", "```", "# comment", "### sub"])))
    .map(lambda parts: "\n".join(parts).strip())
    .filter(lambda text: passes(check_prose, text))
)
phrases = st.lists(lines.filter(lambda text: "|" not in text), max_size=3)
scalars = st.one_of(
    st.integers(),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    lines,
    st.just("no"),
    st.just("true"),
)
maybe_lines = st.one_of(st.just(""), lines)
params = st.dictionaries(
    lines, st.one_of(scalars, st.lists(scalars, max_size=3)), max_size=3
)
evidence = st.fixed_dictionaries(
    {
        "claim": st.from_regex(
            r"[a-z][a-z0-9_]{0,8}\.[a-z][a-z0-9_]{0,8}", fullmatch=True
        ),
        "params": params,
        "outcome": st.sampled_from(["supported", "refuted"]),
        "supports": st.lists(names, max_size=2),
        "refutes": st.lists(names, max_size=2),
    }
)
identifiers = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
units = st.one_of(st.none(), st.fixed_dictionaries({"en": lines, "zh": lines}))
tolerances = st.one_of(
    st.floats(1, 1e9, exclude_min=True).map(lambda value: {"factor": value}),
    st.floats(0, 1e9, exclude_min=True).map(lambda value: {"margin": value}),
    st.integers(2, 10**6).map(lambda value: {"factor": value}),
)
estimates = st.builds(
    lambda tolerance, **parts: parts | tolerance,
    tolerances,
    metric=st.from_regex(r"[a-z][a-z0-9_]{0,8}\.[a-z][a-z0-9_]{0,8}", fullmatch=True),
    params=params,
    unit=units,
)
figures = st.fixed_dictionaries(
    {"experiment": identifiers, "id": identifiers, "params": params}
)
choice_texts = st.fixed_dictionaries(
    {
        "text": lines.filter(lambda text: not text.startswith("(fixed)")),
        "rationale": maybe_lines,
    }
)
point_texts = st.fixed_dictionaries(
    {"text": lines, "phrases": phrases, "misconceptions": phrases}
)


@st.composite
def texts(draw: st.DrawFn, choices: list[str], points: list[str]) -> dict[str, Any]:
    prompts = lines.filter(lambda text: "→" not in text)
    titles = lines.filter(lambda text: "](" not in text)
    urls = st.from_regex(r"https?://[a-z./#?=-]{1,9}", fullmatch=True)
    return {
        "title": draw(lines),
        "stem": draw(prose.filter(bool)),
        "choices": {name: draw(choice_texts) for name in choices},
        "key_points": {name: draw(point_texts) for name in points},
        **{name: draw(prose) for name in ("short", "detailed", "full", "hook")},
        "pitfalls": draw(
            st.lists(
                st.fixed_dictionaries({"belief": lines, "why": maybe_lines}), max_size=2
            )
        ),
        "follow_ups": draw(
            st.lists(
                st.fixed_dictionaries(
                    {"prompt": prompts, "slug": st.one_of(st.none(), names)}
                ),
                max_size=2,
            )
        ),
        "references": draw(
            st.lists(
                st.fixed_dictionaries(
                    {"title": titles, "url": urls, "note": maybe_lines}
                ),
                max_size=2,
            )
        ),
    }


@st.composite
def items(draw: st.DrawFn) -> QuestionItem:
    kind = draw(st.sampled_from(["single", "multi", "open", "estimate"]))
    parts = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    choices = parts if kind in {"single", "multi"} else []
    points = parts if kind == "open" else []
    langs = draw(st.sampled_from([["en"], ["en", "zh"]]))
    rules = ["net-correct"] + (["each-option"] if kind == "multi" else [])
    return QuestionItem.model_validate(
        {
            "slug": "norm-position",
            "topic": draw(st.sampled_from(["placement", "depth"])),
            "type": kind,
            "level": draw(st.sampled_from(["easy", "extreme"])),
            "tags": draw(st.lists(names, max_size=3)),
            "scoring": draw(st.sampled_from(rules)),
            "figure": draw(st.one_of(st.none(), figures)),
            "estimate": draw(estimates) if kind == "estimate" else None,
            "unmeasured": draw(st.lists(names, max_size=2)),
            "evidence": draw(st.lists(evidence, max_size=2)),
            "choices": [
                {
                    "name": name,
                    "correct": draw(st.booleans()),
                    "fixed": draw(st.booleans()),
                }
                for name in choices
            ],
            "key_points": points,
            "texts": {lang: draw(texts(choices, points)) for lang in langs},
        }
    )
