"""Merge learnt patterns that are one kind of page.

- a tree of pages: ``/*`` and ``/*/*``, where the parents of the deeper ones are pages like all others. In a shop
  ``/shoes`` and ``/shoes/red`` stay apart: there nearly every page above has pages below;
- three levels or more, where the parents of the deeper ones are no pages: files in folders;
- pages below the sections of repositories, and files in folders that several sections have;
- pages on "any host", restricted to the hosts and sites that they were seen on: otherwise a crawl's scope is the web;
- a few pages of one kind, all of which a more specific kind matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from linksight.sites.learning.hub_arrays import NUMBER, Corpus, Ints, distinct
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.wildcards import AnySubdomain, Path, Token
from linksight.urls.parser import site_of

MIN_LEAF_SHARE = 0.5  #: of the pages of a level, those without pages below them
MIN_PARENT_SHARE = 0.5  #: of the parents, those among the pages of the level above
MIN_KNOWN_SHARE = 0.2  #: of the parents, those that are pages; above it levels are a hierarchy
MIN_LEVEL_PAGES = 5  #: pages of a level that count as evidence
MAX_SITES = 8  #: a kind of page on more sites keeps the wildcard host
MIN_TREES = 3  #: of files, to recognise names of folders
MIN_LEVEL_PAIRS = 2  #: of levels; with so many, some may be small


@dataclass(frozen=True)
class PatternDraft:
    """A pattern before it gets its number: its forms, the one with the most URLs first, and its URLs."""

    forms: tuple[Form, ...]
    rows: Ints


def merge_kinds(kinds: Sequence[PatternDraft]) -> list[PatternDraft]:
    """Merge kinds with the same main form."""
    by_form: dict[object, list[PatternDraft]] = {}
    for kind in kinds:
        form = kind.forms[0]
        by_form.setdefault((form.tokens, form.runs, form.tail), []).append(kind)
    return [_merge(group) for group in by_form.values()]


def _merge(kinds: list[PatternDraft]) -> PatternDraft:
    if len(kinds) == 1:
        return kinds[0]
    kinds = sorted(kinds, key=lambda kind: (-len(kind.rows), str(kind.forms[0])))
    forms = {
        (form.tokens, form.runs, form.tail): form for kind in reversed(kinds) for form in reversed(kind.forms)
    }
    return PatternDraft(tuple(reversed(forms.values())), np.concatenate([kind.rows for kind in kinds]))


def merge_trees(corpus: Corpus, kinds: Sequence[PatternDraft]) -> list[PatternDraft]:
    """Merge the levels of each tree of pages."""
    kinds = merge_folders(corpus, merge_sections(corpus, kinds))
    levels: dict[tuple[Token, ...], dict[int, PatternDraft]] = {}
    for kind in kinds:
        form = kind.forms[0]
        wild = next((i for i, token in enumerate(form.tokens) if token is None), len(form.tokens))
        if form.tokens[wild:] and all(token is None for token in form.tokens[wild:]):
            levels.setdefault(form.tokens[:wild], {})[len(form.tokens) - wild] = kind
    found = {id(kind): kind for kind in kinds}
    for prefix, by_depth in levels.items():
        if not _are_levels_of_tree(corpus, prefix, by_depth):
            continue
        tree = _merge([found.pop(id(kind)) for kind in by_depth.values()])
        form = tree.forms[0]
        path = replace(form, tokens=(*prefix, Path.ANY), runs=form.runs[: len(prefix) + 1])
        found[id(tree)] = PatternDraft((path,), tree.rows)
    return list(found.values())


def merge_sections(corpus: Corpus, kinds: Sequence[PatternDraft]) -> list[PatternDraft]:
    """Merge the kinds below one section of a forge's repositories if they are files in folders."""
    sections: dict[tuple[Token, ...], list[PatternDraft]] = {}
    found: list[PatternDraft] = []
    for kind in kinds:
        tokens = kind.forms[0].tokens
        if tokens[1:2] == (Path.ANY,) and isinstance(tokens[2:3] and tokens[2], str):
            sections.setdefault(tokens[:3], []).append(kind)
        else:
            found.append(kind)
    for prefix, several in sections.items():
        rests = [kind.forms[0].tokens[3:] for kind in several]
        depths = {len(rest) for rest in rests if rest and not any(rest)}
        if len(depths) < 2 and (Path.ANY,) not in rests:
            found += several
            continue
        root = next((kind for kind in several if len(kind.forms[0].tokens) == len(prefix)), None)
        if root and not _asks_the_same(corpus, root, several):
            several.remove(root)
            found.append(root)
            root = None
        tree = _merge(several)
        top = replace(tree.forms[0], tokens=prefix, runs=tree.forms[0].runs[:3])
        path = replace(top, tokens=(*prefix, Path.ANY), runs=(*top.runs, "/"))
        found.append(PatternDraft((path, top) if root else (path,), tree.rows))
    return found


def merge_folders(corpus: Corpus, kinds: Sequence[PatternDraft]) -> list[PatternDraft]:
    """Merge the kinds of a section to one path if their words are folders of several trees of files."""
    trees = [kind for kind in kinds if len(kind.forms[0].tokens) == 3 and kind.forms[0].tokens[2] is Path.ANY]
    if len(trees) < MIN_TREES:
        return list(kinds)
    rows = np.concatenate([kind.rows for kind in trees])
    folders = {
        corpus.vocabulary[token]
        for place in range(2, int(corpus.lengths[rows].max()))
        for token in distinct(
            corpus.tokens[corpus.starts[rows[corpus.lengths[rows] > place]] + place]
        ).tolist()
    }
    sections: dict[tuple[Token, ...], list[PatternDraft]] = {}
    for kind in kinds:
        if len(kind.forms[0].tokens) > 2 and isinstance(kind.forms[0].tokens[1], str):
            sections.setdefault(kind.forms[0].tokens[:2], []).append(kind)
    found = {id(kind): kind for kind in kinds}
    for prefix, several in sections.items():
        rests = [kind.forms[0].tokens[2:] for kind in several]
        if len({len(rest) for rest in rests}) >= MIN_TREES and all(
            token is None or token in folders for rest in rests for token in rest
        ):
            tree = _merge([found.pop(id(kind)) for kind in several])
            form = tree.forms[0]
            path = replace(form, tokens=(*prefix, Path.ANY), runs=form.runs[:3])
            found[id(tree)] = PatternDraft((path,), tree.rows)
    return list(found.values())


def _asks_the_same(corpus: Corpus, root: PatternDraft, several: Sequence[PatternDraft]) -> bool:
    """Whether most pages of a root have no parameter that the pages below do not have."""
    below = {
        name for k in several if k is not root for row in k.rows.tolist() for name, _ in corpus.queries[row]
    }
    own = [{name for name, _ in corpus.queries[row]} <= below for row in root.rows.tolist()]
    return 2 * sum(own) >= len(own)


def _are_levels_of_tree(corpus: Corpus, prefix: tuple[Token, ...], by_depth: dict[int, PatternDraft]) -> bool:
    pairs = [(by_depth[d], by_depth[d + 1]) for d in by_depth if d + 1 in by_depth]
    large = [pair for pair in pairs if min(len(kind.rows) for kind in pair) >= MIN_LEVEL_PAGES]
    several = len(pairs) >= MIN_LEVEL_PAIRS
    if large and (several or large == pairs) and all(_are_one_tree(corpus, *pair) for pair in large):
        return True
    if len(prefix) == 1 or len(by_depth) == 1 or any(_are_numbers(corpus, k) for k in by_depth.values()):
        return False
    has_gap = max(by_depth) - min(by_depth) >= len(by_depth)
    return (
        has_gap
        or len(pairs) > MIN_LEVEL_PAIRS
        or (several and not any(_are_parents(corpus, *pair) for pair in pairs))
    )


def _are_numbers(corpus: Corpus, kind: PatternDraft) -> bool:
    """Whether most paths end with a number, as those of days, months and pages of a list do."""
    last = corpus.starts[kind.rows] + len(kind.forms[0].tokens) - 1
    return bool(np.mean(corpus.token_kinds[corpus.tokens[last]] == NUMBER) > 0.5)


def _are_parents(corpus: Corpus, above: PatternDraft, below: PatternDraft) -> bool:
    """Whether the pages of a level are parents of those below: levels of a hierarchy, not of a path."""
    depth = len(above.forms[0].tokens)
    parents = {tuple(row[:-1]) for row in _tokens(corpus, below.rows, depth + 1).tolist()}
    known = parents & {tuple(row) for row in _tokens(corpus, above.rows, depth).tolist()}
    return len(known) > MIN_KNOWN_SHARE * len(parents)


def _are_one_tree(corpus: Corpus, above: PatternDraft, below: PatternDraft) -> bool:
    depth = len(above.forms[0].tokens)
    pages = {tuple(row) for row in _tokens(corpus, above.rows, depth).tolist()}
    under = _tokens(corpus, below.rows, depth + 1)
    parents = {tuple(row[:-1]) for row in under.tolist()}
    known = parents & pages
    numbers = [
        np.mean(corpus.token_kinds[table[:, -1]] == NUMBER)
        for table in (_tokens(corpus, above.rows, depth), under)
    ]
    alike = abs(numbers[0] - numbers[1]) < 0.5
    # A few names below most pages are actions on these: /user/ann/topics, /user/bob/topics.
    alike = alike and 2 * len(distinct(under[:, -1])) > len(under)
    return (
        alike
        and len(known) >= MIN_PARENT_SHARE * len(parents)
        and len(known) <= (1 - MIN_LEAF_SHARE) * len(pages)
    )


def _tokens(corpus: Corpus, rows: Ints, depth: int) -> Ints:
    table: Ints = corpus.tokens[corpus.starts[rows][:, None] + np.arange(depth)]
    return table


def drop_shadowed(corpus: Corpus, kinds: list[PatternDraft]) -> list[PatternDraft]:
    """Drop kinds whose pages all match more specific kinds (``/news/*/*`` and ``/*/xml/rss``).

    Their pages, and single pages of other kinds, go to the kinds that match them.
    """
    patterns = PatternSet(tuple(Pattern(index, kind.forms) for index, kind in enumerate(kinds)))
    covering = {
        index: found
        for index in range(len(kinds))
        if (found := _covering_patterns(corpus, patterns, index, kinds[index]))
    }
    winners = {pattern.id for several in covering.values() for pattern in several}
    rows = {index: [kind.rows] for index, kind in enumerate(kinds)}
    for index in covering.keys() - winners:
        del rows[index]
        owners = np.array([pattern.id for pattern in covering[index]])
        for owner in np.unique(owners).tolist():
            rows[owner].append(kinds[index].rows[owners == owner])
    return [PatternDraft(kinds[index].forms, np.concatenate(parts)) for index, parts in sorted(rows.items())]


def _covering_patterns(corpus: Corpus, patterns: PatternSet, index: int, kind: PatternDraft) -> list[Pattern]:
    """The other patterns that match the pages of a kind; empty if the kind itself matches one of them."""
    few = np.linspace(0, len(kind.rows) - 1, min(MIN_LEVEL_PAGES, len(kind.rows)), dtype=np.int64)
    found: list[Pattern] = []
    for rows in (kind.rows[few], kind.rows):  # a sample is nearly always enough
        urls = [corpus.urls[row] for row in rows.tolist()]
        found = [winner for winner in patterns.match_all(urls) if winner]
        if len(found) < len(rows) or any(winner.id == index for winner in found):
            return []
    return found


def restrict_to_hosts(corpus: Corpus, kinds: list[PatternDraft]) -> list[PatternDraft]:
    """Restrict kinds on any host to the hosts that they were seen on, or to the sites of these."""
    return [
        _restrict_to_hosts(corpus, kind) if any(form.tokens[0] is None for form in kind.forms) else kind
        for kind in kinds
    ]


def _restrict_to_hosts(corpus: Corpus, kind: PatternDraft) -> PatternDraft:
    hosts = _host_tokens([corpus.vocabulary[token] for token in _hosts(corpus, kind.rows)])
    forms = dict.fromkeys(
        replace(form, tokens=(host, *form.tokens[1:]))
        for form in kind.forms
        for host in (hosts if form.tokens[0] is None else form.tokens[:1])
    )
    return PatternDraft(tuple(forms), kind.rows)


def _hosts(corpus: Corpus, rows: Ints) -> list[int]:
    found: list[int] = np.unique(corpus.tokens[corpus.starts[rows]]).tolist()
    return found


def _host_tokens(hosts: list[str]) -> list[Token]:
    """The narrowest tokens that match all of these hosts.

    >>> [str(token) for token in _host_tokens(["nl.a.org", "de.a.org", "b.org"])], _host_tokens([f"a{n}.org" for n in range(9)])
    (['*.a.org', 'b.org'], [None])
    """
    sites: dict[str, list[str]] = {}
    for host in sorted(hosts):
        # Thousands of hosts are mostly of one site, and a lookup in the suffix list is slow.
        site = next((site for site in sites if host.endswith(f".{site}")), None) or _site(host)
        sites.setdefault(site, []).append(host)
        if len(sites) > MAX_SITES:
            return [None]
    return [
        several[0] if len(several) == 1 else AnySubdomain(site) for site, several in sorted(sites.items())
    ]


def _site(host: str) -> str:
    """The registered domain, written as it is in the host."""
    n_labels = site_of(f"http://{host}/").count(".") + 1
    return ".".join(host.split(".")[-n_labels:])
