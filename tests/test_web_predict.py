"""Laws of the pages on which a run is predicted, compared, shared and asked for again."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from quizsvc import lab
from quizsvc.app import create_app
from quizsvc.db import reading, writing
from quizsvc.jobs import queue
from quizsvc.models import Experiment, Run, RunResult
from quizsvc.web import comparing, predicting

from .api_helpers import stock
from .factories import make_item
from .test_web_feedback import FAIR
from .web_helpers import FIGURE, Page, finish_run, get, post

CURVE: dict[str, Any] = {
    **FIGURE,
    "id": "curve",
    "x": {**FIGURE["x"], "scale": "linear"},
    "series": [
        {
            **FIGURE["series"][0],
            "x": [0, 1, 2, 3],
            "y": [0.625] * 4,
            "low": [],
            "high": [],
        }
    ],
}
COIN = "/experiments/coin"


@pytest.fixture(autouse=True)
def _lab(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item(evidence=[FAIR])])


def test_what_was_measured_is_not_on_the_page_before_it_is_asked_for(
    client: FlaskClient, engine: Engine
) -> None:
    finish_run(engine, [0.625] * 5, "supported", [CURVE])
    page = get(client, COIN)
    assert "Predict, then look" in page.text
    assert "0.625" not in page.html
    assert "Supported all" not in page.text
    assert page.all("svg", class_="dots") == []
    [show] = [a["href"] for a in page.all("a") if a.get("href", "").endswith("show=1")]
    assert "Supported all 5 seeds" in get(client, COIN + show).text
    foreign = get(client, f"{COIN}?tosses=7&side=tails")
    [show] = [a["href"] for a in foreign.all("a") if "show=1" in a.get("href", "")]
    assert show == "?tosses=7&side=tails&show=1"


def test_a_prediction_is_asked_for_in_words_and_at_places_of_a_curve(
    client: FlaskClient, engine: Engine
) -> None:
    finish_run(engine, [0.625] * 5, "supported", [CURVE])
    page = get(client, COIN)
    assert "What will share be? It decides claim 1." in page.text
    assert page.values("predicted") == [""]
    places = [f for f in page.all("input", form="run-form") if "data-x" in f]
    assert [f["name"] for f in places] == [f"curve-{x}" for x in (0, 1, 2, 3)]
    assert "画出你的预期" in get(client, f"{COIN}?lang=zh").text


def test_a_prediction_goes_with_the_run_and_is_held_against_it(
    client: FlaskClient, engine: Engine
) -> None:
    run = finish_run(engine, [0.4, 0.5, 0.5, 0.5, 0.6], "supported", [CURVE])
    sent = {"predicted": "0,75", "curve-0": "0.625", "curve-3": ".525", "curve-1": ""}
    reply = post(client, COIN, **sent)
    assert reply.status_code == 303, reply.text
    assert reply.location == f"/runs/{run}?predicted=0.75&curve=0:0.625,3:0.525"
    page = get(client, reply.location)
    said = "You said 0.75; the median over the seeds is 0.5. You were 0.25 too high, a factor of 1.5."
    assert said in page.text
    assert "It lies above all seeds, which go from 0.4 to 0.6." in page.text
    assert len(page.all("path", class_="mine")) == 2  # in words, and beside the claim
    assert "is off by 0.05, in the median over your points." in page.text
    assert [li["data-s"] for li in page.all("li") if "data-s" in li] == ["1", "p"]
    assert "你预测0.75" in get(client, f"{reply.location}&lang=zh").text


@pytest.mark.parametrize(
    ("curve", "en", "zh"),
    [
        ("0:0.64", "is practically the measured one.", "与测得的几乎相同。"),
        ("0:1.25", "is too high: 2 times what was measured", "是测得值的2倍"),
        ("0:.3125", "is too low: what was measured is 2 times", "测得值是它的2倍"),
        ("0:1.25,1:.3125", "is 2 times the smaller", "有高有低"),
    ],
)
def test_how_far_a_curve_on_a_log_axis_was_off_is_said_in_words(
    client: FlaskClient, engine: Engine, curve: str, en: str, zh: str
) -> None:
    log = {**CURVE, "y": {**CURVE["y"], "scale": "log"}}
    run = finish_run(engine, [0.625] * 5, "supported", [log])
    assert en in get(client, f"/runs/{run}?curve={curve}").text
    assert zh in get(client, f"/runs/{run}?curve={curve}&lang=zh").text


def test_the_axis_of_a_predicted_curve_says_which_run_it_is_of() -> None:
    schema = {"properties": {"depth": {"x-control": {"title": {"en": "Depth"}}}}}
    experiment, run = Experiment(schema=schema), Run(params={"depth": 24})
    layers = {**CURVE, "x": {**CURVE["x"], "label": {"en": "Layer", "zh": "层"}}}
    named = []
    with create_app({"SECRET_KEY": "test"}).test_request_context():
        for figure in (layers, CURVE):
            frame = predicting.frame([figure])
            assert frame is not None
            named.append(comparing.reach(experiment, run, frame))
    assert named == [[("Depth", "24")], []]


def test_a_prediction_may_be_left_out(client: FlaskClient, engine: Engine) -> None:
    run = finish_run(engine, [0.5] * 5, "supported", [CURVE])
    assert post(client, COIN, predicted=" ").location == f"/runs/{run}"
    page = get(client, f"/runs/{run}")
    assert "Your prediction" not in page.text
    assert page.all("path", class_="mine") == []
    assert "Supported all 5 seeds" in page.text


def test_a_prediction_of_what_a_run_has_no_value_of_is_said_to_be_so(
    client: FlaskClient, engine: Engine
) -> None:
    run = finish_run(engine, [0.5] * 5, "inconclusive")
    with writing(engine) as session:
        session.get_one(RunResult, run).metrics = {"share": [None] * 5}
        session.commit()
    page = get(client, f"/runs/{run}?predicted=0.5")
    assert "This run measured nothing that your prediction" in page.text
    assert page.all("a", href="#mine")
    assert page.all("h2", id="mine")


@pytest.mark.parametrize("value", ["much", "1,000", "nan", "<b>1</b>"])
def test_a_prediction_that_is_no_number_is_named_and_kept_and_nothing_runs(
    client: FlaskClient, engine: Engine, value: str
) -> None:
    page = Page(post(client, COIN, predicted=value, tosses="7"))
    assert page.status == 422
    assert f"“{value}” is not one number." in page.text
    [field] = page.all("input", name="predicted")
    assert (field["value"], field["aria-invalid"]) == (value, "true")
    assert page.values("tosses") == ["7"]
    assert "<b>1" not in page.html
    with reading(engine) as session:
        assert session.scalars(select(Run)).all() == []


@pytest.mark.parametrize("part", ["predicted=much", "curve=1:2:3", "curve=a:b"])
def test_an_address_with_a_bad_prediction_shows_the_run_and_says_so(
    client: FlaskClient, engine: Engine, part: str
) -> None:
    run = finish_run(engine, [0.5] * 5, "supported", [CURVE])
    page = get(client, f"/runs/{run}?{part}")
    assert page.status == 422
    assert "is not one number." in page.text
    assert "Supported all 5 seeds" in page.text


def test_an_address_with_a_bad_value_says_so_beside_the_field(
    client: FlaskClient,
) -> None:
    page = get(client, f"{COIN}?tosses=0&bias=0.75&seeds=3")
    assert page.status == 422
    assert page.text.count("A whole number from 1 to 1000, such as 100.") == 2
    assert "A whole number from 5 to 20, such as 5." in page.text
    assert page.values("bias") == ["0.75"]
    assert page.values("seeds") == ["3"]
    assert "请填1到1000之间的整数" in get(client, f"{COIN}?tosses=0&lang=zh").text


def test_an_address_may_name_seeds(client: FlaskClient, session: Session) -> None:
    run = lab.submit(session, "coin", {}, range(6), at=datetime.now(UTC)).run
    session.commit()
    page = get(client, f"{COIN}?seeds=6&show=1")
    assert page.values("seeds") == ["6"]
    assert page.all("div", **{"data-run": run.id})


def test_the_next_run_has_the_one_before_behind_it(
    client: FlaskClient, engine: Engine
) -> None:
    first = finish_run(engine, [0.5] * 5, "supported", tosses=10)
    second = finish_run(engine, [0.5] * 5, "supported", tosses=20)
    behind = get(client, f"/runs/{first}").values("behind")
    assert behind == [first]
    reply = post(client, COIN, tosses="20", behind=[*behind, "run_0", "'; --"])
    assert reply.location == f"/runs/{second}?with={first}&with=run_0"
    page = get(client, reply.location)
    assert page.values("behind") == [second, first]
    assert "One earlier run lies behind the curves, thin and grey." in page.text
    legend = [li for li in page.all("li") if li.get("data-s") == "e1"]
    assert [(li["data-of"], li["data-v"]) for li in legend] == [("0", "tosses: 10")]
    ticked = [f["value"] for f in page.all("input", name="with") if "checked" in f]
    assert sorted(ticked) == sorted([first, second])
    alone = get(client, f"/runs/{second}")
    assert "earlier run" not in alone.text
    assert [f for f in alone.all("li") if f.get("data-s") == "e1"] == []


def test_a_run_is_not_behind_itself_and_a_folded_one_behind_none(
    client: FlaskClient, engine: Engine
) -> None:
    run = finish_run(engine, [0.5] * 5, "supported")
    assert post(client, COIN, behind=[run]).location == f"/runs/{run}"
    assert get(client, COIN).values("behind") == []


def test_a_waiting_run_says_how_many_are_ahead(
    client: FlaskClient, session: Session
) -> None:
    at = datetime.now(UTC) - timedelta(hours=1)
    lab.submit(session, "coin", {"tosses": 1}, at=at)
    lab.submit(session, "coin", {"tosses": 2}, at=at)
    later = datetime.now(UTC) + timedelta(hours=1)
    lab.submit(session, "coin", {"tosses": 3}, at=later)
    session.commit()
    address = post(client, COIN, predicted="0.5").location
    page = get(client, address)
    assert "Waiting: 2 runs are ahead of it." in page.text
    [status] = page.all("div", **{"data-state": "queued"})
    assert status["data-address"] == address
    assert "前面还有2次运行" in get(client, f"{address}&lang=zh").text


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_run_that_came_to_nothing_can_be_asked_for_again_as_it_was(
    client: FlaskClient, session: Session, state: str
) -> None:
    asked = lab.submit(
        session, "coin", {"tosses": 9}, [9, 8, 7, 6, 5], at=datetime.now(UTC)
    )
    asked.run.state, asked.run.error = state, queue.STOPPED_TOO_OFTEN
    session.commit()
    address = f"/runs/{asked.run.id}?predicted=0.5"
    page = get(client, address)
    assert "kept" in page.text
    [form] = [
        f
        for f in page.all("form")
        if f.get("action", "").startswith("/runs") and "again" in f["action"]
    ]
    reply = post(client, form["action"])
    assert reply.location == address
    session.expire_all()
    run = session.get_one(Run, asked.run.id)
    assert (run.state, run.seeds) == ("queued", [9, 8, 7, 6, 5])
    if state == "failed":
        assert "its worker stopped three times" in page.text


def test_a_run_says_what_it_was_and_how_to_repeat_it(
    client: FlaskClient, engine: Engine
) -> None:
    run = finish_run(engine, [0.5] * 5, "supported", tosses=10, bias=0.25)
    page = get(client, f"/runs/{run}?predicted=0.5")
    assert "python -m sim run coin --tosses 10 --bias 0.25" in page.text
    assert "sha256:0000000000000000" in page.text
    copied = [
        button["data-copy"] for button in page.all("button") if "data-copy" in button
    ]
    assert copied == [f"/runs/{run}?predicted=0.5", ""]
    assert "bound: between 0.3 and 0.7" in page.text


def test_the_gallery_is_narrowed_by_its_address(
    client: FlaskClient, engine: Engine
) -> None:
    finish_run(engine, [0.1] * 5, "refuted")
    for query in ("", "q=COIN", "q=硬币+公平", "topic=placement", "verdict=refuted"):
        page = get(client, f"/experiments?{query}")
        assert "A coin" in page.text, query
    for query in ("q=dice", "topic=depth", "verdict=supported"):
        page = get(client, f"/experiments?{query}")
        assert "No experiment fits" in page.text, query
        assert "Remove the filters" in page.text
    assert "Tosses a coin." in get(client, "/experiments").text


def test_a_tile_without_a_result_says_what_it_waits_for(
    client: FlaskClient, session: Session
) -> None:
    run = lab.submit(session, "coin", {}, at=datetime.now(UTC)).run
    session.commit()
    assert "Waiting for a worker." in get(client, "/experiments").text
    run.state, run.progress = "running", 0.4
    session.commit()
    assert "40 % done" in get(client, "/experiments").text
