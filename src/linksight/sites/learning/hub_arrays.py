"""The URLs of all hubs as flat arrays: token numbers, separators, kinds and hubs."""

from __future__ import annotations

import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData, BadUrl
from linksight.sites.learning.page_urls import PageUrl, Query, read_page
from linksight.sites.learning.tokens import Tokens, as_unicode, before_hash, split_url
from linksight.sites.patterns.wildcards import decode_url, may_be_encoded

Ints = NDArray[np.int64]

N_PSEUDO_HUBS = 100
MIN_CASE_LETTERS = 3  #: letters of a word whose case is ignored
MIN_PARTITIONED_URLS = 5  #: a shorter list stays one hub
#: Kinds of tokens; identifiers of records are never keywords of a site.
WORD, MIXED, NUMBER, CODE = range(4)


@dataclass(frozen=True)
class Corpus:
    """Distinct URLs, cut into tokens. ``tokens[starts[u] + d]`` is token ``d`` of URL ``u``."""

    urls: list[str]
    vocabulary: list[str]
    run_names: list[str]
    tokens: Ints
    runs: Ints
    starts: Ints
    lengths: Ints
    tails: Ints  #: as numbers in ``run_names``
    secure: NDArray[np.bool_]  #: https
    slashed: NDArray[np.bool_]  #: ends with a slash
    hub_starts: Ints  #: URL u was found on hubs ``hubs[hub_starts[u]:hub_starts[u + 1]]``
    hubs: Ints
    n_hubs: int
    problems: Counter[str]  #: URLs left out, by reason
    randomly_partitioned: bool = False  #: into random hubs, so that estimators carry no evidence
    spelled: Ints | None = None  #: the tokens before letter case was ignored
    queries: tuple[Query, ...] = ()  #: the parameters of each URL, where they are no tokens
    containers: frozenset[int] = frozenset()  #: tokens of container paths, see ``containers.py``
    sections: frozenset[int] = frozenset()  #: the words that follow most containers
    container_depth: int = 0  #: segments of every container; 0 where they differ

    def hubs_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """For each occurrence of these URLs on a hub: the position in ``rows`` and the hub."""
        counts = self.hub_starts[rows + 1] - self.hub_starts[rows]
        where = np.repeat(np.arange(len(rows)), counts)
        ends = np.cumsum(counts)
        inside = np.arange(len(where)) - np.repeat(ends - counts, counts)
        return where, self.hubs[self.hub_starts[rows][where] + inside]

    def n_hubs_of(self, rows: Ints) -> int:
        """The number of hubs with at least one of these URLs."""
        return len(distinct(self.hubs_of(rows)[1]))

    @cached_property
    def token_kinds(self) -> NDArray[np.int8]:
        """The kind of each word of the vocabulary."""
        return np.fromiter(map(kind_of, self.vocabulary), np.int8, len(self.vocabulary))


def distinct(values: Ints) -> Ints:
    """The distinct values in order, by sorting, which is faster in NumPy than hashing."""
    ordered = np.sort(values)
    different = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=different[1:])
    found: Ints = ordered[different]
    return found


def numbered(values: Ints, size: int) -> tuple[Ints, Ints]:
    """The different values in order, and the position of each value among them; all are below ``size``.

    >>> [part.tolist() for part in numbered(np.array([7, 2, 7]), 9)]
    [[2, 7], [1, 0, 1]]
    """
    if len(values) * 8 < size:
        names, which = np.unique(values, return_inverse=True)
        return names, which
    present = np.zeros(size, dtype=np.bool_)
    present[values] = True
    positions = np.cumsum(present) - 1
    return np.flatnonzero(present), positions[values]


def kind_of(token: str) -> int:
    """Classify a token as a word, a number, a code, or a mixture.

    >>> [kind_of(t) for t in ("author", "tv-55-inch", "17", "2024-05-01", "9f86d081884c7d65")]
    [0, 1, 2, 2, 3]
    """
    if token.isalpha() and len(token) <= 40:  # the common case first
        return WORD
    if token.isdigit():
        return NUMBER
    letters = sum(map(str.isalpha, token))
    digits = sum(map(str.isdigit, token))
    if digits and not letters:
        return NUMBER
    if len(token) > 40 or (len(token) >= 8 and digits and not token.strip("0123456789abcdefABCDEF-{}")):
        return CODE
    if not digits:
        return WORD
    return NUMBER if digits > 2 * letters else MIXED


def read_hubs(hubs: Iterable[Iterable[str]], *, as_pages: bool, fragments: bool = True) -> Corpus:
    """Cut every URL once. A flat iterable of URLs, or a single hub, is partitioned into random hubs.

    ``as_pages`` reads URLs as web applications do, otherwise as the paper does, there with ``fragments`` or without. It
    also counts hubs with the same URLs once: pages that link to the menu alone would make all else look rare.
    """
    known: set[frozenset[Any]] = set()
    urls: dict[str, int] = {}
    pairs = array("q")  # URL, hub, URL, hub, ...
    n_hubs = 0
    flat: list[str] = []
    if isinstance(hubs, str | bytes) or hasattr(hubs, "columns") or not isinstance(hubs, Iterable):
        raise BadData(f"hubs are an iterable of hubs, each an iterable of URLs, not {type(hubs).__name__}")
    for hub in _plain(hubs):
        if isinstance(hub, str):
            flat.append(hub)
            continue
        hub_urls = _urls_of(hub)
        if as_pages and frozenset(hub_urls) in known:
            continue
        known.add(frozenset(hub_urls))
        for url in hub_urls:
            pairs.append(urls.setdefault(url, len(urls)))
            pairs.append(n_hubs)
        n_hubs += 1
    if flat and n_hubs:
        raise BadData("hubs and single URLs are mixed: a hub is an iterable of URLs")
    randomly_partitioned = bool(flat) or n_hubs == 1
    if randomly_partitioned:
        pairs, n_hubs = _partition_randomly(flat or list(urls), urls)
    corpus = replace(
        _cut(list(urls), pairs, n_hubs, as_pages, fragments), randomly_partitioned=randomly_partitioned
    )
    return _without_case(corpus) if as_pages else corpus


def _without_case(corpus: Corpus) -> Corpus:
    """Words that differ only by the case of their letters become one, the commonest (``/Product/``, ``/product/``).

    Single letters and codes stay: ``/T/`` and ``/t/`` may be two kinds.
    """
    by_letters: dict[str, list[int]] = {}
    for number, word in enumerate(corpus.vocabulary):
        if len(word) >= MIN_CASE_LETTERS and word.isalpha():
            by_letters.setdefault(word.lower(), []).append(number)
    several = [numbers for numbers in by_letters.values() if len(numbers) > 1]
    if not several:
        return corpus
    counts = np.bincount(corpus.tokens, minlength=len(corpus.vocabulary))
    names = np.arange(len(corpus.vocabulary))
    for numbers in several:
        names[numbers] = max(numbers, key=lambda number: (counts[number], corpus.vocabulary[number]))
    return replace(corpus, tokens=names[corpus.tokens], spelled=corpus.tokens)


def _plain(values: Any) -> Iterable[Any]:
    """An iterable of plain values: the hubs of a mapping, the texts of an Arrow column."""
    if isinstance(values, Mapping):
        return values.values()
    plain: Iterable[Any] = values.to_pylist() if hasattr(values, "to_pylist") else values
    return plain


def _urls_of(hub: Any) -> dict[Any, None]:
    """The distinct URLs of a hub in their order: the order of a set differs from run to run."""
    try:
        return dict.fromkeys(_plain(hub))
    except TypeError:
        raise BadData(f"a hub is an iterable of URLs, not {type(hub).__name__}") from None


def _partition_randomly(flat: list[str], urls: dict[str, int]) -> tuple[array[int], int]:
    """Assign URLs without hubs to random hubs by a hash, so that their order does not matter."""
    distinct_urls = dict.fromkeys(flat)
    n_hubs = n_random_hubs(len(distinct_urls))
    pairs = array("q")
    for url in distinct_urls:
        pairs.append(urls.setdefault(url, len(urls)))
        pairs.append(random_hub_of(url, n_hubs))
    return pairs, n_hubs


def n_random_hubs(n_urls: int) -> int:
    """The number of random hubs for a list."""
    # In a single hub every token is on all hubs, and each URL would be its own pattern.
    min_hubs = 2 if n_urls >= MIN_PARTITIONED_URLS else 1
    return max(min_hubs, min(N_PSEUDO_HUBS, n_urls // 10))


def random_hub_of(url: str, n_random_hubs: int) -> int:
    """The random hub of a URL of a list."""
    key = url if isinstance(url, str) else repr(url)
    return zlib.crc32(key.encode("utf-8", "replace")) % n_random_hubs


def _cut_exactly(url: str, fragments: bool) -> tuple[PageUrl, str]:
    """A URL as the paper cuts it, and the separators at its end."""
    parts = split_url(url)
    if not fragments and "#" in url:
        parts = without_fragment(parts)
    key = "".join(map(add, parts.runs, parts.tokens)) + parts.tail
    return PageUrl(parts.tokens, parts.runs, (), parts.scheme, url.rstrip().endswith("/"), key), parts.tail


def _cut(urls: list[str], pairs: array[int], n_hubs: int, as_pages: bool, fragments: bool) -> Corpus:
    """URLs cut into tokens, one row for all spellings of a page; ``pairs`` are the numbers of URLs and their hubs."""
    words: dict[str, int] = {}
    run_names: dict[str, int] = {"": 0}
    # Arrays, not lists: millions of small numbers stay small.
    tokens, runs, lengths, tails = array("q"), array("q"), array("q"), array("q")
    secure, slashed = bytearray(), bytearray()
    known: dict[str, int] = {}
    shown: list[str] = []
    queries: list[Query] = []
    row_of = np.full(len(urls), -1, dtype=np.int64)
    problems: Counter[str] = Counter()
    for index in _best_spelling_first(urls):
        url = urls[index]
        try:
            # The same page, whether its letters, and those of its host, are written in codes or not.
            text = decode_url(url) if isinstance(url, str) and may_be_encoded(url) else url
            parts, tail = (read_page(text), "") if as_pages else _cut_exactly(text, fragments)
        except BadUrl as error:
            problems[error.reason] += 1
            continue
        row = row_of[index] = known.setdefault(parts.key, len(known))
        if row < len(shown):  # the same page by another spelling
            continue
        shown.append(as_unicode(url))
        tokens.extend([words.setdefault(token, len(words)) for token in parts.tokens])
        runs.extend([run_names.setdefault(run, len(run_names)) for run in parts.runs])
        lengths.append(len(parts.tokens))
        tails.append(run_names.setdefault(tail, len(run_names)))
        secure.append(parts.scheme == "https")
        slashed.append(parts.slash)
        queries.append(parts.query)
    sizes = _numbers(lengths)
    hub_starts, hub_list = _occurrences(row_of, pairs, len(shown), n_hubs)
    return Corpus(
        shown, list(words), list(run_names),
        _numbers(tokens), _numbers(runs), np.cumsum(sizes) - sizes, sizes, _numbers(tails),
        np.frombuffer(secure, dtype=np.bool_), np.frombuffer(slashed, dtype=np.bool_),
        hub_starts, hub_list, n_hubs, problems, queries=tuple(queries),
    )  # fmt: skip


def _best_spelling_first(urls: list[str]) -> list[int]:
    """The positions of URLs in a canonical order, so that the result does not depend on the input order.

    Of the spellings of one page the first is shown: https, with the slash, without a fragment.
    """
    texts = [url if isinstance(url, str) else repr(url) for url in urls]
    in_fragment = ["#" in text for text in texts]
    order = sorted(range(len(texts)), key=texts.__getitem__, reverse=True)
    return sorted(order, key=in_fragment.__getitem__)


def _numbers(values: array[int]) -> Ints:
    return np.frombuffer(values, dtype=np.int64)


def _occurrences(row_of: Ints, pairs: array[int], n_rows: int, n_hubs: int) -> tuple[Ints, Ints]:
    """The hubs of each URL, without duplicates."""
    if not pairs:
        return np.zeros(n_rows + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    table = _numbers(pairs).reshape(-1, 2)
    rows = row_of[table[:, 0]]
    both = distinct(rows[rows >= 0] * n_hubs + table[rows >= 0, 1])
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(both // n_hubs, minlength=n_rows), out=starts[1:])
    return starts, both % n_hubs


def without_fragment(parts: Tokens) -> Tokens:
    """The tokens of the page, a place on it (``#comment:3``) left out; routes (``#!/x``, ``#/x``) stay.

    >>> without_fragment(split_url("http://a.org/ticket/5#comment:3")).tokens
    ('a.org', 'ticket', '5')
    """
    cut = parts.before_fragment
    if cut == len(parts.tokens) and "#" in parts.tail:
        return replace(parts, tail=before_hash(parts.tail))
    if cut == len(parts.tokens) or parts.runs[cut].endswith("/") or parts.tokens[cut].startswith("!"):
        return parts
    return Tokens(parts.tokens[:cut], parts.runs[:cut], before_hash(parts.runs[cut]), parts.scheme)
