"""Pages of other sites in the same browser: what the bookmarklet does on them, and what they cannot do."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.browser


def test_the_bookmarklet_puts_badges_on_a_foreign_page(chromium, studio, make_studio):
    """The other page is of another origin and forbids every request of its own."""
    from playwright.sync_api import expect

    context = chromium.new_context()
    page = context.new_page()
    policy = "default-src 'none'; script-src 'unsafe-inline'"
    body = "<a href='https://www.lemonde.fr/economie/'>a</a> <a href='http://www.zeitung.de/politik'>b</a>"
    body += (
        "<svg><a href='http://a.test/'><text>c</text></a></svg>"  # its href is no text, and cannot be sent
    )
    context.route(
        "http://foreign.test/",
        lambda route: route.fulfill(
            body=body, content_type="text/html", headers={"content-security-policy": policy}
        ),
    )
    page.goto(f"{studio.url}/links")
    expect(page.locator("#bookmarklet-text")).to_have_value(re.compile("^javascript:"))
    code = page.get_by_label("or make a bookmark").input_value()
    assert code.startswith("javascript:")
    page.goto("http://foreign.test/")
    from urllib.parse import unquote

    with context.expect_page() as opened:
        page.evaluate(unquote(code.removeprefix("javascript:")))
    opened.value.get_by_text("foreign.test asks for the languages of 2 links").wait_for()
    assert page.locator("a span").count() == 0, "nothing is sent before the visitor allows it"
    opened.value.get_by_role("button", name="Show languages").click()
    opened.value.get_by_text("2 links of foreign.test have their badges").wait_for()
    page.locator("a[data-linksight=fr] span").wait_for()
    assert page.locator("a span").all_inner_texts() == ["fr", "de"]
    context.close()


def test_the_window_of_the_bookmarklet_says_what_is_wrong(chromium, studio):
    context = chromium.new_context()
    page = context.new_page()
    context.route("**/v1/detect/batch", lambda route: route.fulfill(body="no JSON", status=502))
    context.route("http://foreign.test/", lambda route: route.fulfill(body="<p>x", content_type="text/html"))
    page.goto("http://foreign.test/")
    asking = """(url) => { const bridge = window.open(url + "/links/bridge");
                addEventListener("message", () => bridge.postMessage({urls: ["http://a.nl/"]}, url)); }"""
    with context.expect_page() as opened:
        page.evaluate(asking, studio.url)
    opened.value.get_by_role("button", name="Show languages").click()
    opened.value.get_by_text("no usable answer").wait_for()
    context.close()


def test_a_foreign_page_can_neither_post_nor_read_nor_frame(chromium, studio):
    """What another site in the same browser may try against a studio on loopback."""
    context = chromium.new_context()
    page = context.new_page()
    form = f"<form id=f method=post action='{studio.url}/inspector'><input name=urls value='http://a.nl/'></form>"
    frame = f"<iframe src='{studio.url}/'></iframe>"
    context.route(
        "http://foreign.test/", lambda route: route.fulfill(body=form + frame, content_type="text/html")
    )
    page.goto(f"{studio.url}/")  # so that the browser has the studio's cookies
    page.goto("http://foreign.test/")
    assert page.frames[1].evaluate("document.body.innerText.includes('behind a link')") is False
    asked = """async (url) => { try { const answer = await fetch(url, {credentials: "include"}); return await answer.text(); }
               catch (error) { return "refused"; } }"""
    assert page.evaluate(asked, f"{studio.url}/v1/detect?url=http://www.zeitung.de/") == "refused"
    posted = """async (url) => { try { await fetch(url, {method: "POST", mode: "no-cors", credentials: "include", body: "urls=x"});
                return "sent"; } catch (error) { return "refused"; } }"""
    before = len(studio.app.state.runs.all())
    page.evaluate(posted, f"{studio.url}/inspector")
    with page.expect_navigation():
        page.evaluate("document.getElementById('f').submit()")
    assert "sent by a page of another site" in page.content()
    assert len(studio.app.state.runs.all()) == before
    context.close()
