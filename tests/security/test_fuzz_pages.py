"""Pages of sites with anything in them: links, forms, words, the coloured page and the page with badges."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import example, given, settings
from hypothesis import strategies as st

from linksight.sites.gathering.fetcher import Page
from linksight.sites.gathering.hub_pages import hub_of
from linksight.sites.gathering.links import parse_html, title_of
from linksight.sites.gathering.search_forms import find_forms, has_password, opensearch_links, read_opensearch
from linksight.sites.gathering.search_words import rarest_words, text_of
from linksight.sites.patterns.highlighted_page import coloured_page
from linksight.sites.patterns.pattern import PatternSet
from linksight.studio.rendering.link_badges import badged_page, found_links

HOME = "http://a.org/"
PATTERNS = PatternSet.from_texts(["http://a.org/p/*", "http://a.org/*"])
ADDRESSES = ["/p/1", "//[", "http://[x", "javascript:alert(1)", "data:text/html,<script>", "\0", "http://a.org:x/", "?q=%zz", "\ud800", "http://é。example/", " \n/p/2 "]  # fmt: skip
TAGS = ["<base href='{}'>", "<a href='{}'>x</a>", "<a href=\"{}\" onclick=alert(1) style='x'>", "<form action='{}'><input type=search name=q>", "<iframe src='{}'>", "<link type='application/opensearchdescription+xml' href='{}'>", "<meta http-equiv=refresh content='0;url={}'>", "<svg><a xlink:href='{}'>", "<input type=password>", "<form accept-charset='{}'><input name=s></form>"]  # fmt: skip
REST = ["<script>alert(1)</script>", "<scr<script>ipt>", "<!--", "-->", "<title>", "</title>", "&#0;", "&#xd800;", "<?php", "<![CDATA[", "<x:y z:w=1>", "<template><b onload=x>", "<math><style>", "word ", "\0", "\x0b", "<select><option value=1>", "<textarea>", "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>"]  # fmt: skip
LINKED = st.builds(str.format, st.sampled_from(TAGS), st.sampled_from(ADDRESSES))
PAGES = st.lists(LINKED | st.sampled_from(REST), max_size=25).map(lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass"))  # fmt: skip
KINDS = ["text/html", "text/html; charset=utf-16", "text/html; charset=no-such", "text/html; charset=utf-7", "text/html; charset=\0"]  # fmt: skip
#: Elements that run, load or send something, or in which texts are read otherwise than by lxml.
RUNNING = {
    "script",
    "iframe",
    "frame",
    "object",
    "embed",
    "form",
    "base",
    "template",
    "noscript",
    "svg",
    "math",
}


class _Seen(HTMLParser):
    """What a browser would make of a page: its elements and attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.wrong: list[object] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.wrong += [tag] if tag in RUNNING else []
        for name, value in attrs:
            script = (value or "").strip().lower().startswith(("javascript:", "data:text"))
            if name.startswith("on") or (name in ("href", "src", "action") and script):
                self.wrong.append((tag, name, value))


@settings(max_examples=200, deadline=None)
@example(b"", KINDS[0])
@example(b"&#768;1<p>", KINDS[0])
@example(b"\0" * 50, KINDS[1])
@given(PAGES | st.binary(max_size=300), st.sampled_from(KINDS))
def test_any_page_of_a_site_can_be_read(body: bytes, kind: str) -> None:
    page = Page(HOME, 200, kind, body)
    tree = parse_html(page)
    hub = hub_of(page, tree, HOME)
    assert all(url.startswith(("http://", "https://")) for url in hub.urls)
    for form in find_forms(tree, HOME, HOME):
        assert form.action.startswith(("http://", "https://"))
    has_password(tree)
    opensearch_links(tree, HOME)
    read_opensearch(body, HOME, HOME)
    assert isinstance(title_of(tree), str)
    assert isinstance(rarest_words(text_of(tree)), list)


@settings(max_examples=200, deadline=None)
@example(b"<a href='//['>x</a><a href='http://[x'>x</a>", KINDS[0])
@example("<a href='/\x01\ufffe'>x</a>\0\x0b<a href='/p/1'>x\0</a>\x0b".encode(), "text/html; charset=utf-8")
@given(PAGES | st.binary(max_size=300), st.sampled_from(KINDS))
def test_nothing_of_any_page_that_is_shown_can_run(body: bytes, kind: str) -> None:
    page = Page(HOME, 200, kind, body)
    known = {link.url: ("nl", 0.9) for link in found_links(page)[0]}
    for shown in (coloured_page(page, PATTERNS), badged_page(page, known)):
        assert not _Seen(shown).wrong
