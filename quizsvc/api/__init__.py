"""The HTTP API under ``/api/v1``: one module for each resource."""

from flask import Flask

from quizsvc.api import (
    answers,
    docs,
    experiments,
    health,
    plan,
    progress,
    questions,
    reviews,
)


def init_app(app: Flask) -> None:
    resources = (questions, answers, reviews, progress, plan, experiments)
    for module in (*resources, docs, health):
        app.register_blueprint(module.bp)
