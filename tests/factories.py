"""Questions for tests, and folders of them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from question_bank.content import (
    SOURCE,
    TITLE_FILE,
    ChoiceItem,
    ChoiceText,
    EstimateItem,
    EvidenceItem,
    FollowUpText,
    KeyPointText,
    PitfallText,
    QuestionItem,
    ReferenceText,
    Texts,
    render_files,
    render_pack,
)

TITLE = {"en": "Where the norm stands", "zh": "归一化的位置"}
KEY = "inside"
EVIDENCE = EvidenceItem(
    claim="residual_growth.post_stream_unit", supports=[KEY], refutes=["outside"]
)
ESTIMATE = EstimateItem(metric="residual_growth.pre_stream_slope", factor=1.5)


def make_choices(lang: str, names: Iterable[str]) -> dict[str, ChoiceText]:
    """A text for each name, of the same length."""
    words = {"en": ("The answer", "Because of"), "zh": ("答案是", "原因是")}
    text, why = words[lang]
    return {
        name: ChoiceText(text=f"{text} {name}.", rationale=f"{why} {name}.")
        for name in names
    }


def make_points(lang: str, names: Iterable[str]) -> dict[str, KeyPointText]:
    words = {"en": ("It says", "mentions"), "zh": ("说到了", "提到")}
    text, phrase = words[lang]
    return {
        name: KeyPointText(text=f"{text} {name}.", phrases=[f"{phrase} {name}"])
        for name in names
    }


def make_texts(lang: str = SOURCE, **changes: Any) -> Texts:
    """Complete text in a language, with choices ``inside`` and ``outside``."""
    english = lang == SOURCE
    values: dict[str, Any] = {
        "title": "Where the norm stands" if english else "归一化在哪里",
        "stem": "Where does $\\mathrm{LN}$ stand?"
        if english
        else "$\\mathrm{LN}$ 在哪里?",
        "short": "Inside." if english else "在内部。",
        "detailed": "Inside the branch." if english else "在残差支路的内部。",
        "full": "Inside the branch, and the stream keeps growing."
        if english
        else "在残差支路的内部，所以主干一直在增长。",
        "hook": "Norm first." if english else "先归一化。",
        "pitfalls": [
            PitfallText(belief="It is outside.", why="The first paper put it there.")
            if english
            else PitfallText(belief="它在外部。", why="最早的论文放在外部。")
        ],
        "follow_ups": [
            FollowUpText(prompt="And the last norm?" if english else "最后的归一化呢？")
        ],
        "references": [
            ReferenceText(
                title="Xiong et al. 2020",
                url="https://arxiv.org/abs/2002.04745",
                note="section 3" if english else "第 3 节",
            )
        ],
    }
    return Texts.model_validate(values | changes)


def make_item(
    slug: str = "norm-position",
    *,
    type: str = "single",
    choices: Iterable[str] = (KEY, "outside", "nowhere"),
    key: Iterable[str] = (KEY,),
    fixed: Iterable[str] = (),
    points: Iterable[str] = ("formula", "gradient"),
    langs: Iterable[str] = ("en", "zh"),
    text: dict[str, Any] | None = None,
    **facts: Any,
) -> QuestionItem:
    """A question without findings unless asked; ``text`` changes every language."""
    key, fixed = set(key), set(fixed)
    names = list(choices) if type in {"single", "multi"} else []
    points = list(points) if type == "open" else []
    texts = {}
    for lang in langs:
        key_points = make_points(lang, points)
        says = "".join(f"\n\n{p.phrases[0]}" for p in key_points.values())
        parts = {
            "choices": make_choices(lang, names),
            "key_points": key_points,
            "full": make_texts(lang).full + says,
        }
        texts[lang] = make_texts(lang, **(parts | (text or {})))
    defaults = {"topic": "placement", "level": "easy", "tags": ["pre-norm"]}
    if type == "estimate":
        defaults["estimate"] = ESTIMATE
    elif type != "open":
        defaults["unmeasured"] = [n for n in names if n not in {KEY, "outside"}]
        wrong = tuple(name for name in EVIDENCE.refutes if name not in key)
        defaults["evidence"] = [EVIDENCE.model_copy(update={"refutes": wrong})]
    return QuestionItem.model_validate(
        {
            "slug": slug,
            "type": type,
            "choices": [
                ChoiceItem(name=name, correct=name in key, fixed=name in fixed)
                for name in names
            ],
            "key_points": points,
            "texts": texts,
            **defaults,
            **facts,
        }
    )


def write_pack(
    folder: Path, items: Iterable[QuestionItem], title: dict[str, str] | None = None
) -> Path:
    """Write canonical files for ``items``; the folder then holds nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        path.unlink()
    (folder / TITLE_FILE).write_text(render_pack(title or TITLE), "utf-8")
    for item in items:
        for name, text in render_files(item).items():
            (folder / name).write_text(text, "utf-8")
    return folder
