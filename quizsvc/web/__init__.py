"""The pages: server-rendered, in English and Chinese, usable without script."""

from flask import Flask, request
from flask_babel import Babel
from flask_wtf import CSRFProtect

from quizsvc.web import (
    assets,
    bank,
    feedback,
    lab,
    language,
    mock,
    offline,
    plan,
    practice,
    progress,
    rendering,
    today,
)
from quizsvc.wire import check_text

PAGES = (
    today.bp,
    practice.bp,
    feedback.bp,
    lab.bp,
    mock.bp,
    bank.bp,
    plan.bp,
    progress.bp,
    offline.bp,
)

csrf = CSRFProtect()


def guard() -> None:
    """Forms of pages carry our token, and text that any database can hold."""
    if request.blueprint in {bp.name for bp in PAGES}:
        csrf.protect()
        for name, value in request.form.items(multi=True):
            check_text(name + value)


def init_app(app: Flask) -> None:
    app.config |= {
        "WTF_CSRF_CHECK_DEFAULT": False,  # the API has no forms; `guard` asks for pages
        "WTF_CSRF_TIME_LIMIT": None,  # a question may stay open for hours
        "SESSION_COOKIE_SAMESITE": "Lax",
    }
    Babel(app, locale_selector=language.chosen)
    csrf.init_app(app)
    app.before_request(guard)
    app.after_request(language.remember)
    assets.init_app(app)
    rendering.init_app(app)
    for bp in PAGES:
        app.register_blueprint(bp)
