"""Flag and note over HTTP: read with an ETag, changed only by who has read the newest."""

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine

from .api_helpers import V1, stock
from .factories import make_item

REMARK = f"{V1}/questions/norm-position/remark"


@pytest.fixture(autouse=True)
def bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item()])


def put(client: FlaskClient, tag: str | None, **body: Any) -> Any:
    headers = {} if tag is None else {"If-Match": tag}
    return client.put(REMARK, json=body, headers=headers)


def test_a_question_without_remark_has_neither_flag_nor_note(
    client: FlaskClient,
) -> None:
    reply = client.get(REMARK)
    assert reply.get_json() == {"flagged": False, "note": "", "written_at": None}
    assert reply.headers["ETag"].startswith('"')


def test_flag_and_note_are_set_and_what_is_left_out_stays(client: FlaskClient) -> None:
    first = put(client, client.get(REMARK).headers["ETag"], note="先归一化。")
    assert first.status_code == 200, first.text
    second = put(client, first.headers["ETag"], flagged=True)
    told = client.get(REMARK)
    assert second.get_json() == told.get_json()
    assert (told.get_json()["flagged"], told.get_json()["note"]) == (True, "先归一化。")
    assert told.headers["ETag"] == second.headers["ETag"] != first.headers["ETag"]


def test_who_has_not_read_the_newest_changes_nothing(client: FlaskClient) -> None:
    old = client.get(REMARK).headers["ETag"]
    assert put(client, old, note="Mine.").status_code == 200
    for tag, status in ((old, 412), (None, 428), ('W/"x"', 412), ("*", 200)):
        reply = put(client, tag, note="Mine." if tag == "*" else "Lost?")
        assert reply.status_code == status, reply.text
    assert client.get(REMARK).get_json()["note"] == "Mine."


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"note": "x" * 5001}, "/note"),
        ({"flagged": "yes"}, "/flagged"),
        ({"flag": True}, "/flag"),
        ({"note": None}, "/note"),
    ],
)
def test_what_does_not_fit_is_refused(
    client: FlaskClient, body: dict[str, Any], pointer: str
) -> None:
    reply = put(client, client.get(REMARK).headers["ETag"], **body)
    assert reply.status_code == 422
    assert [error["pointer"] for error in reply.get_json()["errors"]] == [pointer]


def test_an_unknown_question_has_no_remark(client: FlaskClient) -> None:
    path = f"{V1}/questions/none/remark"
    assert client.get(path).status_code == 404
    assert client.put(path, json={}, headers={"If-Match": "*"}).status_code == 404
