"""Labels and the rows to learn from: checked before work starts, negatives sampled evenly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData
from linksight.features.url_buffer import parse
from linksight.languages import registry
from linksight.results import UND
from linksight.system.plural import counted


def check_rows(urls: list[Any], labels: list[Any]) -> None:
    """Refuse rows from which nothing can be learnt."""
    if len(labels) != len(urls):
        raise BadData(f"{len(urls):,} URLs but {len(labels):,} languages")
    if not labels:
        raise BadData("no rows to learn from")
    if all(address is None for address in map(parse, urls)):  # up to the first that can be used
        raise BadData(f"not one web address in {counted(len(urls), 'row')}, the first is {urls[0]!r}")


def codes_of(labels: list[Any]) -> NDArray[np.str_]:
    """The language codes of the labels.

    >>> codes_of(["German", "nld"]).tolist()
    ['de', 'nl']
    """
    codes = {word: registry.find(word) for word in dict.fromkeys(labels)}
    return np.array([codes[word] for word in labels])


def numbers_of(labels: list[Any]) -> NDArray[Any] | None:
    """Labels that are numbers, or True and False; None where one is anything else.

    >>> numbers_of([True, False]), numbers_of([3, 1]), numbers_of(["de", 1])
    (array([ True, False]), array([3, 1]), None)
    """
    kinds = set(map(type, labels))
    if kinds and kinds <= {bool, np.bool_}:
        return np.array(labels, dtype=np.bool_)
    if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return np.array(labels, dtype=np.int64)
    return None


def binary_rows(labels: NDArray[np.str_], language: str, seed: int) -> NDArray[np.int64]:
    """Rows for one language's classifier: all of its own and as many others, even over languages.

    >>> labels = np.array(["de"] * 4 + ["en"] * 9 + ["fr"] * 9)
    >>> np.unique(labels[binary_rows(labels, "de", seed=0)], return_counts=True)[1].tolist()
    [4, 2, 2]
    """
    own = np.flatnonzero(labels == language)
    others = np.flatnonzero(labels != language)
    if not len(own):
        raise BadData(f"no row is labelled {language!r} ({registry.name(language)})")
    if not len(others):
        raise BadData(f"all rows are labelled {language!r}: there is nothing to tell it from")
    if len(others) <= len(own):
        return np.arange(len(labels))
    return np.sort(np.concatenate([own, even_sample(labels, others, len(own), seed)]))


def even_sample(labels: NDArray[np.str_], rows: NDArray[np.int64], size: int, seed: int) -> NDArray[np.int64]:
    """``size`` of the rows, as evenly over their labels as they allow."""
    rng = np.random.default_rng(seed)
    groups = [rng.permutation(rows[labels[rows] == label]) for label in np.unique(labels[rows])]
    taken: list[NDArray[np.int64]] = []
    left = size
    # The rarest first: what they lack is shared out among the others.
    for i, group in enumerate(sorted(groups, key=len)):
        share = -(-left // (len(groups) - i))
        taken.append(group[: min(share, left)])
        left -= len(taken[-1])
    return np.concatenate(taken)


def classes_of(labels: NDArray[np.str_]) -> tuple[str, ...]:
    """The languages that a multi-class model is to tell apart."""
    found: tuple[str, ...] = tuple(np.unique(labels).tolist())
    if UND in found:
        raise BadData(
            f"{UND!r} is not a language that can be learnt; leave those rows out or ask for one language"
        )
    if len(found) < 2:
        raise BadData(f"all rows are labelled {found[0]!r}: two languages or more are needed")
    return found
