"""The HTTP API under ``/api/v1``: one module for each resource."""

from flask import Flask

from quizsvc.api import answers, docs, experiments, health, progress, questions, reviews


def init_app(app: Flask) -> None:
    for module in (questions, answers, reviews, progress, experiments, docs, health):
        app.register_blueprint(module.bp)
