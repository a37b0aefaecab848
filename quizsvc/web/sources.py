"""Pure: where an experiment's program works out what, and the command that runs it."""

import ast
import json
import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sim.core import DEFAULT_SEEDS


def command(
    name: str,
    schema: Mapping[str, Any],
    params: Mapping[str, Any],
    seeds: Sequence[int],
) -> str:
    """What to type for the same run: everything that is not at its default."""
    words = ["python", "-m", "sim", "run", name]
    for key, field in schema["properties"].items():
        if key in params and params[key] != field.get("default"):
            words += [f"--{key.replace('_', '-')}", _text(params[key])]
    if list(seeds) != list(DEFAULT_SEEDS):
        words += ["--seeds", ",".join(map(str, seeds))]
    return shlex.join(words)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=64)
def places(source: str) -> Mapping[str, int]:
    """The line on which each metric is worked out: the last that holds it as a key of a
    dictionary or of what it is stored under; lines count from 1."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(source)):
        keys: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            keys = list(node.keys)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            keys = [node.slice]
        for key in keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found[key.value] = max(key.lineno, found.get(key.value, 0))
    return found
