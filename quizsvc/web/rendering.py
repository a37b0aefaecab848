"""What templates may call: Markdown, numbers and dates."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from babel.dates import format_date, format_skeleton
from flask import Flask, request
from flask_babel import get_locale
from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket
from markupsafe import Markup

from quizsvc import db, lab
from quizsvc.markdown import highlighted, plain, render
from quizsvc.web import controls, language, plots, tables, words
from quizsvc.web.problems import problem, sent_again


def line(text: str) -> Markup:
    """One line of Markdown, without a paragraph around it."""
    return render(text, inline=True)


def day(value: date) -> str:
    """A day of the week, month and day, never broken: Fri, Dec 4."""
    words = str(format_skeleton("MMMEd", value, locale=get_locale()))
    return words.replace(" ", "\N{NO-BREAK SPACE}")


def date_only(value: date) -> str:
    """A month and day, where there is little room: Dec 4."""
    return str(format_skeleton("MMMd", value, locale=get_locale()))


def dated(value: date) -> str:
    """A day with its year, where that may be another one: Dec 4, 2026."""
    return str(format_date(value, format="medium", locale=get_locale()))


def _ticks(axis: Mapping[str, Any]) -> list[str]:
    """The names of an axis, in the page's language and without marks."""
    return [plain(words.said(name)) for name in axis["ticks"]]


def worker_away() -> bool:
    """Whether the page asks for a run that nobody would start."""
    needs = request.blueprint == "lab" or request.endpoint == "practice.begin"
    return needs and not lab.worker_seen(db.session(), at=datetime.now(UTC))


def context() -> dict[str, Any]:
    return {
        "lang": language.tag(),
        "chosen": language.chosen(),
        "other_language": language.other(),
        "shown_again": language.shown_again(),
    }


class Compiled(FileSystemBytecodeCache):
    """Templates compiled once, kept beside them as Python keeps its modules."""

    def __init__(self, templates: Path) -> None:
        folder = templates / "__pycache__"
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
        super().__init__(str(folder), f"jinja2-{version('jinja2')}-%s.cache")

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # a damaged file may raise anything; it is made anew
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):  # where nothing may be written, each process compiles
            super().dump_bytecode(bucket)


def compile_all(app: Flask) -> None:
    """Compile every template ahead, so that no visitor waits for it."""
    for name in app.jinja_env.list_templates(["html"]):
        app.jinja_env.get_template(name)


def init_app(app: Flask) -> None:
    app.jinja_env.bytecode_cache = Compiled(Path(app.root_path, "templates"))
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters |= {
        "md": render,
        "line": line,
        "code": highlighted,
        "day": day,
        "date_only": date_only,
        "dated": dated,
        "number": plots.number,
        "plain": plain,
        "shown": controls.shown,
        "said": words.said,
    }
    app.jinja_env.globals |= {
        "name": words.name,
        "problem": problem,
        "sent_again": sent_again,
        "worker_away": worker_away,
        "heat": tables.heat,
        "table": tables.table,
        "tick": tables.tick,
        "ticks": _ticks,
        "ways": tables.ways,
        "thumbnail": plots.thumbnail,
        "TAGS": language.TAGS,
        "TAG_NAMES": words.TAG_NAMES,
        "TOPICS": words.TOPICS,
        "LEVELS": words.LEVELS,
        "FORMS": words.FORMS,
        "VERDICTS": words.VERDICTS,
        "STATES": words.STATES,
        "RATINGS": words.RATINGS,
        "REASONS": words.REASONS,
        "WHY": words.WHY,
        "RULES": words.RULES,
    }
    app.context_processor(context)
