"""A question item as database rows, and back."""

from datetime import datetime
from typing import Any

from question_bank.content import (
    ChoiceItem,
    EstimateItem,
    EvidenceItem,
    FigureItem,
    QuestionItem,
    Texts,
    content_hash,
)
from question_bank.models import (
    Choice,
    ChoiceText,
    Estimate,
    Evidence,
    Figure,
    FollowUp,
    KeyPoint,
    KeyPointText,
    Pitfall,
    Reference,
    Revision,
    RevisionText,
)


def revision_of(item: QuestionItem, *, number: int, at: datetime) -> Revision:
    """A new revision, not yet tied to its question."""
    return Revision(
        number=number,
        content_hash=content_hash(item),
        type=item.type,
        level=item.level,
        topic=item.topic,
        scoring=item.rule,
        tags=list(item.tags),
        unmeasured=list(item.unmeasured),
        created_at=at,
        texts=[_text(lang, texts) for lang, texts in item.texts.items()],
        choices=[
            Choice(
                position=position,
                name=choice.name,
                correct=choice.correct,
                fixed=choice.fixed,
                texts=[
                    ChoiceText(lang=lang, **dict(texts.choices[choice.name]))
                    for lang, texts in item.texts.items()
                ],
            )
            for position, choice in enumerate(item.choices)
        ],
        key_points=[
            KeyPoint(
                position=position,
                name=name,
                texts=[
                    KeyPointText(lang=lang, **_lists(texts.key_points[name]))
                    for lang, texts in item.texts.items()
                ],
            )
            for position, name in enumerate(item.key_points)
        ],
        evidence=[
            Evidence(
                position=position,
                experiment=one.experiment,
                claim=one.claim_id,
                params=one.params,
                outcome=one.outcome,
                supports=list(one.supports),
                refutes=list(one.refutes),
            )
            for position, one in enumerate(item.evidence)
        ],
        estimate=item.estimate and _estimate(item.estimate),
        figure=item.figure
        and Figure(
            experiment=item.figure.experiment,
            figure=item.figure.id,
            params=item.figure.params,
        ),
    )


def item_of(revision: Revision) -> QuestionItem:
    """The item a revision was made of."""
    return QuestionItem(
        slug=revision.question.slug,
        topic=revision.topic,
        type=revision.type,
        level=revision.level,
        tags=revision.tags,
        **({"scoring": revision.scoring} if revision.type == "multi" else {}),
        unmeasured=revision.unmeasured,
        estimate=revision.estimate and _estimate_item(revision.estimate),
        figure=revision.figure
        and FigureItem(
            experiment=revision.figure.experiment,
            id=revision.figure.figure,
            params=revision.figure.params,
        ),
        evidence=[
            EvidenceItem(
                claim=f"{one.experiment}.{one.claim}",
                params=one.params,
                outcome=one.outcome,
                supports=one.supports,
                refutes=one.refutes,
            )
            for one in revision.evidence
        ],
        choices=[
            ChoiceItem(name=c.name, correct=c.correct, fixed=c.fixed)
            for c in revision.choices
        ],
        key_points=[point.name for point in revision.key_points],
        texts={row.lang: _texts(row, revision) for row in revision.texts},
    )


def _estimate(item: EstimateItem) -> Estimate:
    return Estimate(
        experiment=item.experiment,
        metric=item.metric_id,
        params=item.params,
        factor=item.factor,
        margin=item.margin,
        unit=item.unit and dict(item.unit),
    )


def _estimate_item(row: Estimate) -> EstimateItem:
    return EstimateItem(
        metric=f"{row.experiment}.{row.metric}",
        params=row.params,
        factor=row.factor,
        margin=row.margin,
        unit=row.unit,
    )


def _lists(item: Any) -> dict[str, Any]:
    """The fields of an item, with tuples as the lists that JSON columns hold."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in dict(item).items()}


def _text(lang: str, texts: Texts) -> RevisionText:
    prose = texts.model_dump(
        include={"title", "stem", "short", "detailed", "full", "hook"}
    )
    return RevisionText(
        lang=lang,
        **prose,
        pitfalls=[
            Pitfall(position=i, **dict(one)) for i, one in enumerate(texts.pitfalls)
        ],
        follow_ups=[
            FollowUp(position=i, **dict(one)) for i, one in enumerate(texts.follow_ups)
        ],
        references=[
            Reference(position=i, **dict(one)) for i, one in enumerate(texts.references)
        ],
    )


def _texts(row: RevisionText, revision: Revision) -> Texts:
    lang = row.lang
    choices = {c.name: _in(lang, c.texts) for c in revision.choices}
    points = {p.name: _in(lang, p.texts) for p in revision.key_points}
    return Texts.model_validate(
        {
            "title": row.title,
            "stem": row.stem,
            "short": row.short,
            "detailed": row.detailed,
            "full": row.full,
            "hook": row.hook,
            "choices": {
                name: {"text": one.text, "rationale": one.rationale}
                for name, one in choices.items()
            },
            "key_points": {
                name: {
                    "text": one.text,
                    "phrases": one.phrases,
                    "misconceptions": one.misconceptions,
                }
                for name, one in points.items()
            },
            "pitfalls": [{"belief": p.belief, "why": p.why} for p in row.pitfalls],
            "follow_ups": [
                {"prompt": f.prompt, "slug": f.slug} for f in row.follow_ups
            ],
            "references": [
                {"title": r.title, "url": r.url, "note": r.note} for r in row.references
            ],
        }
    )


def _in(lang: str, texts: list[Any]) -> Any:
    return next(text for text in texts if text.lang == lang)
