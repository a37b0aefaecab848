"""The HTTP API under ``/api/v1``: one module for each resource."""

from apiflask import APIFlask

from quizsvc.api import (
    allowed,
    answers,
    docs,
    experiments,
    health,
    mock,
    plan,
    progress,
    questions,
    remarks,
    reviews,
)


def init_app(app: APIFlask) -> None:
    allowed.init_app(app)
    resources = (
        questions,
        remarks,
        answers,
        reviews,
        mock,
        progress,
        plan,
        experiments,
    )
    for module in (*resources, docs, health):
        app.register_blueprint(module.bp)
