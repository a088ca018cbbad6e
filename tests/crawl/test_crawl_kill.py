"""Kill the crawl at random moments: nothing is lost, nothing is stored twice."""

import pytest

from linksight.crawl.report.crawl_queries import Ledger


@pytest.fixture(scope="session")
def crawl_kill(script):
    """The module of the big kill test."""
    return script("benchmarks/crawl_kill.py")


def test_every_page_is_stored_once_whatever_is_killed(local_web, crawl_kill, stored, tmp_path):
    with local_web(hosts=10, pages=20, latency=0.15) as web:
        made = crawl_kill.torture(tmp_path / "crawl", web, kills=5, seed=3)
        assert stored(tmp_path / "crawl") == dict.fromkeys(web.all_urls(), 1)
    assert sum(made.values()) == 5
    with Ledger.open(tmp_path / "crawl") as ledger:
        assert ledger.totals()["pages"] == 200
        assert ledger.totals()["phase"] == "done"


@pytest.mark.postgres
def test_two_workers_share_a_crawl_and_one_of_them_dies(
    local_web, crawl_kill, stored, tmp_path, fresh_postgres
):
    with local_web(hosts=10, pages=15, latency=0.15) as web:
        crawl_kill.torture(tmp_path / "crawl", web, kills=2, workers=2, store=fresh_postgres(), seed=4)
        assert stored(tmp_path / "crawl") == dict.fromkeys(web.all_urls(), 1)
