"""CALA's pattern builder (the paper's Figures 10 and 11) on a prefix tree.

A node of the tree is a prefix of URLs. Its continuations are *siblings*; the
*p-estimator* of one is the share of hubs with at least one URL through it. Siblings whose estimator
is not above Cantelli's threshold (mean + sqrt(1/alpha - 1) standard deviations) and not about 1 are
joined under a wildcard, the others stay literal, and each group goes on to the next token. A group
is a set of rows of flat arrays, so a level costs one sort of its rows: the algorithm is O(n log n),
where the pseudo-code's loops over all prefixes are quadratic.

Cantelli's threshold cannot be passed among fewer than 20 siblings, so small sites lose sections to
the wildcard. ``refine`` (on by default, see :mod:`linksight.sites.learning.literal_tokens`) adds the evidence that
the estimators lack; ``refine=False`` is exactly the paper's algorithm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig, BadData
from linksight.sites.learning.containers import keep_sections, replace_containers
from linksight.sites.learning.hub_arrays import Corpus, Ints, distinct, numbered, read_hubs
from linksight.sites.learning.literal_tokens import MIN_SUPPORT, Evidence, Siblings, keywords
from linksight.sites.learning.page_urls import path_form, with_needs, with_segments
from linksight.sites.learning.path_trees import is_documentation, is_reserved, is_tree
from linksight.sites.learning.pattern_merging import (
    PatternDraft,
    drop_shadowed,
    merge_kinds,
    merge_trees,
    restrict_to_hosts,
)
from linksight.sites.learning.query_kinds import QueryKinds
from linksight.sites.learning.segment_marks import separate_languages, templates
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.wildcards import Path, Template, Token
from linksight.system.plural import counted

N_EXAMPLES = 5
N_FOLDS = 5  #: one hub in so many is held out to estimate the usual share of unmatched URLs
MIN_HELD_OUT_URLS, MAX_HELD_OUT_URLS = 20, 3_000  #: URLs
MAX_SPELLINGS = 4  #: of the words of a pattern, by the case of their letters
WILD, PATH = -1, -2  #: numbers of the wildcard and of a path; templates have lower numbers


@dataclass(frozen=True, kw_only=True)
class LearnOptions:
    """Options of :func:`learn_patterns`."""

    alpha: float = 0.05  #: share of a distribution that counts as outliers (the paper's constant)
    near_one: float = 0.05  #: an estimator within this of 1 is "about 1"
    refine: bool = True  #: add evidence for keywords; off: the paper's algorithm alone
    template: float | None = None  #: leave out URLs found on at least this share of hubs, e.g. 0.9
    min_share: float = 0.0  #: discard patterns with a smaller share of the URLs
    min_urls: int = 1  #: discard patterns with fewer URLs
    fragments: bool | None = None  #: learn from what follows ``#`` too; by default only if not ``refine``
    site: str = ""

    def check(self) -> None:
        """Raise :class:`BadConfig` for invalid values."""
        if not 0 < self.alpha < 1:
            raise BadConfig(f"alpha is between 0 and 1, not {self.alpha!r}")
        for name in ("near_one", "min_share", "template"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise BadConfig(f"{name} is between 0 and 1, not {value!r}")


@dataclass(frozen=True)
class Group:
    """The rows that share a prefix of ``depth`` tokens: numbers below zero are wildcards or templates."""

    rows: Ints
    tokens: tuple[int, ...]

    @property
    def depth(self) -> int:
        return len(self.tokens)


def learn_patterns(hubs: Iterable[Iterable[str]], **options: Any) -> PatternSet:
    """The URL patterns of a site from its hubs, each an iterable of the URLs that it links to.

    >>> hubs = [[f"http://msas.org/{kind}/{10 * hub + i}/x-{hub}-{i}" for i in range(5)
    ...          for kind in ("Author", "Publication")] for hub in range(8)]
    >>> [pattern.text for pattern in learn_patterns(hubs)]
    ['http://msas.org/Author/*/*', 'http://msas.org/Publication/*/*']
    """
    known = LearnOptions.__dataclass_fields__
    if unknown := sorted(options.keys() - known.keys()):
        raise BadConfig(f"unknown option {unknown[0]!r}; known: {', '.join(sorted(known))}")
    chosen = LearnOptions(**options)
    chosen.check()
    fragments = not chosen.refine if chosen.fragments is None else chosen.fragments
    corpus = read_hubs(hubs, as_pages=chosen.refine, fragments=fragments)
    if not corpus.urls:
        why = f" ({corpus.problems.most_common(1)[0][0]})" if corpus.problems else ""
        raise BadData(f"no usable URL in {counted(corpus.n_hubs, 'hub')}{why}")
    patterns = _learn(corpus, chosen)
    held_out = _unmatched_held_out(corpus, chosen)
    return replace(patterns, learnt={**patterns.learnt, "unmatched_held_out": held_out})


def _learn(corpus: Corpus, options: LearnOptions) -> PatternSet:
    rows = _without_template(corpus, np.arange(len(corpus.urls)), options)
    corpus = replace_containers(corpus) if options.refine else corpus
    evidence = Evidence(corpus) if options.refine else None
    groups = _grow(corpus, rows, options, evidence)
    if evidence:
        found = _refined(corpus, [_page_kind(corpus, group, evidence) for group in groups])
    else:
        found = [kind for group in groups for kind in _forms(corpus, group)]
    return _as_set(corpus, found, len(rows), options)


def _unmatched_held_out(corpus: Corpus, options: LearnOptions) -> float:
    """The share of URLs of held-out hubs that patterns learnt from the other hubs do not match.

    It is the usual share on an unchanged site. Large sites are sampled.
    """
    where, hubs = corpus.hubs_of(np.arange(len(corpus.urls)))
    by_hub = np.argsort(hubs, kind="stable")
    bounds = np.searchsorted(hubs[by_hub], np.arange(corpus.n_hubs + 1))
    step = max(1, len(where) // MAX_HELD_OUT_URLS)
    parts = [where[by_hub[bounds[hub] : bounds[hub + 1]]].tolist() for hub in range(0, corpus.n_hubs, step)]
    train = [[corpus.urls[row] for row in part] for index, part in enumerate(parts) if index % N_FOLDS]
    seen = {row for index, part in enumerate(parts) if index % N_FOLDS for row in part}
    new = [corpus.urls[row] for part in parts[::N_FOLDS] for row in set(part) - seen]
    if len(train) < N_FOLDS or len(new) < MIN_HELD_OUT_URLS:
        return 0.0
    known = read_hubs(train, as_pages=options.refine, fragments=not options.refine)
    patterns = _learn(known, replace(options, template=None, min_urls=1, min_share=0.0))
    return round(float((patterns.match_indices(new) == -1).mean()), 6)


def _refined(corpus: Corpus, kinds: list[PatternDraft]) -> list[PatternDraft]:
    """Merge kinds by path, restrict them to their hosts, and divide them by parameters."""
    queries = QueryKinds.of(corpus)
    found = []
    for kind in merge_trees(corpus, restrict_to_hosts(corpus, merge_kinds(kinds))):
        constant = all(isinstance(token, str) for form in kind.forms for token in form.tokens)
        constant = constant and not _has_pages_below(corpus, kind)
        page = kind.forms[0].tokens[-1] in (None, Path.ANY) and len(kind.forms[0].tokens) > 1
        for needs, rows in queries.divide(kind.rows, constant=constant, page=page):
            forms = (path_form(with_segments(form, corpus.container_depth)) for form in kind.forms)
            found.append(PatternDraft(tuple(with_needs(form, needs) for form in forms), rows))
    return drop_shadowed(corpus, merge_kinds(found))


def _has_pages_below(corpus: Corpus, kind: PatternDraft) -> bool:
    """Whether a path with parameters has many pages below, which it lists and the parameters filter."""
    first = int(kind.rows[0])
    length = int(corpus.lengths[first])
    if length == 1 or not any(corpus.queries[row] for row in kind.rows.tolist()):
        return False
    rows = np.flatnonzero(corpus.lengths > length)
    for place in range(length):
        rows = rows[corpus.tokens[corpus.starts[rows] + place] == corpus.tokens[corpus.starts[first] + place]]
    return len(rows) >= MIN_SUPPORT


def upper_threshold(estimators: NDArray[np.float64], alpha: float) -> float:
    """Above this an estimator is an outlier, by Cantelli's inequality.

    >>> round(upper_threshold(np.array([0.1, 0.1, 0.4]), 0.05), 3)
    0.816
    """
    deviations = math.sqrt(1 / alpha - 1)
    return float(estimators.mean() + deviations * estimators.std())


def _without_template(corpus: Corpus, rows: Ints, options: LearnOptions) -> Ints:
    if options.template is None:
        return rows
    shares = np.diff(corpus.hub_starts) / max(corpus.n_hubs, 1)
    remaining: Ints = rows[shares < options.template]
    if not len(remaining):
        raise BadData(
            f"every URL is on {options.template:.0%} of the hubs or more: nothing is left to learn from"
        )
    return remaining


def _grow(corpus: Corpus, rows: Ints, options: LearnOptions, evidence: Evidence | None) -> Iterator[Group]:
    """Figure 10: from the root, join continuations that are not keywords, until the tokens end."""
    todo = [Group(rows, ())]
    while todo:
        group = todo.pop()
        if group.tokens[-1:] == (PATH,):
            yield group
            continue
        ended = corpus.lengths[group.rows] == group.depth
        if ended.any():
            yield Group(group.rows[ended], group.tokens)
        going = group.rows[~ended]
        if not len(going):
            continue
        if evidence and group.depth >= 1 and group.tokens[-1] >= 0:
            tree, going = _tree_rows(evidence, group, going)
            if len(tree):
                yield Group(tree, (*group.tokens, PATH))
        if len(going):
            todo += _continuations(corpus, Group(going, group.tokens), options, evidence)


def _tree_rows(evidence: Evidence, group: Group, rows: Ints) -> tuple[Ints, Ints]:
    """Split URLs into those of a tree of pages below a group, and the others."""
    corpus = evidence.corpus
    if group.depth == 1:  # names reserved by an application are not part of the tree of pages
        first = corpus.tokens[corpus.starts[rows] + 1]
        names, which = numbered(first, len(corpus.vocabulary))
        reserved = np.array(
            [is_reserved(corpus.vocabulary[name]) for name in names.tolist()], dtype=np.bool_
        )[which]
    else:
        reserved = np.zeros(len(rows), dtype=np.bool_)
    is_documented = reserved.any() and is_documentation(corpus, rows[~reserved])
    if is_documented or is_tree(evidence, rows[~reserved], group.depth):
        return rows[~reserved], rows[reserved]
    return rows[:0], rows


def _continuations(
    corpus: Corpus, group: Group, options: LearnOptions, evidence: Evidence | None
) -> list[Group]:
    """Steps 2 to 6: siblings, estimators, threshold, wildcards."""
    found = corpus.tokens[corpus.starts[group.rows] + group.depth]
    tokens, sibling = numbered(found, len(corpus.vocabulary))
    where, hubs = corpus.hubs_of(group.rows)
    seen = distinct(sibling[where] * corpus.n_hubs + hubs) // corpus.n_hubs
    estimators = np.bincount(seen, minlength=len(tokens)) / corpus.n_hubs
    threshold = upper_threshold(estimators, options.alpha)
    literal = (estimators > threshold) | (estimators >= 1 - options.near_one)
    grown, rest = [], np.ones(len(tokens), dtype=np.bool_)
    if evidence:
        siblings = Siblings(group.rows, group.tokens, tokens, sibling, estimators)
        literal = keywords(evidence, siblings, literal) | separate_languages(evidence, siblings)
        if corpus.containers:
            literal = keep_sections(evidence, siblings, literal)
        for text, members in templates(evidence, siblings, ~literal):
            evidence.templates.append(text)
            rest &= ~members
            number = PATH - len(evidence.templates)
            grown.append(Group(group.rows[members[sibling]], (*group.tokens, number)))
        literal &= rest
    order = np.argsort(sibling, kind="stable")
    bounds = np.searchsorted(sibling[order], np.arange(len(tokens) + 1))
    for index in np.flatnonzero(literal):
        rows = group.rows[order[bounds[index] : bounds[index + 1]]]
        grown.append(Group(rows, (*group.tokens, int(tokens[index]))))
    rest &= ~literal
    if rest.any():
        rows = group.rows[rest[sibling]]
        is_path = evidence and group.depth > 1 and is_tree(evidence, rows, group.depth)
        grown.append(Group(rows, (*group.tokens, PATH if is_path else WILD)))
    return grown


def _forms(corpus: Corpus, group: Group) -> Iterator[PatternDraft]:
    """Figure 11: put the separators back; one wildcarded URL for each sequence of separators."""
    depth, starts = group.depth, corpus.starts[group.rows]
    runs = corpus.runs[starts[:, None] + np.arange(depth)]
    table = np.column_stack([runs, corpus.tails[group.rows]])
    ways, which = table[:1], np.zeros(len(table), dtype=np.int64)
    if (table != ways).any():  # sorting rows is slow, and nearly always they are equal
        ways, which = np.unique(table, axis=0, return_inverse=True)
    tokens = tuple(None if token < 0 else corpus.vocabulary[token] for token in group.tokens)
    for index, way in enumerate(ways):
        rows = group.rows[which.reshape(-1) == index]
        seps = [corpus.run_names[run] for run in way]
        yield PatternDraft(
            (Form(tokens, tuple(seps[:-1]), seps[-1], *_spelling(corpus, rows), exact=True),), rows
        )


def _page_kind(corpus: Corpus, group: Group, evidence: Evidence) -> PatternDraft:
    """The kind of a group of pages by its path, with a form for each spelling of its words."""
    first = int(corpus.starts[group.rows[0]])
    runs = tuple(corpus.run_names[run] for run in corpus.runs[first : first + group.depth].tolist())
    tokens = tuple(_token(corpus, evidence, number) for number in group.tokens)
    if corpus.containers and tokens[1:2] == (None,):
        second = distinct(corpus.tokens[corpus.starts[group.rows] + 1])
        if not corpus.containers.isdisjoint(second.tolist()):
            tokens = (tokens[0], Path.ANY, *tokens[2:])
    form = Form(tokens, runs, "", *_spelling(corpus, group.rows))
    literal = [depth for depth, number in enumerate(group.tokens) if number >= 0]
    if corpus.spelled is None:
        return PatternDraft((form,), group.rows)
    table = corpus.spelled[corpus.starts[group.rows][:, None] + np.array(literal)]
    ways, counts = np.unique(table, axis=0, return_counts=True)
    forms = []
    for way in ways[np.argsort(-counts, kind="stable")[:MAX_SPELLINGS]].tolist():
        written = dict(zip(literal, way, strict=True))
        spelled = (corpus.vocabulary[written[d]] if d in written else token for d, token in enumerate(tokens))
        forms.append(replace(form, tokens=tuple(spelled)))
    return PatternDraft(tuple(forms), group.rows)


def _token(corpus: Corpus, evidence: Evidence, number: int) -> Token:
    if number >= 0:
        return corpus.vocabulary[number]
    if number == PATH:
        return Path.ANY
    return None if number == WILD else Template(evidence.templates[PATH - 1 - number])


def _spelling(corpus: Corpus, rows: Ints) -> tuple[str, bool]:
    """The scheme of most of the URLs, and whether most end with a slash."""
    scheme = "https" if corpus.secure[rows].mean() > 0.5 else "http"
    return scheme, bool(corpus.slashed[rows].mean() > 0.5)


def _as_set(corpus: Corpus, found: list[PatternDraft], n_urls: int, options: LearnOptions) -> PatternSet:
    """The kinds that are large enough, as a pattern set with the counts of the learning."""
    min_rows = max(options.min_urls, math.ceil(options.min_share * n_urls))
    kinds = [kind for kind in found if len(kind.rows) >= min_rows]
    kinds.sort(key=lambda kind: str(kind.forms[0]))
    patterns = [
        Pattern(
            index, kind.forms,
            n_urls=len(kind.rows), n_hubs=corpus.n_hubs_of(kind.rows), share=round(len(kind.rows) / n_urls, 6),
            examples=_examples(corpus, kind),
        )
        for index, kind in enumerate(kinds)
    ]  # fmt: skip
    covered = sum(len(kind.rows) for kind in kinds)
    learnt = {
        "alpha": options.alpha,
        "refine": options.refine,
        "hubs": corpus.n_hubs,
        "dealt": corpus.randomly_partitioned,  # the hubs are random parts of a list
        "urls": n_urls,
        "template_urls": len(corpus.urls) - n_urls,
        "discarded_patterns": len(found) - len(kinds),
        "unmatched": round(1 - covered / n_urls, 6),
        "bad_urls": dict(corpus.problems),
    }
    site = options.site or _main_host(corpus)
    return replace(PatternSet(tuple(patterns)), site=site, learnt=learnt)


def _examples(corpus: Corpus, kind: PatternDraft) -> tuple[str, ...]:
    """Some of its URLs, evenly spaced: alphabetical neighbours are too similar."""
    chosen = np.linspace(0, len(kind.rows) - 1, min(N_EXAMPLES, len(kind.rows)), dtype=np.int64)
    return tuple(sorted(corpus.urls[row] for row in kind.rows[chosen].tolist()))


def _main_host(corpus: Corpus) -> str:
    hosts = corpus.tokens[corpus.starts]
    return corpus.vocabulary[int(np.bincount(hosts).argmax())]
