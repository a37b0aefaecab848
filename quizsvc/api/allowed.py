"""Query parameters: what the OpenAPI document does not list is refused, on every route."""

import re
from typing import Any, cast

from apiflask import APIFlask
from flask import current_app, request

from quizsvc.refusals import FieldError, Refused

KEPT = "query_parameters"


def refuse_unknown() -> None:
    """Raises Refused 400 for a parameter that the route does not take.

    Left unread it would be taken for granted: a filter that filters nothing.
    """
    rule = request.url_rule
    if not request.args or rule is None or not rule.rule.startswith("/api/v1/"):
        return
    method = "GET" if request.method == "HEAD" else request.method
    known = _documented(cast(APIFlask, current_app)).get(_key(rule.rule, method))
    if known is None:
        return
    errors = [
        FieldError(
            pointer=f"/{name}",
            code="unknown-parameter",
            detail=f"There is no parameter {name[:40]} here.",
        )
        for name in request.args
        if name not in known
    ]
    if errors:
        raise Refused("unknown-parameter", errors[0].detail, errors)


def _key(rule: str, method: str) -> tuple[str, str]:
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule), method.lower()


def _documented(app: APIFlask) -> dict[tuple[str, str], set[str]]:
    """The names that each operation takes; read from the document once."""
    if KEPT not in app.extensions:
        document: Any = app.spec
        app.extensions[KEPT] = {
            (path, method): {
                one["name"]
                for one in operation.get("parameters", [])
                if one["in"] == "query"
            }
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        }
    found: dict[tuple[str, str], set[str]] = app.extensions[KEPT]
    return found


def init_app(app: APIFlask) -> None:
    app.before_request(refuse_unknown)
