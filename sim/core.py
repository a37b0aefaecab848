"""What every experiment is made of: parameters, claims, a result, verdicts."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from math import isnan, nan
from statistics import median
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

MIN_SEEDS = 5
MAX_SEEDS = 20
DEFAULT_SEEDS = (0, 1, 2, 3, 4)
MAX_SEED = 2**31 - 1
THREADS = 2
"""How many an experiment may compute with at a time."""

Progress = Callable[[float], None]
"""Told the fraction done, 0 to 1; may be called as often as one likes."""


def quiet(_fraction: float) -> None:
    """A listener for runs that nobody watches."""


@dataclass(frozen=True, kw_only=True)
class Text:
    """One sentence in both languages of the product; Markdown with $formulas$."""

    en: str
    zh: str


def param(  # noqa: PLR0913 - each keyword is one attribute of the control on the page
    default: Any,
    *,
    title: Text,
    about: Text,
    unit: Text | None = None,
    ge: float | None = None,
    le: float | None = None,
    step: float | None = None,
) -> Any:
    """A field of ``Params``: its bounds, unit and words; the page's slider comes from it."""
    words: dict[str, Any] = {
        "title": asdict(title),
        "about": asdict(about),
        "step": step,
    }
    if unit is not None:
        words["unit"] = asdict(unit)
    return Field(default, ge=ge, le=le, json_schema_extra={"x-control": words})


class Params(BaseModel):
    """The parameters of an experiment, each made by :func:`param`. Immutable and strict."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False
    )


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence about a metric, with an open interval fixed before any run.

    ``over`` says what has to lie between the bounds: the value of every seed, or the
    median over the seeds (for training runs, where single seeds may stray).
    """

    id: str
    statement: Text
    metric: str
    above: float | None = None
    below: float | None = None
    source: str
    regime: Text
    over: Literal["seeds", "median"] = "seeds"

    def __post_init__(self) -> None:
        if self.above is None and self.below is None:
            raise ValueError(f"{self.id}: a claim needs a bound")
        if (
            self.above is not None
            and self.below is not None
            and self.above >= self.below
        ):
            raise ValueError(f"{self.id}: nothing lies between the bounds")

    def holds(self, value: float) -> bool:
        """Whether a value lies inside the bounds; NaN never does."""
        over = self.above is None or value > self.above
        under = self.below is None or value < self.below
        return over and under and not isnan(value)


@dataclass(frozen=True, kw_only=True)
class Axis:
    """``ticks`` name the whole-numbered positions 0, 1, 2 … of categories."""

    label: Text
    scale: Literal["linear", "log"] = "linear"
    ticks: Sequence[Text] = ()


Key = Literal["1", "2", "3", "4", "5", "6", "7", "8", "t"]


@dataclass(frozen=True, kw_only=True)
class Series:
    """A curve. ``low`` and ``high`` are a band (smallest and largest over the seeds).

    ``key`` fixes colour and dash: "1" pre, "2" post, "3" to "8" others, "t" theory.
    """

    name: Text
    key: Key
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True, kw_only=True)
class Step:
    """A place on the way through a block, named for what has just been done there.

    "in" the stream enters, "read" the branch takes its copy, "norm", "map" attention or
    feed-forward, "scale", "keep" the skip path's part, "add" both parts meet. Between
    "read" and "keep" the data is on the branch, else on the stream or the skip path.
    """

    name: Text
    does: Literal["in", "read", "norm", "map", "scale", "keep", "add"]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Plot data; drawing it is the page's job.

    "heat": each series is a row, from the top, its name the row's label and its y the
    colours of the columns x; ``value`` is the axis of the colours, ``y`` says what rows are.
    "flow": a block's data on its way. Each placement has two series, forward with key "3"
    and the placement's name, the gradient with key "4"; x counts the ``steps`` it has.
    """

    id: str
    title: Text
    alt: Text
    x: Axis
    y: Axis
    series: Sequence[Series]
    kind: Literal["line", "points", "heat", "flow"] = "line"
    value: Axis | None = None
    steps: Sequence[Step] = ()


@dataclass(frozen=True, kw_only=True)
class Result:
    """``metrics`` maps a metric's name to one value for each seed, in their order."""

    metrics: Mapping[str, Sequence[float]]
    figures: Sequence[Figure] = field(default_factory=tuple)


class Outcome(StrEnum):
    SUPPORTED = "supported"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How a claim fared: ``hits`` of ``seeds`` inside, the median and its 95% interval."""

    claim: str
    outcome: Outcome
    hits: int
    seeds: int
    effect: float
    low: float
    high: float


def judge(claim: Claim, result: Result) -> Verdict:
    """Hold a claim against a result.

    Over seeds: supported when every seed agrees, refuted when none does. This is a sign
    test: five seeds on one side happen by luck one time in 32. Over the median: the same
    with both ends of the median's 95% bootstrap interval. NaN for any seed decides
    nothing: inconclusive.

    Raises ValueError with fewer than five seeds.
    """
    values = [float(v) for v in result.metrics[claim.metric]]
    if len(values) < MIN_SEEDS:
        raise ValueError(f"{claim.id}: a verdict needs {MIN_SEEDS} seeds or more")
    low, high = bootstrap(values)
    hits = sum(map(claim.holds, values))
    agree = [claim.holds(v) for v in (values if claim.over == "seeds" else (low, high))]
    if any(map(isnan, (*values, low, high))):
        outcome = Outcome.INCONCLUSIVE
    elif all(agree):
        outcome = Outcome.SUPPORTED
    elif any(agree) or _straddles(claim, low, high):
        outcome = Outcome.INCONCLUSIVE
    else:
        outcome = Outcome.REFUTED
    return Verdict(
        claim=claim.id,
        outcome=outcome,
        hits=hits,
        seeds=len(values),
        effect=nan if any(map(isnan, values)) else median(values),
        low=low,
        high=high,
    )


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """The 95% percentile-bootstrap interval of the median (Efron 1979).

    The same values in any order give the same interval; NaN among them gives NaN.
    """
    ordered = sorted(values)
    medians = [(ordered[i] + ordered[j]) / 2 for i, j in _middles(len(ordered))]
    if any(map(isnan, [*values, *medians])):
        return nan, nan
    medians.sort()
    last = len(medians) - 1
    return medians[round(0.025 * last)], medians[round(0.975 * last)]


@cache
def _middles(n: int, draws: int = 2000) -> list[tuple[int, int]]:
    """Ranks, in a sorted sample of n, of the two values in the middle of each resample."""
    rng = random.Random(0)  # noqa: S311 - resampling, not secrecy
    resamples = (sorted(rng.choices(range(n), k=n)) for _ in range(draws))
    return [(ranks[(n - 1) // 2], ranks[n // 2]) for ranks in resamples]


def _straddles(claim: Claim, low: float, high: float) -> bool:
    """Whether a median's interval lies around an interval claim, touching both outsides."""
    if claim.over == "seeds" or claim.above is None or claim.below is None:
        return False
    return low <= claim.above and high >= claim.below
