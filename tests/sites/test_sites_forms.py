"""Finding the search form of a page, in any language, and what it sends."""

from __future__ import annotations

import email

import pytest

from linksight.sites.gathering.fetcher import Page
from linksight.sites.gathering.links import Link, links_of, parse_html
from linksight.sites.gathering.search_forms import find_form, find_forms, opensearch_links, read_opensearch
from linksight.sites.gathering.search_words import rarest_words, text_of

HOME = "http://a.org/dir/page.html"


def tree_of(html: str, url: str = HOME):
    return parse_html(Page(url, 200, "text/html; charset=utf-8", html.encode()))


def form_of(html: str, url: str = HOME):
    return find_form(tree_of(html, url), url, "http://a.org/")


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ('<form action="/find"><input name="q"></form>', "q"),
        ('<form action="/x"><input type="search" name="anything"></form>', "anything"),
        ('<form action="/suche"><input name="begriff" placeholder="Suchbegriff"></form>', "begriff"),
        ('<form action="/x" role="search"><input name="w"></form>', "w"),
        ('<form action="/buscar"><input name="texto"><button>Buscar</button></form>', "texto"),
        ('<form action="/x"><input name="a" placeholder="検索"></form>', "a"),
        ('<form action="/x" class="поиск"><input name="b"><input type="submit" value="Поиск"></form>', "b"),
        ('<form action="/x"><input name="c" aria-label="بحث"><button>بحث</button></form>', "c"),
        ('<form action="/zoek"><input name="term"></form>', "term"),
        ('<form action="/go"><input name="w"><button><i class="fa fa-search"></i></button></form>', "w"),
        (
            '<form action="/go"><input name="term"><button><svg><use href="#icon-suche"/></svg></button></form>',
            "term",
        ),
        (
            '<form action="/redirect"><input name="params[query]"><input name="from"><select name="r"></select></form>',
            "params[query]",
        ),
        (
            '<form action="/user/register"><input name="search_form"><input type="submit" value="Søg"></form>',
            "search_form",
        ),
        (
            '<form action="/go" role="search"><select name="in"><option value="all">All</option></select><input name="w"></form>',
            "w",
        ),
    ],
)
def test_a_search_form_is_found_in_many_languages(html, name):
    form = form_of(html)
    assert (
        form.name if form else None
    ) == name  # an icon alone, on a field without a telling name, is too little


def test_all_forms_to_search_with_come_in_order_and_each_once():
    box = '<form action="/search"><input type="search" name="q"></form>'
    people = '<form action="/people"><input name="find" placeholder="Find people"></form>'
    found = find_forms(tree_of(box + people + box), HOME, "http://a.org/")
    assert [form.name for form in found] == ["q", "find"]


@pytest.mark.parametrize(
    "html",
    [
        '<form action="/login"><input name="user"><input type="password" name="pw"></form>',
        '<form action="/newsletter"><input name="email" type="text"></form>',
        '<form action="/subscribe"><input type="email" name="q"></form>',
        '<form action="/comment"><textarea name="text"></textarea><input name="q"></form>',
        '<form action="https://other.example/search"><input name="q"></form>',
        '<form method="dialog"><input name="q" type="search"></form>',
        "<p>no form</p>",
        "",
    ],
)
def test_other_forms_are_not_taken_for_a_search(html):
    assert form_of(html) is None


@pytest.mark.parametrize(
    "html",
    [
        '<form action="/account/delete"><input name="q" class="character"><button>Search</button></form>',
        '<form action="/guestbook" method="post"><input name="text" placeholder="Search for words"></form>',
        '<form action="/lists/add"><input type="search" name="q"></form>',
        '<form action="/cart/promo" method="post"><input type="search" name="q"></form>',
        '<form action="/go" method="post"><input name="q" placeholder="Search"><button>Search</button></form>',
        '<form action="/x"><input name="c" placeholder="Name your character"><button>Paragraph</button></form>',
        '<form action="/research"><input name="topic"></form>',
    ],
)
def test_a_form_that_may_change_something_is_never_sent(html):
    assert form_of(html) is None


@pytest.mark.parametrize(
    "html",
    [
        '<form action="/search" method="post"><input name="q"></form>',
        '<form action="/x" method="post" role="search"><input name="q"></form>',
        '<form action="/x" method="post"><input type="search" name="q"></form>',
    ],
)
def test_a_form_by_post_is_sent_where_it_is_marked_as_a_search(html):
    form = form_of(html)
    assert form is not None
    assert form.method == "POST"


def test_the_best_of_several_forms_is_chosen():
    form = form_of(
        '<form action="/filter"><input name="k"></form><form action="/search"><input type="search" name="q"></form>'
    )
    assert form is not None
    assert form.action == "http://a.org/search"


def test_a_get_form_sends_hidden_fields_selects_and_the_button():
    form = form_of(
        '<form action="treffer?alt=1"><input name="q" type="search"><input type="hidden" name="lang" value="de">'
        '<select name="in"><option value="a">A<option value="b" selected>B</select>'
        '<button name="go" value="1">Suche</button></form>'
    )
    assert form is not None
    method, url, body, _ = form.request("blau & grün")
    assert (method, body) == ("GET", None)
    assert url == "http://a.org/dir/treffer?lang=de&in=b&q=blau+%26+gr%C3%BCn&go=1"


def test_a_post_form_sends_its_fields_in_the_body():
    form = form_of(
        '<base href="http://a.org/base/"><form method="POST" action="s"><input name="q" type="search">'
        '<input type="hidden" name="token" value="7"></form>'
    )
    assert form is not None
    method, url, body, headers = form.request("x y")
    assert (method, url, body) == ("POST", "http://a.org/base/s", b"token=7&q=x+y")
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"


def test_an_opensearch_description_is_a_search_too():
    tree = tree_of('<link rel="search" type="application/opensearchdescription+xml" href="/os.xml">')
    assert opensearch_links(tree, HOME) == ["http://a.org/os.xml"]
    body = (
        b'<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        b'<Url type="application/rss+xml" template="/rss?q={searchTerms}"/>'
        b'<Url type="text/html" template="/s?q={searchTerms}&amp;p={startPage?}"/></OpenSearchDescription>'
    )
    search = read_opensearch(body, HOME, HOME)
    assert search is not None
    assert search.request("x y")[1] == "http://a.org/s?q=x+y&p="


@pytest.mark.parametrize("body", [b"", b"<a", b"\xff\xfe", b"<x/>"])
def test_a_description_that_is_none_is_no_search(body):
    assert read_opensearch(body, HOME, HOME) is None


def test_links_behind_the_end_of_a_page_are_links():
    html = '<html><body><a href="x">x</a></body></html><p><a href="y">y</a>'
    links, _ = links_of(tree_of(html), HOME, "http://a.org/")
    assert [link.anchor for link in links] == ["x", "y"]


def test_links_have_anchors_and_reasons():
    html = (
        '<a href="x">One <b>two</b></a><a href="/doc.PDF">doc</a><a href="mailto:a@b.c">m</a><a href="#top">t</a>'
        '<a href="https://b.org/">off</a><a href="http:///none">n</a><a href="x"></a><a href="/i"><img alt="pic"></a>'
        '<a href="http://[bad/">bad</a><a>no href</a><area href="/map"><iframe src="/frame"></iframe>'
    )
    links, over = links_of(tree_of(html), HOME, "http://a.org/")
    assert links == [
        Link("http://a.org/dir/x", "One two"),
        Link("http://a.org/doc.PDF", "doc", "file"),
        Link("mailto:a@b.c", "m", "scheme"),
        Link("https://b.org/", "off", "off-site"),
        Link("http:///none", "n", "no-host"),
        Link("http://a.org/i", "pic"),
        Link("http://[bad/", "bad", "no-host"),
        Link("http://a.org/map", ""),
        Link("http://a.org/frame", ""),
    ]
    assert over == 0


@pytest.mark.parametrize(
    "body", [b"", b"\0\0", b"<", b"\xff" * 100, b"<html>" * 5000, b"<!doctype html><!-- x"]
)
def test_what_is_no_html_gives_a_tree_without_links(body):
    page = Page("http://a.org/", 200, "text/html; charset=nonsense", body)
    assert links_of(parse_html(page), page.url, page.url) == ([], 0)


def test_only_what_readers_see_gives_words():
    tree = tree_of(
        "<title>hidden</title><style>css</style><p>seen <b>bold</b> after</p><script>var code</script> tail"
    )
    assert set(text_of(tree).split()) == {"seen", "bold", "after", "tail"}


def test_a_form_that_could_send_files_is_sent_in_parts():
    """As the search boxes of older TYPO3 sites are."""
    form = form_of(
        '<form action="/find" method="post" enctype="multipart/form-data"><input type="hidden" name="tx[&quot;a]" value="é">'
        '<input type="search" name="q"><input type="submit" name="go" value="Go"></form>'
    )
    method, url, body, headers = form.request("häuser & co")
    message = email.message_from_bytes(f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode() + body)
    fields = [
        (part.get_param("name", header="content-disposition"), part.get_payload(decode=True))
        for part in message.get_payload()
    ]
    assert (method, url) == ("POST", "http://a.org/find")
    assert fields == [("tx[%22a]", "é".encode()), ("q", "häuser & co".encode()), ("go", b"Go")]


def test_a_field_that_stands_outside_of_its_form_belongs_to_it():
    tree = tree_of(
        '<form id="s" action="/find"><input type="hidden" name="in" value="all"></form>'
        '<p><input form="s" type="search" name="q"><button form="s">Search</button></p>'
    )
    for _ in range(2):  # a second look finds the same
        form = find_form(tree, HOME, "http://a.org/")
        assert form is not None
        assert form.request("tea")[1] == "http://a.org/find?in=all&q=tea"


def test_the_rarest_words_come_first_in_any_script():
    text = "common common common rare 東京都 ราคา книга книга xx 12345 a_b"
    words = rarest_words(text, 4)
    assert set(words) == {"rare", "東京都", "ราคา", "книга"}
    assert words[-1] == "книга"


@pytest.mark.parametrize(
    "text",
    [
        "समाचार हिन्दी विश्वविद्यालय",
        "செய்திகள் தமிழ்",
        "ข่าว ภาษาไทย",
        "e\u0301te\u0301 cafe\u0301",
        "می\u200cخواهم کتاب\u200cها",
    ],
)
def test_words_whose_vowels_are_marks_are_whole_words(text: str):
    assert set(rarest_words(text)) == set(text.split())


def test_writing_without_spaces_is_cut_into_words_of_some_length():
    assert {len(word) for word in rarest_words("東京" * 40)} == {20, 30}


def test_an_old_page_is_asked_in_its_own_encoding():
    html = '<meta charset="windows-1251"><form action="/s"><input name="q" placeholder="поиск"></form>'
    tree = parse_html(Page(HOME, 200, "text/html", html.encode("windows-1251")))
    form = find_form(tree, HOME, "http://a.org/")
    assert form is not None
    assert form.request("мир €")[1] == "http://a.org/s?q=%EC%E8%F0+%88"
    assert form.request("日")[1] == "http://a.org/s?q=%26%2326085%3B"  # as browsers do


@pytest.mark.parametrize(
    ("header", "meta", "bad"),
    [
        ("; charset=euc-kr", "", "똠".encode("cp949")),
        ("", "<meta charset=gb2312>", "镕".encode("gbk")),
        ("; charset=windows-1252", "", b"\x81"),
        ("; charset=nobody-knows", "<meta charset=shift_jis>", b"\x87\x40"),
        ("", "<meta charset=utf-16>", b"\xff"),
    ],
)
def test_bytes_that_an_encoding_does_not_have_cost_no_links(header, meta, bad):
    html = f"<html><head>{meta}</head><body><p>".encode() + bad + b"</p><a href='/x'>y</a></body></html>"
    tree = parse_html(Page(HOME, 200, f"text/html{header}", html))
    assert [link.url for link in links_of(tree, HOME, "http://a.org/")[0]] == ["http://a.org/x"]


def test_a_page_with_a_byte_too_many_is_asked_in_its_own_encoding():
    html = '<p>\x98</p><form action="/s"><input name="q" placeholder="search"></form>'.encode("latin-1")
    form = find_form(
        parse_html(Page(HOME, 200, "text/html; charset=windows-1251", html)), HOME, "http://a.org/"
    )
    assert form is not None
    assert form.request("мир")[1] == "http://a.org/s?q=%EC%E8%F0"


@pytest.mark.parametrize(("told", "found"), [("0; url=nl/", True), ("5;nl/", True), ("600; url=nl/", False)])
def test_where_a_page_sends_its_readers_at_once_is_a_link_of_it(told, found):
    tree = tree_of(f'<html><head><meta http-equiv="Refresh" content="{told}"></head></html>')
    links = [link.url for link in links_of(tree, HOME, "http://a.org/")[0]]
    assert links == ["http://a.org/dir/nl/"] * found
