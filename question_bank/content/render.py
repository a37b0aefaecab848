"""Items to their canonical text, which parses to the same items."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from question_bank.content.frontmatter import flow
from question_bank.content.items import (
    ESTIMATE,
    FIXED,
    SOURCE,
    EstimateItem,
    EvidenceItem,
    FigureItem,
    Lang,
    QuestionItem,
    Texts,
)
from question_bank.content.sections import HEADINGS


def render_question(item: QuestionItem) -> str:
    """The source file."""
    front = [f"topic: {item.topic}", f"type: {item.type}", f"level: {item.level}"]
    if item.tags:
        front.append(f"tags: {flow(item.tags)}")
    if item.scoring != QuestionItem.model_fields["scoring"].default:
        front.append(f"scoring: {item.scoring}")
    if item.figure:
        front.append(f"figure: {_figure(item.figure)}")
    if item.estimate:
        front.append(f"estimate: {_estimate(item.estimate)}")
    if item.unmeasured:
        front.append(f"unmeasured: {flow(item.unmeasured)}")
    if item.evidence:
        front.append("evidence:")
        front += [line for one in item.evidence for line in _evidence(one)]
    return _document(front, _body(item, SOURCE))


def render_translation(item: QuestionItem, lang: Lang) -> str:
    """The file with the text in another language. Raises KeyError if there is none."""
    return _document([f"language: {lang}"], _body(item, lang))


def render_pack(title: Mapping[str, str]) -> str:
    """``pack.md``: the title in every language."""
    return _document(["title:", *(f"  {k}: {flow(v)}" for k, v in title.items())], [])


def render_files(item: QuestionItem) -> dict[str, str]:
    """All files of a question by name, the source first."""
    translations = sorted(lang for lang in item.texts if lang != SOURCE)
    return {f"{item.slug}.md": render_question(item)} | {
        f"{item.slug}.{lang}.md": render_translation(item, lang)
        for lang in translations
    }


def content_hash(item: QuestionItem) -> str:
    """SHA-256 over the canonical files and their names; the same exactly when the
    question is the same."""
    files = render_files(item).items()
    said = "\0".join(part for file in files for part in file)
    return hashlib.sha256(said.encode()).hexdigest()


def _document(front: Iterable[str], blocks: Iterable[str]) -> str:
    return "\n\n".join(["\n".join(["---", *front, "---"]), *blocks]) + "\n"


def _figure(item: FigureItem) -> str:
    params = {"params": item.params} if item.params else {}
    return flow({"experiment": item.experiment, "id": item.id} | params)


def _estimate(item: EstimateItem) -> str:
    parts = [f"metric: {item.metric}"]
    if item.params:
        parts.append(f"params: {flow(item.params)}")
    for name in ("factor", "margin"):
        value = getattr(item, name)
        if value is not None:
            parts.append(f"{name}: {int(value) if value.is_integer() else value}")
    if item.unit:
        parts.append(f"unit: {flow(dict(item.unit))}")
    return "{" + ", ".join(parts) + "}"


def _evidence(item: EvidenceItem) -> Iterator[str]:
    yield f"- claim: {item.claim}"
    if item.params:
        yield f"  params: {flow(item.params)}"
    if item.outcome != "supported":
        yield f"  outcome: {item.outcome}"
    if item.supports:
        yield f"  supports: {flow(item.supports)}"
    if item.refutes:
        yield f"  refutes: {flow(item.refutes)}"


def _body(item: QuestionItem, lang: Lang) -> Iterator[str]:
    texts = item.texts[lang]
    yield f"# {texts.title}"
    yield texts.stem
    lists = {
        "choices": _choices(item, lang),
        "key_points": _key_points(texts),
        "pitfalls": _pitfalls(texts),
        "follow_ups": _follow_ups(texts),
        "references": _references(texts),
    }
    absent = {"choices"} if item.type == "open" else {"key_points"}
    if item.type == ESTIMATE:
        absent = {"choices", "key_points"}
    for name, heading in HEADINGS.items():
        if name in absent:
            continue
        yield f"## {heading}"
        text = "\n".join(lists[name]) if name in lists else getattr(texts, name)
        if text:
            yield text


def _choices(item: QuestionItem, lang: Lang) -> Iterator[str]:
    for choice in item.choices:
        words = item.texts[lang].choices[choice.name]
        mark = f"[{'x' if choice.correct else ' '}] " if lang == SOURCE else ""
        fixed = f"{FIXED} " if choice.fixed and lang == SOURCE else ""
        yield f"- {mark}`{choice.name}` {fixed}{words.text}"
        if words.rationale:
            yield f"  > {words.rationale}"


def _key_points(texts: Texts) -> Iterator[str]:
    for name, point in texts.key_points.items():
        yield f"- `{name}` {point.text}"
        if point.phrases:
            yield f"  + {' | '.join(point.phrases)}"
        if point.misconceptions:
            yield f"  ! {' | '.join(point.misconceptions)}"


def _pitfalls(texts: Texts) -> Iterator[str]:
    for pitfall in texts.pitfalls:
        yield f"- {pitfall.belief}"
        if pitfall.why:
            yield f"  > {pitfall.why}"


def _follow_ups(texts: Texts) -> Iterator[str]:
    for ask in texts.follow_ups:
        yield f"- {ask.prompt} → `{ask.slug}`" if ask.slug else f"- {ask.prompt}"


def _references(texts: Texts) -> Iterator[str]:
    for source in texts.references:
        note = f": {source.note}" if source.note else ""
        yield f"- [{source.title}]({source.url}){note}"
