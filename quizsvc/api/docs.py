"""The OpenAPI document as a page that people can read."""

from apiflask import APIBlueprint
from flask import current_app, render_template

bp = APIBlueprint("docs", __name__, enable_openapi=False)


@bp.get("/api/docs")
def page() -> str:
    return render_template("api_docs.html", spec=current_app._get_spec("json"))  # type: ignore[attr-defined]
