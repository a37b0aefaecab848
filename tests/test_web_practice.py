"""Laws of practice in the browser: ask, answer once, undo, in two languages, without script."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, func, select

from quizsvc.db import reading, writing
from quizsvc.models import Answer, Presentation, Review

from .api_helpers import stock
from .factories import KEY, make_item
from .test_web_feedback import FOR_BOTH
from .web_helpers import answer, begin, choice, get, post


@pytest.fixture
def bank(engine: Engine, tmp_path: Path) -> None:
    multi = make_item(
        "all-of-them",
        type="multi",
        key=[KEY, "outside"],
        level="hard",
        evidence=[FOR_BOTH],
    )
    stock(engine, tmp_path, [make_item(), multi, make_item("explain", type="open")])


pytestmark = pytest.mark.usefixtures("bank")


def count(engine: Engine, table: type[Answer | Review | Presentation]) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_today_says_how_much_there_is_and_what_comes_first(client: FlaskClient) -> None:
    page = get(client, "/")
    assert "Begin with 3 questions, about 3 minutes" in page.text
    assert "You have not answered any question so far" in page.text
    assert [
        link["href"] for link in page.all("a") if "/questions/" in link["href"]
    ] == [
        "/questions/explain",
        "/questions/norm-position",
        "/questions/all-of-them",
    ]


def test_looking_at_pages_asks_nothing(client: FlaskClient, engine: Engine) -> None:
    for path in ("/", "/practice", "/questions", "/questions/explain"):
        assert get(client, path).status == 200
    assert count(engine, Presentation) == 0


def test_start_asks_the_next_question(client: FlaskClient) -> None:
    reply = post(client, "/practice")
    assert reply.status_code == 303
    assert "1 of 3" in get(client, reply.location).text


def test_a_question_practised_again_moves_no_counter(client: FlaskClient) -> None:
    assert "1 of 3" in get(client, answer(client, "inside")).text
    again = begin(client)
    assert "1 of 3" in get(client, again).text
    assert "1 of 3" in get(client, answer(client, "inside")).text


def test_a_reload_shows_the_same_question_in_the_same_order(
    client: FlaskClient,
) -> None:
    address = begin(client)
    first, second = get(client, address), get(client, address)
    assert first.values("choice") == second.values("choice")


def test_a_question_that_was_due_says_so_when_it_is_no_more(
    client: FlaskClient, engine: Engine
) -> None:
    address = begin(client)
    with writing(engine) as session:
        session.scalars(select(Presentation)).one().reason = "due"
        session.commit()
    text = get(client, address).text
    assert "It was due when it was asked." in text
    assert "You chose it" not in text


def test_one_and_several_keys_look_the_same(client: FlaskClient) -> None:
    shapes = [
        [
            (tag, attributes.get("type"), attributes.get("name"))
            for tag, attributes in get(client, begin(client, slug)).elements
            if tag in {"input", "button", "fieldset"}
        ]
        for slug in ("norm-position", "all-of-them")
    ]
    assert shapes[0] == shapes[1]


def test_nothing_of_the_answer_is_on_the_page_before_it(client: FlaskClient) -> None:
    for path in (begin(client), "/questions/norm-position", "/questions", "/"):
        html = get(client, path).html
        for secret in ("Because of", "Norm first.", "arxiv", "residual_growth"):
            assert secret not in html, (path, secret)


def test_a_right_answer_is_stored_and_scheduled(
    client: FlaskClient, engine: Engine
) -> None:
    page = get(client, answer(client, "inside"))
    assert page.all("h1", id="verdict")
    assert "Right" in page.text
    assert "Back on" in page.text
    with reading(engine) as session:
        stored = session.scalars(select(Answer)).one()
        assert (stored.chosen, stored.correct, stored.confidence) == (
            ["inside"],
            True,
            "sure",
        )
        assert stored.review is not None


def test_an_answer_sent_twice_counts_once(client: FlaskClient, engine: Engine) -> None:
    address = begin(client)
    ticked = choice(get(client, address), "outside")
    targets = []
    for _ in range(2):
        reply = post(client, address, choice=ticked, confidence="unsure")
        assert reply.status_code == 303
        last = client.get(reply.location)
        targets.append(last.location if last.status_code == 302 else reply.location)
    assert targets[0] == targets[1]
    assert count(engine, Answer) == count(engine, Review) == 1


def test_an_answered_question_leads_to_its_answer(client: FlaskClient) -> None:
    address = begin(client)
    given = post(client, address, confidence="none").location
    assert client.get(address).location == given


def test_i_do_not_know_needs_no_tick(client: FlaskClient) -> None:
    reply = post(client, begin(client), confidence="none")
    assert "Not known yet" in get(client, reply.location).text


def test_nothing_ticked_is_refused_and_nothing_is_lost(
    client: FlaskClient, engine: Engine
) -> None:
    reply = post(client, begin(client), confidence="sure")
    assert reply.status_code == 422
    assert "Tick at least one choice" in reply.text
    assert count(engine, Answer) == 0


def test_a_refused_open_answer_keeps_its_words(client: FlaskClient) -> None:
    reply = post(client, begin(client, "explain"), text="字" * 20_001)
    assert reply.status_code == 422
    assert "longer than 20,000 characters" in reply.text
    assert "字" * 20_001 in reply.text


def test_a_switch_of_language_keeps_ticks_and_order(client: FlaskClient) -> None:
    address = begin(client)
    english = get(client, address)
    ticked = choice(english, "outside")
    chinese = get(client, f"{address}?lang=zh&choice={ticked[0]}")
    assert chinese.values("choice") == english.values("choice")
    assert [
        c["value"] for c in chinese.all("input", name="choice", checked="")
    ] == ticked
    assert "答案是" in chinese.text
    link = chinese.all("a", id="language")[0]["href"]
    assert f"choice={ticked[0]}" in link
    assert "lang=en" in link


def test_undo_takes_the_answer_back_and_keeps_what_was_said(
    client: FlaskClient, engine: Engine
) -> None:
    given = get(client, answer(client, "outside"))
    undo = next(
        f["action"] for f in given.all("form") if "/undo" in f.get("action", "")
    )
    page = get(client, post(client, undo).location)
    assert [c["value"] for c in page.all("input", name="choice", checked="")] == choice(
        page, "outside"
    )
    with reading(engine) as session:
        assert session.scalars(select(Review)).one().voided_at is not None


def test_undone_is_said_and_cannot_be_undone_again(client: FlaskClient) -> None:
    address = answer(client, "outside")
    forms = get(client, address).all("form")
    undo = next(f["action"] for f in forms if "/undo" in f.get("action", ""))
    post(client, undo)
    assert "Taken back" in get(client, address).text
    again = post(client, undo)
    assert again.status_code == 409
    assert "cannot be taken back any more" in again.text


def test_an_expired_question_is_asked_again(
    client: FlaskClient, engine: Engine
) -> None:
    address = begin(client)
    with writing(engine) as session:
        row = session.scalars(select(Presentation)).one()
        row.expires_at = datetime.now(UTC) - timedelta(seconds=1)
        row.created_at = row.expires_at - timedelta(hours=24)
        session.commit()
    page = get(client, address)
    assert page.status == 410
    assert "shown too long ago" in page.text
    assert page.all("form", action="/practice")


def test_time_is_counted_by_the_page_and_never_trusted_blindly(
    client: FlaskClient, engine: Engine
) -> None:
    for said, kept in (("12", True), ("-3", False), ("nan", False), ("x", False)):
        post(client, begin(client), confidence="none", seconds=said)
        with reading(engine) as session:
            newest = select(Answer).order_by(Answer.answered_at.desc()).limit(1)
            assert (session.scalars(newest).one().seconds == 12) is kept


def test_a_form_without_our_token_is_refused(
    client: FlaskClient, engine: Engine
) -> None:
    address = begin(client)
    for path in ("/practice", address):
        reply = client.post(path, data={"confidence": "none"})
        assert reply.status_code == 400
        assert "This form has lost its session" in reply.text
    assert count(engine, Answer) == 0


def test_a_text_that_no_database_holds_is_refused(client: FlaskClient) -> None:
    assert post(client, begin(client, "explain"), text="a\0b").status_code == 400


def test_unknown_questions_and_answers_are_not_found(client: FlaskClient) -> None:
    for path in (
        "/practice/pres_0",
        "/answers/ans_0",
        "/questions/none",
        "/runs/run_0",
    ):
        page = get(client, path)
        assert page.status == 404
        assert "There is nothing at this address" in page.text


def test_when_all_is_done_today_says_when_the_next_comes(client: FlaskClient) -> None:
    for slug in ("norm-position", "all-of-them", "explain"):
        post(client, begin(client, slug), confidence="none")
    page = get(client, "/")
    assert "Nothing is due" in page.text
    assert "The next question comes back on" in page.text
    assert post(client, "/practice").location == "/"
