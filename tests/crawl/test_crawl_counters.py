"""Counters without end: cut off by what their pages look like."""

from linksight.crawl.urls.pagination_trap import MAX_PAGES_IN_A_ROW, Counters

HTML = {"Content-Type": "text/html; charset=utf-8"}


def listed(number: int, text: str = "niets gevonden") -> tuple[int, dict[str, str], bytes]:
    link = f'<a href="/lijst?pagina={number + 1}">volgende</a>'
    return 200, HTML, f'<html lang="nl"><body>pagina {number}: {text} {link}</body></html>'.encode()


def crawled(local_web, crawl_with, text) -> tuple[int, dict]:
    """How many pages a crawl of a list without end takes, and what it counts."""
    with local_web(hosts=1, pages=0) as web:
        web.extra = {"/robots.txt": (404, {}, b"")}
        plain = web.answer

        def answer(local: str, path: str):
            number = path.partition("=")[2]
            return listed(int(number), text(int(number))) if number else plain(local, path)

        web.answer = answer
        seed = f"{web.origin(0)}/lijst?pagina=1"
        _, tally = crawl_with(seeds=(seed,), strategy="breadth-first", max_pages=90)
    return tally.pages, tally.reasons


def test_a_list_that_has_ended_is_not_followed_for_ever(local_web, crawl_with):
    pages, reasons = crawled(local_web, crawl_with, lambda number: "niets gevonden")
    assert pages == MAX_PAGES_IN_A_ROW + 2
    assert reasons["trap-counter"] == 1


def test_a_list_whose_pages_say_something_is_followed(local_web, crawl_with):
    pages, _ = crawled(local_web, crawl_with, lambda number: "abcdefghij"[number % 10] * number)
    assert pages == 90


def test_many_pages_that_are_alike_and_near_are_no_counter():
    counters = Counters()
    assert not any(counters.has_run_on("a.nl", b"photo %d" % n, 3) for n in range(1_000))


def test_hosts_are_told_apart_and_old_pages_forgotten():
    counters = Counters(max_pages=2)
    for host in ("a.nl", "b.nl", "c.nl"):
        assert not counters.has_run_on(host, b"1", 0)
    assert not counters.has_run_on("a.nl", b"2", 90)
    assert counters.has_run_on("c.nl", b"2", 90)
