"""Patterns that are one kind of page written in several ways, joined after learning.

- a tree of pages: ``/*`` and ``/*/*``, where the parents of the deeper ones are pages like all others. In a shop
  ``/shoes`` and ``/shoes/red`` stay apart: there nearly every page above has pages below;
- three levels or more, where the parents of the deeper ones are no pages: files in folders;
- pages below the sections of repositories, and files in folders that several sections have;
- pages on "any host", held to the hosts and sites that they were seen on: as the scope of a crawl, "any" is the web;
- a few pages of one kind, all of which a more specific kind matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from linksight.sites.learning.hub_arrays import NUMBER, Corpus, Ints, distinct
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.wildcards import Path, Token, Under
from linksight.urls.parser import site_of

LEAVES = 0.5  #: share of the pages of a level, at least, that have none below them
PARENTS = 0.5  #: share of the parents, at least, that are among the pages of the level above
KNOWN = 0.2  #: share of the parents, from which on levels are a hierarchy
MIN_LEVEL = 5  #: pages of a level that can show what it is
MAX_SITES = 8  #: a kind of page on more sites than these may be on any
N_TREES = 3  #: of files, that show what the folders are
N_PAIRS = 2  #: of levels, from which on smaller ones may be among them


@dataclass(frozen=True)
class Kind:
    """A pattern in the making: its forms, the one with the most URLs first, and its URLs."""

    forms: tuple[Form, ...]
    rows: Ints


def join_kinds(kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds, those of one form as one."""
    by_form: dict[object, list[Kind]] = {}
    for kind in kinds:
        form = kind.forms[0]
        by_form.setdefault((form.tokens, form.runs, form.tail), []).append(kind)
    return [_joined(group) for group in by_form.values()]


def _joined(kinds: list[Kind]) -> Kind:
    if len(kinds) == 1:
        return kinds[0]
    kinds = sorted(kinds, key=lambda kind: (-len(kind.rows), str(kind.forms[0])))
    forms = {
        (form.tokens, form.runs, form.tail): form for kind in reversed(kinds) for form in reversed(kind.forms)
    }
    return Kind(tuple(reversed(forms.values())), np.concatenate([kind.rows for kind in kinds]))


def join_trees(corpus: Corpus, kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds, the levels of a tree of pages as one."""
    kinds = join_folders(corpus, join_sections(corpus, kinds))
    levels: dict[tuple[Token, ...], dict[int, Kind]] = {}
    for kind in kinds:
        form = kind.forms[0]
        wild = next((i for i, token in enumerate(form.tokens) if token is None), len(form.tokens))
        if form.tokens[wild:] and all(token is None for token in form.tokens[wild:]):
            levels.setdefault(form.tokens[:wild], {})[len(form.tokens) - wild] = kind
    found = {id(kind): kind for kind in kinds}
    for prefix, by_depth in levels.items():
        if not _are_levels_of_tree(corpus, prefix, by_depth):
            continue
        tree = _joined([found.pop(id(kind)) for kind in by_depth.values()])
        form = tree.forms[0]
        path = replace(form, tokens=(*prefix, Path.ANY), runs=form.runs[: len(prefix) + 1])
        found[id(tree)] = Kind((path,), tree.rows)
    return list(found.values())


def join_sections(corpus: Corpus, kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds, those below one section of the repositories of a forge as one where they are files in folders."""
    sections: dict[tuple[Token, ...], list[Kind]] = {}
    found: list[Kind] = []
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
        tree = _joined(several)
        top = replace(tree.forms[0], tokens=prefix, runs=tree.forms[0].runs[:3])
        path = replace(top, tokens=(*prefix, Path.ANY), runs=(*top.runs, "/"))
        found.append(Kind((path, top) if root else (path,), tree.rows))
    return found


def join_folders(corpus: Corpus, kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds, those of a section as one path if their words are folders that several trees of files have."""
    trees = [kind for kind in kinds if len(kind.forms[0].tokens) == 3 and kind.forms[0].tokens[2] is Path.ANY]
    if len(trees) < N_TREES:
        return list(kinds)
    rows = np.concatenate([kind.rows for kind in trees])
    folders = {
        corpus.vocabulary[token]
        for place in range(2, int(corpus.lengths[rows].max()))
        for token in distinct(
            corpus.tokens[corpus.starts[rows[corpus.lengths[rows] > place]] + place]
        ).tolist()
    }
    sections: dict[tuple[Token, ...], list[Kind]] = {}
    for kind in kinds:
        if len(kind.forms[0].tokens) > 2 and isinstance(kind.forms[0].tokens[1], str):
            sections.setdefault(kind.forms[0].tokens[:2], []).append(kind)
    found = {id(kind): kind for kind in kinds}
    for prefix, several in sections.items():
        rests = [kind.forms[0].tokens[2:] for kind in several]
        if len({len(rest) for rest in rests}) >= N_TREES and all(
            token is None or token in folders for rest in rests for token in rest
        ):
            tree = _joined([found.pop(id(kind)) for kind in several])
            form = tree.forms[0]
            path = replace(form, tokens=(*prefix, Path.ANY), runs=form.runs[:3])
            found[id(tree)] = Kind((path,), tree.rows)
    return list(found.values())


def _asks_the_same(corpus: Corpus, root: Kind, several: Sequence[Kind]) -> bool:
    """Whether most pages of a root have no parameter that the pages below do not have."""
    below = {
        name for k in several if k is not root for row in k.rows.tolist() for name, _ in corpus.queries[row]
    }
    own = [{name for name, _ in corpus.queries[row]} <= below for row in root.rows.tolist()]
    return 2 * sum(own) >= len(own)


def _are_levels_of_tree(corpus: Corpus, prefix: tuple[Token, ...], by_depth: dict[int, Kind]) -> bool:
    pairs = [(by_depth[d], by_depth[d + 1]) for d in by_depth if d + 1 in by_depth]
    large = [pair for pair in pairs if min(len(kind.rows) for kind in pair) >= MIN_LEVEL]
    several = len(pairs) >= N_PAIRS
    if large and (several or large == pairs) and all(_are_one_tree(corpus, *pair) for pair in large):
        return True
    if len(prefix) == 1 or len(by_depth) == 1 or any(_are_numbers(corpus, k) for k in by_depth.values()):
        return False
    has_gap = max(by_depth) - min(by_depth) >= len(by_depth)
    return (
        has_gap
        or len(pairs) > N_PAIRS
        or (several and not any(_are_parents(corpus, *pair) for pair in pairs))
    )


def _are_numbers(corpus: Corpus, kind: Kind) -> bool:
    """Whether most paths end with a number, as those of days, months and pages of a list do."""
    last = corpus.starts[kind.rows] + len(kind.forms[0].tokens) - 1
    return bool(np.mean(corpus.token_kinds[corpus.tokens[last]] == NUMBER) > 0.5)


def _are_parents(corpus: Corpus, above: Kind, below: Kind) -> bool:
    """Whether the pages of a level are parents of those below: levels of a hierarchy, not of a path."""
    depth = len(above.forms[0].tokens)
    parents = {tuple(row[:-1]) for row in _tokens(corpus, below.rows, depth + 1).tolist()}
    known = parents & {tuple(row) for row in _tokens(corpus, above.rows, depth).tolist()}
    return len(known) > KNOWN * len(parents)


def _are_one_tree(corpus: Corpus, above: Kind, below: Kind) -> bool:
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
    return alike and len(known) >= PARENTS * len(parents) and len(known) <= (1 - LEAVES) * len(pages)


def _tokens(corpus: Corpus, rows: Ints, depth: int) -> Ints:
    table: Ints = corpus.tokens[corpus.starts[rows][:, None] + np.arange(depth)]
    return table


def without_shadowed(corpus: Corpus, kinds: list[Kind]) -> list[Kind]:
    """The kinds but for those all of whose pages more specific ones match (``/news/*/*`` beside ``/*/xml/rss``).

    Their pages go to the kinds that match them, and so do single pages of other kinds.
    """
    patterns = PatternSet(tuple(Pattern(index, kind.forms) for index, kind in enumerate(kinds)))
    taken = {
        index: won for index in range(len(kinds)) if (won := _taken(corpus, patterns, index, kinds[index]))
    }
    winners = {pattern.id for several in taken.values() for pattern in several}
    rows = {index: [kind.rows] for index, kind in enumerate(kinds)}
    for index in taken.keys() - winners:
        del rows[index]
        owners = np.array([pattern.id for pattern in taken[index]])
        for owner in np.unique(owners).tolist():
            rows[owner].append(kinds[index].rows[owners == owner])
    return [Kind(kinds[index].forms, np.concatenate(parts)) for index, parts in sorted(rows.items())]


def _taken(corpus: Corpus, patterns: PatternSet, index: int, kind: Kind) -> list[Pattern]:
    """The patterns that match the pages of a kind in its place; none where it matches one of them itself."""
    few = np.linspace(0, len(kind.rows) - 1, min(MIN_LEVEL, len(kind.rows)), dtype=np.int64)
    found: list[Pattern] = []
    for rows in (kind.rows[few], kind.rows):  # nearly always the first few are enough
        urls = [corpus.urls[row] for row in rows.tolist()]
        found = [won for won in patterns.match_all(urls) if won]
        if len(found) < len(rows) or any(won.id == index for won in found):
            return []
    return found


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
