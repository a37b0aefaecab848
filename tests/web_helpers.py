"""A visitor of the pages: reads them, fills in forms, carries their token."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from quizsvc import lab
from quizsvc.db import writing
from quizsvc.models import RunResult

FIGURE: dict[str, Any] = {
    "id": "share",
    "title": {"en": "Share of heads", "zh": "正面的比例"},
    "alt": {"en": "A flat line.", "zh": "一条平线。"},
    "kind": "line",
    "x": {"label": {"en": "Tosses", "zh": "次数"}, "unit": "", "scale": "log"},
    "y": {"label": {"en": "Share", "zh": "比例"}, "unit": "", "scale": "linear"},
    "series": [
        {
            "name": {"en": "measured $p$", "zh": "测得的 $p$"},
            "key": "1",
            "x": [1, 10, 100],
            "y": [0.4, 0.5, None],
            "low": [0.3, 0.4, None],
            "high": [0.6, 0.6, None],
        },
        {
            "name": {"en": "theory", "zh": "理论"},
            "key": "t",
            "x": [1, 100],
            "y": [0.5, 0.5],
            "low": [],
            "high": [],
        },
    ],
}


HEAT: dict[str, Any] = {
    "id": "map",
    "title": {"en": "What trains", "zh": "哪些能训练"},
    "alt": {"en": "Dark above, light below.", "zh": "上深下浅。"},
    "kind": "heat",
    "x": {
        "label": {"en": "Rate", "zh": "学习率"},
        "scale": "linear",
        "ticks": [{"en": "low", "zh": "低"}, {"en": "high", "zh": "高"}],
    },
    "y": {"label": {"en": "Warmup", "zh": "预热"}, "scale": "linear", "ticks": []},
    "value": {"label": {"en": "Gap", "zh": "差距"}, "scale": "log", "ticks": []},
    "series": [
        {
            "name": {"en": "none, $w = 0$", "zh": "无，$w = 0$"},
            "key": "1",
            "x": [0, 1],
            "y": [0.1, 1.0],
            "low": [0.05, 0.9],
            "high": [0.2, 1.1],
        },
        {
            "name": {"en": "long", "zh": "长"},
            "key": "1",
            "x": [0, 1],
            "y": [0.01, None],
            "low": [],
            "high": [],
        },
    ],
    "steps": [],
}


def _way(name: str, key: str, x: list[int], y: list[float]) -> dict[str, Any]:
    band = {"low": [0.9 * v for v in y], "high": [1.1 * v for v in y]}
    return {"name": {"en": name, "zh": name}, "key": key, "x": x, "y": y, **band}


def _step(does: str, en: str, zh: str) -> dict[str, Any]:
    return {"does": does, "name": {"en": en, "zh": zh}}


FLOW: dict[str, Any] = {
    **HEAT,
    "id": "flow",
    "kind": "flow",
    "title": {"en": "One block", "zh": "一个块"},
    "x": {"label": {"en": "Step", "zh": "步骤"}, "scale": "linear", "ticks": []},
    "y": {"label": {"en": "RMS", "zh": "RMS"}, "scale": "linear", "ticks": []},
    "value": None,
    "series": [
        _way("Post", "3", [0, 1, 3, 4, 5, 6], [1, 1, 0.7, 1, 1.2, 1]),
        _way("Post, gradient", "4", [0, 1, 3, 4, 5, 6], [1, 0.5, 0.8, 0.8, 0.8, 1]),
        _way("Pre", "3", [0, 1, 2, 3, 4, 5], [2.5, 2.5, 1, 0.7, 2.5, 2.6]),
        _way("Pre, gradient", "4", [0, 1, 2, 3, 4, 5], [1, 0.2, 0.5, 1, 1, 1]),
    ],
    "steps": [
        _step("in", "Stream enters", "残差流进入"),
        _step("read", "Copy", "副本"),
        _step("norm", "Norm before", "之前的归一化"),
        _step("map", "Attention", "注意力"),
        _step("keep", "Skip path", "跳跃路径"),
        _step("add", "Sum", "相加"),
        _step("norm", "Norm of the sum", "相加后的归一化"),
    ],
}


class Page(HTMLParser):
    """A page taken apart: elements with attributes, and the text a person reads."""

    def __init__(self, reply: TestResponse) -> None:
        super().__init__()
        self.status, self.html = reply.status_code, reply.get_data(as_text=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words)).strip()

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """Attributes of the elements that have these (``class_`` is class)."""
        wanted = {name.rstrip("_"): value for name, value in wanted.items()}
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and wanted.items() <= attributes.items()
        ]

    def values(self, name: str) -> list[str]:
        """The values of a form's fields of one name."""
        return [field["value"] for field in self.all("input", name=name)]


def get(client: FlaskClient, path: str, **more: Any) -> Page:
    return Page(client.get(path, **more))


def post(client: FlaskClient, path: str, **fields: Any) -> TestResponse:
    """Send a form as a page of ours would, with its token."""
    token = get(client, "/questions/norm-position").values("csrf_token")
    token = token or get(client, "/practice").values("csrf_token")
    return client.post(path, data={"csrf_token": token[:1], **fields})


def begin(client: FlaskClient, slug: str = "norm-position") -> str:
    """Have a question asked; the address of its page."""
    reply = post(client, "/practice", slug=slug)
    assert reply.status_code == 303, reply.text
    return reply.location


def choice(page: Page, *words: str) -> list[str]:
    """The ids of the choices whose text ends in these words."""
    found = []
    for block in re.findall(r'<label class="choice">.*?</label>', page.html, re.S):
        value = re.search(r'value="(.*?)"', block)
        shown = unescape(re.sub("<[^>]*>", "", block)).strip()
        if value and any(shown.endswith(f" {word}.") for word in words):
            found.append(value[1])
    return found


def answer(client: FlaskClient, *words: str, slug: str = "norm-position") -> str:
    """Have a question asked, tick these choices, be sure; the address of the feedback."""
    address = begin(client, slug)
    ticked = choice(get(client, address), *words)
    assert len(ticked) == len(words)
    reply = post(client, address, choice=ticked, confidence="sure")
    assert reply.status_code == 303, reply.text
    return reply.location


def finish_run(
    engine: Engine,
    values: list[float],
    outcome: str,
    figures: Sequence[Any] = (FIGURE,),
    **params: Any,
) -> str:
    """A run of the coin that has succeeded with these values; its id."""
    with writing(engine) as session:
        run = lab.submit(session, "coin", params, at=datetime.now(UTC)).run
        run.state, run.progress = "succeeded", 1.0
        verdict = {
            "claim": "fair",
            "outcome": outcome,
            "hits": sum(0.3 < value < 0.7 for value in values),
            "seeds": len(values),
            "effect": sorted(values)[len(values) // 2],
            "low": min(values),
            "high": max(values),
        }
        run.result = RunResult(
            metrics={"share": values},
            verdicts=[verdict],
            figures=list(figures),
            seconds=0.5,
        )
        session.commit()
        return run.id
