"""What came of a run, as tests compare it."""

import json
from collections.abc import Mapping
from typing import Any


def outcomes(run: Mapping[str, Any]) -> dict[str, str]:
    """The outcome of each claim, by its id."""
    return {verdict["claim"]: verdict["outcome"] for verdict in run["verdicts"]}


def told(run: Mapping[str, Any]) -> str:
    """All that a run says, to the last digit, but for how long it took."""
    return json.dumps([run[key] for key in ("metrics", "verdicts", "figures")])
