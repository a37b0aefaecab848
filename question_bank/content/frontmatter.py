"""Front matter: a small YAML 1.2 mapping, read with the line of every value."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    NodeEvent,
)
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

MAX_DEPTH = 8

Place = tuple[str | int, ...]
"""Where a value lies in a question, such as ("evidence", 0, "claim")."""

_PLAIN = re.compile(r"[^\W\d_][\w-]*(?: [\w-]+)*")
_RESERVED = frozenset({"true", "false", "null"})


class FrontMatterError(ValueError):
    """YAML that is not a plain mapping; ``line`` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def read(text: str) -> tuple[dict[str, Any], dict[Place, int]]:
    """A mapping and the line of each of its values. Raises FrontMatterError."""
    yaml = YAML(typ="safe", pure=True)
    try:
        _refuse(yaml.parse(text))
        node = yaml.compose(text)
        values = yaml.load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise FrontMatterError(line, f"YAML: {error.problem or error}") from error
    except (ValueError, OverflowError) as error:  # a date or a number out of range
        if isinstance(error, FrontMatterError):
            raise
        raise FrontMatterError(1, f"YAML: {error}") from error
    if values is None:
        return {}, {}
    if not isinstance(values, dict) or not all(isinstance(k, str) for k in values):
        raise FrontMatterError(1, "the front matter is not a mapping of fields")
    lines: dict[Place, int] = {}
    _locate(node, (), lines)
    return values, lines


def _refuse(events: Iterable[Any]) -> None:
    depth = 0
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, AliasEvent) or (
            isinstance(event, NodeEvent) and event.anchor
        ):
            raise FrontMatterError(line, "anchors and aliases are not allowed")
        if getattr(event, "tag", None):
            raise FrontMatterError(line, "YAML tags are not allowed")
        depth += isinstance(event, CollectionStartEvent)
        depth -= isinstance(event, CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise FrontMatterError(line, "is nested too deeply")


def _locate(node: Node, place: Place, lines: dict[Place, int]) -> None:
    lines[place] = node.start_mark.line + 1
    if isinstance(node, MappingNode):
        for key, value in node.value:
            _locate(value, (*place, key.value), lines)
            lines[(*place, key.value)] = key.start_mark.line + 1
    elif isinstance(node, SequenceNode):
        for index, value in enumerate(node.value):
            _locate(value, (*place, index), lines)


def flow(value: Any) -> str:
    """A value on one line of YAML, such as ``{depth: 24}`` or ``[a, b]``."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{flow(k)}: {flow(v)}" for k, v in value.items())
        return "{" + inside + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if (
        isinstance(value, str)
        and _PLAIN.fullmatch(value)
        and value.casefold() not in _RESERVED
    ):
        return value
    return json.dumps(value, ensure_ascii=False)
