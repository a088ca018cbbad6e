"""Precision, recall and F1 of the patterns of a site, as in the paper (Section 5, Table 3).

Half of the hubs are learnt from, the links of the other half are classified. *Supervised*: each
pattern has one class, set by the user or by the majority of its links in the first half, and a link is
right if its pattern's class is its own. *Unsupervised*, after Marxer et al.: precision and recall of every pair of pattern
and class, weighted by the URLs that they share, so that no mapping is assumed.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from linksight.errors import BadConfig, BadData, BadUrl
from linksight.sites.learning.hub_arrays import without_fragment
from linksight.sites.learning.learner import learn_patterns
from linksight.sites.learning.tokens import split_url
from linksight.sites.patterns.pattern import PatternSet
from linksight.sites.patterns.wildcards import decode_url

MODES = ("supervised", "unsupervised")
TRANSFER = "transfer"  #: as supervised, on links that no hub of the first half has


@dataclass(frozen=True)
class ClassScore:
    """Precision, recall and F1 for one class."""

    name: str
    n_urls: int
    precision: float
    recall: float
    f1: float
    patterns: tuple[str, ...] = ()  #: the texts of its patterns


@dataclass(frozen=True)
class Evaluation:
    """A row of the paper's Table 3. Times in seconds."""

    mode: str
    precision: float
    recall: float
    f1: float
    n_urls: int  #: of all hubs
    tokens_per_url: float
    n_tested: int  #: links of the second half that have a class
    unmatched: float  #: share of them that no pattern matches
    learning_s: float  #: CPU time (LT)
    download_s: float  #: of the hubs (HDT)
    classify_s: float  #: of one URL (MCT)
    page_s: float  #: of one page, to download it (MDT)
    classes: tuple[ClassScore, ...] = field(default=())
    f1_of_all: float = 0.0  #: the same with URLs that no pattern matches counted as errors

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def evaluate(
    hubs: Sequence[Iterable[str]],
    labels: Mapping[str, str],
    mode: str = "unsupervised",
    *,
    patterns: PatternSet | None = None,
    mapping: Mapping[int | str, str] | None = None,
    seconds: Sequence[float] = (),
    seed: int = 0,
    **options: Any,
) -> Evaluation:
    """Learn from half of the hubs and test on the links of the other half.

    ``labels`` gives the class of each page that has one, by any spelling of its URL; links without are left
    out. ``mapping`` gives the class of a pattern, by its text, name or id, where the majority of the first half
    must not decide. ``patterns``, such as curated ones, are tested instead of learnt ones.
    """
    if mode not in (*MODES, TRANSFER):
        raise BadConfig(f"unknown mode {mode!r}; known: {', '.join((*MODES, TRANSFER))}")
    links = [list(hub) for hub in hubs]
    everything = list(dict.fromkeys(url for hub in links for url in hub))
    labels = labels_of_urls(labels, everything)
    train, test = split_hubs(links, seed)
    began = time.process_time()
    patterns = learn_patterns(train, **options) if patterns is None else patterns
    learning_s = time.process_time() - began
    urls = list(dict.fromkeys(url for hub in test for url in hub if url in labels))
    if mode == TRANSFER:
        seen = {url for hub in train for url in hub}
        urls = [url for url in urls if url not in seen]
    if not urls:
        which = "new link" if mode == TRANSFER else "link"
        raise BadData(f"no {which} of the test half has a class: check the class rules")
    patterns.match_indices(urls[:1])  # builds the automaton, which must not count as classification
    began = time.perf_counter()
    found = patterns.match_indices(urls).tolist()
    classify_s = (time.perf_counter() - began) / len(urls)
    truth = [labels[url] for url in urls]
    if mode != "unsupervised":
        classes = class_of_patterns(patterns, train, labels, mapping)
        scores = supervised_scores([classes.get(index) for index in found], truth)
        by_class = _with_patterns(scores, patterns, classes)
        overall = _weighted(by_class)
    else:
        overall = unsupervised_scores(found, truth)
        by_class = ()
    return Evaluation(
        mode, *overall, len(everything), _tokens_per_url(everything), len(urls),
        sum(index < 0 for index in found) / len(urls), learning_s, sum(seconds), classify_s,
        sum(seconds) / len(seconds) if seconds else 0.0, by_class,
        f1_score(overall[0], overall[1] * (1 if by_class else sum(index >= 0 for index in found) / len(found))),
    )  # fmt: skip


def labels_of_urls(labels: Mapping[str, str], urls: Iterable[str]) -> dict[str, str]:
    """The classes of the URLs, also by other spellings: http or https, a slash at the end, percent-encoding.

    >>> labels_of_urls({"http://a.org/caf%C3%A9/": "bar"}, ["https://A.org/caf\u00e9", "https://a.org/x"])
    {'https://A.org/caf\u00e9': 'bar'}
    """
    known = {page: name for url, name in labels.items() if (page := _page_key(url))}
    classes = ((url, labels.get(url) or known.get(_page_key(url))) for url in urls)
    return {url: name for url, name in classes if name}


def _page_key(url: str) -> tuple[object, ...]:
    """A key that all spellings of a page share; empty for an invalid URL."""
    try:
        parts = without_fragment(split_url(decode_url(url)))
    except BadUrl:
        return ()
    return parts.tokens, parts.runs, parts.tail


def split_hubs(hubs: Sequence[Iterable[str]], seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """Two halves of the hubs; a single list of URLs is halved itself."""
    parts = [list(hub) for hub in hubs]
    if len(parts) == 1:
        urls = sorted(set(parts[0]))
        random.Random(seed).shuffle(urls)
        return [urls[0::2]], [urls[1::2]]
    order = list(range(len(parts)))
    random.Random(seed).shuffle(order)
    half = (len(parts) + 1) // 2
    return [parts[i] for i in sorted(order[:half])], [parts[i] for i in sorted(order[half:])]


def unsupervised_scores(patterns: Sequence[int], classes: Sequence[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 over all pairs of pattern and class, weighted by the URLs that they share.

    >>> unsupervised_scores([0, 0, 1, 1], ["a", "a", "b", "b"])
    (1.0, 1.0, 1.0)
    >>> unsupervised_scores([0, 0, 1, 2], ["a", "a", "b", "b"])
    (1.0, 0.75, 0.8571428571428571)
    """
    pairs = Counter((p, c) for p, c in zip(patterns, classes, strict=True) if p >= 0)
    of_pattern = Counter(p for p in patterns if p >= 0)
    of_class = Counter(classes)
    total = sum(pairs.values())
    if not total:
        return 0.0, 0.0, 0.0
    precision = sum(n * n / of_pattern[p] for (p, _), n in pairs.items()) / total
    recall = sum(n * n / of_class[c] for (_, c), n in pairs.items()) / total
    return precision, recall, f1_score(precision, recall)


def supervised_scores(predicted: Sequence[str | None], truth: Sequence[str]) -> list[ClassScore]:
    """Precision, recall and F1 of each class.

    >>> [round(s.f1, 2) for s in supervised_scores(["a", "a", None], ["a", "b", "b"])]
    [0.67, 0.0]
    """
    right = Counter(t for p, t in zip(predicted, truth, strict=True) if p == t)
    guessed, actual = Counter(p for p in predicted if p is not None), Counter(truth)
    scores = []
    for name in sorted(actual):
        precision = right[name] / guessed[name] if guessed[name] else 0.0
        recall = right[name] / actual[name]
        scores.append(ClassScore(name, actual[name], precision, recall, f1_score(precision, recall)))
    return scores


def f1_score(precision: float, recall: float) -> float:
    """The harmonic mean."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def class_of_patterns(
    patterns: PatternSet,
    hubs: Iterable[Iterable[str]],
    labels: Mapping[str, str],
    mapping: Mapping[int | str, str] | None = None,
) -> dict[int, str]:
    """The class of each pattern, by its position: from ``mapping``, else the majority class of its URLs."""
    urls = [url for url in dict.fromkeys(url for hub in hubs for url in hub) if url in labels]
    votes: dict[int, Counter[str]] = {}
    for index, url in zip(patterns.match_indices(urls).tolist(), urls, strict=True):
        if index >= 0:
            votes.setdefault(index, Counter())[labels[url]] += 1
    classes = {index: min(count, key=lambda c: (-count[c], c)) for index, count in votes.items()}
    for index, pattern in enumerate(patterns):
        for key in (pattern.id, pattern.name, pattern.text):
            if mapping and key in mapping:
                classes[index] = mapping[key]
    return classes


def _weighted(scores: Sequence[ClassScore]) -> tuple[float, float, float]:
    total = sum(score.n_urls for score in scores)
    precision = sum(score.precision * score.n_urls for score in scores) / total
    recall = sum(score.recall * score.n_urls for score in scores) / total
    return precision, recall, f1_score(precision, recall)


def _with_patterns(
    scores: list[ClassScore], patterns: PatternSet, classes: Mapping[int, str]
) -> tuple[ClassScore, ...]:
    texts: dict[str, list[str]] = {}
    for index, name in sorted(classes.items()):
        texts.setdefault(name, []).append(patterns.patterns[index].text)
    return tuple(
        ClassScore(s.name, s.n_urls, s.precision, s.recall, s.f1, tuple(texts.get(s.name, ())))
        for s in scores
    )


def _tokens_per_url(urls: Sequence[str]) -> float:
    n = 0
    for url in urls:
        try:
            n += 1 + len(split_url(url).tokens)  # the paper counts the scheme
        except BadUrl:
            continue
    return n / max(len(urls), 1)
