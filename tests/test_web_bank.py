"""The bank's pages: filters in the address, paging, empty states, rounds, the map."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine

from question_bank.content import Lang, QuestionItem
from quizsvc.web import bank as bank_pages

from .api_helpers import stock
from .factories import make_item
from .test_web_feedback import FAIR
from .web_helpers import Page, answer, begin, get, post

EVERY = ["norm-position", "talk", "all-of-them"]


@pytest.fixture
def bank(engine: Engine, tmp_path: Path) -> None:
    hard = make_item("all-of-them", type="multi", level="hard", topic="depth")
    told = make_item(evidence=[FAIR], tags=["stand", "zebra"])
    stock(engine, tmp_path, [told, hard, make_item("talk", type="open")])


def found(client: FlaskClient, query: str = "") -> list[str]:
    """The slugs that the table lists."""
    reply = client.get(f"/questions?{query}")
    assert reply.status_code == 200, query
    return re.findall(r'<th scope="row"><a href="/questions/([\w-]+)"', reply.text)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", EVERY),
        ("level=hard", ["all-of-them"]),
        ("topic=depth&form=choice", ["all-of-them"]),
        ("form=open", ["talk"]),
        ("form=choice", ["norm-position", "all-of-them"]),
        ("form=estimate", []),
        ("tag=stand", ["norm-position"]),
        ("state=unseen", EVERY),
        ("state=due", []),
        ("flagged=1", []),
        ("q=Where+the+norm", EVERY),
        ("q=NORMS", EVERY),
        ("lang=zh&q=归一化", EVERY),
        ("lang=en&q=归一化", EVERY),
        ("q=++&level=&topic=", EVERY),
        ("sort=title", ["all-of-them", "norm-position", "talk"]),
        ("sort=recall&q=norm", EVERY),
    ],
)
def test_the_address_filters(
    client: FlaskClient, bank: None, query: str, expected: list[str]
) -> None:
    assert found(client, query) == expected


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("colour=red", "The bank knows no filter “colour”."),
        ("type=single", "The bank knows no filter “type”."),
        ("level=9", "Level: there is no “9”."),
        ("form=single", "Form: there is no “single”."),
        ("tag=zebra", "Tag: there is no “zebra”."),
        ("state=correct", "State: there is no “correct”."),
        ("sort=key", "Order: there is no “key”."),
        ("flagged=yes", "Flagged: there is no “yes”."),
        ("topic=depth&topic=models", "Topic: only one at a time."),
        (f"q={'x' * 201}", "A search has at most 200 characters."),
        ("after=!!", "The place in the list cannot be read"),
        ("after=WyJ0aXRsZSIsICJhIiwgImIiXQ", "The place in the list cannot be read"),
    ],
)
def test_what_the_address_cannot_ask_for_is_said_and_left_out(
    client: FlaskClient, bank: None, query: str, sentence: str
) -> None:
    reply = client.get(f"/questions?{query}")
    assert reply.status_code == 400
    page = Page(reply)
    assert sentence in page.text
    assert page.all("div", role="alert")
    for slug in EVERY:
        assert page.all("a", href=f"/questions/{slug}")
    chinese = get(client, f"/questions?lang=zh&{query}")
    assert "已略去" in chinese.text


def test_every_filter_in_use_can_be_removed_alone(
    client: FlaskClient, bank: None
) -> None:
    query = "q=norm&topic=placement&level=easy&state=unseen&sort=title"
    page = get(client, f"/questions?{query}")
    chips = [a for a in page.all("a", class_="chip") if a.get("id")]
    left = [set(parse_qs(urlsplit(chip["href"]).query)) for chip in chips]
    every = {"q", "topic", "level", "state", "sort"}
    assert left == [every - {name} for name in ("q", "topic", "level", "state")]
    assert all(chip["aria-label"].startswith("Remove the filter") for chip in chips)
    assert page.all("a", class_="chip", href="/questions")
    assert "2 of 3 questions" in page.text


def test_an_empty_search_says_what_was_searched_and_which_filter_to_drop(
    client: FlaskClient, bank: None
) -> None:
    page = get(client, "/questions?q=rotary&topic=depth&level=easy")
    assert "No question fits" in page.text
    assert "“rotary” was looked for in titles, questions and tags" in page.text
    assert "Without “rotary”0 questions" in page.text
    page = get(client, "/questions?topic=depth&level=easy")
    assert "Without Topic: Depth2 questions" in page.text
    assert "Without Level: Easy1 question" in page.text
    assert page.all("a", href="/questions?topic=depth")
    single = get(client, "/questions?q=rotary&lang=zh")
    assert "已在标题、题面和标签里用中文和英文查找“rotary”" in single.text


def test_words_of_the_other_language_are_said_to_be_so(
    client: FlaskClient, bank: None
) -> None:
    page = get(client, "/questions?lang=en&q=归一化")
    assert "None has these words in English" in page.text
    assert page.all("span", lang="zh")
    assert "None has" not in get(client, "/questions?lang=zh&q=归一化").text


def titled(slug: str, level: str, english: str, chinese: str) -> QuestionItem:
    item = make_item(slug, level=level)
    titles: dict[Lang, str] = {"en": english, "zh": chinese}
    for lang, title in titles.items():
        text = item.texts[lang].model_copy(update={"title": title})
        item = item.with_text(lang, text)
    return item


def test_pages_go_on_behind_the_last_row_and_count_them_all(
    client: FlaskClient,
    engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    titles = [
        titled("a", "easy", "also", "归"),
        titled("b", "easy", "Why", "残"),
        titled("c", "mid", "Able", "安"),
        titled("d", "hard", "Zeal", "知"),
    ]
    stock(engine, tmp_path, titles)
    monkeypatch.setattr(bank_pages, "PAGE", 2)
    for lang, slugs in (("en", ["a", "b", "c", "d"]), ("zh", ["b", "a", "c", "d"])):
        query, shown = f"lang={lang}", []
        for left in (2, 0):
            page = get(client, f"/questions?{query}")
            assert ("4 questions" if lang == "en" else "4道题") in page.text
            shown += found(client, query)
            more = [a["href"] for a in page.all("a") if "after=" in a["href"]]
            more = [href for href in more if "lang=" not in href]
            assert len(more) == bool(left)
            query = urlsplit(more[0]).query if more else ""
        assert shown == slugs
    first = get(client, "/questions?lang=en&sort=title")
    (after,) = [
        a["href"] for a in first.all("a") if a["href"].startswith("/questions?after")
    ]
    stock(engine, tmp_path, titles[1:])  # the question that the cursor names is gone
    assert found(client, urlsplit(after).query) == ["b", "d"]


def test_a_search_finds_nothing_in_what_is_hidden(
    client: FlaskClient, bank: None
) -> None:
    hidden = ("Because", "Norm first", "keeps growing", "%25", "_", "zebra", "inside")
    for word in hidden:
        for lang in ("en", "zh"):
            assert found(client, f"q={word}&lang={lang}") == [], word
    for path in ("/questions", "/questions/norm-position", "/topics"):
        assert "zebra" not in get(client, path).html


def test_a_list_does_not_tell_how_many_choices_are_right(
    client: FlaskClient, bank: None
) -> None:
    html = get(client, "/questions").html
    assert "single" not in html
    assert "multi" not in html


def test_a_question_is_shown_without_its_key(client: FlaskClient, bank: None) -> None:
    page = get(client, "/questions/norm-position")
    for name in ("inside", "outside", "nowhere"):
        assert f"The answer {name}." in page.text
    assert page.values("slug") == ["norm-position"]
    assert "Because" not in page.text
    assert "You have not met it." in page.text


def test_experiments_are_named_once_the_answer_has_named_them(
    client: FlaskClient, bank: None
) -> None:
    address = "/questions/norm-position"
    before = get(client, address)
    assert "Which ones is told with your answer" in before.text
    assert "coin" not in before.html
    begin(client)  # shown, not answered
    assert "coin" not in get(client, address).html
    answer(client, "outside")
    after = get(client, address)
    assert after.all("a", href="/experiments/coin")
    assert "Last met" in after.text
    assert "Recall tomorrow" in after.text


def test_flag_and_note_stand_beside_the_question(
    client: FlaskClient, bank: None
) -> None:
    address = "/questions/talk"
    assert get(client, address).all("button", id="flag", value="flag")
    reply = post(client, address, remark="flag")
    assert (reply.status_code, reply.location) == (303, address)
    assert found(client, "flagged=1") == ["talk"]
    assert get(client, address).all("button", id="flag", value="unflag")
    etag = client.get(f"/api/v1{address}/remark").headers["ETag"]
    client.put(
        f"/api/v1{address}/remark", json={"note": "Mind"}, headers={"If-Match": etag}
    )
    page = get(client, address)
    assert "Mind" in page.text
    assert "Your note, which may tell the key" in page.text
    post(client, address, remark="unflag")
    assert found(client, "flagged=1") == []
    assert post(client, "/questions/none", remark="flag").status_code == 404


def test_an_empty_bank_is_said_to_be_empty(client: FlaskClient) -> None:
    for path in ("/questions", "/topics"):
        assert "The bank holds no questions yet." in get(client, path).text


def test_a_question_in_one_language_is_marked_as_such(
    client: FlaskClient, engine: Engine, tmp_path: Path
) -> None:
    stock(engine, tmp_path, [make_item("only", langs=["en"])])
    assert get(client, "/questions/only?lang=zh").all("h1", lang="en")
    asked = get(client, f"{begin(client, 'only')}?lang=zh")
    assert asked.all("div", class_="stem", lang="en")
    assert asked.all("ol", class_="choices", lang="en")
