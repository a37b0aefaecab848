"""The pages of a mock interview, without script."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine, select

from quizsvc.db import reading, writing
from quizsvc.models import Answer, MemoryState, MockInterview, Review, User

from .api_helpers import V1, stock
from .factories import make_item
from .mock_pages import count, home, mark, put_questions, said, start
from .web_helpers import Page, get, post


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    put_questions(engine, tmp_path)


def test_an_interview_goes_from_start_to_report_without_script(
    client: FlaskClient, engine: Engine
) -> None:
    first = start(client)
    asked = get(client, first)
    assert "1 of 2" in asked.text
    assert "Sixty seconds is a guide" in asked.text
    assert "mentions formula" not in asked.html

    points = said(client, first, "It mentions formula. And nothing else.")
    assert "seems covered by mark 1: “It mentions formula.”" in points.text
    assert "not found" in points.text
    assert points.all("input", name="point", checked="") == []
    assert len(points.all("button", name="rating")) == 4
    ticks = points.values("point")[:1]
    assert post(client, first, marks="1", point=ticks, rating="hard").location == first
    done = get(client, first)
    assert "1 of 2 key points" in done.text
    assert "Follow-up ladder" in done.text

    second = post(client, f"{home(first)}/next").location
    assert second == f"{home(first)}/2"
    said(client, second)
    mark(client, second, point=get(client, second).values("point"), rating="easy")
    assert "See the report" in get(client, second).text
    assert post(client, f"{home(first)}/end").location == home(first)

    report = get(client, home(first))
    assert "1 question to drill" in report.text
    assert "2 of 2 questions answered. The interview took 0:" in report.text
    assert "Weak, so to drill:" in report.text
    assert "not asked" not in report.text
    assert "not reached" not in report.text
    assert "75 %" in report.text
    assert len(report.values("slug")) == 1
    listed = get(client, "/mock")
    assert "2 of 2 answered · 75 %" in listed.text
    with reading(engine) as session:
        assert session.scalars(select(MockInterview)).one().ended_at is not None
        assert session.scalars(
            select(Review.rating).order_by(Review.sequence)
        ).all() == [
            2,
            4,
        ]
    assert count(engine, MemoryState) == 2


def test_an_answer_said_aloud_needs_no_words(
    client: FlaskClient, engine: Engine
) -> None:
    address = start(client)
    points = said(client, address)
    assert "Said aloud." in points.text
    assert "not found" not in points.text
    with reading(engine) as session:
        given = session.scalars(select(Answer)).one()
        assert (given.text, given.review) == ("", None)
    page = get(client, f"/answers/{given.id}")
    assert "You said it aloud" in page.text
    assert "not found" not in page.text


def test_i_dont_know_is_an_answer_and_is_scheduled(
    client: FlaskClient, engine: Engine
) -> None:
    address = start(client)
    page = said(client, address, "Something", confidence="none")
    assert "Not known yet" in page.text
    assert "What was left unsaid" in page.text
    assert count(engine, Review) == 1


def test_what_contradicts_a_point_is_named_and_marked(
    client: FlaskClient, engine: Engine, tmp_path: Path
) -> None:
    item = make_item("talk-0", type="open")
    texts = {lang: text.model_dump() for lang, text in item.texts.items()}
    texts["en"]["key_points"]["gradient"]["misconceptions"] = ["norms block it all"]
    changed = type(item).model_validate({**item.model_dump(), "texts": texts})
    stock(engine, tmp_path, [changed])
    address = start(client)
    page = said(client, address, "It mentions formula. Norms block it all, I think.")
    assert (
        "mark 2 seems to say the opposite: “Norms block it all, I think.”" in page.text
    )
    assert (
        len(page.all("mark", data_v="wrong") or page.all("mark", **{"data-v": "wrong"}))
        == 1
    )
    mark(client, address, rating="again")
    report = get(client, home(address))
    assert "“Norms block it all, I think.” seems to contradict:" in report.text


def test_a_reload_asks_nothing_anew_and_marks_count_once(
    client: FlaskClient, engine: Engine
) -> None:
    address = start(client)
    first, again = get(client, address), get(client, address)
    assert first.all("form")[0]["action"] == again.all("form")[0]["action"] == address
    said(client, address, "It mentions formula.")
    said(client, address, "Twice.")
    for _ in range(2):
        assert mark(client, address, rating="good").status_code == 303
    assert (count(engine, Answer), count(engine, Review)) == (1, 1)


def test_ratings_are_needed_and_ticks_are_kept(client: FlaskClient) -> None:
    address = start(client)
    ticks = said(client, address, "It mentions formula.").values("point")[:1]
    reply = Page(mark(client, address, point=ticks))
    assert reply.status == 422
    assert "Nothing was saved" in reply.text
    kept = [
        one["value"] for one in reply.all("input", name="point") if "checked" in one
    ]
    assert kept == ticks


def test_leaving_is_safe_and_going_on_is_offered(client: FlaskClient) -> None:
    address = start(client)
    page = get(client, "/mock")
    assert "An interview is open" in page.text
    assert {"action": f"{home(address)}/next", "method": "post"} in page.all("form")
    assert "The interview is open" in get(client, home(address)).text
    assert post(client, f"{home(address)}/next").location == address
    assert "An interview is open" in get(client, "/").text
    post(client, f"{home(address)}/end")
    assert "An interview is open" not in get(client, "/").text


def test_a_question_answered_elsewhere_is_asked_anew_with_the_words_kept(
    client: FlaskClient,
) -> None:
    address = start(client)
    slug = client.get(f"{V1}{home(address).replace('/mock/', '/mock-interviews/')}")
    name = slug.get_json()["questions"][0]["slug"]
    other = post(client, "/practice", slug=name).location
    post(client, other, text="Elsewhere.")
    reply = Page(post(client, address, text="My words."))
    assert reply.status == 409
    assert "your words are kept" in reply.text
    assert "My words." in reply.html
    assert said(client, address, "My words.").all("button", name="rating")


def test_choices_are_mixed_in_and_judged(client: FlaskClient) -> None:
    address = start(client, mixed="1", levels=["hard"])
    assert "Every third" in get(client, "/mock").text
    page = get(client, address)
    assert page.all("button", value="sure")
    wrong = Page(post(client, address, confidence="sure"))
    assert wrong.status == 422
    assert "Tick at least one choice" in wrong.text
    done = said(client, address, choice=page.values("choice")[:1], confidence="sure")
    assert re.search("Right|Not right", done.text)
    assert "See the report" in done.text


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"levels": ["extreme"]}, "No question fits"),
        ({"minutes": "x"}, "Nothing was started"),
        ({"topics": ["cooking"]}, "Nothing was started"),
    ],
)
def test_a_wish_that_cannot_be_granted_is_shown_again(
    client: FlaskClient, engine: Engine, wish: dict[str, object], words: str
) -> None:
    reply = Page(post(client, "/mock", **{"minutes": "20", "lang": "en", **wish}))
    assert reply.status == 422
    assert words in reply.text
    assert count(engine, MockInterview) == 0


def test_the_interview_keeps_its_language_whatever_the_page_speaks(
    client: FlaskClient,
) -> None:
    address = start(client, lang="zh")
    page = get(client, address)
    assert "归一化在哪里" in page.text or "在哪里" in page.text
    assert page.all("div", class_="stem", lang="zh-Hans")
    page = get(client, f"{address}?lang=zh")
    assert "六十秒只是参考" in page.text
    assert "模拟面试" in get(client, "/mock?lang=zh").text


def test_what_is_not_there_is_not_found(client: FlaskClient) -> None:
    address = start(client)
    for path in ("/mock/mock_none", "/mock/mock_none/1", f"{home(address)}/2"):
        assert client.get(path).status_code == 404
    for path in ("/mock/mock_none/next", "/mock/mock_none/end", f"{home(address)}/9"):
        assert post(client, path).status_code == 404


def test_nothing_changes_without_the_token_of_a_page(
    client: FlaskClient, engine: Engine
) -> None:
    assert client.post("/mock", data={"minutes": "10"}).status_code == 400
    assert count(engine, MockInterview) == 0


def test_the_next_after_the_end_leads_to_the_report(client: FlaskClient) -> None:
    address = start(client)
    post(client, f"{home(address)}/end")
    assert post(client, f"{home(address)}/next").location == home(address)
    assert client.get(address).location == home(address)


def test_an_interview_began_on_the_day_of_the_candidate(
    client: FlaskClient, engine: Engine
) -> None:
    address = home(start(client))
    with writing(engine) as session:
        session.scalars(select(User)).one().time_zone = "Asia/Shanghai"
        begun = datetime(2026, 3, 1, 23, tzinfo=UTC)  # seven in the morning there
        session.scalars(select(MockInterview)).one().created_at = begun
        session.commit()
    for page in ("/mock", address):
        assert "Mon, Mar 2" in get(client, page).text.replace("\xa0", " ")
