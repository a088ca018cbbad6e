"""URL patterns that are learnt while the crawl goes on."""

from linksight.crawl.extract.links import Outlink
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring import host_patterns
from linksight.crawl.scoring.host_patterns import HostPatterns
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.results import PageLabel


def hub(page: int, host: str = "a.ch") -> list[str]:
    """Links of a page of a site whose languages show in the address and in nothing else."""
    return [f"http://{host}/?lang={code}&id={page * 5 + n}" for n in range(5) for code in ("nl", "fr")]


def met(pages: int = 12) -> HostPatterns:
    known = HostPatterns()
    for page in range(pages):
        known.meet("http://a.ch/", hub(page))
    return known


def test_patterns_tell_languages_apart_that_host_and_folder_do_not():
    known = met()
    for page in range(6):
        known.observe(f"http://a.ch/?lang=nl&id={page}", "nl")
        known.observe(f"http://a.ch/?lang=fr&id={page}", "fr")
    assert known.log_odds("http://a.ch/?lang=nl&id=999", ["nl"], 0.5) > 1
    assert known.log_odds("http://a.ch/?lang=fr&id=999", ["nl"], 0.5) < -1
    assert known.log_odds("http://b.ch/?lang=nl&id=999", ["nl"], 0.5) == 0.0


def test_pages_read_before_the_patterns_were_known_count_too():
    known = HostPatterns()
    for page in range(6):
        known.observe(f"http://a.ch/?lang=nl&id={page}", "nl")
        known.observe(f"http://a.ch/?lang=fr&id={page}", "fr")
    for page in range(12):
        known.meet("http://a.ch/", hub(page))
    assert known.log_odds("http://a.ch/?lang=nl&id=999", ["nl"], 0.5) > 1


def test_they_are_learnt_again_at_doublings_and_then_no_more():
    known, sizes = HostPatterns(), []
    for page in range(120):
        known.meet("http://a.ch/", hub(page))
        sizes += [one.urls for one in known.learnt()]
    assert sizes == [40, 80, 160, 320]
    assert not known._hosts["a.ch"].urls


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(host_patterns, "MAX_HOSTS", 10)
    known = HostPatterns()
    for number in range(50):
        known.meet(f"http://h{number}.nl/", [f"http://h{number}.nl/x"])
        known.observe(f"http://h{number}.nl/x", "nl")
    assert len(known._hosts) == 10


def test_the_judge_hears_the_pattern(tmp_path):
    judge = Judge(CrawlConfig(language="nl"), CountryModel(["nl", "fr", "de"]))
    label = PageLabel("nl", "Latn", "utf-8", 0.9)
    for page in range(12):
        judge.links([Outlink(url) for url in hub(page)], 1, "http://a.ch/", label)
    for page in range(6):
        judge.observe(f"http://a.ch/?lang=nl&id={page}", "nl")
        judge.observe(f"http://a.ch/?lang=fr&id={page}", "fr")
    right, wrong = judge.links(
        [Outlink("http://a.ch/?lang=nl&id=901"), Outlink("http://a.ch/?lang=fr&id=901")],
        1,
        "http://a.ch/",
        label,
    )
    assert right.pattern > 1 > -1 > wrong.pattern


def test_they_are_kept_in_the_store_and_taken_up_again(local_web, crawl_with, monkeypatch):
    monkeypatch.setattr(HostPatterns.__init__, "__defaults__", (None, 10))
    with local_web(hosts=2, pages=30) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), explore=0.0, sample=0, max_pages=20)
        restored = []
        monkeypatch.setattr(HostPatterns, "restore", lambda self, rows: restored.extend(rows))
        crawl_with(folder, seeds=(web.url(0, 0),), explore=0.0, sample=0, max_pages=25)
    assert restored
    assert restored[0][1] >= 10
    assert "127.0.1.1" in restored[0][2]
