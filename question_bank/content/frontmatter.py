"""Front matter: a small YAML 1.2 mapping, read with the line of every value."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    NodeEvent,
)
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # no wheel for this machine: the same, slower
    from yaml import SafeLoader  # type: ignore[assignment]

MAX_DEPTH = 8

Place = tuple[str | int, ...]
"""Where a value lies in a question, such as ("evidence", 0, "claim")."""

_PLAIN = re.compile(r"[^\W\d_][\w-]*(?: [\w-]+)*")
_RESERVED = frozenset({"true", "false", "null"})
_FLOAT = r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"


class FrontMatterError(ValueError):
    """YAML that is not a plain mapping; ``line`` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class _Loader(SafeLoader):
    """Reads plain scalars as YAML 1.2 does, where ``no`` and ``12:30`` are words."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


def _whole(loader: SafeLoader, node: ScalarNode) -> int:
    return int(loader.construct_scalar(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _whole)
for _tag, _starts, _pattern in (
    ("null", ["", *"~nN"], r"~|null|Null|NULL|"),
    ("bool", [*"tTfF"], r"true|True|TRUE|false|False|FALSE"),
    ("int", [*"-+0123456789"], r"[-+]?\d+"),
    ("float", [*"-+.0123456789"], _FLOAT),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}",
        re.compile(rf"(?:{_pattern})\Z", re.ASCII),
        _starts,
    )


def read(text: str) -> tuple[dict[str, Any], dict[Place, int]]:
    """A mapping and the line of each of its values. Raises FrontMatterError."""
    lines: dict[Place, int] = {}
    try:
        _check(yaml.parse(text, _Loader))
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        values = loader.construct_document(node)  # refuses keys that are no words
        _locate(node, (), lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise FrontMatterError(line, f"YAML: {error.problem or error}") from error
    except (yaml.YAMLError, ValueError) as error:  # such as a number of 5,000 digits
        if isinstance(error, FrontMatterError):
            raise
        raise FrontMatterError(1, f"YAML: {error}") from error
    if not isinstance(values, dict) or not all(isinstance(k, str) for k in values):
        raise FrontMatterError(1, "the front matter is not a mapping of fields")
    return values, lines


def _check(events: Iterable[Event]) -> None:
    depth = 0
    for event in events:
        line = event.start_mark.line + 1 if event.start_mark else 1
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
    """Enter the line of every value. Raises FrontMatterError for a field given twice."""
    lines[place] = node.start_mark.line + 1
    if isinstance(node, MappingNode):
        for key, value in node.value:
            line, inner = key.start_mark.line + 1, (*place, key.value)
            if inner in lines:
                raise FrontMatterError(line, f"duplicate key {key.value!r}")
            _locate(value, inner, lines)
            lines[inner] = line
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
