"""Laws of the page after an answer: frank about the verdict, honest about the proof."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from question_bank.content import EvidenceItem, KeyPointText
from quizsvc import app, lab
from quizsvc.db import reading, writing
from quizsvc.jobs import queue
from quizsvc.models import Answer, User

from .api_helpers import stock
from .factories import KEY, make_item, make_points
from .web_helpers import Page, answer, begin, choice, finish_run, get, post

FAIR = EvidenceItem(claim="coin.fair", supports=[KEY], refutes=["outside"])
BIASED = EvidenceItem(
    claim="coin.fair", params={"bias": 0.9}, outcome="refuted", refutes=["outside"]
)
FOR_BOTH = EvidenceItem(claim="coin.fair", supports=[KEY, "outside"])
POINTS = make_points("en", ["gradient"]) | {
    "formula": KeyPointText(
        text="It says formula.",
        phrases=["norm of the sum"],
        misconceptions=["sum of the norms"],
    )
}


@pytest.fixture
def bank(engine: Engine, tmp_path: Path) -> None:
    multi = make_item(
        "all-of-them", type="multi", key=[KEY, "outside"], evidence=[FOR_BOTH]
    )
    spoken = make_item(
        "explain", type="open", langs=["en"], points=POINTS, text={"key_points": POINTS}
    )
    proven = make_item(evidence=[FAIR, BIASED])
    stock(engine, tmp_path, [proven, multi, spoken])


pytestmark = pytest.mark.usefixtures("bank")


def explain(client: FlaskClient, text: str) -> str:
    reply = post(client, begin(client, "explain"), text=text)
    assert reply.status_code == 303, reply.text
    return reply.location


@pytest.mark.parametrize(
    ("slug", "words", "title", "tone"),
    [
        ("norm-position", ["inside"], "Right", "right"),
        ("norm-position", ["outside"], "Not right", "wrong"),
        ("all-of-them", ["inside"], "Partly right", "part"),
        ("all-of-them", ["inside", "outside"], "Right", "right"),
        ("all-of-them", ["nowhere"], "Not right", "wrong"),
    ],
)
def test_the_verdict_is_one_plain_word(
    client: FlaskClient, slug: str, words: list[str], title: str, tone: str
) -> None:
    page = get(client, answer(client, *words, slug=slug))
    assert page.all("section", **{"class": "result", "data-v": tone})
    assert f">{title}</h1>" in page.html


def test_every_choice_has_its_reason(client: FlaskClient) -> None:
    page = get(client, answer(client, "outside"))
    for name in ("inside", "outside", "nowhere"):
        assert f"Because of {name}." in page.text
    assert "You were sure" in page.text


def test_a_part_of_the_score_comes_with_its_rule(client: FlaskClient) -> None:
    page = get(client, answer(client, "inside", slug="all-of-them"))
    assert "Score 0.5. Right ticks minus wrong ticks" in page.text
    assert "The answer was not fully right, so it comes back soon." in page.text
    assert "The answer was not right" not in page.text
    wrong = get(client, answer(client, "nowhere", slug="all-of-them"))
    assert "The answer was not right, so the interval is short." in wrong.text
    assert "fully right" not in wrong.text


def test_no_day_beyond_the_interview_is_foretold(
    client: FlaskClient, engine: Engine
) -> None:
    address = answer(client, "inside")
    assert "again on " in get(client, address).text
    with writing(engine) as session:
        for user in session.scalars(select(User)):
            user.interview_date = (datetime.now(UTC) + timedelta(days=1)).date()
        session.commit()
    page = get(client, address)
    assert "again only after the interview" in page.text
    assert "again on " not in page.text


def test_a_pitfall_stands_without_quotation_marks(client: FlaskClient) -> None:
    page = get(client, answer(client, "inside"))
    pitfalls = page.html.partition("Pitfalls</h2>")[2].partition("</section>")[0]
    assert re.search(r"<b>\w", pitfalls)
    assert "“" not in pitfalls


def test_what_only_script_does_is_marked_as_such(client: FlaskClient) -> None:
    page = get(client, begin(client))
    assert '<span class="script">Saved as you write.' in page.html
    style = (Path(app.__file__).parent / "static" / "app.css").read_text()
    (hidden,) = re.findall(r"@media \(scripting: none\) \{ ([^{]*)\{", style)
    assert {".script", "kbd", ".keys"} <= set(hidden.strip().split(", "))


def test_the_explanation_comes_in_three_depths(client: FlaskClient) -> None:
    page = get(client, answer(client, "inside"))
    assert page.values("depth") == ["short", "detailed", "lesson"]
    for text in ("Inside the branch.", "the stream keeps growing", "Norm first."):
        assert text in page.text


def test_the_page_is_in_the_language_that_is_asked_for(client: FlaskClient) -> None:
    page = get(client, answer(client, "inside") + "?lang=zh")
    assert page.all("html", lang="zh-Hans")
    assert "正确" in page.text
    assert "原因是 outside." in page.text


def test_evidence_waits_until_it_was_measured(client: FlaskClient) -> None:
    page = get(client, answer(client, "inside"))
    assert "It is fair." in page.text
    assert "Not run yet." in page.text
    assert page.all("svg", class_="dots") == []


def test_evidence_shows_every_seed_against_the_bound(
    client: FlaskClient, engine: Engine
) -> None:
    run = finish_run(engine, [0.4, 0.5, 0.5, 0.5, 0.6], "supported")
    page = get(client, answer(client, "inside"))
    assert page.all("svg", class_="dots")[0]["aria-label"] == "0.4, 0.5, 0.5, 0.5, 0.6"
    assert "Supported all 5 seeds" in page.text
    assert page.all("a", href=f"/runs/{run}")
    assert "Share of heads" in page.text


def test_evidence_names_what_it_speaks_for(client: FlaskClient) -> None:
    address = begin(client)
    shown = get(client, address)
    places = {
        name: shown.values("choice").index(choice(shown, name)[0]) + 1
        for name in ("inside", "outside")
    }
    page = get(client, post(client, address, confidence="none").location)
    said = f"speaks for no. {places['inside']} · speaks against no. {places['outside']}"
    assert said in page.text


def test_a_claim_that_must_be_refuted_agrees_when_it_is(
    client: FlaskClient, engine: Engine
) -> None:
    finish_run(engine, [0.9] * 5, "refuted", bias=0.9)
    address = answer(client, "inside")
    text = get(client, address).text
    said = (
        "Refuted 0 of 5 seeds lie inside the bounds; this is just what the key needs."
    )
    assert said in text
    said = "不成立 5个种子中有0个在界内，这正是答案所需要的。"
    assert said in get(client, f"{address}?lang=zh").text
    assert "does not agree with the key" not in text


def test_a_measurement_against_the_key_is_not_hidden(
    client: FlaskClient, engine: Engine
) -> None:
    finish_run(engine, [0.1] * 5, "refuted")
    text = get(client, answer(client, "inside")).text
    assert "does not agree with the key, which needs: Supported." in text


def test_the_keys_that_work_are_listed(client: FlaskClient) -> None:
    def listed(path: str) -> set[str]:
        return set(re.findall("<dt><kbd>(.*?)</kbd>", get(client, path).html))

    answered, open_answer = answer(client, "inside"), explain(client, "Of the sum.")
    assert listed(answered) == {"Enter", "U", "E", "F", "M", "Esc", "L", "?"}
    assert listed(open_answer) == {"1–9", "E", "F", "M", "Esc", "L", "?"}
    assert get(client, answered).all("dialog", id="all-keys")


def test_only_the_latest_answer_offers_undo(client: FlaskClient) -> None:
    def undoable(address: str) -> bool:
        return any(
            "/undo" in form.get("action", "")
            for form in get(client, address).all("form")
        )

    first = answer(client, "inside")
    assert undoable(first)
    second = answer(client, "inside", slug="all-of-them")
    assert not undoable(first)
    assert undoable(second)


def test_an_open_answer_is_shown_beside_its_key_points(client: FlaskClient) -> None:
    page = get(client, explain(client, "It is the norm of the sum. <b>Yes</b>."))
    assert "It is the norm of the sum. <b>Yes</b>." in page.text
    assert "seems covered: “It is the norm of the sum.”" in page.text
    assert "not found" in page.text
    assert len(page.all("button", name="rating")) == 4


def test_no_key_point_is_ticked_beforehand(client: FlaskClient) -> None:
    page = get(client, explain(client, "It is the norm of the sum."))
    assert len(page.values("point")) == 2
    assert page.all("input", name="point", checked="") == []


def test_a_contradiction_is_named(client: FlaskClient) -> None:
    page = get(client, explain(client, "It is the sum of the norms."))
    assert "seems to say the opposite: “It is the sum of the norms.”" in page.text


def test_marks_are_stored_and_schedule_the_question(
    client: FlaskClient, engine: Engine
) -> None:
    address = explain(client, "It is the norm of the sum.")
    point = get(client, address).values("point")[:1]
    reply = post(client, address, point=point, rating="hard")
    assert reply.status_code == 303
    page = get(client, reply.location)
    assert "1 of 2 key points" in page.text
    assert "Back on" in page.text
    with reading(engine) as session:
        stored = session.scalars(select(Answer)).one()
        assert stored.score == 0.5
        assert stored.review is not None
        assert stored.review.rating == 2


def test_marks_sent_twice_count_once(client: FlaskClient) -> None:
    address = explain(client, "It is the norm of the sum.")
    for rating in ("good", "again"):
        assert post(client, address, rating=rating).location == address
    assert "<dd>Good</dd>" in get(client, address).html


def test_marks_without_a_rating_are_refused_and_kept(client: FlaskClient) -> None:
    address = explain(client, "It is the norm of the sum.")
    point = get(client, address).values("point")[:1]
    reply = post(client, address, point=point)
    assert reply.status_code == 422
    page = Page(reply)
    assert "Nothing was saved. Choose one of the four ratings." in page.text
    assert [p["value"] for p in page.all("input", name="point", checked="")] == point


def test_an_open_answer_undone_keeps_its_words(client: FlaskClient) -> None:
    address = explain(client, "It is the norm of the sum.")
    post(client, address, rating="good")
    forms = get(client, address).all("form")
    undo = next(form["action"] for form in forms if "/undo" in form.get("action", ""))
    page = get(client, post(client, undo).location)
    assert "It is the norm of the sum.</textarea>" in page.html
    status = page.html.partition('id="say"')[2]
    assert status.partition(">")[2].startswith("Taken back.")


def test_evidence_whose_run_failed_says_why_in_the_language_of_the_page(
    client: FlaskClient, session: Session
) -> None:
    run = lab.submit(session, "coin", {}, at=datetime.now(UTC)).run
    run.state, run.error = "failed", queue.STOPPED_TOO_OFTEN
    session.commit()
    page = get(client, f"{answer(client, 'inside')}?lang=zh")
    assert "工作进程三次中断" in page.text
    assert queue.STOPPED_TOO_OFTEN not in page.text
