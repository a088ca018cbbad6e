"""Referrals: what several sites of the language say of a URL adds up, on disk and in a replay."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from linksight.crawl.fetch.response import Answer
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import Found
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.response_processor import Digester
from linksight.crawl.scoring import inlinks
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.crawl.scoring.strategies import Adaptive, Link
from linksight.lab.simulation.replay import TableModel, replay
from linksight.lab.simulation.warc_web import StoredWeb
from linksight.results import Decision, PageLabel
from linksight.system.database import open_store

TARGET = "http://target.com/x"


def read_declared(body: bytes, content_type: str | None, url: str | None) -> PageLabel:
    return PageLabel(re.search(rb'lang="(\w+)"', body)[1].decode(), "Latn", "utf-8", 0.95)


@given(st.lists(st.sampled_from([f"s{n}.nl" for n in range(9)]), max_size=20))
@settings(max_examples=60, deadline=None)
def test_each_site_counts_once_and_only_a_few_are_kept(sites):
    known = ""
    for site in sites:
        assert inlinks.is_news(known, site) == (inlinks.add_site(known, site) != known)
        known = inlinks.add_site(known, site)
    assert inlinks.count(known, "unheard.nl") == min(len(set(sites)), inlinks.MAX_SITES)
    assert len(known) <= sql_schema.urls.c.heard.type.length
    assert not inlinks.is_news(inlinks.FULL, "new.nl")


def test_every_further_site_speaks_for_a_link():
    policy, link = Adaptive("nl"), Link("u", depth=1, referrer=0.9)
    scores = [policy.decide(Link("u", depth=1, referrer=0.9, others=n)).priority for n in range(4)]
    assert scores[0] == policy.decide(link).priority
    assert scores == sorted(set(scores))


class Crawl:
    """A frontier and a digester that are given pages one by one."""

    def __init__(self, path, **settings) -> None:
        config = CrawlConfig(language="nl", delay=0.0, **settings)
        self.frontier = Frontier(open_store(path, sql_schema.metadata), config)
        self.frontier.create()
        self.judge = Judge(config, CountryModel(["nl", "en"]))
        self.digester = Digester(config, self.judge, read_declared, self.frontier)

    def meet(self, url: str, language: str = "nl", target: str = TARGET):
        """Fetch a page that links to the target; answers the target's row."""
        self.frontier.add([Found(url, 0, Decision(True, 99.0, "seed"))])
        job = next(job for job in self.frontier.claim(9) if job.url == url)
        page = f'<html lang="{language}"><a href="{target}">x</a></html>'.encode()
        answer = Answer(200, (("Content-Type", "text/html"),), page, "192.0.2.1", at=1.0)
        self.frontier.commit(self.digester.digest([(job, answer)]), {})
        self.frontier.merge()
        u = sql_schema.urls.c
        with self.frontier.engine.connect() as connection:
            return connection.execute(select(u.base, u.heard, u.state).where(u.url == target)).one()


@pytest.fixture
def crawl(tmp_path):
    made = Crawl(tmp_path / "q.db")
    # The target stays where it is: its host is never served.
    made.frontier.claim = lambda wanted, claim=made.frontier.claim: [
        job for job in claim(wanted) if job.url != TARGET or made.frontier.release([job])
    ]
    yield made
    made.frontier.engine.dispose()


def test_a_queued_url_moves_up_with_each_further_site(crawl):
    first = crawl.meet("http://a.nl/")
    second = crawl.meet("http://b.nl/")
    third = crawl.meet("http://c.nl/")
    assert first.base + 1 < second.base < third.base - 1
    assert len(third.heard) == 3 * len(first.heard)


def test_one_site_is_heard_once(crawl):
    first = crawl.meet("http://a.nl/")
    assert crawl.meet("http://a.nl/again") == first
    crawl.digester.forget()
    again = crawl.meet("http://a.nl/once-more")
    assert again.heard == first.heard
    assert again.base == pytest.approx(first.base, abs=1.0)


def test_pages_of_other_languages_and_of_the_site_itself_add_nothing(crawl):
    first = crawl.meet("http://a.nl/")
    assert crawl.meet("http://b.com/", "en") == first
    assert crawl.meet("http://target.com/other").heard == first.heard


def test_a_strategy_that_does_not_learn_hears_nobody(tmp_path):
    crawl = Crawl(tmp_path / "q.db", strategy="classifier")
    first = crawl.meet("http://a.nl/", target="http://target.nl/")
    assert crawl.meet("http://b.nl/", target="http://target.nl/")[:2] == (first.base, "")
    crawl.frontier.engine.dispose()


def test_a_replay_hears_as_the_crawl_does():
    """Of two like pages the one that two sites link to is fetched first."""
    urls = ["http://a.nl/", "http://b.nl/", "http://one.com/", "http://two.com/"]
    links = [[1, 2, 3], [3], [], []]
    labels = [PageLabel("nl", "Latn", "utf-8", 0.95)] * 4
    web = StoredWeb(urls, ["nl"] * 4, labels, links, [10] * 4)
    model = TableModel(CountryModel(["nl", "en"]), urls, "nl")
    assert replay(web, CrawlConfig(language="nl"), model, [0], 4).order == [0, 1, 3, 2]


def test_who_links_to_a_url_that_redirects_speaks_for_where_it_leads(local_web, crawl_with):
    html = {"Content-Type": "text/html"}
    with local_web(hosts=3, pages=0) as web:
        links = f'<a href="{web.origin(1)}/old">een</a><a href="{web.origin(2)}/out">twee</a>'
        web.extra = {
            "/": (200, html, f'<html lang="nl">{links}</html>'.encode()),
            "/old": (301, {"Location": "/new"}, b""),
            "/out": (302, {"Location": f"{web.origin(1)}/other"}, b""),
            "/new": (200, html, b'<html lang="nl">nieuw</html>'),
            "/other": (200, html, b'<html lang="nl">elders</html>'),
        }
        crawl_with(seeds=(f"{web.origin(0)}/",), sample=0, explore=0.0)
        asked = {path for path in web.served if not path.endswith("robots.txt")}
    assert asked >= {f"{web.address(1)}/new", f"{web.address(1)}/other"}


def test_what_was_to_be_learnt_behind_a_redirect_is_fetched(crawl):
    crawl.frontier.add([Found("http://b.com/", 1, Decision(True, -5.0, "exploring", {"referrer": -4.0}))])
    (job,) = crawl.frontier.claim(1)
    answer = Answer(301, (("Location", "https://b.com/"),))
    (outcome,) = crawl.digester.digest([(job, answer)])
    assert [(found.decision.fetch, found.decision.reason) for found in outcome.found] == [(True, "exploring")]


def test_a_redirect_brings_back_what_was_rejected(crawl):
    there = "https://b.com/"
    crawl.frontier.add([Found(there, 2, Decision(False, -3.0, "looks-wrong", {"referrer": -3.0}))])
    declared = {"hreflang": 4.0, "referrer": -2.0}
    crawl.frontier.add([Found("http://b.com/", 1, Decision(True, 2.0, "declared", declared))])
    (job,) = crawl.frontier.claim(1)
    outcomes = crawl.digester.digest([(job, Answer(301, (("Location", there),)))])
    crawl.frontier.commit(outcomes, {})
    assert [job.url for job in crawl.frontier.claim(9)] == [there]


def test_a_sitemap_that_redirects_to_a_page_says_nothing_of_it(crawl):
    home = "http://b.com/"
    crawl.frontier.add([Found(home, 1, Decision(False, -3.0, "looks-wrong"))])
    decision = Decision(True, 2.0, "sitemap")
    crawl.frontier.add([Found("http://b.com/sitemap.xml", 0, decision, kind=sql_schema.Kind.SITEMAP)])
    (job,) = crawl.frontier.claim(1)
    crawl.frontier.commit(crawl.digester.digest([(job, Answer(302, (("Location", home),)))]), {})
    assert crawl.frontier.claim(9) == []
