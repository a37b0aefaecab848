"""Pure: a request's parameters and seeds against an experiment's JSON Schema."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from quizsvc.refusals import FieldError
from sim.core import MAX_SEED, MAX_SEEDS, MIN_SEEDS

EXACT = 2**53
"""Beyond it, neighbouring integers are one number to many readers of JSON."""


def canonical(schema: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Valid parameters, complete: every field of the schema, defaults filled in, whole
    numbers int where the schema says integer and float where it says number."""
    values = {}
    for name, field in schema.get("properties", {}).items():
        value = params.get(name, field.get("default"))
        if field.get("type") == "integer":
            value = int(value)
        elif field.get("type") == "number":
            value = float(value) + 0.0  # -0.0 is 0.0
        values[name] = value
    return values


def param_errors(schema: Mapping[str, Any], params: object) -> list[FieldError]:
    """What is wrong with parameters, one error for each field: unknown ones
    first, then in the schema's order."""
    if not isinstance(params, Mapping):
        return [_error("/params", "wrong-type", "params must be an object.")]
    errors = {
        error.pointer: error
        for found in _Validator(schema).iter_errors(params)
        for error in _of_validation(found)
    }
    fields = schema.get("properties", {})
    for name, field in fields.items():
        value, pointer = params.get(name), _pointer(name)
        whole = int | float if field.get("type") == "integer" else int
        if isinstance(value, whole) and abs(value) > EXACT and pointer not in errors:
            detail = f"{name} must be between -2^53 and 2^53."
            errors[pointer] = _error(pointer, "out-of-range", detail)
    order = {_pointer(name): place for place, name in enumerate(fields)}
    return sorted(errors.values(), key=lambda error: order.get(error.pointer, -1))


def seed_errors(seeds: object) -> list[FieldError]:
    """What is wrong with seeds: 5 to 20 distinct whole numbers from 0 to 2^31 - 1."""
    if not isinstance(seeds, Sequence) or isinstance(seeds, str | bytes):
        return [_error("/seeds", "wrong-type", "seeds must be a list.")]
    if not MIN_SEEDS <= len(seeds) <= MAX_SEEDS:
        detail = f"There must be {MIN_SEEDS} to {MAX_SEEDS} seeds."
        return [_error("/seeds", "out-of-range", detail)]
    for place, seed in enumerate(seeds):
        if not isinstance(seed, int) or isinstance(seed, bool):
            detail = "A seed must be a whole number."
            return [_error(f"/seeds/{place}", "wrong-type", detail)]
        if not 0 <= seed <= MAX_SEED:
            detail = f"A seed must be between 0 and {MAX_SEED}."
            return [_error(f"/seeds/{place}", "out-of-range", detail)]
    if len(set(seeds)) < len(seeds):
        return [_error("/seeds", "not-distinct", "Every seed may appear only once.")]
    return []


def _is_number(_checker: object, value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_integer(checker: object, value: object) -> bool:
    whole = not isinstance(value, float) or value.is_integer()
    return _is_number(checker, value) and whole


_Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"number": _is_number, "integer": _is_integer}
    ),
)

_KINDS = {
    "integer": "a whole number",
    "number": "a finite number",
    "boolean": "true or false",
    "string": "a word",
    "array": "a list",
}


def _of_validation(found: ValidationError) -> Iterator[FieldError]:
    rule, schema = found.validator, cast(Mapping[str, Any], found.schema)
    if rule == "additionalProperties":
        for name in cast(Mapping[str, Any], found.instance):
            if name not in schema.get("properties", {}):
                detail = "The experiment has no such parameter."
                yield _error(_pointer(name), "unknown-field", detail)
        return
    name = str(found.absolute_path[0]) if found.absolute_path else ""
    pointer = "/params" + "".join(_escape(part) for part in found.absolute_path)
    if rule == "type":
        kind = _KINDS.get(str(schema["type"]), str(schema["type"]))
        yield _error(pointer, "wrong-type", f"{name} must be {kind}.")
    elif rule in {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}:
        yield _error(pointer, "out-of-range", f"{name} must be {_range(schema)}.")
    elif rule in {"enum", "const"}:
        options = ", ".join(map(str, schema.get("enum", [schema.get("const")])))
        yield _error(pointer, "not-an-option", f"{name} must be one of: {options}.")
    else:
        yield _error(pointer, "invalid", f"{name} cannot have this value.")


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f"between {low:g} and {high:g}"
    bounds = [
        words.format(bound)
        for words, bound in (
            ("at least {:g}", low),
            ("more than {:g}", above),
            ("at most {:g}", high),
            ("less than {:g}", below),
        )
        if bound is not None
    ]
    return " and ".join(bounds)


def _pointer(name: str) -> str:
    return "/params" + _escape(name)


def _escape(part: object) -> str:
    """One step of a JSON Pointer (RFC 6901)."""
    return "/" + str(part).replace("~", "~0").replace("/", "~1")


def _error(pointer: str, code: str, detail: str) -> FieldError:
    return FieldError(pointer=pointer, code=code, detail=detail)
