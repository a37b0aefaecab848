"""Pages of questions that are measured: an estimate, a figure, a run to wait for."""

from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select

from question_bank.content import EvidenceItem
from quizsvc.db import reading, writing
from quizsvc.lab import QUESTION
from quizsvc.models import Answer, Experiment, Run
from quizsvc.web.numbers import read

from .api_helpers import NOW, stock
from .factories import make_item
from .measured import finished
from .web_helpers import Page, begin, choice, get, post

ESTIMATE = {"metric": "coin.share", "params": {"bias": 0.75}, "factor": 2.0}
PLOT = {"experiment": "coin", "id": "share", "params": {"bias": 0.875}}


@pytest.fixture
def bank(engine: Engine, tmp_path: Path) -> None:
    unit = {"en": "heads", "zh": "次正面"}
    items = [
        make_item(),
        make_item(
            "how-many",
            type="estimate",
            estimate={**ESTIMATE, "unit": unit},
            evidence=[EvidenceItem(claim="coin.fair", supports=["estimate"])],
        ),
        make_item("which-curve", figure=PLOT),
    ]
    stock(engine, tmp_path, items)


@pytest.fixture
def asked(client: FlaskClient, engine: Engine, bank: None) -> str:
    """The address of an estimate that was asked; its key is 0.5."""
    finished(engine, at=NOW, bias=0.75)
    return begin(client, "how-many")


def test_the_page_asks_for_a_number_and_says_how_near(
    client: FlaskClient, asked: str
) -> None:
    page = get(client, asked)
    assert len(page.all("input", name="number")) == 1
    assert page.all("input", name="choice") == []
    assert "Your estimate (heads)" in page.text
    assert "Right within a factor of 2 of what was measured." in page.text
    assert "估计（次正面）" in get(client, asked + "?lang=zh").text.replace(
        " (", "（"
    ).replace(") ", "）")


def test_enter_presses_no_button_without_script(
    client: FlaskClient, asked: str
) -> None:
    first = get(client, asked).html.partition('id="ask"')[2]
    button = first[first.index("<button") :].partition(">")[0]
    assert "disabled" in button
    assert "hidden" in button


@pytest.mark.parametrize(
    ("number", "title"), [("0,4", "Right"), ("７×10⁻¹", "Right"), ("−0.5", "Not right")]
)
def test_an_estimate_is_answered_and_shown_against_the_key(
    client: FlaskClient, engine: Engine, asked: str, number: str, title: str
) -> None:
    reply = post(client, asked, number=number, confidence="sure")
    assert reply.status_code == 303, reply.text
    page = get(client, reply.location)
    assert page.text.partition(title)[1], page.text
    assert "Measured0.5 heads median of 5 seeds" in page.text
    assert "Rightfrom 0.25 to 1 within a factor of 2 · log scale" in page.text
    assert len(page.all("circle", class_="dot")) >= 5
    assert len(page.all("path", class_="mine")) == 1
    assert "Measured by A coin (bias: 0.75)" in page.text
    assert "speaks for" not in page.text  # an estimate has no choices to number
    lab = "/experiments/coin?bias=0.75"
    assert lab in [link["href"] for link in page.all("a")]
    assert get(client, lab).status == 200
    with reading(engine) as session:
        assert session.scalars(select(Answer.number)).one() == read(number)
    assert "测得" in get(client, reply.location + "?lang=zh").text


def test_not_knowing_shows_the_key_without_a_number(
    client: FlaskClient, asked: str
) -> None:
    reply = post(client, asked, number="what?", confidence="none")
    page = get(client, reply.location)
    assert "Not known yet" in page.text
    assert "Key: 0.5 heads" in page.text
    assert page.all("path", class_="mine") == []


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("", "Write a number, or say “I don’t know”."),
        ("1,000", "“1,000” is not one number. Write it like 0.5, −3 or 2e-4"),
        ("<b>5</b>", "“<b>5</b>” is not one number."),
    ],
)
def test_what_is_no_number_is_told_beside_the_field_and_kept(
    client: FlaskClient, engine: Engine, asked: str, number: str, sentence: str
) -> None:
    reply = post(client, asked, number=number, confidence="sure")
    page = Page(reply)
    assert page.status == 422
    [field] = page.all("input", name="number")
    assert (field["value"], field["aria-invalid"]) == (number, "true")
    assert "wrong" in field["aria-describedby"].split()
    wrong = page.html.partition('id="wrong"')[2].partition("</p>")[0]
    assert sentence in unescape(wrong)
    assert "<b>" not in page.html
    with reading(engine) as session:
        assert session.scalars(select(Answer)).all() == []


def test_undone_the_number_is_kept(client: FlaskClient, asked: str) -> None:
    answered = post(client, asked, number="0.75", confidence="unsure").location
    [form] = [
        f for f in get(client, answered).all("form") if "undo" in f.get("action", "")
    ]
    again = get(client, post(client, form["action"]).location)
    assert [field["value"] for field in again.all("input", name="number")] == ["0.75"]


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize("slug", ["how-many", "which-curve"])
def test_a_question_that_is_being_computed_has_a_page_of_its_own(
    client: FlaskClient, engine: Engine, slug: str
) -> None:
    reply = post(client, "/practice", slug=slug)
    page = Page(reply)
    assert page.status == 409
    assert "The experiment of this question is being computed" in page.text
    assert "The run waits for a worker." in page.text
    with writing(engine) as session:
        [run] = session.scalars(select(Run))
        assert run.priority == QUESTION
        assert run.id not in page.html
        run.state, run.progress = "running", 0.25
        session.commit()
    assert "25 % done" in Page(post(client, "/practice", slug=slug)).text
    assert "coin" not in page.html
    assert slug not in get(client, "/").html


def test_a_figure_stands_below_the_stem_and_stays(
    client: FlaskClient, engine: Engine, bank: None
) -> None:
    run_id = finished(engine, at=NOW, bias=0.875)
    address = begin(client, "which-curve")
    page = get(client, address)
    assert [f["id"] for f in page.all("figure")] == ["shown-figure"]
    assert "Share of heads" in page.text
    assert not [word for word in ("coin", run_id, "0.875") if word in page.html]
    assert get(client, address).html.count("<figure") == 1

    reply = post(client, address, choice=choice(page, "inside"), confidence="sure")
    after = get(client, reply.location)
    assert after.all("figure", id="shown-share")
    assert "Drawn by A coin (bias: 0.875)" in after.text
    assert f"/runs/{run_id}" in [a["href"] for a in after.all("a")]


def test_an_experiment_that_is_gone_still_explains_its_key(
    client: FlaskClient, engine: Engine, asked: str
) -> None:
    answered = post(client, asked, number="0.5", confidence="sure").location
    with writing(engine) as session:
        session.delete(session.get_one(Experiment, "coin"))
        session.commit()
    page = get(client, answered)
    assert "Measured0.5 heads" in page.text
    assert "Measured by" not in page.text


@pytest.mark.usefixtures("bank")
def test_the_bank_tells_the_form_of_a_question(client: FlaskClient) -> None:
    assert "You answer with a number." in get(client, "/questions/how-many").text
    assert "Unit: heads." in get(client, "/questions/how-many").text
    assert "It is asked with a figure" in get(client, "/questions/which-curve").text
    found = get(client, "/questions?form=estimate")
    assert "1 of 3 questions" in found.text
    assert "2 of 3 questions" in get(client, "/questions?form=choice").text
