"""The answer key must not leave before the answer: every route is crawled for it."""

import re
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from sqlalchemy import Engine

from .api_helpers import V1, answer, choice, show, stock
from .factories import make_item

SECRET = "canary-"


def guarded(slug: str, **facts: Any) -> Any:
    """A question whose every hidden sentence holds ``canary-<slug>``."""
    item = make_item(slug, **facts)
    word = SECRET + slug
    texts = {}
    for lang, text in item.texts.items():
        values = text.model_dump()
        for name in ("short", "detailed", "full", "hook"):
            values[name] += f" {word}"
        for choice_text in values["choices"].values():
            choice_text["rationale"] += f" {word}"
        for point in values["key_points"].values():
            point["text"] += f" {word}"
            point["phrases"] = [*point["phrases"], f"{word} phrase"]
        for pitfall in values["pitfalls"]:
            pitfall["belief"] += f" {word}"
            pitfall["why"] += f" {word}"
        for reference in values["references"]:
            reference["note"] += f" {word}"
        for follow_up in values["follow_ups"]:
            follow_up["prompt"] += f" {word}"
        texts[lang] = values
    return type(item).model_validate({**item.model_dump(), "texts": texts})


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    items = [
        guarded("asked"),
        guarded("other", type="multi", key=["inside", "outside"]),
        guarded("open", type="open"),
    ]
    stock(engine, tmp_path, items)


def crawl(
    app: APIFlask, client: FlaskClient, known: dict[str, list[str]]
) -> dict[str, str]:
    """Every reply of every GET route, by path; an argument we do not know fails."""
    replies = {}
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint == "static":
            continue
        paths = [rule.rule]
        for argument in rule.arguments:
            paths = [
                re.sub(rf"<(\w+:)?{argument}>", value, path)
                for path in paths
                for value in known[argument]
            ]
        for path in paths:
            for query in ("", "?lang=zh", "?q=canary", f"?q={SECRET}asked&type=single"):
                reply = client.get(path + query)
                assert reply.status_code < 500 or path == "/readyz", path + query
                replies[path + query] = reply.text + str(reply.headers)
    return replies


def leaks(replies: dict[str, str], word: str) -> list[str]:
    # A search that echoes its own words back is no leak.
    return [p for p, text in replies.items() if word in text and "canary" not in p]


def test_nothing_hidden_leaves_before_the_answer(
    app: APIFlask, client: FlaskClient
) -> None:
    shown = [show(client, slug) for slug in ("asked", "other", "open")]
    run = client.post(f"{V1}/experiments/coin/runs", json={}).get_json()["id"]
    client.delete(f"{V1}/runs/{run}")  # its events end at once
    known = {
        "slug": ["asked", "other", "open"],
        "name": ["coin"],
        "run_id": [run],
        "presentation_id": [s["id"] for s in shown],
        "answer_id": ["ans_none", shown[0]["id"]],
        "review_id": ["rev_none"],
        "filename": ["app.css"],
    }
    before = crawl(app, client, known)
    assert len(before) > 60
    assert leaks(before, SECRET) == []

    refused = answer(client, shown[0], choices=["c_unknown"])
    assert SECRET not in refused.text
    assert SECRET not in str(shown)

    given = answer(client, shown[0], choices=choice(shown[0], "outside"))
    assert f"{SECRET}asked" in given.text
    known["answer_id"] = [given.get_json()["id"]]
    after = crawl(app, client, known)
    assert leaks(after, f"{SECRET}asked")
    assert leaks(after, f"{SECRET}other") == []
    assert leaks(after, f"{SECRET}open") == []


def test_search_finds_nothing_in_hidden_text(client: FlaskClient) -> None:
    assert client.get(f"{V1}/questions?q=canary").get_json()["data"] == []
    assert client.get(f"{V1}/questions?q=Inside").get_json()["data"] == []


def test_choice_ids_and_order_tell_nothing(client: FlaskClient) -> None:
    showings = [show(client, "asked") for _ in range(30)]
    ids = [c["id"] for shown in showings for c in shown["choices"]]
    orders = {tuple(c["text"] for c in shown["choices"]) for shown in showings}

    assert len(set(ids)) == len(ids)
    assert not any("inside" in one for one in ids)
    assert len(orders) == 6


def test_every_route_is_in_the_canary_crawl_or_writes(app: APIFlask) -> None:
    arguments = {a for rule in app.url_map.iter_rules() for a in rule.arguments}

    assert arguments <= {
        "slug", "name", "run_id", "presentation_id", "answer_id", "review_id", "filename"
    }  # fmt: skip
