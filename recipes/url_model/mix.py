"""Which labelled rows stand for the web that the model is judged on, and how much each weighs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linksight.languages import tlds

#: Endings of countries that the world uses for what they read like.
BORROWED = frozenset(
    "ad ai as bz cc cd cf co dj fm ga gg gq im io la me ml ms pw sc sh so sr st tk to tv vc ws".split()
)
OLD = frozenset("com net org info edu gov int mil arpa eu".split())  #: endings that lists of all kinds have


def curated_weights(
    labels: Mapping[str, np.ndarray], domain_cap: int = 5, source_mix: float = 0.9, list_weight: float = 0.4
) -> np.ndarray:
    """Rows of dev's sources, at most a few a domain, each source as often as in dev; 0 for all others."""
    y, source = labels["train_y"], labels["train_source"]
    usable = np.isin(source, np.unique(labels["dev_source"])) & (y >= 0) & (labels["train_trust"] <= 2)
    rows = np.random.default_rng(0).permutation(np.flatnonzero(usable))
    rows = rows[np.argsort(labels["train_domain"][rows], kind="stable")]
    domain = labels["train_domain"][rows]
    starts = np.flatnonzero(np.r_[True, domain[1:] != domain[:-1]])
    rank = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
    rows = rows[rank < domain_cap]
    in_dev = np.bincount(labels["dev_source"], minlength=len(labels["sources"]))
    here = np.bincount(source[rows], minlength=len(labels["sources"]))
    mix = ((in_dev + 1) / (here + 10)) ** source_mix
    weights = np.zeros(len(y))
    weights[rows] = mix[source[rows]] * np.where(labels["train_trust"][rows] == 1, 1, list_weight)
    return np.minimum(weights / weights[rows].mean(), 20)


def is_worldwide(ending: str) -> bool:
    """Whether an ending tells no country and no language.

    >>> [ending for ending in ("io", "app", "nl", "com", "gal", "xn--p1ai") if is_worldwide(ending)]
    ['io', 'app']
    """
    new = len(ending) > 2 and ending.isascii() and ending not in OLD and not ending.startswith("xn--")
    return ending in BORROWED or (new and ending not in tlds.all_tlds())


def host_of(text: str) -> str:
    return text.removeprefix("www.").partition("/")[0]


def ending_of(text: str) -> str:
    return host_of(text).rpartition(".")[2]
