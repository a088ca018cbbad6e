"""Parses labels (languages under any name, or other classes) and samples rows for binary classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData, BadLanguage
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
    if all(address is None for address in map(parse, urls)):  # up to the first valid one
        raise BadData(f"not one web address in {counted(len(urls), 'row')}, the first is {urls[0]!r}")


def row_weights(weights: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Validated sample weights as an array, or None."""
    if weights is None:
        return None
    found = np.asarray(weights, dtype=np.float64)
    if found.ndim == 0:
        found = np.full(n_rows, float(found))
    if found.shape != (n_rows,) or not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise BadData(f"sample_weight: {n_rows:,} numbers of 0 or more are needed, not all of them 0")
    return found


@dataclass(frozen=True)
class Labels:
    """One label per row: codes of languages, or the labels as given."""

    values: NDArray[Any]
    are_languages: bool

    @classmethod
    def of(cls, labels: list[Any], *, binary: bool = False) -> Labels:
        """Read labels: codes where they name languages, else as given (numbers, True and False, topics).

        >>> Labels.of(["German", "nld"]).values.tolist(), Labels.of(["news", "shop"]).values.tolist()
        (['de', 'nl'], ['news', 'shop'])

        Labels of which only some are languages are an error: probably a typing mistake. A ``binary`` classifier
        may have one other word, for everything that is not its language.
        """
        numbers = _numbers(labels)
        if numbers is not None:
            return cls(numbers, are_languages=False)
        codes: dict[Any, str] = {}
        others: list[Any] = []
        for word in dict.fromkeys(labels):
            try:
                codes[word] = registry.find(word)
            except BadLanguage:
                if not isinstance(word, str) or not word.strip():
                    raise
                others.append(word)
        if others and not codes:
            return cls(np.array(labels), are_languages=False)
        if others and not (binary and len(others) == 1 and len(codes) == 1):
            raise BadLanguage(others[0], "unknown language, while other labels are languages")
        return cls(np.array([codes.get(word, word) for word in labels]), are_languages=True)

    def classes(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The classes of a multi-class model, sorted, and the class number of each row."""
        found, numbers = np.unique(self.values, return_inverse=True)
        if self.are_languages and UND in found:
            raise BadData(
                f"{UND!r} is not a language that can be learnt; leave those rows out or ask for one language"
            )
        if len(found) < 2:
            raise BadData(f"all rows are labelled {found[0].item()!r}: two labels or more are needed")
        return found, numbers.astype(np.int64)

    def yes_and_no(self, language: str) -> tuple[NDArray[np.bool_], Any, Any]:
        """Which rows are of the language, and a binary classifier's two answers.

        >>> Labels.of(["de", "other"], binary=True).yes_and_no("de")[1:]
        ('de', 'other')
        >>> Labels.of(["de", "fr"], binary=True).yes_and_no("de")[1:]
        ('de', 'und')
        """
        if self.values.dtype.kind in "bi":
            if not set(self.values.tolist()) <= {0, 1}:
                raise BadLanguage(self.values[0], f"is it {language!r}? True or False (1 or 0)")
            yes, no = self.values.dtype.type(1), self.values.dtype.type(0)
            return self.values.astype(bool), yes, no
        if not self.are_languages:
            raise BadLanguage(self.values[0], f"not {language!r} and no other language")
        other = {str(label) for label in np.unique(self.values)} - {language, UND}
        word = other.pop() if len(other) == 1 else UND
        return self.values == language, language, UND if _is_language(word) else word


def _is_language(word: str) -> bool:
    try:
        registry.find(word)
    except BadLanguage:
        return False
    return True


def _numbers(labels: list[Any]) -> NDArray[Any] | None:
    """Labels that are integers or booleans; None if any label is something else.

    >>> _numbers([True, False]), _numbers([3, 1]), _numbers(["de", 1])
    (array([ True, False]), array([3, 1]), None)
    """
    kinds = set(map(type, labels))
    if kinds and kinds <= {bool, np.bool_}:
        return np.array(labels, dtype=np.bool_)
    if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return np.array(labels, dtype=np.int64)
    return None


def balanced_rows(
    positive: NDArray[np.bool_], labels: NDArray[Any], language: str, seed: int
) -> NDArray[np.int64]:
    """Rows for one language's classifier: all positives and as many negatives, evenly over their labels.

    >>> labels = np.array(["de"] * 4 + ["en"] * 9 + ["fr"] * 9)
    >>> np.unique(labels[balanced_rows(labels == "de", labels, "de", seed=0)], return_counts=True)[1].tolist()
    [4, 2, 2]
    """
    own, others = np.flatnonzero(positive), np.flatnonzero(~positive)
    if not len(own):
        raise BadData(f"no row is labelled {language!r} ({registry.name(language)})")
    if not len(others):
        raise BadData(f"all rows are labelled {language!r}: a classifier needs a second language")
    if len(others) <= len(own):
        return np.arange(len(labels))
    return np.sort(np.concatenate([own, even_sample(labels, others, len(own), seed)]))


def even_sample(labels: NDArray[Any], rows: NDArray[np.int64], size: int, seed: int) -> NDArray[np.int64]:
    """``size`` of the rows, as evenly over their labels as they allow."""
    rng = np.random.default_rng(seed)
    groups = [rng.permutation(rows[labels[rows] == label]) for label in np.unique(labels[rows])]
    samples: list[NDArray[np.int64]] = []
    left = size
    # The rarest first: their shortfall is divided among the others.
    for i, group in enumerate(sorted(groups, key=len)):
        share = -(-left // (len(groups) - i))
        samples.append(group[: min(share, left)])
        left -= len(samples[-1])
    return np.concatenate(samples)
