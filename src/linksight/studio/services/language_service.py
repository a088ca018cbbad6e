"""Language detection for views and API: the URL model with restrictions and base rates, and pages."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from linksight.languages import registry
from linksight.results import Detection

if TYPE_CHECKING:
    from linksight.results import PageLabel
    from linksight.url_model.model import UrlLanguageModel

Rates = tuple[tuple[str, float], ...]


@lru_cache(maxsize=32)
def model(rates: Rates = ()) -> UrlLanguageModel:
    """The bundled model, for a web with these base rates."""
    from linksight import load

    return load().with_priors(dict(rates)) if rates else load()


def wanted_languages(words: Iterable[str] | str | None) -> tuple[str, ...] | None:
    """The languages to choose among; None for all."""
    return (registry.find_all(words) or None) if words else None


def rates_of(text_or_rates: Mapping[str, float] | str | None) -> Rates:
    """Base rates from a mapping or from text.

    >>> rates_of("Dutch=0.02, fy=0.001")
    (('fy', 0.001), ('nl', 0.02))
    """
    if not text_or_rates:
        return ()
    if isinstance(text_or_rates, str):
        return tuple(sorted(registry.rates(text_or_rates).items()))
    return tuple(sorted({registry.find(name): float(rate) for name, rate in text_or_rates.items()}.items()))


def predict(urls: Any, among: tuple[str, ...] | None = None, rates: Rates = ()) -> Any:
    """An Arrow table of language, probability and problem for a column of URLs."""
    return model(rates).predict_table(urls, languages=among)


def detect(url: str, among: tuple[str, ...] | None = None, rates: Rates = ()) -> Detection:
    """The language behind one URL."""
    return model(rates).detect(url, among)


def proof() -> Mapping[str, Any]:
    """The measured accuracy in the bundled model, once it is loaded; empty before."""
    if not model.cache_info().currsize:
        return {}
    figures: Mapping[str, Any] = model().about.get("dev", {})
    return figures


def warm_up() -> None:
    """Load the model before the first request."""
    detect("https://www.lemonde.fr/economie/")
    # Exclude the loaded model from garbage collection, which would delay requests.
    gc.collect()
    gc.freeze()


def page_text(body: bytes, label: PageLabel) -> str:
    """The text of a page that the spans of its label are places in."""
    from linksight.pages.html import scanner

    try:
        page = body.decode(label.encoding, "replace").encode("utf-8", "replace")
    except LookupError:  # encodings that Python has no name for
        page = body
    blocks = scanner.parse(page, entities=True)
    return b"\n".join(block.text for block in blocks).decode("utf-8", "replace")
