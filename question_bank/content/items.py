"""A question as its authors wrote it: facts, and texts by language. All immutable."""

import re
from math import isfinite
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from question_bank.content.prose import check_line, check_prose
from question_bank.grading import KEY_POINTS, TOLERANCE

Lang = Literal["en", "zh"]
Topic = Literal[
    "placement",
    "operators",
    "stability",
    "depth",
    "practice",
    "initialisation",
    "optimisation",
    "precision",
    "attention",
    "models",
    "diagnosis",
]
Type = Literal["single", "multi", "open", "estimate"]
Level = Literal["easy", "mid", "hard", "extreme"]
Scoring = Literal["all-or-nothing", "net-correct", "each-option"]

SOURCE: Lang = "en"
LANGUAGES: tuple[Lang, ...] = get_args(Lang)
TOPICS: tuple[Topic, ...] = get_args(Topic)
TYPES: tuple[Type, ...] = get_args(Type)
LEVELS: tuple[Level, ...] = get_args(Level)

FIXED = "(fixed)"
FOLLOW_UP = re.compile(r"(.+) → `([a-z0-9-]+)`")
NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"
ESTIMATE = "estimate"
"""The type of a question for a number, and the name of its one part."""
_IDENTIFIER = "[a-z][a-z0-9_]*"


def _filled(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


def _choice_text(text: str) -> str:
    if text.startswith(FIXED):
        raise ValueError(f"may not begin with {FIXED}")
    return text


def _phrase(text: str) -> str:
    if "|" in text:
        raise ValueError("a phrase may not hold |")
    return text


def _prompt(text: str) -> str:
    if FOLLOW_UP.fullmatch(text):
        raise ValueError("a prompt may not end like a link to a question")
    return text


def _scalars(params: dict[str, Any]) -> dict[str, Any]:
    for name, value in params.items():
        for one in value if isinstance(value, list) else [value]:
            number = isinstance(one, int | float) and isfinite(one)
            if not (number or isinstance(one, str)):
                raise ValueError(f"{name} must be a number, a word, or a list of them")
    return params


Name = Annotated[str, StringConstraints(pattern=f"^{NAME}$", max_length=100)]
MaybeLine = Annotated[str, AfterValidator(check_line)]
Line = Annotated[MaybeLine, AfterValidator(_filled)]
Prose = Annotated[str, AfterValidator(check_prose)]
Phrase = Annotated[Line, AfterValidator(_phrase)]
Params = Annotated[dict[Line, Any], AfterValidator(_scalars)]
Identifier = Annotated[str, StringConstraints(pattern=f"^{_IDENTIFIER}$")]
Measured = Annotated[str, StringConstraints(pattern=rf"^{_IDENTIFIER}\.{_IDENTIFIER}$")]
"""``experiment.claim`` or ``experiment.metric``."""


class Item(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")


class EvidenceItem(Item):
    """A claim of an experiment, and the verdict that agrees with the key."""

    claim: Measured
    params: Params = {}  # what differs from the experiment's defaults
    outcome: Literal["supported", "refuted"] = "supported"
    supports: tuple[Name, ...] = ()  # choices, key points or ``estimate``
    refutes: tuple[Name, ...] = ()

    @property
    def experiment(self) -> str:
        return self.claim.partition(".")[0]

    @property
    def claim_id(self) -> str:
        return self.claim.partition(".")[2]


class Unit(Item):
    """What a number counts, in every language."""

    en: Line
    zh: Line


class EstimateItem(Item):
    """A metric whose median over the seeds is the key, and how near it is right."""

    metric: Measured
    params: Params = {}  # what differs from the experiment's defaults
    factor: float | None = Field(None, gt=1, strict=True, allow_inf_nan=False)
    margin: float | None = Field(None, gt=0, strict=True, allow_inf_nan=False)
    unit: Unit | None = None

    @model_validator(mode="after")
    def _one_tolerance(self) -> Self:
        if (self.factor is None) == (self.margin is None):
            raise ValueError("an estimate has either a factor or a margin")
        return self

    @property
    def experiment(self) -> str:
        return self.metric.partition(".")[0]

    @property
    def metric_id(self) -> str:
        return self.metric.partition(".")[2]


class FigureItem(Item):
    """A figure of an experiment that is shown below the stem."""

    experiment: Identifier
    id: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]*$")]
    params: Params = {}  # what differs from the experiment's defaults


class ChoiceItem(Item):
    """What is true of a choice in every language."""

    name: Name
    correct: bool = False
    fixed: bool = False  # stays last when choices are shuffled


class ChoiceText(Item):
    text: Annotated[Line, AfterValidator(_choice_text)]
    rationale: MaybeLine = ""


class KeyPointText(Item):
    text: Line
    phrases: tuple[Phrase, ...] = ()
    misconceptions: tuple[Phrase, ...] = ()


class PitfallText(Item):
    belief: Line
    why: MaybeLine = ""


class FollowUpText(Item):
    prompt: Annotated[Line, AfterValidator(_prompt)]
    slug: Name | None = None


class ReferenceText(Item):
    title: Annotated[Line, StringConstraints(pattern=r"^(?:[^\]]|\](?:[^(]|$))+$")]
    url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s()<>]+$")]
    note: MaybeLine = ""


class Texts(Item):
    """A question in one language. Prose is Markdown with $formulas$."""

    title: Line
    stem: Annotated[Prose, AfterValidator(_filled)]
    choices: dict[Name, ChoiceText] = {}
    key_points: dict[Name, KeyPointText] = {}
    short: Prose
    detailed: Prose
    full: Prose
    hook: Prose
    pitfalls: tuple[PitfallText, ...] = ()
    follow_ups: tuple[FollowUpText, ...] = ()
    references: tuple[ReferenceText, ...] = ()


class Facts(Item):
    """The front matter of a question."""

    topic: Topic
    type: Type
    level: Level
    tags: tuple[Name, ...] = ()
    scoring: Scoring = "net-correct"  # of a multi-select question
    figure: FigureItem | None = None
    estimate: EstimateItem | None = None
    unmeasured: tuple[Name, ...] = ()  # choices on which no measurement can bear
    evidence: tuple[EvidenceItem, ...] = ()

    @model_validator(mode="after")
    def _some_fields_are_for_one_type(self) -> Self:
        if self.type != "multi" and self.scoring != "net-correct":
            raise ValueError("scoring is for multi-select questions")
        if (self.type == ESTIMATE) != (self.estimate is not None):
            raise ValueError("type estimate and the field estimate belong together")
        return self

    @property
    def rule(self) -> str:
        """The name of the rule that scores an answer."""
        if self.type == "multi":
            return self.scoring
        rules = {"single": "all-or-nothing", "open": KEY_POINTS, ESTIMATE: TOLERANCE}
        return rules[self.type]


class QuestionItem(Facts):
    """A question in all its languages; the source language is always there."""

    slug: Name
    choices: tuple[ChoiceItem, ...] = ()
    key_points: tuple[Name, ...] = ()
    texts: dict[Lang, Texts]

    @model_validator(mode="after")
    def _every_text_has_every_part(self) -> Self:
        choices = [choice.name for choice in self.choices]
        for names in (choices, list(self.key_points)):
            if len(set(names)) < len(names):
                raise ValueError("two parts have the same name")
        if SOURCE not in self.texts:
            raise ValueError(f"the text in {SOURCE} is missing")
        for lang, text in self.texts.items():
            if list(text.choices) != choices:
                raise ValueError(f"the choices differ in {lang}")
            if list(text.key_points) != list(self.key_points):
                raise ValueError(f"the key points differ in {lang}")
        needed = (self.type in {"single", "multi"}, self.type == "open")
        if (bool(choices), bool(self.key_points)) != needed:
            raise ValueError("choices or, for an open question, key points")
        return self

    def with_text(self, lang: Lang, texts: Texts) -> "QuestionItem":
        """The question in one more language. Raises ValueError when parts differ."""
        values = {**dict(self), "texts": {**self.texts, lang: texts}}
        return QuestionItem.model_validate(values)

    @property
    def key(self) -> frozenset[str]:
        """The names of the right choices."""
        return frozenset(choice.name for choice in self.choices if choice.correct)

    @property
    def choice_names(self) -> tuple[str, ...]:
        return tuple(choice.name for choice in self.choices)

    @property
    def measured(self) -> frozenset[str]:
        """The names of the parts that evidence bears on."""
        return frozenset(
            name for one in self.evidence for name in (*one.supports, *one.refutes)
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of what evidence can bear on, in order."""
        if self.type == ESTIMATE:
            return (ESTIMATE,)
        return self.choice_names or self.key_points
