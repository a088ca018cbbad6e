"""What the studio says in its views: words instead of keys, numbers with their units, an order that stays."""

from __future__ import annotations

import os
import re

import pytest

from linksight.studio.config import Settings
from linksight.studio.rendering.link_badges import listed_links
from linksight.studio.services.crawl_processes import Crawls

NL = "Dit is een Nederlandse zin over het weer van vandaag, en die is lang genoeg."
EN = "This is an English sentence about the weather of today, and it is long enough."


def test_reasons_are_told_against_the_second_candidate_in_words_and_with_a_unit(visitor):
    text = visitor.get("/inspect", params={"url": "https://www.nu.nl/sport"}).text
    candidates = re.findall(r'title="compare"><span>([^<]+)', text)
    heads = re.findall(r'<th class="n">([^<]+)</th>', text)
    assert heads[: len(candidates)] == candidates[: len(heads)]
    assert f"rather than {candidates[1]}" in text
    assert "doubles them" in text
    assert "nl/1" not in text
    rows = re.findall(r'<td class="part"><code>([^<]*)</code></td><td>([^<]*)', text)
    assert len(set(rows)) == len(rows)
    assert (".nl", "top-level domain, with a path") in rows


@pytest.mark.parametrize(
    ("line", "titles"),
    [
        ("Le Monde https://www.lemonde.fr/ nu https://www.nu.nl/", ["Le Monde", "nu"]),
        ("https://www.lemonde.fr/ Le Monde, https://www.nu.nl/ nu", ["Le Monde", "nu"]),
        ("https://www.lemonde.fr/ https://www.nu.nl/", ["", ""]),
        ("1. https://www.lemonde.fr/ (Le Monde)", ["1. (Le Monde)"]),
    ],
)
def test_each_address_of_a_line_has_the_words_beside_it(line, titles, visitor):
    assert [link.anchor for link in listed_links(line)] == titles
    text = visitor.submit("/links", {"list": line}, page="/links").text
    assert f"<small>{len(titles)} link{'s' * (len(titles) > 1)}</small>" in text


def test_lines_of_pasted_text_may_be_in_different_languages(visitor):
    text = visitor.submit("/pages", {"html": f"{NL}\n{EN}"}, page="/pages").text
    assert re.search(r'lang="nl"[^>]*>Dit is', text)
    assert re.search(r'lang="en"[^>]*>This is', text)


def test_pasted_text_says_nothing_of_itself_and_a_page_of_one_language_says_how_it_is_judged(visitor):
    text = visitor.submit("/pages", {"html": f"{NL} & {EN}"}, page="/pages").text
    assert "Nothing." in text
    assert "gets one language" in text
    assert "&amp;amp;" not in text
    declared = visitor.submit("/pages", {"html": f'<html lang="nl"><p>{NL}</p>'}, page="/pages").text
    assert "<td>html</td>" in declared or "lang" in declared.partition("the page declares")[2][:400]


def test_the_model_page_has_words_for_every_key(visitor):
    text = visitor.get("/model").text
    shown = text.partition("Figures of the bundled model")[2]
    for key in (">dev<", ">five<", ">generic<", "right_below", ">macro f1<", "sha256<"):
        assert key not in shown
    assert "measured on web sites that it was not trained on" in shown
    assert ">Dutch</th>" in shown


def test_crawls_keep_their_order_whatever_happens_in_their_folders(tmp_path):
    crawls = Crawls(Settings(data_dir=tmp_path))
    for k, name in enumerate(("first", "second", "third")):
        folder = tmp_path / "crawls" / name
        folder.mkdir(parents=True)
        (folder / "crawl.toml").touch()
        os.utime(folder / "crawl.toml", (1000 + k, 1000 + k))
        os.utime(folder, (5000 - k, 5000 - k))
    assert crawls.names() == ["third", "second", "first"]
    (tmp_path / "crawls" / "first" / "more").touch()
    assert crawls.names() == ["third", "second", "first"]


def test_a_space_in_the_name_of_a_crawl_becomes_a_hyphen(visitor, monkeypatch):
    begun = []
    monkeypatch.setattr(Crawls, "start", lambda self, name, *_: begun.append(name))
    form = {
        "name": " my  crawl ",
        "contact": "crawls@library.example",
        "language": "nl",
        "seeds": "https://www.nu.nl/",
    }
    visitor.submit("/crawls", form, page="/crawls", follow_redirects=False)
    assert begun == ["my-crawl"]


def test_the_least_probability_is_given_in_per_cent_as_the_table_shows_it(visitor):
    urls = "https://www.lemonde.fr/economie/\nhttps://www.zeitung.de/politik\nhttps://example.com/a"
    path = visitor.submit("/inspector", {"urls": urls}).url.path
    text = visitor.get(path, params={"percent": "95"}).text
    assert 'name="percent" min="0" max="100"' in text
    assert 'value="95"' in text
    assert text == visitor.get(path, params={"percent": "95"}).text
    assert "2 of 3 rows" in text
    assert "2 of 3 rows" in visitor.get(path, params={"least": "0.95"}).text
    assert "3 of 3 rows" in visitor.get(path, params={"percent": "nan"}).text
    one = visitor.submit("/inspector", {"urls": "https://www.nu.nl/a\nhttps://www.nu.nl/b"}).text
    assert "2 URLs, 1 language." in one
