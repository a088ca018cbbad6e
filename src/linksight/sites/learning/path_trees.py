"""Trees of pages: paths of any length that are one kind of page, such as the files of a repository.

In a tree the depth carries no meaning. A tree has pages at three depths or more, and file names at the ends of paths or
no keywords inside them.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from linksight.sites.learning.hub_arrays import NUMBER, Corpus, Ints
from linksight.sites.learning.literal_tokens import MIN_SUPPORT, Evidence, Siblings, overlap

MIN_PAGES = 10
MAX_SAMPLE_PAGES = 2_000  #: pages whose file extensions are read
MIN_DEPTH_SHARE = 0.06  #: of the pages, those at a depth that counts
MIN_DEPTHS = 3
MIN_ENDING_SHARE = 0.4  #: of the pages, those with a file extension
MIN_SAME_ENDING_SHARE = 0.8
N_COMMON_TOKENS = 5  #: commonest tokens of a position, in which keywords would be
MIN_KEYWORD_SHARE = 0.75  #: of the URLs, those with one of these tokens; above it these are keywords
MIN_RESERVED_SHARE = 0.1  #: of the URLs, those with a name reserved by the application
MAX_SECTION_OVERLAP = 0.3  #: of the shapes after a section with those after other names

_ENDING = re.compile(r"[^.].*\.([A-Za-z][A-Za-z0-9]{0,5})")
_PAGES = frozenset("html htm xhtml shtml php asp aspx jsp jsf do cgi".split())
_RESERVED = frozenset("_+-~.@!$")  #: first letters of names reserved by applications


def is_reserved(token: str) -> bool:
    """Whether a name looks reserved by an application: ``_modules``, ``+simple``, ``-``."""
    return token[:1] in _RESERVED


def is_tree(evidence: Evidence, rows: Ints, depth: int) -> bool:
    """Whether what follows the first ``depth`` tokens of these URLs is a path of any length."""
    corpus = evidence.corpus
    left = corpus.lengths[rows] - depth
    n = len(rows)
    if n < MIN_PAGES or left.max() < 2:
        return False
    counts = np.bincount(left)
    depths = int((counts[1:] >= max(3, MIN_DEPTH_SHARE * n)).sum())
    endings = _endings(corpus, rows)
    same = max(endings.values(), default=0) >= MIN_SAME_ENDING_SHARE * min(n, MAX_SAMPLE_PAGES)
    if depth == 1:  # the root: sections stay apart unless all pages are files
        return same and depths >= MIN_DEPTHS
    files = sum(count for ending, count in endings.items() if ending not in _PAGES)
    if depths >= 2 and files >= MIN_SAME_ENDING_SHARE * min(
        n, MAX_SAMPLE_PAGES
    ):  # source files, whatever folders they are in
        return True
    if depths < 2 or _has_keywords(corpus, rows, depth, left) or _has_sections(evidence, rows, depth):
        return False
    return (
        same
        if depths < MIN_DEPTHS
        else endings.total() >= MIN_ENDING_SHARE * min(n, MAX_SAMPLE_PAGES) or _is_even(corpus, rows, left)
    )


def _endings(corpus: Corpus, rows: Ints) -> Counter[str]:
    """How often the names at the ends of the paths have each file extension; of many paths a sample."""
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), MAX_SAMPLE_PAGES), dtype=np.int64)]
    last = corpus.tokens[corpus.starts[rows] + corpus.lengths[rows] - 1].tolist()
    found = (_ENDING.fullmatch(corpus.vocabulary[token]) for token in last)
    return Counter(ending[1].lower() for ending in found if ending)


def is_documentation(corpus: Corpus, rows: Ints) -> bool:
    """Whether the pages of a site are files of one type, as in generated documentation with reserved folders."""
    endings = _endings(corpus, rows)
    left = corpus.lengths[rows] - 1
    return (
        len(rows) >= MIN_PAGES
        and max(endings.values(), default=0) >= MIN_SAME_ENDING_SHARE * min(len(rows), MAX_SAMPLE_PAGES)
        and left.max() > left.min()
    )


def _has_keywords(corpus: Corpus, rows: Ints, depth: int, left: Ints) -> bool:
    """Whether a few tokens are in most URLs at one position after the first, or reserved names in some."""
    for place in range(int(left.max())):
        there = rows[left > place]
        if len(there) < 2 * MIN_PAGES:
            break
        counts = np.bincount(corpus.tokens[corpus.starts[there] + depth + place])
        names = np.flatnonzero(counts)
        reserved = sum(int(counts[name]) for name in names.tolist() if is_reserved(corpus.vocabulary[name]))
        if reserved >= MIN_RESERVED_SHARE * len(there):
            return True
        # A folder may have few files, so the last position is no evidence.
        if 0 < place < int(left.max()) - 1 and np.sort(counts)[
            -N_COMMON_TOKENS:
        ].sum() >= MIN_KEYWORD_SHARE * len(there):
            return True
    return False


def _has_sections(evidence: Evidence, rows: Ints, depth: int) -> bool:
    """Whether the shapes that follow differ between the first names, as those of sections do."""
    tokens, which = np.unique(
        evidence.corpus.tokens[evidence.corpus.starts[rows] + depth], return_inverse=True
    )
    support = np.bincount(which, minlength=len(tokens))
    large = support >= MIN_SUPPORT
    siblings = Siblings(rows, (0,) * depth, tokens, which, np.zeros(len(tokens)))
    return bool(
        (large & (overlap(evidence, siblings, large, np.ones_like(large)) < MAX_SECTION_OVERLAP)).sum() >= 2
    )


def _is_even(corpus: Corpus, rows: Ints, left: Ints) -> bool:
    """Whether the share of numbers is similar at each depth; in archives by date only the upper levels are numbers."""
    last = corpus.token_kinds[corpus.tokens[corpus.starts[rows] + corpus.lengths[rows] - 1]] == NUMBER
    shares = [float(last[left == d].mean()) for d in np.unique(left).tolist() if (left == d).sum() >= 3]
    return max(shares) - min(shares) <= 0.5
