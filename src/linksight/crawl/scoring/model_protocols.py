"""Interfaces of URL models and page classifiers of a crawl, and functions that load them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from linksight.crawl.run.config import CrawlConfig
from linksight.errors import BadConfig, BadUrl
from linksight.languages import registry
from linksight.languages.tlds import languages_of_tld
from linksight.results import UND, PageLabel
from linksight.urls.parser import Url


class UrlModel(Protocol):
    """Interface of a URL model, as returned by :func:`linksight.load`."""

    @property
    def languages(self) -> Sequence[str]: ...

    def predict_proba(self, urls: Any) -> Any: ...


#: Bytes, content type, URL -> label: :func:`linksight.identify` is one.
PageReader = Callable[[bytes, str | None, str | None], PageLabel]


class CountryModel:
    """URL model by top-level domain only; it supports every language.

    >>> model = CountryModel(["nl", "fr"])
    >>> [round(float(p), 2) for p in model.predict_proba(["http://a.nl/", "http://a.com/"])[:, 0]]
    [0.98, 0.5]
    """

    def __init__(self, languages: Sequence[str] = ()) -> None:
        self.languages: tuple[str, ...] = tuple(languages or registry.known())
        self._column = {code: column for column, code in enumerate(self.languages)}

    def predict_proba(self, urls: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
        out = np.full((len(urls), len(self.languages)), 1.0, dtype=np.float32)
        for row, url in enumerate(urls):
            for place, code in enumerate(languages_of_tld(tld_of(url))[:3]):
                if code in self._column:
                    out[row, self._column[code]] += 25.0 * len(self.languages) / (1 + 4 * place)
        return np.asarray(out / out.sum(axis=1, keepdims=True), dtype=np.float32)


def load_model(config: CrawlConfig) -> UrlModel:
    """Load the URL model of a configuration; the ccTLD model if it does not support the language."""
    import linksight

    if config.model == "cctld":
        return CountryModel()
    if config.strategy == "filter" and config.labels:
        return _trained_filter(config)
    model: UrlModel = linksight.load(config.model or None)
    return model if config.language in model.languages else CountryModel()


def check_language(config: CrawlConfig) -> str:
    """Check that a model supports the language; returns a warning if only the URL model does.

    >>> check_language(CrawlConfig(language="nl"))
    ''
    """
    from linksight.pages.langid.model import load

    code, name = config.language, registry.name(config.language)
    if code in load().languages:
        return ""
    learns = config.strategy == "filter" and config.labels
    if not learns and isinstance(load_model(config), CountryModel):
        raise BadConfig(
            f"language: no model knows {name} ({code}); list the known languages with: linksight languages; "
            "add a language with: linksight train --extend"
        )
    return f"pages in {name} ({code}) cannot be identified by their text, only by their URLs"


class BinaryModel:
    """Adapter: a binary classifier as a URL model with two columns."""

    def __init__(self, classifier: Any, language: str) -> None:
        self._classifier = classifier
        self.languages = (language, UND)

    def predict_proba(self, urls: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
        scores = np.asarray(self._classifier.decision_function(list(urls)), dtype=np.float64)
        # As in scikit-learn, positive values mean the second of two classes.
        scores = scores if self._classifier.classes_[1] == self.languages[0] else -scores
        yes = 1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30)))
        return np.column_stack([yes, 1.0 - yes]).astype(np.float32)


def _trained_filter(config: CrawlConfig) -> UrlModel:
    """The classifier of Hogewind et al. (2020): naive Bayes on words and trigrams, trained on labelled URLs."""
    from linksight.crawl.report.training_data import read_labels
    from linksight.models import make_classifier

    urls, labels = read_labels(config.labels)
    classifier = make_classifier("nb", features="words+3-grams-from-word", language=config.language)
    classifier.fit(urls, labels)
    return BinaryModel(classifier, config.language)


def load_reader() -> PageReader:
    """The page classifier: :func:`linksight.identify`."""
    import linksight

    return linksight.identify


def tld_of(url: str) -> str:
    """The top-level domain of a URL; empty if it has none.

    >>> tld_of("http://a.nl/"), tld_of("http://192.0.2.1/")
    ('nl', '')
    """
    try:
        return Url.parse(url).tld
    except BadUrl:
        return ""
