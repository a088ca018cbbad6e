"""What a crawl is told: who is responsible, its scope, several languages with quotas, and its export."""

import json
import zipfile

import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.run.api import start_crawl
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.crawl.urls.scope_rules import Scope, read_rules
from linksight.errors import BadConfig
from linksight.results import PageLabel


def read(body, *_):
    language = next((code for code in ("nl", "fr", "de", "en") if f'lang="{code}"'.encode() in body), "und")
    return PageLabel(language, "Latn", "utf-8", 0.95)


def test_without_a_contact_no_request_leaves(local_web, tmp_path, monkeypatch):
    monkeypatch.delenv("LINKSIGHT_CONTACT", raising=False)
    with local_web(hosts=1, pages=2) as web:
        config = CrawlConfig(language="nl", seeds=(web.url(0, 0),), allow_private=True, delay=0.0)
        with pytest.raises(BadConfig, match="contact"):
            start_crawl(tmp_path / "c", config, model=CountryModel(["nl", "en"]), reader=read)
        assert not web.served
        given = config.but(contact="me@kb.example")
        assert start_crawl(tmp_path / "c", given, model=CountryModel(["nl", "en"]), reader=read).pages == 2


def test_the_contact_and_the_languages_are_sent():
    headers = CrawlConfig(language="nl,fy", contact="me@kb.example").request_headers()
    assert headers["From"] == "me@kb.example"
    assert "+me@kb.example" in headers["User-Agent"]
    assert headers["Accept-Language"].startswith("nl, fy;q=0.9")
    with pytest.raises(BadConfig, match="contact"):
        CrawlConfig(contact="nobody")


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("host:www.a.nl", "http://a.nl/x", "http://b.a.nl/x"),
        ("domain:a.nl", "http://b.a.nl/x", "http://ba.nl/x"),
        ("surt:nl,a,)/map", "http://www.a.nl/map/x", "http://a.nl/x"),
        ("prefix:http://a.nl/x", "https://a.nl/x/y", "http://a.nl/y"),
        ("path:/nieuws/", "http://q.nl/nieuws/1", "http://q.nl/x"),
        ("regex:/(nl|fy)/", "http://q.nl/fy/1", "http://q.nl/x"),
        ("query:sort", "http://q.nl/?a=1&sort=2", "http://q.nl/?sorts=1"),
    ],
)
def test_scope_rules(rule, inside, outside):
    assert [Scope.of(include=(rule,)).allows(url) for url in (inside, outside)] == [True, False]
    assert [Scope.of(exclude=(rule,)).allows(url) for url in (inside, outside)] == [False, True]


def test_scope_rules_are_read_from_a_file(tmp_path):
    file = tmp_path / "scope.txt"
    file.write_text("# ours\n+ domain:a.nl\n- query:sort  # endless\n")
    assert read_rules(file) == (["domain:a.nl"], ["query:sort"])
    with pytest.raises(BadConfig, match="KIND:VALUE"):
        CrawlConfig(include=("a.nl",))


def test_a_crawl_stays_in_its_scope(local_web, crawl_with, stored):
    with local_web(hosts=3, pages=6) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first", seed_scope="host")
        assert stored(folder) == {web.url(0, page): 1 for page in range(6)}


def test_languages_have_quotas(local_web, crawl_with):
    with local_web(hosts=8, pages=20) as web:
        seeds = tuple(web.url(host, 0) for host in range(4))
        folder, tally = crawl_with(
            seeds=seeds,
            reader=read,
            language="nl=12,fr=5",
            concurrency=2,
            sample=0,
            explore=0.0,
            max_pages=400,
        )
    with Ledger.open(folder) as ledger:
        found = ledger.targets()
    assert found["nl"]["pages"] >= 12
    assert 5 <= found["fr"]["pages"] <= 15
    assert tally.phase == "done"


def test_languages_with_quotas_survive_being_saved(tmp_path):
    config = CrawlConfig(language="nl=50000,Frisian=20000,li")
    config.save(tmp_path)
    again = CrawlConfig.load(tmp_path)
    assert (again.languages, again.quotas) == (("nl", "fy", "li"), {"nl": 50000, "fy": 20000})
    assert again.but(language="fr").languages == ("fr",)


def test_a_crawl_is_exported_as_wacz(local_web, crawl_with):
    with local_web(hosts=2, pages=5) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
        done = CliRunner().invoke(main, ["crawl", "export", str(folder), "--wacz"])
        assert done.exit_code == 0, done.output
        with zipfile.ZipFile(folder / f"{folder.name}.wacz") as file:
            names = file.namelist()
            pages = [json.loads(line) for line in file.read("pages/pages.jsonl").splitlines()]
            package = json.loads(file.read("datapackage.json"))
            lines = file.read("indexes/index.cdx").splitlines()
        assert {page["url"] for page in pages[1:]} == set(web.all_urls())
    assert {resource["path"] for resource in package["resources"]} == set(names) - {
        "datapackage.json",
        "datapackage-digest.json",
    }
    assert len(lines) == 10
    assert pages[1]["language"] in ("nl", "en")


def test_requisites_of_kept_pages_are_fetched_beyond_the_budget(local_web, crawl_with, stored):
    html, css = {"Content-Type": "text/html"}, {"Content-Type": "text/css"}
    with local_web(hosts=2, pages=0) as web:
        there = web.origin(1)
        page = f'<html lang="nl"><link rel=stylesheet href=/a.css><img src="{there}/b.png"><a href="/x">lees</a></html>'
        web.extra = {
            "/": (200, html, page.encode()),
            "/a.css": (200, css, b"p { background: url(c.png) }"),
            "/b.png": (200, {"Content-Type": "image/png"}, b"png"),
            "/c.png": (200, {"Content-Type": "image/png"}, b"png too"),
            "/x": (200, html, b'<html lang="nl">tekst'),
        }
        origin = web.origin(0)
        folder, tally = crawl_with(
            seeds=(f"{origin}/",), strategy="breadth-first", max_pages=1, requisites=True
        )
        assert set(stored(folder)) == {f"{origin}/", f"{origin}/a.css", f"{origin}/c.png", f"{there}/b.png"}
    assert tally.pages == 1


def test_settings_are_changed_while_a_crawl_runs(local_web, crawl_with, tmp_path):
    folder = tmp_path / "crawl"
    with local_web(hosts=3, pages=4) as web:
        crawl_with(folder, seeds=(web.url(0, 0),), strategy="breadth-first", max_pages=2)
        blocked = web.address(1) + f":{web.port}"
        done = CliRunner().invoke(
            main, ["crawl", "set", str(folder), "max_pages=100", f"block={blocked}", "exclude=path:/x"]
        )
        assert done.exit_code == 0, done.output
        assert CrawlConfig.load(folder).exclude == ("path:/x",)
        assert CliRunner().invoke(main, ["crawl", "set", str(folder), "language=fr"]).exit_code == 1
        with Ledger.open(folder) as ledger:
            from linksight.crawl.frontier.frontier import Frontier

            frontier = Frontier(ledger.engine, CrawlConfig.load(folder))
            assert frontier.set_phase("done", "crawling")
        _, tally = crawl_with(folder, seeds=(web.url(0, 0),), strategy="breadth-first", max_pages=100)
    assert blocked not in tally.hosts
