"""Laws of flag and note on the pages: they work without script and tell no key."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select

from quizsvc.db import reading, writing
from quizsvc.models import Answer, Presentation, Remark

from .api_helpers import stock
from .factories import make_item
from .web_helpers import Page, answer, begin, choice, get, post

SAID = "Inside, since the branch reads it."


@pytest.fixture(autouse=True)
def bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item(), make_item("explain", type="open")])


def stored(engine: Engine) -> list[tuple[bool, str]]:
    with reading(engine) as session:
        return [(r.flagged, r.note) for r in session.scalars(select(Remark))]


def note(page: Page) -> str:
    """What stands in the field for the note."""
    _, found, rest = page.html.partition('id="note-text"')
    assert found
    return rest.partition(">")[2].partition("</textarea>")[0]


def shown_before_the_note(engine: Engine) -> None:
    """Make every note older than the questions that are shown."""
    with writing(engine) as session:
        for row in session.scalars(select(Remark)):
            row.changed_at = datetime.now(UTC) - timedelta(days=3)
        session.commit()


def test_a_flag_in_mid_question_keeps_what_is_ticked(
    client: FlaskClient, engine: Engine
) -> None:
    address = begin(client)
    ticked = choice(get(client, address), "outside")
    reply = post(client, address, choice=ticked, note=SAID, remark="flag")
    page = Page(reply)
    assert reply.status_code == 200
    kept = [c["value"] for c in page.all("input", name="choice", checked="")]
    assert kept == ticked
    assert page.all("button", id="flag", value="unflag", **{"aria-pressed": "true"})
    assert note(page) == SAID
    assert stored(engine) == [(True, SAID)]
    post(client, address, choice=ticked, note=SAID, remark="unflag")
    assert stored(engine) == [(False, SAID)]
    with reading(engine) as session:
        assert session.scalars(select(Answer)).all() == []


def test_an_open_answer_is_kept_while_its_note_is(client: FlaskClient) -> None:
    address = begin(client, "explain")
    reply = post(client, address, text="Half an answer", note=SAID, remark="note")
    assert reply.status_code == 200
    assert ">Half an answer</textarea>" in reply.text


def test_a_note_travels_with_the_answer_and_stands_beside_it(
    client: FlaskClient, engine: Engine
) -> None:
    reply = post(client, begin(client), confidence="none", note=f"  {SAID}\r\n")
    assert note(get(client, reply.location)) == SAID
    assert stored(engine) == [(False, SAID)]


def test_an_answer_without_a_field_for_it_leaves_the_note(
    client: FlaskClient, engine: Engine
) -> None:
    post(client, begin(client), confidence="none", note=SAID)
    post(client, begin(client), confidence="none")
    assert stored(engine) == [(False, SAID)]


def test_a_note_of_an_earlier_meeting_waits_for_the_answer(
    client: FlaskClient, engine: Engine
) -> None:
    post(client, begin(client), confidence="none", note=SAID)
    shown_before_the_note(engine)
    page = get(client, begin(client))
    assert SAID not in page.html
    assert note(page) == ""
    assert page.all("textarea", readonly="")
    assert page.all("textarea", name="note") == []
    assert "It waits until you have answered" in page.text
    assert note(get(client, answer(client, "outside"))) == SAID


def test_a_note_of_this_meeting_is_there_after_a_reload(client: FlaskClient) -> None:
    address = begin(client)
    post(client, address, note=SAID, remark="note")
    assert note(get(client, address)) == SAID


def test_flag_and_note_are_changed_after_the_answer(
    client: FlaskClient, engine: Engine
) -> None:
    given = answer(client, "inside")
    form = get(client, given).all("form", id="keep")[0]["action"]
    for remark, flagged in (("flag", True), ("note", True), ("unflag", False)):
        reply = post(client, form, remark=remark, note=SAID)
        assert reply.status_code == 303
        assert reply.location == f"{given}#note"
        assert stored(engine) == [(flagged, SAID)]
    assert note(get(client, given)) == SAID


def test_a_note_that_is_too_long_loses_neither_itself_nor_the_answer(
    client: FlaskClient, engine: Engine
) -> None:
    address = begin(client)
    ticked = choice(get(client, address), "inside")
    reply = post(client, address, choice=ticked, confidence="sure", note="x" * 5001)
    page = Page(reply)
    assert reply.status_code == 422
    assert "The note is longer than 5000 characters" in page.text
    assert note(page) == "x" * 5001
    assert [c["value"] for c in page.all("input", name="choice", checked="")] == ticked
    with reading(engine) as session:
        assert session.scalars(select(Answer)).all() == []


def test_a_note_is_text_and_nothing_else(client: FlaskClient) -> None:
    given = answer(client, "inside")
    form = get(client, given).all("form", id="keep")[0]["action"]
    post(client, form, remark="note", note="</textarea><script>alert(1)</script>")
    assert "<script>alert" not in get(client, given).html


def test_an_answered_question_takes_no_remark_from_its_old_form(
    client: FlaskClient, engine: Engine
) -> None:
    address = begin(client)
    given = post(client, address, confidence="none").location
    assert post(client, address, remark="flag").location == given
    assert stored(engine) == []


def test_the_last_answer_can_be_taken_back_from_the_next_question(
    client: FlaskClient, engine: Engine
) -> None:
    assert "Before this one" not in get(client, begin(client, "explain")).text
    answer(client, "outside")
    page = get(client, begin(client, "explain"))
    assert "Before this one" in page.text
    undo = next(f["action"] for f in page.all("form") if "/undo" in f["action"])
    back = get(client, post(client, undo).location)
    assert len(back.all("input", name="choice", checked="", autofocus="")) == 1
    with reading(engine) as session:
        assert len(session.scalars(select(Presentation)).all()) == 4


def test_the_heading_counts_the_questions_of_today(client: FlaskClient) -> None:
    page = get(client, begin(client))
    assert page.all("h1", id="stem", autofocus="", tabindex="-1")
    assert "Question 1 of 2: Where the norm stands" in page.text
    assert "第1题，共2题：归一化在哪里" in get(client, begin(client) + "?lang=zh").text


def test_single_keys_are_off_where_the_device_says_so(client: FlaskClient) -> None:
    address = begin(client)
    assert get(client, address).all("input", id="keys-on", checked="")
    client.set_cookie("keys", "off")
    keys = get(client, address).all("input", id="keys-on")
    assert [("checked" in key) for key in keys] == [False]
