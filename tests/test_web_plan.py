"""The page of the plan: what to do today and why, the forecast, the goal as a form."""

import re
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask, get_template_attribute
from flask.testing import FlaskClient
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, select
from werkzeug.test import TestResponse

from quizsvc.db import reading
from quizsvc.models import User

from .api_helpers import NOW, stock
from .factories import make_item
from .web_helpers import answer, get

SOON = f"{NOW + timedelta(days=20):%Y-%m-%d}"
FORM = {
    "interview_date": SOON,
    "minutes_per_day": "25",
    "target_retention": "0.85",
    "time_zone": "Asia/Shanghai",
    "rollover_hour": "3",
}


@pytest.fixture(autouse=True)
def bank(engine: Engine, tmp_path: Path) -> None:
    items = [
        make_item(),
        make_item("other", topic="depth", evidence=[]),
        make_item("third", evidence=[]),
    ]
    stock(engine, tmp_path, items)


def send(client: FlaskClient, **fields: object) -> TestResponse:
    token = get(client, "/plan").values("csrf_token")[0]
    return client.post("/plan", data={"csrf_token": token, **FORM, **fields})


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_plan_before_any_goal_forecasts_and_offers_the_form(
    client: FlaskClient, lang: str
) -> None:
    page = get(client, f"/plan?lang={lang}")
    assert [f["id"] for f in page.all("figure")] == ["plan-course", "plan-load"]
    assert all(figure["data-alt"] for figure in page.all("figure"))
    assert page.values("minutes_per_day") == ["20"]
    assert page.values("interview_date") == [""]
    assert page.values("topics") == ["depth", "placement"]
    assert page.all("a", **{"href": "/plan", "aria-current": "page"})
    assert len(page.all("button", class_="btn main big")) == 1


def test_a_goal_is_saved_and_changes_today(client: FlaskClient, engine: Engine) -> None:
    reply = send(client, topics=["depth"])
    assert (reply.status_code, reply.location) == (303, "/plan?saved=1")
    with reading(engine) as session:
        user = session.scalars(select(User)).one()
        assert (str(user.interview_date), user.minutes_per_day) == (SOON, 25)
        assert (user.topics, user.packs) == (["depth"], [])
        assert (user.target_retention, user.time_zone) == (0.85, "Asia/Shanghai")
    page = get(client, "/plan?saved=1")
    assert "Saved." in page.text
    assert page.all("input", name="topics", value="depth", checked="")
    assert not page.all("input", name="topics", value="placement", checked="")
    today = get(client, "/")
    assert "1 question, about 1 minute" in today.text
    assert "days to the interview" in today.text
    assert today.all("a", href="/plan")


def test_the_page_says_what_to_do_today_and_why(client: FlaskClient) -> None:
    tomorrow = f"{NOW + timedelta(days=1):%Y-%m-%d}"
    send(client, topics=["placement"], interview_date=tomorrow)
    page = get(client, "/plan")
    assert "Today: 2 questions, about 2 minutes" in page.text
    assert "lifts your recall at the interview from 0 % to" in page.text
    assert "Never asked so far" in page.text
    assert [a["href"] for a in page.all("a") if "/questions/" in a["href"]] == [
        "/questions/norm-position",
        "/questions/third",
    ]
    for slug in ("norm-position", "third"):
        answer(client, "inside", slug=slug)
    page = get(client, "/plan")
    assert "Today: nothing" in page.text
    assert "Tomorrow it goes on" in page.text
    assert not page.all("button", class_="btn main big")


def test_the_curve_goes_from_today_to_the_interview_in_a_band(
    client: FlaskClient,
) -> None:
    send(client)
    page = get(client, "/plan")
    days = int(re.findall(r"(\d+) days to the interview", page.text)[0])
    curve = page.html.split('id="plan-course"')[1].split("</figure>")[0]
    rows = re.findall(r'<th scope="row" data-v="(\d+)">', curve)
    assert rows == [str(day) for day in range(days + 1)]
    values = [float(v) for v in re.findall(r'<td class="r" data-v="([\d.]+)">', curve)]
    assert len(values) == 4 * len(rows), "recall, low, high, and without another answer"
    *_, recall, low, high, untouched = values
    assert low <= recall <= high
    assert untouched == 0 < recall


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_on_the_day_itself_the_page_has_no_curve_and_still_says_what_to_do(
    client: FlaskClient, lang: str
) -> None:
    send(client, interview_date=f"{NOW:%Y-%m-%d}", time_zone="UTC", rollover_hour="0")
    page = get(client, f"/plan?lang={lang}")
    assert page.status == 200
    assert not page.all("figure")
    assert page.all("button", class_="btn main big")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("interview_date", "31.12.2026"),
        ("interview_date", "9999-01-01"),
        ("minutes_per_day", "-3"),
        ("minutes_per_day", "many"),
        ("target_retention", "nan"),
        ("target_retention", "0.1"),
        ("time_zone", "Mars/Olympus"),
        ("rollover_hour", "24"),
    ],
)
def test_what_cannot_be_a_goal_is_shown_again_with_the_reason(
    client: FlaskClient, engine: Engine, name: str, value: str
) -> None:
    reply = send(client, **{name: value})
    assert reply.status_code == 422
    assert f'value="{value}"' in reply.text
    assert f'id="{name}-about"' in reply.text
    assert reply.text.count('aria-invalid="true"') == 1
    with reading(engine) as session:
        assert session.scalars(select(User.interview_date)).all() in ([], [None])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_day_gone_by_and_no_minutes_are_said(client: FlaskClient, lang: str) -> None:
    assert send(client, interview_date="2020-01-01", minutes_per_day="0").status_code
    page = get(client, f"/plan?lang={lang}")
    assert len(page.all("p", class_="notice")) == 2
    assert page.all("figure")
    today = get(client, f"/?lang={lang}")
    assert today.all("button", class_="btn main big")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_minutes_for_today_one_may_go_on(
    client: FlaskClient, lang: str
) -> None:
    send(client, minutes_per_day="0")
    page = get(client, f"/?lang={lang}")
    assert page.all("button", class_="btn main big")
    assert not page.all("ol", class_="rows")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.floats(0, 1), st.floats(0, 1))
@example(0.9635, 0.9666)
def test_a_difference_is_that_of_the_numbers_shown(
    app: Flask, one: float, other: float
) -> None:
    with app.test_request_context("/?lang=en"):
        tenths = get_template_attribute("numbers.html", "tenths")
        first, second = (
            Decimal(str(tenths(share)).removesuffix(" %")) for share in (one, other)
        )
        change = str(get_template_attribute("numbers.html", "change")(one, other))
    told = "0" if change == "(no difference)" else change[1:].removesuffix(" points)")
    assert Decimal(told.replace("−", "-")) == first - second


def test_chinese_sentences_follow_one_another_without_a_gap(
    client: FlaskClient,
) -> None:
    answer(client, "inside")
    send(client)
    page = get(client, "/plan?lang=zh")
    assert "。" in page.text
    assert not re.search("[。；] +[\u4e00-\u9fff]", "".join(page.words))
