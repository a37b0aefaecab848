"""``python -m quizsvc.web``: what set-up does for the pages before the first visit."""

from quizsvc.app import create_app
from quizsvc.web.rendering import compile_all

if __name__ == "__main__":
    compile_all(create_app({"DATABASE_URL": "sqlite://", "SECRET_KEY": "unused"}))
