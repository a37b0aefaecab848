"""Rules about the parts a question must have."""

from collections.abc import Iterator

from question_bank.content import LANGUAGES, SOURCE, PackItem
from question_bank.lint.spots import Claims, Spot, questions
from question_bank.suggest import MIN_WEIGHT, suggest, weight


def missing_translation(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    for item in pack.questions:
        for lang in LANGUAGES:
            if lang not in item.texts:
                yield Spot(item.slug, SOURCE, (), f"there is no text in {lang}")


def key_mismatch(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """A single choice has one right answer; a multi-select both right and wrong ones."""
    for item in pack.questions:
        right, wrong = len(item.key), len(item.choices) - len(item.key)
        place = ("choices",)
        if item.type == "single" and right != 1:
            message = f"a single-choice question has one right choice, not {right}"
            yield Spot(item.slug, SOURCE, place, message)
        if item.type == "multi" and not right:
            yield Spot(item.slug, SOURCE, place, "no choice is right")
        if item.choices and not wrong:
            yield Spot(item.slug, SOURCE, place, "no choice is wrong")


def no_rationale(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """Each choice says why it is right or wrong, each pitfall why it is common."""
    for item, lang in questions(pack):
        for name, choice in item.texts[lang].choices.items():
            if not choice.rationale:
                message = f"choice {name!r} has no rationale"
                yield Spot(item.slug, lang, ("choices", name), message)
        for i, pitfall in enumerate(item.texts[lang].pitfalls):
            if not pitfall.why:
                message = "the pitfall does not say why it is common"
                yield Spot(item.slug, lang, ("pitfalls", i), message)


def missing_depth(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """All explanations are there, each of the three longer than the one before."""
    for item, lang in questions(pack):
        texts = item.texts[lang]
        for field in ("short", "detailed", "full", "hook", "pitfalls", "follow_ups"):
            if not getattr(texts, field):
                yield Spot(item.slug, lang, (field,), "the section is empty")
        for less, more in (("short", "detailed"), ("detailed", "full")):
            if len(getattr(texts, more)) <= len(getattr(texts, less)):
                message = f"is no longer than the section {less!r}"
                yield Spot(item.slug, lang, (more,), message)


def no_reference(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    for item, lang in questions(pack):
        if not item.texts[lang].references:
            yield Spot(item.slug, lang, ("references",), "no source is named")


def unknown_follow_up(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    slugs = {item.slug for item in pack.questions}
    for item, lang in questions(pack):
        for i, follow_up in enumerate(item.texts[lang].follow_ups):
            if follow_up.slug and follow_up.slug not in slugs - {item.slug}:
                message = f"{follow_up.slug!r} is no other question of the pack"
                yield Spot(item.slug, lang, ("follow_ups", i), message)


def idle_phrase(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """Each key point has phrases, and each phrase says enough to be looked for."""
    for item, lang in questions(pack):
        for name, point in item.texts[lang].key_points.items():
            if not point.phrases:
                message = f"key point {name!r} has no phrases"
                yield Spot(item.slug, lang, ("key_points", name), message)
            for field in ("phrases", "misconceptions"):
                for phrase in getattr(point, field):
                    if weight(phrase) < MIN_WEIGHT:
                        message = f"{phrase!r} is too short to be looked for"
                        yield Spot(
                            item.slug, lang, ("key_points", name, field), message
                        )


def untaught_point(pack: PackItem, _claims: Claims) -> Iterator[Spot]:
    """The explanations make each key point, in its phrases, and no misconception."""
    for item, lang in questions(pack):
        texts = item.texts[lang]
        answer = "\n".join((texts.short, texts.detailed, texts.full))
        for name, point in texts.key_points.items():
            found = suggest(answer, point.phrases, point.misconceptions)
            if not found.matched:
                message = f"no phrase of {name!r} stands in the explanations"
                yield Spot(item.slug, lang, ("key_points", name), message)
            if found.contradicted:
                message = f"an explanation says what is wrong: {found.contradicted!r}"
                yield Spot(item.slug, lang, ("key_points", name), message)


RULES = (
    missing_translation,
    key_mismatch,
    no_rationale,
    missing_depth,
    no_reference,
    unknown_follow_up,
    idle_phrase,
    untaught_point,
)
