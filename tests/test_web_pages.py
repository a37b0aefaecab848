"""Laws that every page keeps: two languages, nothing inline, nothing foreign, one question."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from quizsvc.app import create_app

from .api_helpers import stock
from .factories import make_item
from .test_web_feedback import FAIR
from .web_helpers import Page, answer, begin, finish_run, get, post

STATIC = Path(create_app.__code__.co_filename).parent / "static"


@pytest.fixture
def bank(engine: Engine, tmp_path: Path) -> None:
    hard = make_item("all-of-them", type="multi", level="hard", topic="depth")
    stock(
        engine,
        tmp_path,
        [make_item(evidence=[FAIR]), hard, make_item("talk", type="open")],
    )


@pytest.fixture
def addresses(client: FlaskClient, engine: Engine, bank: None) -> list[str]:
    """One address of each kind of page."""
    run = finish_run(engine, [0.5] * 5, "supported")
    said = post(client, begin(client, "talk"), text="It mentions formula.")
    return [
        *("/", "/practice", "/questions", "/questions/talk", "/experiments"),
        *("/progress", "/topics", "/questions?level=9"),
        *("/experiments/coin", f"/runs/{run}", "/questions?q=nothing-like-it", "/none"),
        *(
            begin(client),
            begin(client, "talk"),
            answer(client, "inside"),
            said.location,
        ),
    ]


def test_no_page_needs_anything_inline_or_foreign(
    client: FlaskClient, addresses: list[str]
) -> None:
    for address in addresses:
        reply = client.get(address)
        policy = reply.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        page = Page(reply)
        for tag, attributes in page.elements:
            assert tag != "style", address
            assert "style" not in attributes, (address, attributes)
            assert not any(name.startswith("on") for name in attributes), address
            if tag == "script":
                assert attributes["src"], address
            if tag in {"script", "link", "img", "use", "form"}:
                link = attributes.get("src") or attributes.get("href") or ""
                assert urlsplit(link or attributes.get("action", "")).netloc == ""
        assert not re.search(r"<script[^>]*>[^<]", page.html), address


def test_every_page_speaks_both_languages(
    client: FlaskClient, addresses: list[str]
) -> None:
    for address in addresses:
        join = "&" if "?" in address else "?"
        for lang, tag, other in (("en", "en", "zh-Hans"), ("zh", "zh-Hans", "en")):
            page = get(client, f"{address}{join}lang={lang}")
            assert page.all("html", lang=tag), address
            assert page.all("a", id="language", hreflang=other), address
            assert page.all("main", id="main"), address
            assert len(page.all("h1")) == 1, address


def test_every_field_has_a_label(client: FlaskClient, addresses: list[str]) -> None:
    for address in addresses:
        page = get(client, address)
        named = {label["for"] for label in page.all("label") if "for" in label}
        for tag, field in page.elements:
            kind = field.get("type")
            if tag in {"select", "textarea"} or (
                tag == "input" and kind not in {"hidden", "checkbox", "radio", "range"}
            ):
                assert field["id"] in named, (address, field)


def test_ids_are_unique(client: FlaskClient, addresses: list[str]) -> None:
    for address in addresses:
        ids = [a["id"] for _, a in get(client, address).elements if "id" in a]
        assert len(ids) == len(set(ids)), (address, sorted(ids))


def test_static_files_are_there_and_kept_by_their_version(
    client: FlaskClient, addresses: list[str]
) -> None:
    for address in addresses:
        for _, attributes in get(client, address).elements:
            link = attributes.get("src") or attributes.get("href") or ""
            if link.startswith("/static/"):
                reply = client.get(link)
                assert reply.status_code == 200, link
                assert "immutable" in reply.headers["Cache-Control"], link
                reply.close()


def test_the_chosen_language_is_remembered(client: FlaskClient, bank: None) -> None:
    assert get(client, "/").all("html", lang="en")
    get(client, "/?lang=zh")
    assert get(client, "/").all("html", lang="zh-Hans")
    get(client, "/?lang=xx")
    assert get(client, "/").all("html", lang="zh-Hans")


def test_the_language_of_the_api_is_not_that_of_the_pages(
    client: FlaskClient, bank: None
) -> None:
    assert client.get("/api/v1/due?lang=zh").status_code == 200
    assert get(client, "/").all("html", lang="en")


@pytest.mark.parametrize(
    ("accepted", "tag"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
        ("de", "en"),
        ("en-GB,zh", "en"),
        ("", "en"),
    ],
)
def test_the_browser_s_language_is_heard(
    client: FlaskClient, bank: None, accepted: str, tag: str
) -> None:
    page = get(client, "/", headers={"Accept-Language": accepted})
    assert page.all("html", lang=tag)


def test_the_chosen_theme_needs_no_script(client: FlaskClient, bank: None) -> None:
    assert "data-theme" not in get(client, "/").all("html")[0]
    for kept, shown in (("dark", "dark"), ("light", "light"), ('"><script>', None)):
        client.set_cookie("theme", kept)
        assert get(client, "/").all("html")[0].get("data-theme") == shown


def test_an_unknown_method_is_an_error_page(client: FlaskClient, bank: None) -> None:
    reply = client.delete("/questions")
    assert reply.status_code == 405
    assert "could not be granted" in reply.text


def test_an_error_page_links_to_no_address_that_only_takes_forms(
    client: FlaskClient, bank: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise OperationalError("", {}, Exception("database is locked"))

    monkeypatch.setattr("quizsvc.practice.present", busy)
    monkeypatch.setattr("quizsvc.lab.cancel", busy)
    for path, status in (("/practice", "Try again"), ("/runs/run_0/cancel", None)):
        reply = post(client, path)
        assert reply.status_code == 503
        page = Page(reply)
        links = [link["href"] for link in page.all("a")]
        assert (status is not None) is (status in page.words)
        assert (path in links) is (status is not None)
        assert bool(page.all("a", id="language")) is (status is not None)


def test_the_stylesheet_is_small_and_every_token_is_defined_and_used() -> None:
    css = (STATIC / "app.css").read_text()
    assert len(css) <= 25_000
    used = set(re.findall(r"var\((--[\w-]+)", css))
    assert used == set(re.findall(r"(--[\w-]+):", css))


def test_the_stylesheet_of_figures_is_small_and_its_tokens_are_defined_and_used() -> (
    None
):
    css = (STATIC / "figures.css").read_text()
    assert len(css) <= 4_000
    own = set(re.findall(r"(--[\w-]+):", css))
    shared = set(re.findall(r"(--[\w-]+):", (STATIC / "app.css").read_text()))
    scripts = "".join(path.read_text() for path in STATIC.glob("*.js"))
    used = set(re.findall(r"var\((--[\w-]+)", css))
    assert used <= own | shared
    assert own - {"--c"} <= used | set(re.findall(r"var\((--[\w-]+)", scripts))


def test_every_icon_is_there_and_used() -> None:
    there = re.findall(r'<symbol id="(\w+)"', (STATIC / "icons.svg").read_text())
    folder = STATIC.parent / "templates"
    templates = "".join(path.read_text() for path in folder.glob("*.html"))
    called = set(re.findall(r'icon\("(\w+)"\)', templates))
    assert called <= set(there) <= set(re.findall(r'"(\w+)"', templates))


def test_vendored_files_come_with_their_licence() -> None:
    assert "MIT License" in (STATIC / "vendor/katex/LICENSE").read_text()
    assert "//" not in (STATIC / "vendor/katex/katex.min.css").read_text()
