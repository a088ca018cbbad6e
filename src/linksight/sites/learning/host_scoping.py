"""Kinds of pages on "any host", held to the hosts and sites that they were seen on.

A host that is on few hubs is no keyword to the paper's test, so that its pages end under a wildcard that stands for
every host of the web. As the scope of a crawl such a pattern would let the whole web in.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linksight.sites.learning.hub_arrays import Corpus, Ints
from linksight.sites.learning.pattern_merging import Kind
from linksight.sites.patterns.wildcards import Token, Under
from linksight.urls.parser import site_of

MAX_SITES = 8  #: a kind of page on more sites than these may be on any


def at_home(corpus: Corpus, kinds: list[Kind]) -> list[Kind]:
    """The kinds; of those on any host each with the host that it was seen on, or any host of these sites."""
    return [
        _held(corpus, kind) if any(form.tokens[0] is None for form in kind.forms) else kind for kind in kinds
    ]


def _held(corpus: Corpus, kind: Kind) -> Kind:
    homes = _homes([corpus.vocabulary[token] for token in _hosts(corpus, kind.rows)])
    forms = dict.fromkeys(
        replace(form, tokens=(home, *form.tokens[1:]))
        for form in kind.forms
        for home in (homes if form.tokens[0] is None else form.tokens[:1])
    )
    return Kind(tuple(forms), kind.rows)


def _hosts(corpus: Corpus, rows: Ints) -> list[int]:
    found: list[int] = np.unique(corpus.tokens[corpus.starts[rows]]).tolist()
    return found


def _homes(hosts: list[str]) -> list[Token]:
    """What stands for all of these hosts and for as few others as can be told.

    >>> [str(home) for home in _homes(["nl.a.org", "de.a.org", "b.org"])], _homes([f"a{n}.org" for n in range(9)])
    (['*.a.org', 'b.org'], [None])
    """
    sites: dict[str, list[str]] = {}
    for host in sorted(hosts):
        # Thousands of hosts are of one site more often than not, and the list of suffixes is slow to ask.
        site = next((site for site in sites if host.endswith(f".{site}")), None) or _site(host)
        sites.setdefault(site, []).append(host)
        if len(sites) > MAX_SITES:
            return [None]
    return [several[0] if len(several) == 1 else Under(site) for site, several in sorted(sites.items())]


def _site(host: str) -> str:
    """The registered domain, written as it is in the host."""
    n_labels = site_of(f"http://{host}/").count(".") + 1
    return ".".join(host.split(".")[-n_labels:])
