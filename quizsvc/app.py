"""The web application. Apart from the package, so that workers and commands start without it."""

from collections.abc import Mapping
from typing import Any

from apiflask import APIFlask
from flask import Flask, Request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface

from quizsvc import api, db, errors, security, settings, web
from quizsvc.wire import PlainJSON, StrictRequest


class PagesSession(SecureCookieSessionInterface):
    """Sessions for pages: a program has none."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if request.path.startswith("/api/"):
            return None
        return super().open_session(app, request)


class QuizApp(APIFlask):
    request_class = StrictRequest
    session_interface = PagesSession()
    json_provider_class = PlainJSON


def create_app(config: Mapping[str, Any] | None = None) -> QuizApp:
    """Build the application from the environment; ``config`` replaces single settings."""
    app = QuizApp(
        __name__,
        title="quizsvc",
        version="1",
        spec_path="/api/v1/openapi.json",
        docs_path=None,
        json_errors=False,
    )
    here = settings.read()
    app.config |= {
        "OPENAPI_VERSION": "3.1.0",
        "DATABASE_URL": here.database_url,
        # in each process; the other threads are for everybody else
        "EVENT_STREAMS": min(2, here.web_threads - 1),
        **(config or {}),
    }
    if app.config["SECRET_KEY"] is None:
        app.config["SECRET_KEY"] = settings.secret_key(here)

    db.init_app(app)
    errors.init_app(app)
    security.init_app(app)
    api.init_app(app)
    web.init_app(app)
    return app
