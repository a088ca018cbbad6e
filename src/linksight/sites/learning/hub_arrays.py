"""The URLs of all hubs as flat arrays: token numbers, separators, kinds, and which hubs had them."""

from __future__ import annotations

import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData, BadUrl
from linksight.sites.learning.tokens import Tokens, Variant, as_unicode, before_hash, split_url
from linksight.sites.patterns.wildcards import as_people_write, is_coded

Ints = NDArray[np.int64]

#: Leaves something out of a URL, and says how it was written; None where nothing was left out.
Strip = Callable[[Tokens], tuple[Tokens, Variant | None]]

N_PSEUDO_HUBS = 100
MIN_DEALT = 5  #: URLs of one kind, at least, that can be seen to be one
#: What a token looks like; identifiers of records are never keywords of a site.
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
    dealt: bool = False  #: into hubs by chance, so that hubs mean nothing
    variants: dict[int, dict[Variant, None]] = field(default_factory=dict)  #: of a URL, how it was written

    def hubs_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """For each occurrence of these URLs on a hub: the position in ``rows`` and the hub."""
        counts = self.hub_starts[rows + 1] - self.hub_starts[rows]
        where = np.repeat(np.arange(len(rows)), counts)
        ends = np.cumsum(counts)
        inside = np.arange(len(where)) - np.repeat(ends - counts, counts)
        return where, self.hubs[self.hub_starts[rows][where] + inside]

    def n_hubs_of(self, rows: Ints) -> int:
        """On how many hubs at least one of these URLs was found."""
        return len(distinct(self.hubs_of(rows)[1]))

    @cached_property
    def token_kinds(self) -> NDArray[np.int8]:
        """The look of each word of the vocabulary."""
        return np.fromiter(map(kind_of, self.vocabulary), np.int8, len(self.vocabulary))


def distinct(values: Ints) -> Ints:
    """The different values in order; by sorting, which NumPy does faster than by hashing."""
    ordered = np.sort(values)
    different = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=different[1:])
    kept: Ints = ordered[different]
    return kept


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
    """Whether a token reads like a word, a number, a machine's code, or a bit of each.

    >>> [kind_of(t) for t in ("author", "tv-55-inch", "17", "2024-05-01", "9f86d081884c7d65")]
    [0, 1, 2, 2, 3]
    """
    if token.isalpha() and len(token) <= 40:  # most of them, at once
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


def read_hubs(hubs: Iterable[Iterable[str]], *, fragments: bool = True) -> Corpus:
    """Cut every URL once. A flat iterable of URLs, or a single hub, is dealt into hubs by chance."""
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
        for url in _urls_of(hub):
            pairs.append(urls.setdefault(url, len(urls)))
            pairs.append(n_hubs)
        n_hubs += 1
    if flat and n_hubs:
        raise BadData("hubs and single URLs are mixed: a hub is an iterable of URLs")
    dealt = bool(flat) or n_hubs == 1
    if dealt:
        pairs, n_hubs = _deal(flat or list(urls), urls)
    return replace(_cut(list(urls), pairs, n_hubs, fragments), dealt=dealt)


def cut_anew(corpus: Corpus, strip: Strip, *, fragments: bool = True) -> Corpus:
    """The same URLs with something left out of each; those that are one now are one URL."""
    where, hubs = corpus.hubs_of(np.arange(len(corpus.urls)))
    pairs = array("q", np.column_stack([where, hubs]).ravel().tobytes())
    again = _cut(corpus.urls, pairs, corpus.n_hubs, fragments, strip)
    return replace(again, dealt=corpus.dealt, problems=corpus.problems)


def _plain(values: Any) -> Iterable[Any]:
    """What to go through: the hubs of a table by keyword, the texts of an Arrow column."""
    if isinstance(values, Mapping):
        return values.values()
    plain: Iterable[Any] = values.to_pylist() if hasattr(values, "to_pylist") else values
    return plain


def _urls_of(hub: Any) -> set[Any]:
    try:
        return set(_plain(hub))
    except TypeError:
        raise BadData(f"a hub is an iterable of URLs, not {type(hub).__name__}") from None


def _deal(flat: list[str], urls: dict[str, int]) -> tuple[array[int], int]:
    """Hubs for URLs that came without: by a hash, so that the order does not matter."""
    distinct_urls = dict.fromkeys(flat)
    n_hubs = n_parts(len(distinct_urls))
    pairs = array("q")
    for url in distinct_urls:
        pairs.append(urls.setdefault(url, len(urls)))
        pairs.append(part_of(url, n_hubs))
    return pairs, n_hubs


def n_parts(n_urls: int) -> int:
    """Into how many hubs a list is dealt."""
    # In a single hub every token is on all hubs, and each URL would be a pattern of its own.
    least = 2 if n_urls >= MIN_DEALT else 1
    return max(least, min(N_PSEUDO_HUBS, n_urls // 10))


def part_of(url: str, n_parts: int) -> int:
    """The hub that a URL of a list is dealt to."""
    key = url if isinstance(url, str) else repr(url)
    return zlib.crc32(key.encode("utf-8", "replace")) % n_parts


def _cut(
    urls: list[str], pairs: array[int], n_hubs: int, fragments: bool, strip: Strip | None = None
) -> Corpus:
    """URLs cut into tokens, one row a page however it is spelled; ``pairs`` are the numbers of URLs and hubs that had them.

    ``strip`` takes parameters off that name no page, and gives what it took.
    """
    words: dict[str, int] = {}
    run_names: dict[str, int] = {"": 0}
    # Arrays, not lists: millions of small numbers stay small.
    tokens, runs, lengths, tails = array("q"), array("q"), array("q"), array("q")
    secure, slashed = bytearray(), bytearray()
    kept: dict[str, int] = {}
    shown: list[str] = []
    row_of = np.full(len(urls), -1, dtype=np.int64)
    problems: Counter[str] = Counter()
    variants: dict[int, dict[Variant, None]] = {}
    for index in _best_spelling_first(urls):
        url = urls[index]
        try:
            # The same page, whether its letters, and those of its host, are written in codes or not.
            parts = split_url(as_people_write(url) if isinstance(url, str) and is_coded(url) else url)
        except BadUrl as error:
            problems[error.reason] += 1
            continue
        if not fragments and "#" in url:
            parts = without_fragment(parts)
        parts, variant = strip(parts) if strip and "?" in url else (parts, None)
        # Tokens hold no separators, so run together they are told apart; and a text, unlike a tuple of
        # tuples, costs the garbage collector nothing.
        page = "".join(map(add, parts.runs, parts.tokens)) + parts.tail
        row = kept.setdefault(page, len(kept))
        row_of[index] = row
        if variant:
            variants.setdefault(row, {})[variant] = None
        if row < len(shown):  # the same page by another spelling
            continue
        shown.append(as_unicode(url))
        tokens.extend([words.setdefault(token, len(words)) for token in parts.tokens])
        runs.extend([run_names.setdefault(run, len(run_names)) for run in parts.runs])
        lengths.append(len(parts.tokens))
        tails.append(run_names.setdefault(parts.tail, len(run_names)))
        secure.append(parts.scheme == "https")
        slashed.append((url.partition("?")[0] if variant else url.rstrip()).endswith("/"))
    sizes = _numbers(lengths)
    hub_starts, hub_list = _occurrences(row_of, pairs, len(shown), n_hubs)
    return Corpus(
        shown, list(words), list(run_names),
        _numbers(tokens), _numbers(runs), np.cumsum(sizes) - sizes, sizes, _numbers(tails),
        np.frombuffer(secure, dtype=np.bool_), np.frombuffer(slashed, dtype=np.bool_),
        hub_starts, hub_list, n_hubs, problems, variants=variants,
    )  # fmt: skip


def _best_spelling_first(urls: list[str]) -> list[int]:
    """The positions of URLs in an order of their own: what is learnt must not hang on how they came.

    Of the spellings of one page the first is shown: https, with the slash, without a fragment.
    """
    texts = [url if isinstance(url, str) else repr(url) for url in urls]
    in_fragment = ["#" in text for text in texts]
    order = sorted(range(len(texts)), key=texts.__getitem__, reverse=True)
    return sorted(order, key=in_fragment.__getitem__)


def _numbers(values: array[int]) -> Ints:
    return np.frombuffer(values, dtype=np.int64)


def _occurrences(row_of: Ints, pairs: array[int], n_rows: int, n_hubs: int) -> tuple[Ints, Ints]:
    """Which hubs had each URL, each hub once."""
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
