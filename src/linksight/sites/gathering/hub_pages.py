"""A fetched page as a hub: its links, its language, and whether it holds any results."""

from __future__ import annotations

import logging
import math
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from linksight.sites.gathering.fetcher import Fetcher, Page
from linksight.sites.gathering.links import links_of, title_of
from linksight.sites.workbench.workbench import Hub

if TYPE_CHECKING:
    from linksight.sites.gathering.browser import Browser

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # no output unless the application configures logging


def get_page(url: str, fetcher: Fetcher, browser: Browser | None) -> Page:
    """A page, fetched or as a browser shows it; robots.txt is obeyed either way."""
    return browser.load(url) if browser and fetcher.allows(url) else fetcher.get(url)


def hub_of(page: Page, tree: Any, home: str, word: str | None = None) -> Hub:
    """A hub from a fetched page."""
    links, over = links_of(tree, page.url, home)
    if over:
        logger.info("%s: %d links over the limit were left out", page.url, over)
    return Hub(
        page.url, links, word, title_of(tree), page.seconds, page.cut or bool(over),
        language=language_of(page), content_type=page.content_type, body=page.body,
    )  # fmt: skip


def language_of(page: Page) -> str | None:
    """The language of a fetched page; None if the page models are not installed."""
    from linksight import identify

    try:
        return identify(page.body[:100_000], page.content_type or None, page.url).language
    except ImportError:
        return None


def links_without_echo(hub: Hub) -> list[str]:
    """The links of a hub without those that repeat the search: other sort orders, the next page, exports.

    A result may carry the word too (``/page?highlight=word``), but it leads to another page.

    >>> from linksight.sites.gathering.links import Link
    >>> links = [Link("http://a.org/s?q=tea&sort=name"), Link("http://a.org/doc?hl=tea")]
    >>> links_without_echo(Hub("http://a.org/s?q=tea", links, "tea"))
    ['http://a.org/doc?hl=tea']
    """
    word, here = (hub.keyword or "").casefold(), urlsplit(hub.url)
    here_too = {name for name, value in parse_qsl(here.query) if value.casefold() == word}

    def repeats(url: str) -> bool:
        if not word or "?" not in url:
            return False
        parts = urlsplit(url)
        echoes = {name for name, value in parse_qsl(parts.query) if word == value.casefold()}
        same = parts.path.rstrip("/") == here.path.rstrip("/")
        return bool(echoes) and same and (not here_too or bool(echoes & here_too))

    return [url for url in hub.urls if not repeats(url)]


def empty_hubs(hubs: list[list[str]], alpha: float = 0.05, common: float = 0.9) -> list[bool]:
    """Which hubs are empty, by the number of links that are not on nearly all hubs.

    >>> empty_hubs([["/home", "/a/1"], ["/home", "/a/2"], ["/home"], ["/home", "/a/3"]])
    [False, False, True, False]
    """
    seen = Counter(url for hub in hubs for url in set(hub))
    everywhere = {url for url, n in seen.items() if n >= common * len(hubs) and n > 1}
    own = np.array([len(set(hub) - everywhere) for hub in hubs], dtype=float)
    lower = own.mean() - math.sqrt(1 / alpha - 1) * own.std()
    return [bool(n == 0 or n < lower) for n in own]
