"""The page of progress: empty, with a history, and the way of a file through it."""

import re
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from .api_helpers import NOW, stock
from .factories import make_item
from .test_api_progress import HEAD, HISTORY, SLUG, stored
from .web_helpers import Page, answer, get


@pytest.fixture(autouse=True)
def bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item(), make_item("other", topic="depth")])


def bring(
    client: FlaskClient, file: str | bytes | None = None, **fields: str
) -> TestResponse:
    """Send the form of the page, with a file when one is given."""
    token = get(client, "/progress").values("csrf_token")[0]
    data: dict[str, object] = {"csrf_token": token, **fields}
    if file is not None:
        content = file.encode() if isinstance(file, str) else file
        data["file"] = (BytesIO(content), "log.csv")
    return client.post("/progress", data=data)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_log_leads_to_practice_and_to_a_file(
    client: FlaskClient, lang: str
) -> None:
    page = get(client, f"/progress?lang={lang}")
    assert page.all("a", href="/practice", class_="btn main big")
    assert page.all("input", type="file", id="file")
    assert not page.all("figure")
    assert not page.all("a", href="/api/v1/reviews.csv")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_history_is_shown_with_figures_that_have_tables(
    client: FlaskClient, lang: str
) -> None:
    assert bring(client, HISTORY).status_code == 200
    answer(client, "inside")
    page = get(client, f"/progress?lang={lang}")
    assert [f["id"] for f in page.all("figure")] == ["told-forecast", "told-days"]
    said = {"en": ("Recall tomorrow", "Recall today"), "zh": ("明天的回忆率", "今天的")}
    assert said[lang][0] in page.text
    assert said[lang][1] not in page.text  # what was just answered is known for now
    assert bring(client, text=HISTORY).status_code == 303

    page = get(client, f"/progress?lang={lang}")
    assert [f["id"] for f in page.all("figure")] == [
        "told-forecast",
        "told-calibration",
        "told-weeks",
        "told-days",
    ]
    for figure in page.all("figure"):
        assert figure["data-alt"]
        assert figure["data-xlabel"]
    assert len(page.all("td")) > 60
    assert page.all("a", href="/api/v1/reviews.csv")
    assert page.all("a", href="/progress", **{"aria-current": "page"})


def test_a_file_is_checked_first_and_then_added(
    client: FlaskClient, engine: Engine
) -> None:
    reply = bring(client, HISTORY + "\nelsewhere,1700000000000,3")
    page = Page(reply)
    assert (reply.status_code, stored(engine)) == (200, 0)
    assert "Add 4 reviews" in page.text
    assert "elsewhere (line 6)" in page.text

    (text,) = page.values("text")
    done = bring(client, text=text, zone="UTC")
    assert (done.status_code, stored(engine)) == (303, 4)
    assert "4 reviews were added" in get(client, done.location.split("#")[0]).text
    assert "There is nothing to add" in Page(bring(client, HISTORY)).text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_mistakes_are_told_by_line_in_the_language_of_the_page(
    client: FlaskClient, engine: Engine, lang: str
) -> None:
    get(client, f"/progress?lang={lang}")
    reply = bring(client, f"{HISTORY}\n{SLUG},tomorrow,9")
    assert (reply.status_code, stored(engine)) == (422, 0)
    text = Page(reply).text
    expected = {
        "en": "Line 6, review_rating: no rating",
        "zh": "第6行，review_rating：",
    }
    assert expected[lang] in text


def test_many_mistakes_are_counted(client: FlaskClient) -> None:
    rows = "\n".join([HEAD, *[f"{SLUG},{n},3" for n in range(30)]])
    assert "and 10 more" in Page(bring(client, rows)).text


@pytest.mark.parametrize(
    ("text", "zone", "said"),
    [
        (None, "UTC", "Choose a file first"),
        ("", "UTC", "Choose a file first"),
        (HISTORY, "Mars/Olympus", "no such time zone"),
        (b"\xff\xfe", "UTC", "not in UTF-8"),
        ("hello", "UTC", "the first line must name this column"),
    ],
)
def test_what_cannot_be_read_is_told(
    client: FlaskClient, text: str | bytes | None, zone: str, said: str
) -> None:
    reply = bring(client, text, zone=zone)
    assert reply.status_code == 422
    assert said in Page(reply).text


def test_the_zone_of_the_form_is_that_of_its_times(client: FlaskClient) -> None:
    text = f"{HEAD}\n{SLUG},2026-01-05 03:00,3"
    page = Page(bring(client, text, zone="Asia/Shanghai"))
    assert "Jan 4, 2026 to Jan 4, 2026" in page.text
    assert set(page.values("zone")) == {"Asia/Shanghai"}


def test_a_file_without_our_token_is_refused(
    client: FlaskClient, engine: Engine
) -> None:
    assert client.post("/progress", data={"text": HISTORY}).status_code == 400
    assert stored(engine) == 0


def test_a_large_file_comes_through_the_page_too(client: FlaskClient) -> None:
    rows = [
        f"{SLUG},{(NOW - timedelta(minutes=n)).isoformat()},3,{'1' * 12}"
        for n in range(20_000)
    ]
    text = "\n".join([f"{HEAD},review_duration", *rows])
    assert len(text) > 1024 * 1024
    reply = bring(client, text)
    page = Page(reply)
    reply.request.environ["wsgi.input"].close()  # the client kept it on the disk
    assert "20000" in re.sub(r"\D", "", page.text)
