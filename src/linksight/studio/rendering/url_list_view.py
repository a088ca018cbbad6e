"""A site that was learnt from a plain list: which of its URLs have which pattern, and which were left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from linksight.errors import BadUrl

if TYPE_CHECKING:
    from linksight.sites.patterns.pattern import Pattern, PatternSet
    from linksight.sites.workbench.workbench import Hub

LISTS = ("urls", "cdx", "sitemap")  #: sources that have no pages of links
PAGE_URLS = 200
NONE, LEFT_OUT = "none", "left-out"
_NO_ADDRESS = -2


class Row(NamedTuple):
    """A URL of the list: with its pattern, or with the reason why it was left out."""

    url: str
    pattern: Pattern | None
    problem: str | None


class Group(NamedTuple):
    """A page of URLs of the list: of a pattern, without a pattern, or left out."""

    key: str
    pattern: Pattern | None
    n_urls: int


@dataclass(frozen=True)
class Listing:
    """A page of the list, of all of it or of one group."""

    n_urls: int
    n_left_out: int
    groups: Sequence[Group]
    chosen: str
    rows: Sequence[Row]
    page: int
    n_pages: int

    @classmethod
    def of(cls, hub: Hub, patterns: PatternSet, chosen: str = "", page: int = 1) -> Listing:
        """Page ``page`` of the URLs of group ``chosen``; of all where there is no such group."""
        links = hub.links
        found = patterns.match_indices([link.url for link in links]).tolist()
        keys = [
            LEFT_OUT if link.problem or k == _NO_ADDRESS else NONE if k < 0 else str(patterns.patterns[k].id)
            for link, k in zip(links, found, strict=True)
        ]
        counts = Counter(keys)
        groups = [Group(str(p.id), p, counts[str(p.id)]) for p in patterns if counts[str(p.id)]]
        groups += [Group(key, None, counts[key]) for key in (NONE, LEFT_OUT) if counts[key]]
        chosen = chosen if chosen in counts else ""
        at = [k for k, key in enumerate(keys) if not chosen or key == chosen]
        n_pages = max(1, -(-len(at) // PAGE_URLS))
        page = min(max(page, 1), n_pages)
        rows = [
            Row(links[k].url, patterns.patterns[found[k]] if found[k] >= 0 and not links[k].problem else None,
                (links[k].problem or _reason(links[k].url)) if keys[k] == LEFT_OUT else None)
            for k in at[(page - 1) * PAGE_URLS : page * PAGE_URLS]
        ]  # fmt: skip
        return cls(len(links), counts[LEFT_OUT], groups, chosen, rows, page, n_pages)


def _reason(url: str) -> str:
    """Why the learner took no notice of it."""
    from linksight.sites.learning.tokens import split_url

    try:
        split_url(url)
    except BadUrl as error:
        return error.reason
    return "not a web address"
