"""Laws of the lab's pages: any parameter may be changed, any run shown and shared."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from quizsvc import lab
from quizsvc.db import reading, writing
from quizsvc.jobs import queue
from quizsvc.models import Run, Worker

from .api_helpers import stock
from .factories import make_item
from .test_web_feedback import FAIR
from .web_helpers import FIGURE, FLOW, HEAT, Page, finish_run, get, post


@pytest.fixture(autouse=True)
def _lab(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item(evidence=[FAIR])])


def only_run(engine: Engine) -> Run:
    with reading(engine) as session:
        return session.scalars(select(Run)).one()


def test_the_gallery_tells_each_experiment(client: FlaskClient) -> None:
    text = get(client, "/experiments").text
    assert "A coin" in text
    assert "1 claim · Not run yet." in text
    assert "1 experiment" in text
    assert "coin · about 1 s · 1 question" in text


def test_the_gallery_counts_verdicts(client: FlaskClient, engine: Engine) -> None:
    finish_run(engine, [0.1] * 5, "refuted")
    page = get(client, "/experiments")
    assert "1 refuted" in page.text
    assert page.all("path", class_="line s1")


def test_every_parameter_has_a_control_with_its_bounds(client: FlaskClient) -> None:
    page = get(client, "/experiments/coin")
    number = page.all("input", name="tosses")[0]
    assert (number["min"], number["max"], number["value"]) == ("1", "1000", "100")
    assert page.all("input", data_for="p-tosses") == []
    assert page.all("input", **{"data-for": "p-tosses", "type": "range"})
    assert page.values("side") == ["heads", "tails"]
    checked = page.all("input", name="side", checked="")
    assert [field["value"] for field in checked] == ["heads"]


def test_how_long_a_run_takes_is_said_of_the_default_values(
    client: FlaskClient,
) -> None:
    address = "/experiments/coin?tosses=7"
    assert "about 1 s with the default values" in get(client, address).text
    assert "按默认参数约1秒" in get(client, f"{address}&lang=zh").text


def test_the_address_may_carry_parameters(client: FlaskClient) -> None:
    page = get(client, "/experiments/coin?tosses=7&side=tails&unknown=1")
    assert page.values("tosses") == ["7"]
    assert page.all("input", name="side", checked="")[0]["value"] == "tails"


def test_a_run_is_queued_and_has_a_page(client: FlaskClient, engine: Engine) -> None:
    reply = post(client, "/experiments/coin", tosses="10", bias="0.25", seeds="6")
    assert reply.status_code == 303
    run = only_run(engine)
    assert reply.location == f"/runs/{run.id}"
    assert run.params == {"tosses": 10, "bias": 0.25, "side": "heads"}
    assert run.seeds == [0, 1, 2, 3, 4, 5]
    page = get(client, reply.location)
    assert "Waiting for a worker." in page.text
    assert page.all("meta", **{"http-equiv": "refresh"})
    assert page.values("tosses") == ["10"]
    assert page.values("seeds") == ["6"]


def test_the_same_request_is_the_same_run(client: FlaskClient) -> None:
    first = post(client, "/experiments/coin", tosses="10").location
    assert post(client, "/experiments/coin", tosses="10.0").status_code == 422
    assert post(client, "/experiments/coin", tosses=" 10 ").location == first


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("tosses", "0", "A whole number from 1 to 1000, such as 100."),
        ("tosses", "many", "A whole number from 1 to 1000, such as 100."),
        ("tosses", "9" * 30, "A whole number from 1 to 1000, such as 100."),
        ("bias", "nan", "A number from 0 to 1, such as 0.5."),
        ("bias", "1e999", "A number from 0 to 1, such as 0.5."),
        ("side", "edge", "This value cannot be used."),
        ("seeds", "4", "A whole number from 5 to 20, such as 5."),
        ("seeds", "x", "A whole number from 5 to 20, such as 5."),
    ],
)
def test_a_value_that_cannot_be_used_is_named_and_kept(
    client: FlaskClient, engine: Engine, name: str, value: str, said: str
) -> None:
    reply = post(client, "/experiments/coin", **{"bias": "0.75", name: value})
    page = Page(reply)
    assert page.status == 422
    assert said in page.text
    assert "Nothing was run. Your values are kept." in page.text
    assert page.values("bias") == ([value] if name == "bias" else ["0.75"])
    if name != "side":
        assert page.all("input", name=name)[0]["value"] == value
    with reading(engine) as session:
        assert session.scalars(select(Run)).all() == []


def test_a_run_in_work_shows_how_far_it_is(
    client: FlaskClient, engine: Engine, session: Session
) -> None:
    address = post(client, "/experiments/coin").location
    run = session.get_one(Run, address.rsplit("/", 1)[1])
    run.state, run.progress = "running", 0.42
    session.commit()
    page = get(client, address)
    assert "42 % done" in page.text
    assert page.all("progress")[0]["value"] == "0.42"


def test_a_waiting_run_says_when_no_worker_is_there(
    client: FlaskClient, session: Session
) -> None:
    address = post(client, "/experiments/coin").location
    assert "No worker has shown itself" in get(client, address).text
    session.add(Worker(name="w", seen_at=datetime.now(UTC)))
    session.commit()
    assert "No worker has shown itself" not in get(client, address).text


def test_a_run_can_be_cancelled_and_asked_for_again(
    client: FlaskClient, engine: Engine
) -> None:
    address = post(client, "/experiments/coin").location
    for _ in range(2):
        assert post(client, f"{address}/cancel").location == address
    assert only_run(engine).state == "cancelled"
    page = get(client, address)
    assert "The run was cancelled." in page.text
    assert page.all("span", **{"data-before": "", "hidden": ""})  # there is no figure
    post(client, "/experiments/coin")
    assert only_run(engine).state == "queued"


def test_a_failed_run_says_why_and_what_is_kept(
    client: FlaskClient, session: Session
) -> None:
    address = post(client, "/experiments/coin").location
    run = session.get_one(Run, address.rsplit("/", 1)[1])
    queue.enqueue(run, at=datetime.now(UTC))
    run.state, run.error = "failed", "It took longer than 120 s."
    session.commit()
    text = get(client, address).text
    assert "The run failed: It took longer than 120 s." in text
    assert "Your parameters are kept" in text


def test_a_finished_run_shows_claims_figures_and_its_address(
    client: FlaskClient, engine: Engine
) -> None:
    run = finish_run(engine, [0.4, 0.5, 0.5, 0.5, 0.9], "inconclusive", tosses=10)
    page = get(client, f"/runs/{run}")
    assert "Inconclusive 4 of 5 seeds" in page.text
    assert page.all("a", href=f"/runs/{run}")
    assert page.all("meta", **{"http-equiv": "refresh"}) == []
    assert page.all("figure")[0]["data-xlabel"] == "Tosses, log scale"
    assert page.values("tosses") == ["10"]


def test_the_table_of_a_figure_is_its_data(client: FlaskClient, engine: Engine) -> None:
    run = finish_run(engine, [0.5] * 5, "supported")
    page = get(client, f"/runs/{run}")
    rows = [h["data-v"] for h in page.all("th", scope="row")]
    cells = [c["data-v"] for c in page.all("td", class_="r")]
    assert rows == ["1", "10", "100"]
    assert cells == [
        *("0.4", "0.3", "0.6", "0.5"),
        *("0.5", "0.4", "0.6", ""),
        *("", "", "", "0.5"),
    ]


def test_a_heat_map_is_a_table_with_the_scale_of_its_colours(
    client: FlaskClient, engine: Engine
) -> None:
    page = get(client, f"/runs/{finish_run(engine, [0.5] * 5, 'supported', [HEAT])}")
    figure = page.all("figure")[0]
    assert (figure["data-vlabel"], figure["data-vscale"]) == ("Gap, log scale", "log")
    assert figure["data-xticks"] == '["low", "high"]'
    heads = [head["data-v"] for head in page.all("th", scope="col") if "data-v" in head]
    assert heads == ["low", "high"]
    rows = [head["data-v"] for head in page.all("th", scope="row")]
    assert rows == ["none, w = 0", "long"]
    cells = page.all("td", class_="r")
    assert [cell["data-v"] for cell in cells] == ["0.1", "1.0", "0.01", ""]
    assert (cells[0]["data-lo"], cells[0]["data-hi"]) == ("0.05", "0.2")


def test_the_way_through_a_block_is_an_ordered_table(
    client: FlaskClient, engine: Engine
) -> None:
    page = get(client, f"/runs/{finish_run(engine, [0.5] * 5, 'supported', [FLOW])}")
    assert [row["data-does"] for row in page.all("tr") if "data-does" in row] == [
        *("in", "read", "map", "keep", "add", "norm"),
        *("in", "read", "norm", "map", "keep", "add"),
    ]
    assert "Pre 1. Stream enters2.51 2. Copy2.50.2 3. Norm before10.5" in page.text
    options = page.all("option")
    assert [option["value"] for option in options] == ["0", "1", "0", "1"]
    assert [i for i, o in enumerate(options) if "selected" in o] == [0, 3]


def test_the_data_of_a_figure_is_a_file_that_needs_no_script(
    client: FlaskClient, engine: Engine
) -> None:
    run = finish_run(engine, [0.5] * 5, "supported", [FIGURE, HEAT])
    for lang in ("en", "zh"):
        page = get(client, f"/runs/{run}", headers={"Accept-Language": lang})
        links = [link["href"] for link in page.all("a") if "download" in link]
        assert links == [
            f"/api/v1/runs/{run}/figures/{name}.csv?lang={lang}"
            for name in ("share", "map")
        ]
    assert client.get(links[1]).text.splitlines()[1] == "无，w = 0,0,低,0.1,0.05,0.2"


def test_an_experiment_shows_the_run_that_is_known_there(
    client: FlaskClient, engine: Engine
) -> None:
    finish_run(engine, [0.5] * 5, "supported")
    finish_run(engine, [0.1] * 5, "refuted", tosses=10)
    shown = get(client, "/experiments/coin?show=1").text
    assert "Supported all 5 seeds" in shown
    other = get(client, "/experiments/coin?tosses=10&show=1").text
    assert "Refuted 0 of 5 seeds" in other
    listed = get(client, "/experiments/coin").text
    assert "default parameters" in listed
    assert "tosses: 10" in listed


def test_a_result_names_the_parameters_it_was_measured_at(
    client: FlaskClient, engine: Engine
) -> None:
    finish_run(engine, [0.5] * 5, "supported")
    run = finish_run(engine, [0.1] * 5, "refuted", tosses=10)
    other = "Nothing has run at the parameters of this form so far."
    text = get(client, "/experiments/coin?tosses=7&show=1").text
    assert f"{other} What follows was measured at: default parameters." in text
    for path in (f"/runs/{run}", "/experiments/coin?tosses=10&show=1"):
        text = get(client, path).text
        assert "This run is at: tosses: 10." in text
        assert other not in text


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ([0, 1, 2, 3, 4], "default parameters"),
        ([0, 1, 2, 3, 4, 5], "Seeds: 6"),
        ([9, 8, 7, 6, 5], "Seeds: 9, 8, 7, 6, 5"),
    ],
)
def test_runs_that_differ_in_seeds_are_told_apart(
    client: FlaskClient, session: Session, seeds: list[int], said: str
) -> None:
    run = lab.submit(session, "coin", {}, seeds, at=datetime.now(UTC)).run
    session.commit()
    page = get(client, f"/runs/{run.id}")
    assert f"This run is at: {said}." in page.text
    assert said in page.words


def test_a_run_outlives_its_experiment(client: FlaskClient, engine: Engine) -> None:
    run = finish_run(engine, [0.1] * 5, "refuted", tosses=10)
    with writing(engine) as session:
        lab.store_catalogue(session, [])
        session.commit()
    page = get(client, f"/runs/{run}")
    assert page.status == 200
    assert "This experiment has left the catalogue" in page.text
    assert "This run is at: tosses: 10, bias: 0.5, side: heads." in page.text
    assert "fair Refuted 0 of 5 seeds" in page.text
    assert page.all("figure")


def test_a_run_needs_our_token(client: FlaskClient, engine: Engine) -> None:
    assert client.post("/experiments/coin").status_code == 400
    with reading(engine) as session:
        assert session.scalars(select(Run)).all() == []
