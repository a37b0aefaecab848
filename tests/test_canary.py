"""The answer key must not leave before the answer: every route is crawled for it.

Laboratory pages are public at any time, but nothing on them links a claim to a question or
a choice.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from question_bank.content import EvidenceItem, QuestionItem

from .api_helpers import NOW, V1, answer, choice, show, stock
from .factories import make_item
from .measured import finished
from .web_helpers import begin, finish_run, post

SECRET = "canary-"  # begins every hidden sentence
NAME = "magpie-"  # begins the name of every choice and key point; no text holds it
TITLE = "Plover"  # begins every title, "plover-" every slug
SLUGS = ("plover-asked", "plover-other", "plover-open", "plover-number")
WORDS = ("north", "south", "east")
MEMBERS = re.compile(r"(?<!net-)\b(correct|rationale|supports|refutes|verdict)\b")
LAB = re.compile(r"(/api/v1)?/(experiments|runs)\b")
VALUES = [5.4321e-3 + n * 1e-7 for n in range(5)]
"""What gives the estimate its key: the median is told before the answer by no reply."""
KEYS = ("54323", "5.43", "0.00543")
HIDDEN = {"bias": 0.8125}  # the parameters behind key and figure: they give them away
ORIGINS = ("coin", "硬币", "bias", "0.8125", "13%2F16", "run_")


class Reply(NamedTuple):
    rule: str
    path: str
    status: int
    text: str  # headers too


def guarded(slug: str, right: Sequence[str] = WORDS[:1], **facts: Any) -> QuestionItem:
    """A question whose every hidden sentence holds ``canary-<slug>``."""
    names, key = [NAME + word for word in WORDS], [NAME + word for word in right]
    wrong = [name for name in names if name not in key]
    evidence = EvidenceItem(claim="coin.fair", supports=key, refutes=wrong)
    facts = {"evidence": [evidence]} | facts
    item = make_item(slug, choices=names, points=names, key=key, **facts)
    secret = SECRET + slug
    texts = {}
    for lang, text in item.texts.items():
        values = text.model_dump()
        values["title"] = f"{TITLE} {slug}"
        for name in ("short", "detailed", "full", "hook"):
            values[name] = f"{secret}."
        for name, choice_text in values["choices"].items():
            choice_text["text"] = f"To the {name.removeprefix(NAME)}."
            choice_text["rationale"] = f"{secret}."
        for name, point in values["key_points"].items():
            point["text"] = f"{secret} to the {name.removeprefix(NAME)}."
            point["phrases"] = [f"{secret} phrase"]
        for pitfall in values["pitfalls"]:
            pitfall["belief"] = pitfall["why"] = secret
        for reference in values["references"]:
            reference["note"] = secret
        for follow_up in values["follow_ups"]:
            follow_up["prompt"] = secret
        texts[lang] = values
    return type(item).model_validate({**item.model_dump(), "texts": texts})


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    estimate = {"metric": "coin.share", "params": HIDDEN, "factor": 2.0}
    figure = {"experiment": "coin", "id": "share", "params": HIDDEN}
    items = [
        guarded(SLUGS[0], figure=figure),
        guarded(SLUGS[1], type="multi", right=WORDS[:2]),
        guarded(SLUGS[2], type="open"),
        guarded(SLUGS[3], type="estimate", estimate=estimate, evidence=[]),
    ]
    stock(engine, tmp_path, items)
    finished(engine, at=NOW, values=VALUES, **HIDDEN)


@pytest.fixture
def shown(client: FlaskClient) -> list[dict[str, Any]]:
    return [show(client, slug) for slug in SLUGS]


def mock(client: FlaskClient) -> TestResponse:
    """Start a mock interview, which asks the open question first."""
    key = {"Idempotency-Key": "mock"}
    return client.post(f"{V1}/mock-interviews", json={"mixed": True}, headers=key)


@pytest.fixture
def known(
    engine: Engine, client: FlaskClient, shown: list[dict[str, Any]]
) -> dict[str, list[str]]:
    """A value for every argument that a route takes."""
    return {
        "mock_id": [mock(client).get_json()["id"]],
        "position": ["1"],
        "slug": [*SLUGS],
        "name": ["coin"],
        "run_id": [finish_run(engine, [0.5, 0.4, 0.6, 0.5, 0.5], "supported")],
        "figure": ["share"],
        "presentation_id": [one["id"] for one in shown],
        "answer_id": ["ans_none", shown[0]["id"]],
    }


def readable(app: APIFlask) -> list[Any]:
    """The rules of every route that can be read."""
    rules = app.url_map.iter_rules()
    return [r for r in rules if "GET" in (r.methods or ()) and "/static/" not in r.rule]


def crawl(app: APIFlask, known: dict[str, list[str]]) -> list[Reply]:
    """Every reply of every route that can be read; an argument we do not know fails."""
    client, replies = app.test_client(), []
    for rule in readable(app):
        paths = [rule.rule]
        for argument in rule.arguments:
            paths = [
                re.sub(rf"<(\w+:)?{argument}>", value, path)
                for path in paths
                for value in known[argument]
            ]
        for path in paths:
            for query in ("", "?lang=zh", "?q=canary", "?q=magpie&type=single"):
                with client.get(path + query) as reply:
                    text = reply.text + str(reply.headers)
                assert reply.status_code < 500 or path == "/readyz", path + query
                replies.append(Reply(rule.rule, path + query, reply.status_code, text))
    return replies


def holding(replies: Iterable[Reply], *words: str) -> list[str]:
    """The paths whose reply holds one of the words."""
    return [reply.path for reply in replies if any(w in reply.text for w in words)]


def assert_silent(replies: Iterable[Reply], *slugs: str) -> None:
    """Nothing hidden about these questions is in the replies."""
    replies = list(replies)
    assert holding(replies, *(SECRET + slug for slug in slugs)) == []
    assert holding(replies, NAME) == []


def test_nothing_hidden_leaves_before_the_answer(
    app: APIFlask,
    client: FlaskClient,
    known: dict[str, list[str]],
    shown: list[dict[str, Any]],
) -> None:
    before = crawl(app, known)
    assert len(holding(before, TITLE)) > 20
    assert_silent(before, *SLUGS)

    given = answer(client, shown[0], choices=choice(shown[0], "south"))
    assert SECRET + SLUGS[0] in given.text
    known["answer_id"] = [given.get_json()["id"]]
    after = crawl(app, known)
    assert holding(after, SECRET + SLUGS[0])
    assert_silent(after, *SLUGS[1:])


def test_before_the_answer_no_reply_has_a_member_that_judges(
    app: APIFlask, known: dict[str, list[str]]
) -> None:
    about = [reply for reply in crawl(app, known) if TITLE in reply.text]
    assert [r.path for r in about if MEMBERS.search(r.text)] == []


def test_before_the_answer_no_reply_tells_key_or_origin_of_an_estimate_or_figure(
    app: APIFlask,
    client: FlaskClient,
    known: dict[str, list[str]],
    shown: list[dict[str, Any]],
) -> None:
    about = [
        reply
        for reply in crawl(app, known)
        if TITLE in reply.text and not LAB.match(reply.rule)
    ]
    assert {"/practice/<presentation_id>", "/questions/<slug>"} <= {
        reply.rule for reply in about
    }
    assert holding(about, *KEYS, *ORIGINS) == []
    assert not [word for word in (*KEYS, *ORIGINS) if word in str(shown)]

    given = answer(client, shown[3], number=1)
    assert all(word in given.text for word in ("54323", "coin", "0.8125"))
    seen = client.get(f"/answers/{given.get_json()['id']}").text
    assert "bias=0.8125" in seen


def test_a_refused_answer_tells_nothing(
    client: FlaskClient, shown: list[dict[str, Any]]
) -> None:
    refused: list[TestResponse] = [
        answer(client, shown[0], choices=["c_unknown"]),
        answer(client, shown[1], choices=[NAME + "north"]),
        answer(client, shown[2], text=" "),
        answer(client, shown[3], choices=["c_unknown"]),
        *(post(client, begin(client, slug)) for slug in SLUGS),
    ]
    assert {reply.status_code for reply in refused} == {422}
    texts = [*(reply.text for reply in refused), str(shown)]
    assert not [text for text in texts if SECRET in text or NAME in text]
    assert [m for text in texts for m in MEMBERS.findall(text)] == []


def test_a_mock_interview_tells_nothing_before_each_answer(client: FlaskClient) -> None:
    made = mock(client)
    place = made.location
    asked = made.get_json()["questions"][0]
    assert (made.status_code, asked["slug"]) == (201, SLUGS[2])
    page = client.get(f"/mock/{made.get_json()['id']}/1")
    assert "Where does" in page.text
    before = [made, page, client.get(place), client.post(f"{place}/questions", json={})]
    assert not [r for r in before if SECRET in r.text or NAME in r.text]
    assert not [r for r in before if MEMBERS.search(r.text)]

    given = answer(client, {"id": asked["presentation"]}, text="An answer.").get_json()
    marks = {"points": [], "rating": "again"}
    client.post(f"{V1}/answers/{given['id']}/marks", json=marks)
    assert SECRET + SLUGS[2] in client.get(place).text
    following = client.post(f"{place}/questions", json={})
    assert following.get_json()["question"]["slug"] == SLUGS[3]
    assert SECRET + SLUGS[3] not in client.get(place).text + following.text
    assert not [word for word in (*KEYS, *ORIGINS) if word in following.text]


def test_every_route_that_can_be_read_is_crawled_and_answers(
    app: APIFlask,
    client: FlaskClient,
    known: dict[str, list[str]],
    shown: list[dict[str, Any]],
) -> None:
    answered = answer(client, shown[0], dont_know=True).get_json()
    known["answer_id"].append(answered["id"])
    reached = {reply.rule for reply in crawl(app, known) if reply.status < 400}
    # No worker runs here, so the service is not ready.
    assert reached == {rule.rule for rule in readable(app)} - {"/readyz"}


def test_the_laboratory_links_no_claim_to_a_question_or_choice(
    app: APIFlask,
    client: FlaskClient,
    known: dict[str, list[str]],
    shown: list[dict[str, Any]],
) -> None:
    answer(client, shown[0], dont_know=True)
    lab = [reply for reply in crawl(app, known) if LAB.match(reply.rule)]
    assert {reply.status for reply in lab} == {200, 400}
    assert holding(lab, "It is fair.", "它是公平的。")
    names = [one["id"] for s in shown for one in s["choices"]]
    texts = [f"To the {word}." for word in WORDS]
    assert holding(lab, TITLE, *SLUGS, *names, *texts) == []


def test_search_finds_nothing_in_hidden_text(client: FlaskClient) -> None:
    for word in ("canary", "magpie"):
        assert client.get(f"{V1}/questions?q={word}").get_json()["data"] == []
    assert len(client.get(f"{V1}/questions?q=plover").get_json()["data"]) == 4


def test_choice_ids_and_order_tell_nothing(client: FlaskClient) -> None:
    showings = [show(client, SLUGS[0])["choices"] for _ in range(100)]
    ids = [one["id"] for choices in showings for one in choices]
    places = {(n, one["text"]) for choices in showings for n, one in enumerate(choices)}

    assert len(set(ids)) == len(ids)
    assert not any(word in one for one in ids for word in WORDS)
    # By chance one of the nine is missing once in 10**16 times.
    assert len(places) == 9
