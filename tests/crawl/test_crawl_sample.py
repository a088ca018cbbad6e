"""The sample of rejected URLs on a web as it is: links that are dead, and links that redirect."""

import pytest

from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.report.explain import why

HTML = {"Content-Type": "text/html; charset=utf-8"}
REJECTED = 60
STRATEGY = """
from dataclasses import dataclass
from linksight.results import Decision

@dataclass(frozen=True)
class OneHost:
    language: str

    def decide(self, link):
        return Decision("127.0.1.1" in link.url, 0.0, "looks-wrong")
"""


def page(*links: str, lang: str = "nl") -> tuple[int, dict[str, str], bytes]:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return 200, HTML, f'<html lang="{lang}"><body>tekst {anchors}</body></html>'.encode()


@pytest.fixture
def missed(local_web, crawl_with, tmp_path):
    """The estimate of a crawl that rejects another host's URLs; the test says what is behind them."""
    (tmp_path / "mine.py").write_text(STRATEGY)

    def run(behind):
        with local_web(hosts=2, pages=0) as web:
            web.extra = {
                "/": page("/lijst", *(f"/{n}" for n in range(240))),
                "/lijst": page(*(f"http://127.0.1.2:{web.port}/{n}" for n in range(REJECTED))),
            }
            plain = web.answer

            def answer(local: str, path: str):
                if local.endswith(".2") and path != "/robots.txt":
                    return behind(path)
                return page() if path[1:].isdecimal() else plain(local, path)

            web.answer = answer
            strategy = f"{tmp_path / 'mine.py'}:OneHost"
            folder, _ = crawl_with(seeds=(web.origin(0) + "/",), sample=REJECTED, strategy=strategy)
            with Ledger.open(folder) as ledger:
                return ledger.missed(), ledger, f"http://127.0.1.2:{web.port}"

    return run


def test_dead_links_are_no_pages_missed(missed):
    """Half of the rejected URLs are dead, and a third of the others is in the language: a sixth, not a third."""
    share, _, _ = missed(
        lambda path: (
            page(lang="nl" if int(path[1:]) % 6 == 0 else "de") if int(path[1:]) % 2 == 0 else (404, {}, b"")
        )
    )
    assert (share.hits, share.sample, share.population) == (10, REJECTED, REJECTED)


def test_redirects_of_the_sample_are_followed(missed):
    def behind(path: str):
        name = path[1:]
        if name.isdecimal():
            return 301, {"Location": f"/nieuw-{name}"}, b""
        return page(lang="nl" if int(name.removeprefix("nieuw-")) % 6 == 0 else "de")

    share, ledger, origin = missed(behind)
    assert (share.hits, share.sample, share.population) == (10, REJECTED, REJECTED)
    assert why(ledger, f"{origin}/nieuw-6")["answer"].startswith("fetched, because a URL of the sample")


def test_pages_that_many_urls_lead_to_are_missed_once(missed):
    share, _, _ = missed(lambda path: page() if path == "/een" else (302, {"Location": "/een"}, b""))
    assert (share.hits, share.sample) == (1, REJECTED)


def test_a_loop_of_redirects_in_the_sample_ends(missed):
    share, _, _ = missed(lambda path: (302, {"Location": f"{path}x"}, b""))
    assert (share.hits, share.sample) == (0, REJECTED)
