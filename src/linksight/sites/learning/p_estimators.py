"""The p-estimators of a site as a prefix tree of the tokens of its patterns.

A node is a token of a pattern, of its path or of the parameters that it needs; its estimator is the share of hubs with at
least one URL through it.
A wildcard lists its commonest values with their estimators.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from linksight.errors import BadUrl
from linksight.sites.learning.hub_arrays import n_random_hubs, random_hub_of
from linksight.sites.learning.tokens import split_url
from linksight.sites.patterns.pattern import PatternSet
from linksight.sites.patterns.wildcards import WILDCARD, AnySubdomain, Path, Template, Token, decode_url

N_VALUES = 5


@dataclass
class Node:
    """A token, with the separators before it."""

    text: str
    token: Token = None  #: None is the wildcard
    n_links: int = 0  #: a URL counts on every hub that has it
    estimator: float = 0.0
    patterns: list[int] = field(default_factory=list)  #: ids of the patterns that end here
    values: list[tuple[str, float]] = field(default_factory=list)  #: of a wildcard: token, estimator
    has_more: bool = False  #: whether there are other values than these
    children: list[Node] = field(default_factory=list)
    by_text: dict[str, Node] = field(default_factory=dict, repr=False)  #: the children by text
    hubs: set[int] = field(default_factory=set, repr=False)
    seen: dict[str, set[int]] = field(default_factory=dict, repr=False)

    def fits(self, token: str) -> bool:
        """Whether this node matches a token of a URL."""
        if isinstance(self.token, (Template, AnySubdomain)):
            return re.fullmatch(self.token.regex, token) is not None
        return self.token in (None, Path.ANY, token)


def estimator_tree(patterns: PatternSet, hubs: Iterable[Iterable[str]]) -> list[Node]:
    """The trees of a site, one for each host; children with the largest estimators first.

    A single hub, such as a list, is partitioned as in the learner.

    >>> patterns = PatternSet.from_texts(["http://a.org/p/*"])
    >>> root = estimator_tree(patterns, [["http://a.org/p/1"], ["http://a.org/p/2"], []])[0]
    >>> root.text, round(root.estimator, 2), root.children[0].children[0].values
    ('a.org', 0.67, [('1', 0.3333333333333333), ('2', 0.3333333333333333)])
    """
    hub_urls = [list(dict.fromkeys(hub)) for hub in hubs]
    if len(hub_urls) == 1:
        hub_urls = _partition_randomly(hub_urls[0])
    roots: dict[str, Node] = {}
    paths = {
        (number, k): _path(roots, pattern.id, form.tokens, form.runs)
        for number, pattern in enumerate(patterns)
        for k, form in enumerate(pattern.forms)
    }
    for hub, urls in enumerate(hub_urls):
        for url, number in zip(urls, patterns.match_indices(urls).tolist() if urls else [], strict=True):
            if number >= 0:
                _count(paths, number, len(patterns.patterns[number].forms), url, hub)
    for root in roots.values():
        _finish(root, max(len(hub_urls), 1))
    return sorted(roots.values(), key=lambda node: -node.estimator)


def _partition_randomly(urls: list[str]) -> list[list[str]]:
    """Partition a single hub at random, as the learner does."""
    parts: list[list[str]] = [[] for _ in range(n_random_hubs(len(urls)))]
    for url in urls:
        parts[random_hub_of(url, len(parts))].append(url)
    return parts


def _path(
    roots: dict[str, Node], pattern: int, tokens: tuple[Token, ...], runs: tuple[str, ...]
) -> list[Node]:
    path: list[Node] = []
    for token, run in zip(tokens, runs, strict=True):
        text = run + (WILDCARD if token is None else str(token))
        if not path:
            path.append(roots.setdefault(text, Node(text, token)))
            continue
        found = path[-1].by_text.get(text)
        if found is None:
            found = path[-1].by_text[text] = Node(text, token)
            path[-1].children.append(found)
        path.append(found)
    path[-1].patterns.append(pattern)
    return path


def _count(paths: dict[tuple[int, int], list[Node]], number: int, n_forms: int, url: str, hub: int) -> None:
    try:
        parts = split_url(decode_url(url))
    except BadUrl:
        return
    end = next((i for i, run in enumerate(parts.runs) if "?" in run or "#" in run), len(parts.tokens))
    tokens = parts.tokens[:end]
    for k in range(n_forms):
        path = paths[number, k]
        n_segments = next((i for i, node in enumerate(path) if node.text[0] in "?#"), len(path))
        if not all(node.fits(token) for node, token in zip(path[:n_segments], tokens, strict=False)):
            continue
        for node in path:
            node.hubs.add(hub)
            node.n_links += 1
        for node, token in zip(path[:n_segments], tokens, strict=False):
            if WILDCARD in node.text or "{" in node.text:
                node.seen.setdefault(token, set()).add(hub)
        return


def _finish(node: Node, n_hubs: int) -> None:
    node.estimator = len(node.hubs) / n_hubs
    common = Counter({token: len(hubs) for token, hubs in node.seen.items()}).most_common(N_VALUES)
    node.values = [(token, n / n_hubs) for token, n in common]
    node.has_more = len(node.seen) > len(common)
    node.seen = {}
    for child in node.children:
        _finish(child, n_hubs)
    node.children.sort(key=lambda child: -child.estimator)
