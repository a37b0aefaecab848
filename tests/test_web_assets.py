"""Static files: packed, kept for good under a version, and small."""

import gzip
import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from quizsvc.app import create_app
from quizsvc.web import assets

STATIC = Path(create_app.__code__.co_filename).parent / "static"
PACKED = {"Accept_Encoding": "gzip, br"}


def fetch(client: FlaskClient, address: str, **headers: str) -> TestResponse:
    """A reply that was read to its end."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.get(address, headers=named, buffered=True)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    """A visitor of a service whose database is never asked."""
    url = f"sqlite:///{tmp_path}/none.sqlite"
    app = create_app({"TESTING": True, "DATABASE_URL": url, "SECRET_KEY": "test"})
    with app.test_request_context():
        yield app.test_client()


def test_a_file_is_sent_packed_to_who_takes_it(client: FlaskClient) -> None:
    address = assets.address("vendor/katex/katex.min.js")
    plain = fetch(client, address)
    packed = fetch(client, address, **PACKED)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 3


def test_fonts_are_not_packed_again(client: FlaskClient) -> None:
    font = "vendor/katex/fonts/KaTeX_Main-Regular.woff2"
    reply = fetch(client, assets.address(font), **PACKED)
    assert "Content-Encoding" not in reply.headers
    assert reply.data == (STATIC / font).read_bytes()


def test_a_file_asked_for_again_is_not_sent_again(client: FlaskClient) -> None:
    address = assets.address("app.css")
    tag = fetch(client, address, **PACKED).headers["ETag"]
    again = fetch(client, address, **PACKED, If_None_Match=tag)
    assert (again.status_code, again.data) == (304, b"")


def test_a_file_under_a_former_version_is_sent_and_not_kept(
    client: FlaskClient,
) -> None:
    now, former = assets.address("app.css"), "/static/v-0123456789ab/app.css"
    assert "immutable" in fetch(client, now).headers["Cache-Control"]
    reply = fetch(client, former)
    assert reply.data == fetch(client, now).data
    assert reply.headers["Cache-Control"] == "no-cache"
    assert fetch(client, "/static/v-0123456789ab/none.css").status_code == 404
    assert fetch(client, "/static/v-0123456789ab/../../app.py").status_code == 404


def test_modules_and_styles_name_each_other_by_relative_addresses() -> None:
    for path in STATIC.rglob("*.*"):
        if path.suffix in {".js", ".css"} and "vendor" not in path.parts:
            named = re.findall(r"(?:from|import\()\s*['\"](.*?)['\"]", path.read_text())
            for name in named:
                assert name.startswith("."), (path, name)
                assert (path.parent / name).is_file(), (path, name)


def test_a_module_comes_with_all_that_it_imports(client: FlaskClient) -> None:
    """Every file that is asked for before a module runs is named by the page itself."""
    for path in STATIC.rglob("*.js"):
        if "vendor" in path.parts:
            continue
        text = path.read_text()
        named = re.findall(
            r"""(?:^|\n)[^/\n]*?\b(?:from|import) ['"](\.[^'"]+)""", text
        )
        direct = {(path.parent / n).resolve().relative_to(STATIC) for n in named}
        name = path.relative_to(STATIC).as_posix()
        found = assets.imported(STATIC, name)
        assert {p.as_posix() for p in direct} <= set(found), name
        for other in found:
            assert set(assets.imported(STATIC, other)) <= {*found, name}
    tags = assets.module("lab.js", first=True)
    preloaded = re.findall(r'<link rel="modulepreload" href="([^"]+)">', tags)
    assert preloaded == [assets.address(n) for n in assets.imported(STATIC, "lab.js")]
    assert all(fetch(client, address).status_code == 200 for address in preloaded)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_manifest_names_the_app_and_its_icons(
    client: FlaskClient, lang: str
) -> None:
    page = fetch(client, f"/offline?lang={lang}").text
    (link,) = re.findall(r'<link rel="manifest" href="(.*?)">', page)
    reply = fetch(client, link)
    assert reply.mimetype == "application/manifest+json"
    said = json.loads(reply.data)
    assert said["name"].startswith("quizsvc")
    assert ("面试" in said["name"]) is (lang == "zh")
    assert (said["start_url"], said["scope"]) == ("/", "/")
    sizes = {(icon["sizes"], icon["purpose"]) for icon in said["icons"]}
    assert {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")} <= sizes
    for icon in said["icons"]:
        data = fetch(client, icon["src"]).data
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", data[16:24])
            assert f"{width}x{height}" == icon["sizes"]
        else:
            assert data.startswith(b"<svg")


def test_the_worker_stands_at_the_root_and_names_every_file(
    client: FlaskClient,
) -> None:
    reply = fetch(client, "/sw.js")
    assert reply.mimetype == "text/javascript"
    assert "default-src 'self'" in reply.headers["Content-Security-Policy"]
    assert "unsafe" not in reply.headers["Content-Security-Policy"]
    named = set(re.findall(r'"(/static/.*?)"', reply.text))
    assert {assets.address(name) for name in assets.files()} <= named
    assert {fetch(client, address).status_code for address in named} == {200}


def test_colours_outside_the_stylesheet_are_those_of_its_tokens(
    client: FlaskClient,
) -> None:
    tokens = (STATIC / "app.css").read_text()
    light, dark = re.search(r"--paper: light-dark\((.*?), (.*?)\)", tokens).groups()  # type: ignore[union-attr]
    assert re.findall(
        r'name="theme-color" content="(.*?)"', fetch(client, "/offline").text
    ) == [
        light,
        dark,
    ]
    assert (
        fetch(client, "/manifest.webmanifest").get_json(force=True)["theme_color"]
        == light
    )
