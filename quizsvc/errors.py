"""Every error of the API leaves as an RFC 9457 problem document."""

import logging
import sqlite3
from http import HTTPStatus
from typing import Any

from apiflask import APIFlask, HTTPError
from flask import Response, g, json, render_template, request
from flask_wtf.csrf import CSRFError
from pydantic import ValidationError
from sqlalchemy.exc import DatabaseError, OperationalError, TimeoutError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from quizsvc.idempotency import HEADER, LONGEST
from quizsvc.refusals import FieldError, Refused

log = logging.getLogger(__name__)

PROBLEM = "application/problem+json"
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
SCHEMA = {  # a plain dict: APIFlask cannot take a Pydantic model here
    "type": "object",
    "required": ["type", "title", "status", "code", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "code": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "code", "detail"],
                "properties": {
                    "pointer": {"type": "string"},
                    "code": {"type": "string"},
                    "detail": {"type": "string"},
                },
            },
        },
    },
}
IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The ETag of what was read.",
    "schema": {"type": "string"},
}


def problem(
    status: int, code: str, detail: str, errors: tuple[FieldError, ...] = ()
) -> Response:
    """A problem document as a response."""
    body: dict[str, Any] = {
        "type": f"/problems/{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": request.path,
        "code": code,
        "request_id": g.get("request_id", ""),
    }
    if errors:
        body["errors"] = [vars(error) for error in errors]
    return Response(json.dumps(body), status, mimetype=PROBLEM)


def http_error(error: HTTPError) -> Response:
    """What APIFlask raises for a body or a query that does not fit its schema."""
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return reply(error.status_code, _code(error.status_code), error.message or "")
    if "query" in error.detail:
        errors = _fields(cause, "unknown-parameter")
        return problem(400, errors[0].code, errors[0].detail, errors)
    errors = _fields(cause, "unknown-field")
    detail = "The body does not fit; see errors for each field."
    return problem(422, "invalid-input", detail, errors)


def reply(
    status: int, code: str, detail: str, errors: tuple[FieldError, ...] = ()
) -> Response:
    """The error as the caller reads it: a problem document, or a page."""
    if request.path.startswith("/api/"):
        response = problem(status, code, detail, errors)
    else:
        page = render_template("error.html", status=status, code=code, detail=detail)
        response = Response(page, status, mimetype="text/html")
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = "2"
    return response


def _code(status: int) -> str:
    return HTTPStatus(status).phrase.lower().replace(" ", "-")


def refused(error: Refused) -> Response:
    return reply(error.status, error.code, error.detail, error.errors)


def raised(error: HTTPException) -> BaseResponse:
    """What Flask and Werkzeug raise: unknown routes, wrong methods, bad bodies, crashes."""
    if error.code is None or error.code < 400:
        return error.get_response()
    code = "stale-form" if isinstance(error, CSRFError) else _code(error.code)
    response = reply(error.code, code, error.description or error.name)
    for name, value in error.get_headers():
        if name.lower() not in {"content-type", "content-length"}:
            response.headers[name] = value
    return response


def unavailable(error: Exception) -> Response:
    """A database that is locked or restarting, full or broken: nothing was written."""
    log.warning("database unavailable: %s", error)
    code = getattr(
        getattr(error, "orig", None), "sqlite_errorcode", sqlite3.SQLITE_BUSY
    )
    if code == sqlite3.SQLITE_FULL:
        detail = "The disk is full. Nothing was saved; free some space and try again."
        return reply(503, "storage-full", detail)
    if code & 0xFF not in BUSY:
        detail = "The database cannot be used; the log of the service says why."
        return reply(503, "database-broken", detail)
    detail = "The database is busy. Nothing was saved; please try again."
    return reply(503, "database-unavailable", detail)


def broken(error: DatabaseError) -> Response:
    """A file that is no database, or a damaged one; all else of its kind is our fault."""
    if type(error.orig) is not sqlite3.DatabaseError:
        raise error
    return unavailable(error)


def _fields(error: ValidationError, unknown: str) -> tuple[FieldError, ...]:
    codes = {"extra_forbidden": unknown, "missing": "missing"}
    return tuple(
        FieldError(
            pointer="/" + "/".join(str(part) for part in item["loc"]),
            code=codes.get(item["type"], "invalid"),
            detail=item["msg"],
        )
        for item in error.errors(include_input=False, include_url=False)
    )


def describe(spec: Any) -> Any:
    """Add what APIFlask leaves out: bodies are required, errors are problems."""
    for operation in (o for path in spec["paths"].values() for o in path.values()):
        if (media := operation.pop("x-body", None)) is not None:
            text = {"schema": {"type": "string"}}
            operation["requestBody"] = {"content": {media: text}}
        if "requestBody" in operation:
            operation["requestBody"]["required"] = True
            operation["responses"].setdefault("415", _described(415))
            operation["responses"].setdefault("413", _described(413))
            operation["responses"].setdefault("422", _described(422))
        if "requestBody" in operation or operation.get("parameters"):
            operation["responses"].setdefault("400", _described(400))
        operation["responses"].setdefault("503", _described(503))
        if (needed := operation.pop("x-idempotency", None)) is not None:
            operation.setdefault("parameters", []).append(_idempotency(needed))
        if operation.pop("x-if-match", False):
            operation.setdefault("parameters", []).append(IF_MATCH)
        for status, response in operation["responses"].items():
            if status >= "400":
                response["content"] = {PROBLEM: {"schema": SCHEMA}}
    return spec


def _idempotency(needed: bool) -> dict[str, Any]:
    about = "A value of your own, new for each request; send it again to retry."
    schema = {"type": "string", "minLength": 1, "maxLength": LONGEST}
    return {
        "name": HEADER,
        "in": "header",
        "required": needed,
        "description": about,
        "schema": schema,
    }


def _described(status: int) -> dict[str, Any]:
    return {"description": HTTPStatus(status).phrase}


def init_app(app: APIFlask) -> None:
    app.config |= {"HTTP_ERROR_SCHEMA": SCHEMA, "VALIDATION_ERROR_SCHEMA": SCHEMA}
    app.error_processor(http_error)
    app.spec_processor(describe)
    app.register_error_handler(HTTPException, raised)
    app.register_error_handler(Refused, refused)
    app.register_error_handler(OperationalError, unavailable)
    app.register_error_handler(DatabaseError, broken)
    app.register_error_handler(TimeoutError, unavailable)
