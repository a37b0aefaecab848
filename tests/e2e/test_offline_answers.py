"""Answers without the network: kept, sent once, graded after they arrived."""

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

from question_bank.content import read_pack
from question_bank.transfer import pack_folder

from .kept import EVERYTHING, KEPT, answer, leave, stored, wait_for
from .service import serving

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SEND = """async () => {
  const store = document.querySelector('script[src$="/offline.js"]').src;
  const { send } = await import(store.replace("offline.js", "offline/sending.js"));
  return send();
}"""


def reviews(page: Page) -> list[dict[str, Any]]:
    return list(page.request.get("/api/v1/reviews?limit=100").json()["data"])


def test_what_is_answered_offline_is_graded_once_the_network_is_back(
    visitor: BrowserContext,
) -> None:
    page = leave(visitor)
    before = len(reviews(page))
    first, second = answer(page), answer(page, "0")
    expect(page.locator("#answers > ul > li")).to_have_count(2)
    expect(page.locator("#questions li")).to_have_count(KEPT - 2)
    page.goto(f"/practice/{first}")  # it has been answered
    expect(page.locator("h1")).to_have_text("Practice offline")
    page.locator("#answers summary").last.click()
    expect(page.locator("#answers [data-stem]").last).to_be_visible()
    expect(page.locator("#answers [data-said]").last).not_to_be_empty()
    expect(page.locator("#answers [data-said]").first).to_have_text("I don’t know")

    visitor.set_offline(False)
    wait_for(page, "answers", 2, "graded")
    expect(page.locator("#answers .verdict")).to_have_count(2)
    log = reviews(page)
    assert len(log) == before + 2
    by_id = {row["id"]: row for row in stored(page, "answers")}
    for review, shown in zip(log[:2], (second, first), strict=True):
        assert review["answer"] == by_id[shown]["answer"]
        said = by_id[shown]["body"]["answered_at"]
        assert review["reviewed_at"][:19] == said[:19]
    page.locator("#answers a").first.click()
    page.wait_for_url(re.compile("/answers/ans_"))


def test_no_key_is_on_the_device_before_the_answer_is_graded(
    visitor: BrowserContext,
) -> None:
    page = leave(visitor)
    answer(page)
    held = page.evaluate(EVERYTHING)
    slugs = [row["slug"] for row in stored(page, "questions")]
    assert len(slugs) == KEPT
    assert held.count("/practice/pres_") >= 2 * KEPT
    plain = re.sub(r"\W+", "", re.sub("<[^>]*>", "", held))
    items = {item.slug: item for item in read_pack(pack_folder()).questions}
    for slug in slugs:
        for text in items[slug].texts.values():
            hidden = [text.short, text.detailed, text.full, text.hook]
            hidden += [choice.rationale for choice in text.choices.values()]
            hidden += [point.text for point in text.key_points.values()]
            for words in filter(None, hidden):
                told = re.sub(r"\W+", "", words)[:60]
                assert len(told) < 15 or told not in plain, (slug, words)
    assert not re.search(r'"(rationale|explanation|key_points|evidence)"', held)
    visitor.set_offline(False)
    wait_for(page, "answers", 1, "graded")


def test_two_tabs_send_an_answer_once(visitor: BrowserContext) -> None:
    page = leave(visitor)
    shown = answer(page)
    other = visitor.new_page()
    other.goto("/offline")
    replies: list[Response] = []
    visitor.on("response", lambda reply: replies.append(reply))
    visitor.set_offline(False)
    for tab in (page, other):
        tab.evaluate(f"{{ ({SEND})(); }}")
    wait_for(page, "answers", 1, "graded")
    page.wait_for_timeout(300)
    sent = [reply for reply in replies if reply.url.endswith(f"{shown}/answers")]
    assert [reply.status for reply in sent] == [201]


def test_an_answer_that_comes_too_late_is_named_and_stays_readable(
    visitor: BrowserContext, data: Path
) -> None:
    page = leave(visitor)
    stale, expired = answer(page), answer(page)
    with sqlite3.connect(data / "quiz.db", timeout=30) as database:
        database.execute(
            "UPDATE presentation SET expires_at = created_at WHERE id = ?", [expired]
        )
        (slug,) = database.execute(
            "SELECT slug FROM question JOIN presentation ON question_id = question.id"
            " WHERE presentation.id = ?",
            [stale],
        ).fetchone()
    database.close()
    v1 = "/api/v1"
    elsewhere = page.request.post(f"{v1}/questions/{slug}/presentations", data={})
    page.request.post(
        f"{v1}/presentations/{elsewhere.json()['id']}/answers",
        data={"dont_know": True},
        headers={"Idempotency-Key": f"elsewhere {stale}"},
    )
    visitor.set_offline(False)
    wait_for(page, "answers", 2, "refused")
    codes = {row["id"]: row["code"] for row in stored(page, "answers")}
    assert codes == {stale: "stale-presentation", expired: "expired"}
    part = page.locator("#answers")
    expect(part).to_contain_text("answered elsewhere in the meantime")
    expect(part).to_contain_text("more than a day after it was kept")
    part.locator("summary").first.click()
    expect(part.locator("[data-said]").first).not_to_be_empty()
    part.get_by_role("button", name="Remove from this list").first.click()
    expect(part.locator("ul.rows > li")).to_have_count(1)


def test_a_service_that_has_stopped_is_named_and_kept_questions_are_asked(
    chromium: Browser, tmp_path: Path
) -> None:
    with serving(tmp_path) as address:
        context = chromium.new_context(base_url=address, locale="zh-CN")
        page = context.new_page()
        page.goto("/")
        wait_for(page, "questions", KEPT)
    page.goto("/progress")
    expect(page.locator("h1")).to_have_text("离线练习")
    expect(page.locator("#reach")).to_contain_text("连不上服务")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    answer(page)
    expect(page.locator("#kept")).to_contain_text("作答已留在这台设备上")
    context.close()
