"""Pairs of URLs that translate each other: marks, defaults, learnt substitutions, likeness; and what is no pair."""

from __future__ import annotations

import csv
import io

import pytest
from click.testing import CliRunner

import linksight
from linksight.cli import main

PAIRS = {
    "segments": [("http://a.org/en/x.html", "http://a.org/fr/x.html")],
    "names": [("http://a.org/english/x.html", "http://a.org/francais/x.html")],
    "a parameter": [("http://a.org/p?id=5&lang=en", "http://a.org/p?id=5&lang=fr")],
    "a default": [("http://a.org/x.html", "http://a.org/fr/x.html"), ("http://a.org/", "http://a.org/fr/")],
    "letters": [
        ("http://a.org/index_e.html", "http://a.org/index_f.html"),
        ("http://a.org/about_e.html", "http://a.org/about_f.html"),
    ],
    "hosts": [("http://www.a.com/a/b", "http://fr.a.com/a/b")],
    "regions": [("http://a.com/en-ca/a", "http://a.com/fr-ca/a")],
    "regions before codes": [("http://a.com/ca-en/a", "http://a.com/ca-fr/a")],
    "numbers of languages": [
        ("http://a.com/a.php?L=1", "http://a.com/a.php?L=2"),
        ("http://a.com/b.php?L=1", "http://a.com/b.php?L=2"),
    ],
    "cognates": [
        (
            "http://a.com/en/news/1234-product-information",
            "http://a.com/fr/nouvelles/1234-information-produit",
        )
    ],
    "capitals": [("http://a.org/pageEn.aspx", "http://a.org/pageFr.aspx")],
    "letters behind numbers": [
        ("http://a.org/x/page12e.html", "http://a.org/x/page12f.html"),
        ("http://a.org/x/page7e.html", "http://a.org/x/page7f.html"),
    ],
    "codes behind numbers": [("http://a.org/x/15en.htm", "http://a.org/x/15fr.htm")],
    "capitals before numbers": [
        ("http://a.org/ViewEn12.jsp", "http://a.org/ViewFr12.jsp"),
        ("http://a.org/ViewEn13.jsp", "http://a.org/ViewFr13.jsp"),
    ],
    "labels of hosts": [("http://www-en.a.org/x/1", "http://www-fr.a.org/x/1")],
    "other languages": [("http://a.org/nl/boek/7", "http://a.org/de/boek/7")],
}


@pytest.mark.parametrize("kind", PAIRS)
def test_translations_are_found(kind):
    found = linksight.find_translations([url for pair in PAIRS[kind] for url in pair])
    assert {frozenset(pair) for pair in found} == {frozenset(pair) for pair in PAIRS[kind]}


@pytest.mark.parametrize(
    "urls",
    [
        [],
        ["http://a.org/en/x"],
        ["http://a.org/en/x", "http://b.org/fr/x"],
        ["http://a.org/en/x", "http://a.org/fr/y"],
        [
            "http://a.org/news?page=1",
            "http://a.org/news?page=2",
            "http://a.org/n?page=1",
            "http://a.org/n?page=2",
        ],
        ["http://a.org/x/by-nc-nd/deed.lt", "http://a.org/x/by-nc-sa/deed.lt"],
        ["http://a.org/tag/el-coronavirus", "http://a.org/tag/coronavirus"],
        ["http://a.org/x?u=history401&lang=eng", "http://a.org/x?u=history789&lang=fra"],
        ["http://a.org/the-5th", "http://a.org/the-5"],
    ],
)
def test_other_urls_are_no_pairs(urls):
    assert linksight.find_translations(urls) == []


def test_languages_are_known_and_can_be_chosen():
    urls = [f"http://a.org/{code}/x" for code in ("en", "fr", "nl")]
    assert {pair.languages for pair in linksight.find_translations(urls)} == {
        ("en", "fr"),
        ("en", "nl"),
        ("fr", "nl"),
    }
    (pair,) = linksight.find_translations(urls, languages=["French", "en"])
    assert pair == ("http://a.org/en/x", "http://a.org/fr/x")


def test_the_command_writes_pairs(tmp_path):
    (tmp_path / "urls.txt").write_text("http://a.org/en/x\nhttp://a.org/fr/x\nhttp://a.org/\n")
    done = CliRunner().invoke(main, ["site", "pairs", "-i", str(tmp_path / "urls.txt"), "--format", "csv"])
    assert done.exit_code == 0, done.output
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row == {
        "language": "en", "translation_language": "fr", "url": "http://a.org/en/x", "translation": "http://a.org/fr/x",
    }  # fmt: skip
    assert "1 pair in 3 URLs" in done.stderr
