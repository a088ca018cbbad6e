"""All patterns as one automaton over tokens, in plain Python: the specification of the kernel.

The states are the nodes of a prefix tree of all forms. A token leads from a node to its literal
child, to that of its stem (``issue*``), to its wildcard child, or to several, and a host to those of the
sites that it is of (``*.a.org``), so a set of nodes is active at a time; it is small, for nodes of other
sites and sections have dropped out by then. The cost is that of reading the URL, whatever the number of
patterns, and no set of patterns can make it explode as a backtracking regular expression does.

The best match is the most specific one: most literal tokens (a stem counts half), the leftmost first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from linksight.sites.learning.tokens import before_hash, split_url, stem_of
from linksight.sites.patterns.pattern import Form, Pattern
from linksight.sites.patterns.wildcards import (
    Stem,
    Token,
    Under,
    host_in_letters,
    in_letters,
    sites_above,
    worth,
)

if TYPE_CHECKING:
    from linksight.sites.matching.automaton_tables import Tables


@dataclass(slots=True)
class Node:
    """A prefix that some forms share."""

    number: int
    specific: int  #: two for each literal token on the way to it, one for each stem
    literal: dict[tuple[str, str], Node] = field(default_factory=dict)  #: (run, token) -> child
    stem: dict[tuple[str, str], Node] = field(default_factory=dict)  #: (run, stem) -> child
    #: (run, site) -> child; of the root alone
    under: dict[tuple[str, str], Node] = field(default_factory=dict)
    wildcard: dict[str, Node] = field(default_factory=dict)  #: run -> child
    ends: dict[str, int] = field(default_factory=dict)  #: tail -> pattern

    def children(self) -> Iterator[Node]:
        """All nodes one token further."""
        return chain(self.literal.values(), self.stem.values(), self.under.values(), self.wildcard.values())

    def after(self, run: str, token: str) -> Iterator[Node]:
        """The nodes that a token leads to, the most specific first."""
        if literal := self.literal.get((run, token)):
            yield literal
        # A stem has a number in it; a token without one is no number of anything.
        if self.stem and (stem := stem_of(token)) and "0" in stem and (child := self.stem.get((run, stem))):
            yield child
        if self.under:
            yield from (self.under[run, site] for site in sites_above(token) if (run, site) in self.under)
        if wildcard := self.wildcard.get(run):
            yield wildcard


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
        self._tables: Tables | None = None

    @property
    def tables(self) -> Tables:
        """The same automaton as arrays, for the kernel."""
        if self._tables is None:
            from linksight.sites.matching.automaton_tables import Tables

            self._tables = Tables.build(self.nodes)
        return self._tables

    def find(self, url: str) -> int:
        """The position of the best pattern, or -1; raises :class:`BadUrl`.

        A fragment that no pattern asks for is a place on the page, not another page: where the whole
        URL matches nothing, the part before the ``#`` is tried.
        """
        parts = split_url(url)
        active, best, in_fragment = [self.nodes[0]], -1, False
        for run, token in zip(parts.runs, parts.tokens, strict=True):
            if "#" in run and not in_fragment:
                in_fragment = True
                best = _best(active, before_hash(run))
            active = [child for node in active for child in node.after(run, token)]
            if not active:
                return best
        found = _best(active, parts.tail)
        if found < 0 and not in_fragment and "#" in parts.tail:
            # A fragment of separators alone, as in ``#=``.
            return _best(active, before_hash(parts.tail))
        return best if found < 0 else found

    def _add(self, form: Form, pattern: int) -> None:
        node = self.nodes[0]
        for index, (run, given) in enumerate(zip(form.runs, form.tokens, strict=True)):
            token = _read(given, host=index == 0)
            child = Node(len(self.nodes), node.specific + worth(token))
            if token is None:
                child = node.wildcard.setdefault(run, child)
            elif isinstance(token, Stem):
                child = node.stem.setdefault((run, token.text), child)
            elif isinstance(token, Under):
                child = node.under.setdefault((run, token.text), child)
            else:
                child = node.literal.setdefault((run, token), child)
            if child.number == len(self.nodes):
                self.nodes.append(child)
            node = child
        node.ends.setdefault(form.tail, pattern)  # the first of two equal patterns wins


def _read(token: Token, *, host: bool) -> Token:
    """A token as people write it, which is how URLs are read where patterns have letters beyond ASCII."""
    if isinstance(token, Under):
        return Under(host_in_letters(token.text))
    if not isinstance(token, str):
        return token
    return in_letters(host_in_letters(token) if host else token)


def _best(active: list[Node], tail: str) -> int:
    """The most specific of the nodes at which a pattern ends; they come leftmost literals first."""
    best, most = -1, -1
    for node in active:
        if node.specific > most and tail in node.ends:
            best, most = node.ends[tail], node.specific
    return best
