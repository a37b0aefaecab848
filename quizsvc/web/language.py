"""Which language a page is in: asked for in the address, kept in a cookie, or preferred."""

from urllib.parse import urlencode

from flask import Response, current_app, request

LANGUAGES = {"en": "English", "zh": "中文"}
TAGS = {"en": "en", "zh": "zh-Hans"}
COOKIE = "lang"
YEAR = 365 * 24 * 3600


def chosen() -> str:
    """The language of this request, one of ``LANGUAGES``."""
    for asked in (request.args.get("lang"), request.cookies.get(COOKIE)):
        if asked in LANGUAGES:
            return str(asked)
    wanted = (tag.split("-")[0].lower() for tag, _ in request.accept_languages)
    return next((lang for lang in wanted if lang in LANGUAGES), "en")


def tag() -> str:
    """The page's language for ``<html lang>``."""
    return TAGS[chosen()]


def shown_again() -> bool:
    """Whether a link to the address of this request leads to a page, not to a refusal."""
    adapter = current_app.create_url_adapter(request)
    return request.method == "GET" or (
        adapter is not None and adapter.test(method="GET")
    )


def other() -> dict[str, str]:
    """The other language: its tag, its own name and the address of this page in it."""
    lang = "en" if chosen() == "zh" else "zh"
    query = [(k, v) for k, v in request.args.items(multi=True) if k != "lang"]
    href = "?" + urlencode([*query, ("lang", lang)])
    return {"tag": TAGS[lang], "name": LANGUAGES[lang], "href": href}


def remember(response: Response) -> Response:
    """Say which language a page is in, and keep one that its address asked for.

    What a script fetches is not what a person chose to read; the API has its own. A page
    that comes through the service worker is navigated to, but no document to the browser.
    """
    if response.mimetype != "text/html":
        return response
    response.headers["Content-Language"] = tag()
    asked = request.args.get("lang")
    visited = request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
    if visited and asked in LANGUAGES and request.cookies.get(COOKIE) != asked:
        response.set_cookie(COOKIE, asked, max_age=YEAR, samesite="Lax", httponly=True)
    return response
