"""What a monitor reads at each layer, and which layer broke first.

Signs are ordered as a training step computes them: forward through the layers (attention
logits, branches, output), backward through them (gradients), then the update. A fault shows
in everything computed after it, so the earliest sign is the one that names its place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, isnan

LOGIT, OUTPUT, GRADIENT, UPDATE = (
    "largest attention logit",
    "activation RMS",
    "gradient norm",
    "update over weight",
)
FACTOR = (
    5.0  # times the largest healthy value, or a fraction of the smallest, is broken
)
LIMITS = {  # where there is nothing healthy to compare with
    LOGIT: 1e3,  # Wortsman et al. 2023, section 3.1.1: losses suffer from there on
    UPDATE: 0.5,  # half of a layer's weights replaced at once
}


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One layer's numbers; None where nothing was measured.

    ``branches`` are RMS of a branch over that of the layer's input; ``gradient`` is the norm
    over the layer's weights before any clipping; ``update`` how far they moved, relative to
    their norm.
    """

    name: str
    input: float | None = None
    logit: float | None = None
    branches: Mapping[str, float] = field(default_factory=dict)
    rms: float | None = None
    gradient: float | None = None
    update: float | None = None

    @property
    def branch(self) -> float | None:
        """The largest of the branches; NaN is larger than all."""
        return max(self.branches.values(), key=_size, default=None)

    def forward(self) -> dict[str, float]:
        """The signs of the forward pass by name, in the order they are computed."""
        ratios = {f"branch {name} over stream": r for name, r in self.branches.items()}
        found = {LOGIT: self.logit, **ratios, OUTPUT: self.rms}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Broken:
    """The layer that broke first, by which sign, and the largest value that was expected."""

    layer: str
    sign: str
    value: float
    usual: float
    reason: str

    def __str__(self) -> str:
        return f"{self.layer}: {self.reason}"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The layers of a model in the order they ran."""

    layers: Sequence[Layer]

    def __getitem__(self, name: str) -> Layer:
        """The layer of that name; KeyError where none ran."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise KeyError(name)

    def __str__(self) -> str:
        columns = "layer", "rms", "branch", "logit", "gradient", "update"
        rows = [
            [layer.name, *(_number(getattr(layer, name)) for name in columns[1:])]
            for layer in self.layers
        ]
        width = max(map(len, (columns[0], *(row[0] for row in rows))))
        return "\n".join(
            f"{name:{width}}" + "".join(f"{number:>10}" for number in numbers)
            for name, *numbers in (columns, *rows)
        )

    @property
    def first_non_finite(self) -> str | None:
        """The first layer whose output is infinite, NaN or too large to square."""
        sizes = ((layer.name, layer.rms) for layer in self.layers)
        return next(
            (n for n, rms in sizes if rms is not None and not isfinite(rms)), None
        )

    def broken(
        self, healthy: Sequence["Reading"] = (), factor: float = FACTOR
    ) -> Broken | None:
        """The earliest broken layer, or None where all is well.

        Broken is a value that is not finite; a gradient of exactly zero, unless it was in
        an earlier reading; and, held against earlier readings of the same model, whatever
        leaves their range by more than a factor (an attention logit and an update only
        upwards). Without such readings only what no training survives counts:
        :data:`LIMITS`.
        """
        usual = _ranges(healthy)
        for layer in self.layers:
            for sign, value in layer.forward().items():
                if found := _judge(layer, sign, value, usual, factor):
                    return found
        for layer in reversed(self.layers):
            if layer.gradient is not None and (
                found := _judge(layer, GRADIENT, layer.gradient, usual, factor)
            ):
                return found
        moved = [
            found
            for layer in self.layers
            if layer.update is not None
            and (found := _judge(layer, UPDATE, layer.update, usual, factor))
        ]
        return max(
            moved, key=lambda found: _size(found.value / found.usual), default=None
        )


Ranges = Mapping[tuple[str, str], tuple[float, float]]


def _signs(layer: Layer) -> Iterator[tuple[str, float]]:
    yield from layer.forward().items()
    for sign, value in ((GRADIENT, layer.gradient), (UPDATE, layer.update)):
        if value is not None:
            yield sign, value


def _ranges(healthy: Sequence[Reading]) -> Ranges:
    """Smallest and largest finite value of each layer's signs."""
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for reading in healthy:
        for layer in reading.layers:
            for sign, value in _signs(layer):
                if isfinite(value):
                    low, high = found.get((layer.name, sign), (value, value))
                    found[layer.name, sign] = min(low, value), max(high, value)
    return found


def _judge(
    layer: Layer, sign: str, value: float, usual: Ranges, factor: float
) -> Broken | None:
    known = (layer.name, sign) in usual
    low, high = usual.get((layer.name, sign), (0.0, 0.0))
    limit = factor * high if high else LIMITS.get(sign, inf)
    expected = high or limit
    if not isfinite(value):
        fine = layer.input is None or isfinite(layer.input)
        so_far = "its input still was" if fine else "its input already was not"
        reason = f"{sign} is not finite; {so_far}"
    elif sign == GRADIENT and value == 0 and not (known and low == 0):
        reason = "no gradient arrives"
    elif value > limit:
        than = (
            f"usually at most {high:.3g}"
            if high
            else f"more than {limit:g} is too much"
        )
        reason = f"{sign} is {value:.3g}, {than}"
    elif sign not in (LOGIT, UPDATE) and value * factor < low:
        reason = f"{sign} is {value:.3g}, usually at least {low:.3g}"
    else:
        return None
    return Broken(
        layer=layer.name, sign=sign, value=value, usual=expected, reason=reason
    )


def _size(value: float) -> tuple[bool, float]:
    """To order by: NaN after all."""
    return isnan(value), value


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
