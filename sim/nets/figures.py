"""Curves over seeds as figure data, and the names and words that figures share."""

from collections.abc import Mapping, Sequence
from typing import Literal

from torch import Tensor

from sim.core import Axis, Series, Text

Key = Literal["1", "2", "3", "4", "t"]

PRE = Text(en="Pre-Norm", zh="Pre-Norm")
POST = Text(en="Post-Norm", zh="Post-Norm")
PLAIN = Text(en="No residual connection", zh="无残差连接")
LAYER = Axis(label=Text(en="Layer", zh="层"))
NAMES: Mapping[str, tuple[Text, Key]] = {
    "pre": (PRE, "1"),
    "post": (POST, "2"),
    "plain": (PLAIN, "3"),
}


def band(name: Text, key: Key, x: Sequence[float], values: Tensor) -> Series:
    """The median over the seeds of (K, S), with smallest and largest as its band."""
    return Series(
        name=name,
        key=key,
        x=list(x),
        y=values.quantile(0.5, dim=1).tolist(),
        low=values.amin(1).tolist(),
        high=values.amax(1).tolist(),
    )


def placed(placement: str, x: Sequence[float], values: Tensor) -> Series:
    """A placement's own band, by its own name and key."""
    name, key = NAMES[placement]
    return band(name, key, x, values)


def formula(tex: str) -> Text:
    """A name that reads the same in every language."""
    return Text(en=tex, zh=tex)


def theory(name: Text, x: Sequence[float], y: Sequence[float]) -> Series:
    return Series(name=name, key="t", x=list(x), y=list(y))
