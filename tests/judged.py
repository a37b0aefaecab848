"""What came of a run's claims."""

from collections.abc import Mapping
from typing import Any


def outcomes(run: Mapping[str, Any]) -> dict[str, str]:
    """The outcome of each claim, by its id."""
    return {verdict["claim"]: verdict["outcome"] for verdict in run["verdicts"]}
