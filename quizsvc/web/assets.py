"""Static files: packed for who takes it, under an address that holds their version.

Modules, fonts and styles name each other by relative addresses, so the version is a folder
above them all, and whatever a page loads may be kept for good.
"""

import gzip
import hashlib
import re
from functools import cache
from http import HTTPStatus
from pathlib import Path
from posixpath import dirname, normpath

from flask import Blueprint, Flask, Response, current_app, request, url_for
from markupsafe import Markup

bp = Blueprint("assets", __name__)

YEAR = 365 * 24 * 3600
IMPORT = re.compile(r"^import (?:[^'\"]+ from )?['\"](\.[^'\"]+)['\"]", re.MULTILINE)
TEXTS = {"text/css", "text/javascript", "image/svg+xml"}


def init_app(app: Flask) -> None:
    app.register_blueprint(bp)
    app.jinja_env.globals |= {"asset": address, "module": module}


def address(name: str) -> str:
    """The address of a static file, with the version of them all."""
    return url_for("assets.send", version=current(), filename=name)


def module(name: str, *, first: bool = False) -> Markup:
    """A page's module with all that it imports, so that none waits for another to be read;
    with ``first`` the page is not painted before the module has run.
    """
    preloads = Markup("").join(
        Markup('<link rel="modulepreload" href="{}">').format(address(other))
        for other in imported(folder(), name)
    )
    tag = Markup('<script type="module" src="{}"{}></script>')
    return preloads + tag.format(address(name), Markup(' blocking="render"') * first)


@cache
def imported(static: Path, name: str) -> list[str]:
    """The static files that a module imports before it runs, itself or through others."""
    found: dict[str, None] = {}
    left = [name]
    while left:
        one = left.pop(0)
        for path in IMPORT.findall((static / one).read_text(encoding="utf-8")):
            other = normpath(f"{dirname(one)}/{path}").lstrip("/")
            if other not in found:
                found[other] = None
                left.append(other)
    return list(found)


def folder() -> Path:
    return Path(current_app.static_folder or "")


def files() -> list[str]:
    """The names of the files that pages may ask for."""
    paths = (path for path in folder().rglob("*.*") if path.is_file())
    return sorted(path.relative_to(folder()).as_posix() for path in paths)


def current() -> str:
    """A hash of every static file, by name and content."""
    return _digest.__wrapped__() if current_app.debug else _digest()


@cache
def _digest() -> str:
    whole = hashlib.sha256()
    for name in files():
        whole.update(hashlib.sha256(name.encode()).digest())
        whole.update(hashlib.sha256((folder() / name).read_bytes()).digest())
    return whole.hexdigest()[:12]


@bp.get("/static/v-<version>/<path:filename>")
def send(version: str, filename: str) -> Response:
    """A static file; one asked for by a former version is that of now, and not kept."""
    reply = current_app.send_static_file(filename)
    plain = reply.status_code == HTTPStatus.OK and reply.mimetype in TEXTS
    if plain and request.accept_encodings["gzip"]:
        path = folder() / filename
        reply.direct_passthrough = False
        reply.close()
        reply.set_data(_packed(path, path.stat().st_mtime_ns))
        reply.headers["Content-Encoding"] = "gzip"
        reply.set_etag(reply.get_etag()[0] or "", weak=True)  # the same in other bytes
    reply.vary.add("Accept-Encoding")
    if version == current():
        reply.cache_control.no_cache = None
        reply.cache_control.max_age = YEAR
        reply.cache_control.immutable = True
    return reply


@cache
def _packed(path: Path, _changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)
