"""Static files by address and content: a changed file has another address."""

import hashlib
from pathlib import Path

from flask import Flask, Response, request, url_for

YEAR = 365 * 24 * 3600


def init_app(app: Flask) -> None:
    folder = Path(app.static_folder or "")
    versions: dict[str, str] = {}

    def asset(name: str) -> str:
        """The address of a static file, with its hash."""
        if name not in versions or app.debug:
            digest = hashlib.sha256((folder / name).read_bytes())
            versions[name] = digest.hexdigest()[:12]
        return url_for("static", filename=name, v=versions[name])

    app.jinja_env.globals["asset"] = asset
    app.after_request(keep)


def keep(response: Response) -> Response:
    """Let a browser keep what was asked for by its hash; modules that import each other
    have no hash and are asked for again."""
    if (
        request.endpoint == "static"
        and "v" in request.args
        and response.status_code < 400
    ):
        response.cache_control.no_cache = None
        response.cache_control.max_age = YEAR
        response.cache_control.immutable = True
    return response
