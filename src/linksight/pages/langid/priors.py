"""The prior of each class from declarations and the address of a page.

The ``lang`` attribute is often right, but templates leave it at ``en``; so it decides only where the text is ambiguous.
The same holds for the probabilities of the URL model.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from linksight.errors import LinksightError
from linksight.languages import registry
from linksight.pages.html.declarations import RawDeclaration
from linksight.pages.langid.model import PageModel

DECLARED_BONUS = 20.0  #: bonus of a declared language, in natural logarithms
DECLARED_ENGLISH_BONUS = 30.0
EXCLUDED = -1e6  #: of a class outside the requested languages
URL_WEIGHT = 2.0  #: how much the logarithm of a URL's probability counts


def class_log_prior(declared: list[RawDeclaration], url: str | None, model: PageModel) -> Any:
    """The prior of each class from declarations and the address, in natural logarithms."""
    codes: dict[str, float] = {}
    for source, kind, value in declared:
        if kind == "language" and source != "hreflang" and (code := code_of(value)):
            codes.setdefault(code, DECLARED_ENGLISH_BONUS if code == "en" else DECLARED_BONUS)
    if not codes and not url:
        return model.prior
    total = model.prior.copy()
    for code, bonus in codes.items():
        for number in model.numbers.get(code, ()):
            total[number] += bonus
    if url:
        for code, probability in _by_url(url):
            for number in model.numbers.get(code, ()):
                total[number] += URL_WEIGHT * max(0.0, math.log(probability / 0.01))
    return total


def restricted(log_prior: Any, languages: frozenset[str], model: PageModel) -> Any:
    """The prior where only some languages are possible."""
    import numpy as np

    allowed = [
        name in languages or code in languages for name, code in zip(model.classes, model.codes, strict=True)
    ]
    return np.where(allowed, log_prior, log_prior + EXCLUDED).astype(np.float32)


@lru_cache(4096)
def code_of(tag: str) -> str | None:
    """The language that a tag such as ``pt-BR`` names, if any."""
    return registry.code_of(tag)


def _by_url(url: str) -> tuple[tuple[str, float], ...]:
    """The probabilities of the URL model; empty if it is not installed or the URL is invalid."""
    try:
        from linksight.url_model.model import load

        return load().detect(url).candidates
    except (LinksightError, ImportError, OSError):
        return ()
