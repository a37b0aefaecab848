"""Who may talk to the service, and what every reply carries."""

import secrets
from functools import lru_cache
from ipaddress import ip_address

from flask import Flask, Request, Response, g, request
from werkzeug.exceptions import Forbidden

from quizsvc.wire import check_text

SAFE = {"GET", "HEAD", "OPTIONS"}
POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)


def guard() -> None:
    """Local mode has no sign-in, so only this machine's own pages and programs may enter.

    A Host that is not loopback means a foreign name was pointed here; an Origin that is
    not ours means a foreign page sent the request.
    """
    g.request_id = secrets.token_hex(8)
    if not is_loopback(request.host):
        raise Forbidden("Local mode answers only on a loopback address.")
    told = request.headers.get("Origin")
    if request.method not in SAFE and told and not is_ours(request):
        raise Forbidden("The request comes from a page of another site.")
    check_text(request.path)
    for name, value in request.args.items(multi=True):
        check_text(name + value)


def is_ours(sent: Request) -> bool:
    """Whether the browser says that a page of ours sent the request."""
    return sent.headers.get("Origin") == sent.host_url.rstrip("/")


@lru_cache
def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine: localhost, or a loopback address."""
    name = host if host.endswith("]") else host.rsplit(":", 1)[0]
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name.lower() == "localhost"


def protect(response: Response) -> Response:
    """Headers of every reply: no foreign content, no framing, no shared caches."""
    headers = response.headers
    headers.setdefault("Content-Security-Policy", POLICY)
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "same-origin"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["X-Request-Id"] = g.get("request_id", "")
    headers.setdefault("Cache-Control", "private, no-store")
    return response


def init_app(app: Flask) -> None:
    app.before_request(guard)
    app.after_request(protect)
