"""Explain why a URL was fetched, queued or rejected, from the records of the crawl."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, func, select

from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.records import LEADS_TO
from linksight.crawl.frontier.sql_schema import State
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.urls.url_filters import refusal_of
from linksight.crawl.urls.url_normalize import digest_of, origin_of, typed
from linksight.languages import registry
from linksight.results import UND, ZXX

#: Text of every reason that a crawl counts.
REASONS = {
    "seed": "it is a seed",
    "in-turn": "breadth-first takes every URL in turn",
    "by-chance": "the random strategy takes every URL",
    "right-tld": "its top-level domain favours the language",
    "other-tld": "its top-level domain does not favour the language",
    "best-first": "the classifier's confidence gives it its place in the queue",
    "looks-right": "its URL looks like the language",
    "looks-wrong": "all evidence together is against the language",
    "behind-other-language": "it was found on a page of another language",
    "right-neighbour": "the page that links to it is in the language",
    "right-anchor": "its anchor text is in the language",
    "right-site": "pages of its site are in the language",
    "right-folder": "pages of its folder are in the language",
    "right-pattern": "pages of its URL pattern are in the language",
    "right-words": "pages with such words in their URLs were in the language in this crawl",
    "declared": "a link declares its language (hreflang)",
    "exploring": "it was tried to learn something, against the odds",
    "allowed-now": "it was left out, and the settings allow it now",
    "second-chance": "it was rejected, and its site turned out well",
    "site-turned": "it was queued, and its site turned out badly",
    "lost-record": "its record was damaged, and it is fetched again",
    "redirect": "it redirects; its target was decided separately",
    "sampled-redirect": "a URL of the sample of rejected ones redirects to it",
    "sitemap": "it is a sitemap",
    "rules": "it was asked for what the host allows, not as a page",
    "feed": "it is a feed",
    "robots": "robots.txt forbids it",
    "robots-unavailable": "the host's robots.txt could not be read",
    "private-address": "its host has a private address (see --allow-private)",
    "media": "by its ending it is a media or style file (see --media)",
    "not-a-page": "its content type is not that of a page",
    "too-large": "it is larger than max_page_bytes",
    "out-of-scope": "the scope rules leave it out (see --include, --exclude and --seed-scope)",
    "requisite": "a kept page needs it: a style sheet, script, image or font",
    "retried": "it failed in an earlier run, and is tried again",
    "due-again": "another capture is due",
    "quarantined": "three processes ended while they had it; it is not tried again",
    "session-parameter": "its query names a visit; the URL without that was queued",
    "blocked": "its host was blocked (crawl set block=HOST)",
    "host-unreachable": "requests to its host failed too often in a row",
    "too-deep": "it is further from the seeds than max_depth",
    "trap-long": "the URL is too long: a trap",
    "trap-deep-path": "its path has too many folders: a trap",
    "trap-repeating-path": "its path repeats itself: a trap",
    "trap-many-fields": "its query has too many fields: a trap",
    "trap-calendar": "a page of an endless calendar: a trap",
    "trap-counter": "the page that links to it is the same as many before it but for numbers: a trap",
    "dns": "its host's name could not be resolved",
    "timeout": "its host did not answer in time",
    "certificate": "its host's certificate is not valid (see --verify-certificates)",
    "connection": "its host refused the connection",
    "download": "the download broke off",
    "processing-error": "processing its response raised an error; the response is kept, the log has the traceback",
    "scheme": "it is not an http(s) address",
    "host-cap": "its host has reached its page limit (max_pages_per_host)",
    "site-cap": "its site has reached its page limit (max_pages_per_site)",
    "never-seen": "no page that was fetched links to it",
}


#: Text of every evidence term.
VOICES = {
    "model": "its URL, by the model",
    "anchor": "the text of the link",
    "site": "what its site has shown",
    "prefix": "what its folder has shown",
    "pattern": "what its URL pattern has shown",
    "lesson": "what such words in URLs have shown in this crawl",
    "referrer": "the pages that link to it",
    "hreflang": "what a link declares",
    "repeats": "near-duplicates in its folder",
}


#: Columns of ``pages`` in the explanation of a fetched page.
_PAGE_COLUMNS = "status language script encoding confidence predicted warc offset length".split()


def why(ledger: Ledger, raw: str) -> dict[str, Any]:
    """Return the records of a URL, with an explanation in one sentence."""
    url = typed(raw)
    with ledger.engine.connect() as connection:
        query = select(sql_schema.urls).where(sql_schema.urls.c.digest == digest_of(url))
        row = connection.execute(query).mappings().first()
        if row is None:
            return _unknown(connection, ledger, url)
        fetched = select(*(sql_schema.pages.c[name] for name in _PAGE_COLUMNS)).where(
            sql_schema.pages.c.url_id == row["id"]
        )
        page = connection.execute(fetched).mappings().first()
        found_on = select(sql_schema.urls.c.url).where(sql_schema.urls.c.id == (row["referrer"] or -1))
        referrer = connection.execute(found_on).scalar()
        cap = _cap(connection, ledger, row["host_id"]) if row["state"] == int(State.QUEUED) else None
    target = (row["problem"] or "").removeprefix(LEADS_TO) if row["reason"] == "redirect" else ""
    known = {
        "url": url,
        "state": State(row["state"]).name.lower(),
        "reason": row["reason"],
        "evidence": json.loads(row["evidence"]) if row["evidence"] else {},
        "priority": row["base"],
        "depth": row["depth"],
        "found_on": referrer,
        "sampled": bool(row["sampled"]),
        "problem": None if target else row["problem"],
        "leads_to": target,
        "attempts": row["attempts"],
        "cap": cap,
    }
    if page:
        known["page"] = dict(page)
    return known | {"answer": _sentence(known)}


def _cap(connection: Connection, ledger: Ledger, host: int) -> str | None:
    """Return the page limit that holds back a queued URL, if any."""
    h, config = sql_schema.hosts.c, ledger.config
    n_pages, site, closed = connection.execute(select(h.taken, h.site, h.closed).where(h.id == host)).one()
    if closed:
        return str(closed)
    if config.max_pages_per_host and n_pages >= config.max_pages_per_host:
        return "host-cap"
    if not config.max_pages_per_site:
        return None
    total = connection.execute(select(func.sum(h.taken)).where(h.site == site)).scalar_one()
    return "site-cap" if total >= config.max_pages_per_site else None


def _unknown(connection: Connection, ledger: Ledger, url: str) -> dict[str, Any]:
    """Explain a URL that the database does not contain."""
    reason = refusal_of(url, ledger.config)
    if url == f"{origin_of(url)}/robots.txt" and (answer := _robots_txt(connection, url)):
        reason = "rules"
    else:
        answer = f"left out: {REASONS.get(reason, reason)}" if reason else _never_seen(ledger.config)
    if similar := _similar_url(connection, url):
        answer += f"; but the crawl has met {similar}"
    reason = reason or "never-seen"
    return {"url": url, "state": "unknown", "reason": reason, "evidence": {}, "answer": answer}


def _robots_txt(connection: Connection, url: str) -> str:
    """Explain a robots.txt that was fetched outside of the queue; empty if it was not."""
    r = sql_schema.robots.c
    status = connection.execute(select(r.status).where(r.origin == origin_of(url))).scalar()
    return f"{REASONS['rules']}; the server answered {status}" if status else ""


def _similar_url(connection: Connection, url: str) -> str | None:
    """Find a known URL that differs only by scheme, ``www.`` or a trailing slash."""
    host, _, path = url.partition("://")[2].partition("/")
    bare, plain = host.removeprefix("www."), path.removesuffix("/")
    variants = [
        f"{scheme}://{www}{bare}/{end}"
        for scheme in ("https", "http")
        for www in ("www.", "")
        for end in dict.fromkeys((path, plain, f"{plain}/" if plain else ""))
    ]
    u = sql_schema.urls.c
    known = select(u.url).where(u.digest.in_([digest_of(variant) for variant in variants]))
    found = set(connection.execute(known).scalars())
    return next((variant for variant in variants if variant in found), None)


def _never_seen(config: CrawlConfig) -> str:
    """Explain an unknown URL; links beyond the limits are not stored."""
    answer = f"{REASONS['never-seen']}, as far as the first {config.max_links:,} links of each say"
    if config.max_depth:
        answer += f", and no more than {config.max_depth:,} away from a seed"
    return answer


def _sentence(known: dict[str, Any]) -> str:
    """Explain the state of a URL in one sentence."""
    reason = explain(known["reason"])
    page = known.get("page")
    if page:
        if 300 <= page["status"] < 400:
            return f"fetched: {reason}"
        if known["reason"] == "processing-error":
            return f"fetched, but {reason}; {_language_of(page['language'])}"
        was_drawn = known["sampled"] and known["reason"] != "sampled-redirect"
        answer = (
            f"fetched for the sample of rejected URLs; rejected, because {reason}"
            if was_drawn
            else f"fetched, because {reason}"
        )
        return f"{answer}; {_language_of(page['language'])}"
    verbs = {
        "queued": "waits in the queue, because",
        "claimed": "is being fetched, because",
        "rejected": "rejected, because",
        "refused": "must not be fetched:",
        "failed": "could not be fetched:",
        "done": "was asked for, but",
    }
    if known["state"] == "done" and known["reason"] in ("sitemap", "feed", "requisite"):
        return f"was read: {reason}"
    answer = f"{verbs[known['state']]} {reason}"
    if known["cap"]:
        return f"{answer}; but {explain(known['cap'])}"
    if known["state"] in ("queued", "claimed") and known["problem"] and known["attempts"]:
        times = f"{known['attempts']} time{'s' * (known['attempts'] > 1)}"
        last = explain(known["problem"].partition(": ")[0])
        return f"{answer}; tried {times} so far, and the last time {last}"
    return answer


def _language_of(code: str) -> str:
    """Describe the language of a page.

    >>> _language_of("nl"), _language_of("und")
    ('the page is in Dutch', 'the language of the page is undetermined')
    """
    if code == UND:
        return "the language of the page is undetermined"
    return "the page holds no text" if code == ZXX else f"the page is in {registry.name(code)}"


def explain(reason: str) -> str:
    """Return the text of a reason.

    >>> explain("robots"), explain("status-404")
    ('robots.txt forbids it', 'the server answered 404')
    """
    if reason.startswith("status-"):
        return f"the server answered {reason.removeprefix('status-')}"
    return REASONS.get(reason, reason)
