"""All patterns of a set as one automaton over tokens.

The states are the nodes of a prefix tree of all forms; see :mod:`linksight.native.sites.pattern_automaton` for the pass
over a URL. The best match is the most specific pattern: most literal tokens (placeholders count half), the leftmost
first. A pass reads the URL once and visits the active nodes at each token. Their number depends on how wildcards overlap, not on
the number of patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadUrl
from linksight.native.sites.pattern_automaton import (
    BAD_URL,
    FOREIGN_HOST,
    NO_MATCH,
    PATH,
    SEGMENT,
    TEMPLATE,
    TOKEN,
    PatternAutomaton,
)
from linksight.sites.learning.tokens import as_unicode
from linksight.sites.matching.automaton_tables import Tables
from linksight.sites.patterns.pattern import Form, Pattern
from linksight.sites.patterns.wildcards import (
    AnySubdomain,
    Path,
    Template,
    Token,
    decode_letters,
    precedence,
    specificity,
)
from linksight.urls.idna import wire_host

Needs = tuple[tuple[str, str | None], ...]


@dataclass(slots=True)
class Node:
    """A prefix that some forms share."""

    number: int
    specific: int  #: two for each literal token on the way to it, one for each with placeholders
    kind: int = TEMPLATE  #: of the wildcard that leads to it
    literal: dict[tuple[str, str], Node] = field(default_factory=dict)  #: (run, token) -> child
    sites: dict[tuple[str, str], Node] = field(
        default_factory=dict
    )  #: (run, site) -> child; of the root alone
    #: (run, kind, template) -> child, and the precedence of the token
    others: dict[tuple[str, int, str], tuple[Node, float]] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)  #: tail -> pattern
    #: patterns that end before the query: rank, specificity, pattern, needed parameters
    clauses: list[tuple[tuple[float, ...], int, int, Needs]] = field(default_factory=list)

    def children(self) -> Iterator[Node]:
        """All nodes one token further."""
        yield from self.literal.values()
        yield from self.sites.values()
        yield from (child for child, _ in self.others.values())


class Automaton:
    """Finds the most specific of many patterns.

    >>> from linksight.sites.patterns.pattern import PatternSet
    >>> Automaton(PatternSet.from_texts(["http://a.org/*/*", "http://a.org/p/*"])).find("http://a.org/p/17#x")
    1
    """

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self.nodes = [Node(0, 0)]
        for index, pattern in enumerate(patterns):
            for form in pattern.forms:
                self._add(form, index)
        self.compiled = PatternAutomaton(Tables.build(self.nodes))

    def find(self, url: str) -> int:
        """The position of the best pattern, or -1; raises :class:`BadUrl`.

        A fragment that no pattern contains is a place on the page, not another page: if the URL matches nothing,
        the part before the ``#`` is matched.
        """
        if not isinstance(url, str):
            raise BadUrl(url, "not text")
        text = as_unicode(url).encode()
        found = int(self.find_rows(text or b" ", np.array([0, len(text)], np.int64))[0])
        if found == BAD_URL:
            raise BadUrl(url, "not a web address" if text.strip() else "empty")
        return found

    def find_rows(self, text: Any, starts: Any) -> NDArray[np.int32]:
        """The position of the best pattern of each row, -1 if no pattern matches, -2 for an invalid URL."""
        found: Any = np.empty(len(starts) - 1, dtype=np.int32)
        longest = int(np.diff(starts).max(initial=1)) + 1
        view: Any = memoryview(text)
        self.compiled.match_rows(view, memoryview(starts), memoryview(found), longest)
        for row in np.flatnonzero(found == FOREIGN_HOST).tolist():
            found[row] = self._find_foreign(bytes(view[starts[row] : starts[row + 1]]))
        rows: NDArray[np.int32] = found
        return rows

    def _find_foreign(self, text: bytes) -> int:
        """Match a URL whose host is written in letters beyond ASCII."""
        url = text.decode("utf-8", "replace").strip()
        scheme, mark, rest = url.partition("//") if "//" in url[:8] else ("", "", url)
        end = min((i for i in map(rest.find, "/?#") if i >= 0), default=len(rest))
        name, colon, port = rest[:end].rpartition("@")[2].partition(":")
        coded = f"{scheme}{mark}{_wire(name)}{colon}{port}{rest[end:]}".encode()
        found: Any = np.empty(1, dtype=np.int32)
        starts: Any = np.array([0, len(coded)], np.int64)
        self.compiled.match_rows(memoryview(coded), memoryview(starts), memoryview(found), len(coded) + 1)
        return int(found[0]) if found[0] != FOREIGN_HOST else NO_MATCH

    def _add(self, form: Form, pattern: int) -> None:
        in_order = form.in_order
        end = len(form.tokens) if in_order else form.query_start
        node, in_query = self.nodes[0], False
        for index, (run, token) in enumerate(zip(form.runs[:end], form.tokens[:end], strict=True)):
            in_query = in_query or "?" in run
            is_token = form.exact or index == 0 or run == ":" or in_query
            node = self._child(node, run, token, is_token=is_token, is_host=index == 0)
        if in_order:
            node.ends.setdefault(form.tail, pattern)  # the first of two equal patterns wins
        else:
            rank = (sum(map(specificity, form.tokens)), *map(precedence, form.tokens))
            node.clauses.append((rank, int(rank[0]), pattern, form.needs))

    def _child(self, node: Node, run: str, token: Token, *, is_token: bool, is_host: bool) -> Node:
        child = Node(len(self.nodes), node.specific + specificity(token))
        if isinstance(token, str):
            child = node.literal.setdefault((run, _wire(token) if is_host else decode_letters(token)), child)
        elif isinstance(token, AnySubdomain):
            child = node.sites.setdefault((run, _wire(token.text)), child)
        else:
            kind = (
                TEMPLATE if isinstance(token, Template) else PATH if token is Path.ANY
                else TOKEN if is_token else SEGMENT
            )  # fmt: skip
            child.kind = kind
            template = token.text if isinstance(token, Template) else ""
            child, _ = node.others.setdefault((run, kind, template), (child, precedence(token)))
        if child.number == len(self.nodes):
            self.nodes.append(child)
        return child


def _wire(host: str) -> str:
    """A host in its wire form (IDNA); an invalid one unchanged, in lower case."""
    if host.isascii():
        return host.lower()
    try:
        return wire_host(host)
    except BadUrl:
        return host.lower()
