"""Patterns of sites with several hosts hold for the hosts of these sites, not for the whole web."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linksight
from linksight.errors import ModelFormatError
from linksight.sites.matching import columns
from linksight.sites.patterns.exports import export
from linksight.sites.patterns.pattern import Form, PatternSet
from linksight.sites.patterns.pattern_files import _digest, from_document, to_document

HOST = st.sampled_from(
    ["a.org", "x.a.org", "y.x.a.org", "ba.org", "b.org", "x.b.org", "a..org", ".a.org", "..a.org", "17.a.org"]
)
REST = st.sampled_from(["", "/", "/p", "/p/1", ":8080/p", ":80/p", ":/p", "?p", "/p#q"])
FORMS = st.builds(
    lambda host, rest: f"http://{host}{rest}",
    st.sampled_from(["*", "*.a.org", "*.x.a.org", "*.org", "a.org", "x.a.org", "w*.a.org", "*.b.org"]),
    st.sampled_from(["", "/p", "/*", "/p/*", ":8080/p", "?*", "/p#*"]),
)


def shop_hubs(hosts: list[str]) -> list[str]:
    """A shop whose help pages are on hosts of their own, a few each."""
    shop = [f"https://www.shop.example/{kind}/{n}" for kind in ("product", "author") for n in range(60)]
    return [*shop, *(f"https://{host}/help/{n}" for host in hosts for n in range(3))]


def test_the_one_other_host_of_a_list_is_no_wildcard():
    patterns = linksight.learn_patterns(shop_hubs(["help.shop.example"]))
    assert patterns.match("https://help.shop.example/help/2") is not None
    assert not any("//*" in pattern.text for pattern in patterns)
    assert patterns.match("https://elsewhere.example/help/2") is None


def test_several_hosts_of_a_site_are_any_host_of_that_site():
    patterns = linksight.learn_patterns(shop_hubs([f"{name}.shop.example" for name in ("nl", "de", "fr")]))
    found = patterns.match("https://pl.shop.example/help/2")
    assert found is not None
    assert found.text.startswith("https://*.shop.example/")
    for elsewhere in ("https://elsewhere.example/help/2", "https://workshop.example/help/2"):
        assert patterns.match(elsewhere) is None


def test_hosts_of_several_sites_are_named_one_by_one():
    patterns = linksight.learn_patterns(shop_hubs(["help.example", "nl.shop.example", "de.shop.example"]))
    assert patterns.match("https://help.example/help/2") is not None
    assert patterns.match("https://pl.shop.example/help/2") is not None
    assert patterns.match("https://www.help.example/help/2") is None


def test_a_list_of_the_whole_web_keeps_its_wildcard():
    urls = [f"https://site{n}.example/about/{n}" for n in range(40)]
    assert linksight.learn_patterns(urls).match("https://elsewhere.example/about/7") is not None


def test_the_papers_algorithm_knows_no_sites():
    urls = shop_hubs([f"{name}.shop.example" for name in ("nl", "de", "fr")])
    assert any("//*/" in pattern.text for pattern in linksight.learn_patterns(urls, refine=False))


@pytest.mark.parametrize("format", ["regex", "heritrix", "browsertrix", "scrapy"])
def test_the_scope_of_a_crawl_ends_where_the_site_does(format):
    patterns = linksight.learn_patterns(shop_hubs(["nl.shop.example", "de.shop.example"]))
    rules = export(patterns, format)
    assert "shop\\" in rules
    for pattern in patterns:
        assert not re.search(pattern.regex, "https://elsewhere.example/help/2")


@pytest.mark.parametrize("host", ["xn--bcher-kva.example", "127.0.0.1", "localhost", "shop.co.uk"])
def test_hosts_of_any_kind_are_matched_again(host):
    urls = [*(f"http://{host}/p/{n}" for n in range(60)), *(f"http://m.{host}/x/y/{n}" for n in range(2))]
    urls += [f"http://n.{host}/x/y/z/{n}" for n in range(2)]
    patterns = linksight.learn_patterns(urls)
    assert all(patterns.match_all(urls))


@given(st.lists(FORMS, min_size=1, max_size=8, unique=True), st.lists(st.tuples(HOST, REST), max_size=20))
@settings(deadline=None, max_examples=200)
def test_automaton_kernel_and_regular_expressions_agree_on_hosts(texts, parts):
    patterns = PatternSet.from_texts(texts)
    urls = [f"https://{host}{rest}" for host, rest in parts]
    found = columns.match_column(patterns.automaton, urls).tolist()
    assert columns.match_column(patterns.automaton, pa.array(urls, pa.string())).tolist() == found
    rules = [line.split("\t") for line in export(patterns, "regex").splitlines()]
    for url, index in zip(urls, found, strict=True):
        first = next((name for name, rule in rules if re.search(rule, url)), None)
        assert first == (patterns.patterns[index].text if index >= 0 else None)


@pytest.mark.parametrize("text", ["http://*.a.org/p/*", "https://*.a.org/"])
def test_any_host_of_a_site_is_read_as_it_is_written_and_kept(text, tmp_path):
    assert str(Form.parse(text)) == text
    PatternSet.from_texts([text]).save(tmp_path / "p.json")
    loaded = linksight.load_patterns(tmp_path / "p.json")
    assert loaded.match("http://x.a.org/p/1" if "p" in text[15:] else "http://x.a.org/") is not None
    assert [p.text for p in loaded] == [text]


@pytest.mark.parametrize("token", [{"under": ""}, {"under": "a/b"}, {"under": 5}, {"under": None}, {}])
def test_a_site_that_is_none_is_refused(token):
    document = to_document(PatternSet.from_texts(["http://*.a.org/p/*"]))
    document["patterns"][0]["forms"][0]["tokens"][0] = token
    document["digest"] = _digest({key: document.get(key) for key in ("site", "learnt", "patterns")})
    with pytest.raises(ModelFormatError):
        from_document(document)


def test_only_a_host_has_a_site():
    document = to_document(PatternSet.from_texts(["http://a.org/p/*"]))
    document["patterns"][0]["forms"][0]["tokens"][1] = {"under": "a.org"}
    document["digest"] = _digest({key: document.get(key) for key in ("site", "learnt", "patterns")})
    with pytest.raises(ModelFormatError):
        from_document(document)


@pytest.mark.parametrize(
    "url",
    ["http://a.org:/p", "https://a.org:80/p", "http://a.org:443/p/", "http://a.org/p", "http://a.org:?p"],
)
def test_a_port_that_says_nothing_is_nothing_to_the_expressions_too(url):
    patterns = PatternSet.from_texts(["http://a.org/p", "http://a.org?p"])
    found = patterns.match(url)
    assert found is not None
    assert re.search(found.regex, url)


@pytest.mark.parametrize(
    "url", ["http://[::1]/p", "http://[::1]:80/p", "http://[::1]:/p", "http://[::1]:81/p"]
)
def test_addresses_in_brackets_have_ports_too(url):
    patterns = PatternSet.from_texts(["http://[::1]/p", "http://[::1]:81/p"])
    found = patterns.match(url)
    assert found is not None
    assert re.search(found.regex, url)
    assert sum(bool(re.search(pattern.regex, url)) for pattern in patterns) == 1


def test_forms_written_with_bars_are_one_pattern():
    """As patterns are shown, they can be given."""
    patterns = PatternSet.from_texts(["http://a.org/p/* | http://a.org/q/*", "http://a.org/r"])
    assert [len(p.forms) for p in patterns] == [2, 1]
    assert patterns.match("http://a.org/q/1").id == patterns.match("http://a.org/p/1").id == 0
    assert PatternSet.from_texts([p.text for p in patterns]).patterns == patterns.patterns
