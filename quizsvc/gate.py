"""The web application behind a gate: built while the database is being prepared."""

import gc
import os

from quizsvc import app


def create_app(gate: int) -> app.QuizApp:
    """Build the application, then wait until nobody holds the pipe's other end."""
    built = app.create_app()
    gc.collect()
    gc.freeze()  # what stays for good: no request waits while the collector walks it
    os.read(gate, 1)
    return built
