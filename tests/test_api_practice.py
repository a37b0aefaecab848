from pathlib import Path

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from sqlalchemy import Engine, event, func, select
from werkzeug.test import TestResponse

from quizsvc.db import reading
from quizsvc.models import Answer, MemoryState, Review

from .api_helpers import V1, answer, choice, show, stock
from .factories import make_item


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    items = [
        make_item("one-right"),
        make_item(
            "two-right",
            type="multi",
            choices=["inside", "outside", "nowhere", "between"],
            key=["inside", "between"],
        ),
        make_item("in-words", type="open"),
    ]
    stock(engine, tmp_path, items)


def count(engine: Engine, table: type) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_nothing_is_read_again_after_the_commit(
    app: APIFlask, client: FlaskClient
) -> None:
    said: list[str] = []
    for name in ("begin", "commit"):
        event.listen(
            app.extensions["engine"], name, lambda _, name=name: said.append(name)
        )

    def last(reply: TestResponse) -> TestResponse:
        assert reply.status_code in {200, 201, 202}
        assert said.pop() == "commit"
        said.clear()
        return reply

    one, other = show(client, "one-right"), show(client, "in-words")
    review = last(answer(client, one, dont_know=True)).get_json()["review"]["id"]
    last(client.post(f"{V1}/reviews/{review}/undo"))
    given = last(answer(client, other, text="Words.")).get_json()["id"]
    marks = {"points": [], "rating": "good"}
    last(client.post(f"{V1}/answers/{given}/marks", json=marks))
    run = last(client.post(f"{V1}/experiments/coin/runs", json={})).get_json()["id"]
    last(client.delete(f"{V1}/runs/{run}"))


def test_a_right_answer_is_graded_explained_and_scheduled(
    client: FlaskClient, engine: Engine
) -> None:
    shown = show(client, "one-right")
    reply = answer(client, shown, choices=choice(shown, "inside"), confidence="sure")

    assert reply.status_code == 201, reply.text
    body = reply.get_json()
    assert (body["score"], body["correct"], body["confidence"]) == (1, True, "sure")
    assert [c["id"] for c in body["choices"]] == [c["id"] for c in shown["choices"]]
    assert {c["correct"] for c in body["choices"] if c["chosen"]} == {True}
    assert body["explanation"]["short"] == "Inside."
    assert body["evidence"][0]["claim"] == "post_stream_unit"
    assert body["review"]["rating"] == "good"
    assert body["review"]["interval_days"] >= 1
    with reading(engine) as session:
        assert session.scalars(select(Answer)).one().correct
        assert session.scalars(select(Review)).one().rating == 3
        assert session.scalars(select(MemoryState)).one().reviews == 1


def test_a_half_right_answer_earns_half_and_comes_back_as_again(
    client: FlaskClient,
) -> None:
    shown = show(client, "two-right")
    body = answer(client, shown, choices=choice(shown, "inside")).get_json()

    assert shown["scoring"] == "net-correct"
    assert (body["score"], body["correct"]) == (0.5, False)
    assert body["review"]["rating"] == "again"


def test_not_knowing_is_an_answer(client: FlaskClient) -> None:
    body = answer(client, show(client, "one-right"), dont_know=True).get_json()

    assert (body["score"], body["dont_know"]) == (0, True)
    assert body["review"]["rating"] == "again"


def test_an_answer_sent_again_is_recorded_once_and_replayed(
    client: FlaskClient, engine: Engine
) -> None:
    shown = show(client, "one-right")
    first = answer(client, shown, "key-1", choices=choice(shown, "inside"))
    again = answer(client, shown, "key-1", choices=choice(shown, "inside"))

    assert again.status_code == first.status_code == 201
    assert again.get_json() == first.get_json()
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    assert (count(engine, Answer), count(engine, Review)) == (1, 1)


def test_an_answer_sent_again_is_told_as_it_stands(client: FlaskClient) -> None:
    shown = show(client, "one-right")
    first = answer(client, shown, "key-1", choices=choice(shown, "inside")).get_json()
    client.post(f"{V1}/reviews/{first['review']['id']}/undo")
    again = answer(client, shown, "key-1", choices=choice(shown, "inside")).get_json()

    assert (first["review"]["undone"], again["review"]["undone"]) == (False, True)
    assert again == client.get(f"{V1}/answers/{first['id']}").get_json()


def test_a_key_is_for_one_request(client: FlaskClient, engine: Engine) -> None:
    shown = show(client, "one-right")
    answer(client, shown, "key-1", choices=choice(shown, "inside"))
    other = answer(client, shown, "key-1", choices=choice(shown, "outside"))

    assert (other.status_code, other.get_json()["code"]) == (
        422,
        "idempotency-key-reused",
    )
    assert count(engine, Answer) == 1


def test_a_refused_answer_may_be_mended_under_the_same_key(client: FlaskClient) -> None:
    shown = show(client, "one-right")
    refused = answer(client, shown, "key-1", choices=["c_unknown"])
    mended = answer(client, shown, "key-1", choices=choice(shown, "inside"))

    assert refused.status_code == 422
    assert mended.status_code == 201


def test_an_answer_needs_an_idempotency_key(client: FlaskClient) -> None:
    shown = show(client, "one-right")
    reply = client.post(
        f"{V1}/presentations/{shown['id']}/answers", json={"dont_know": True}
    )

    assert (reply.status_code, reply.get_json()["code"]) == (
        400,
        "idempotency-key-required",
    )


def test_a_presentation_is_answered_once(client: FlaskClient, engine: Engine) -> None:
    shown = show(client, "one-right")
    answer(client, shown, choices=choice(shown, "outside"))
    second = answer(client, shown, choices=choice(shown, "inside"))

    assert (second.status_code, second.get_json()["code"]) == (409, "already-answered")
    assert count(engine, Review) == 1


def test_an_open_answer_is_scheduled_when_its_points_are_ticked(
    client: FlaskClient, engine: Engine
) -> None:
    shown = show(client, "in-words")
    said = answer(client, shown, text="It mentions formula and little else.").get_json()

    assert (said["score"], said["correct"], said["review"]) == (None, None, None)
    points = {p["text"]: p for p in said["key_points"]}
    assert points["It says formula."]["matched"]
    assert not points["It says gradient."]["matched"]
    assert not any(p["ticked"] for p in said["key_points"])

    ticked = [points["It says formula."]["id"]]
    marks = {"points": ticked, "rating": "hard"}
    body = client.post(f"{V1}/answers/{said['id']}/marks", json=marks).get_json()
    assert body["score"] == 0.5
    assert body["review"]["rating"] == "hard"
    assert (
        client.post(f"{V1}/answers/{said['id']}/marks", json=marks).status_code == 409
    )
    assert count(engine, Review) == 1


def test_undo_restores_the_card_and_keeps_the_log(
    client: FlaskClient, engine: Engine
) -> None:
    shown = show(client, "one-right")
    review = answer(client, shown, dont_know=True).get_json()["review"]
    undone = client.post(f"{V1}/reviews/{review['id']}/undo")

    assert undone.get_json()["voided_at"].endswith("Z")
    read = client.get(f"{V1}/answers/{undone.get_json()['answer']}").get_json()
    assert (review["undone"], read["review"]["undone"]) == (False, True)
    assert count(engine, MemoryState) == 0
    log = client.get(f"{V1}/reviews").get_json()["data"]
    assert [(r["id"], r["slug"]) for r in log] == [(review["id"], "one-right")]
    again = client.post(f"{V1}/reviews/{review['id']}/undo")
    assert (again.status_code, again.get_json()["code"]) == (409, "already-undone")


def test_both_languages_share_choices_and_key(client: FlaskClient) -> None:
    shown = show(client, "one-right", lang="zh")
    body = answer(
        client,
        shown,
        choices=[c["id"] for c in shown["choices"] if "inside" in c["text"]],
    ).get_json()

    assert body["lang"] == "zh"
    assert body["correct"]
    assert body["explanation"]["short"] == "在内部。"
    english = client.get(f"{V1}/answers/{body['id']}?lang=en").get_json()
    assert english["explanation"]["short"] == "Inside."


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"choices": ["c_unknown"]}, "/choices/0"),
        ({"choices": []}, "/choices"),
        ({"choices": "c_1"}, "/choices"),
        ({"correct": True}, "/correct"),
        ({"confidence": "certain"}, "/confidence"),
        ({"dont_know": "yes"}, "/dont_know"),
        ({"dont_know": True, "seconds": -1}, "/seconds"),
        ({"dont_know": True, "seconds": 86_401}, "/seconds"),
        ({"text": "x" * 20_001}, "/text"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_answer_names_its_field_and_is_not_recorded(
    client: FlaskClient, engine: Engine, body: dict[str, object], pointer: str
) -> None:
    reply = answer(client, show(client, "one-right"), **body)

    assert reply.status_code == 422
    assert pointer in [error["pointer"] for error in reply.get_json()["errors"]]
    assert count(engine, Answer) == 0


def test_the_same_key_from_many_hands_takes_effect_once(
    app: APIFlask, client: FlaskClient, engine: Engine
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    shown = show(client, "one-right")
    body = {"choices": choice(shown, "inside")}
    with ThreadPoolExecutor(6) as pool:
        replies = list(
            pool.map(
                lambda _: answer(app.test_client(), shown, "key-1", **body), range(6)
            )
        )

    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.text for reply in replies}) == 1
    assert (count(engine, Answer), count(engine, Review)) == (1, 1)
