"""What makes the service an app: a manifest, a worker, and the page it shows offline."""

from typing import Any

from flask import Blueprint, Response, json, render_template
from flask_babel import gettext as _

from quizsvc.web import assets, language

bp = Blueprint("offline", __name__)

PAPER = "#f3f5f2"  # as in app.css


@bp.get("/offline")
def show() -> str:
    """What is kept on the device and what waits there; its script fills it in."""
    return render_template("offline.html")


@bp.get("/manifest.webmanifest")
def manifest() -> Response:
    """How the service looks among the apps of a device, in the language of the address."""
    said: dict[str, Any] = {
        "id": "/",
        "name": _("quizsvc: interview practice"),
        "short_name": "quizsvc",
        "description": _(
            "Interview practice in which every answer key is backed by an experiment."
        ),
        "lang": language.tag(),
        "dir": "ltr",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "theme_color": PAPER,
        "background_color": PAPER,
        "icons": [
            _icon("mark.svg", "any"),
            _icon("icons/192.png", "192x192"),
            _icon("icons/512.png", "512x512"),
            _icon("icons/maskable.svg", "any", "maskable"),
            _icon("icons/maskable.png", "512x512", "maskable"),
        ],
    }
    return Response(json.dumps(said), mimetype="application/manifest+json")


def _icon(name: str, sizes: str, purpose: str = "any") -> dict[str, str]:
    kind = "image/svg+xml" if name.endswith(".svg") else "image/png"
    address = assets.address(name)
    return {"src": address, "sizes": sizes, "type": kind, "purpose": purpose}


@bp.get("/sw.js")
def worker() -> Response:
    """The service worker of this version: at the root, so that it serves every page."""
    files = [assets.address(name) for name in assets.files()]
    script = (
        f'import {{ start }} from "{assets.address("offline/worker.js")}";\n'
        f'start("{assets.current()}", {json.dumps(files)});\n'
    )
    return Response(script, mimetype="text/javascript")
