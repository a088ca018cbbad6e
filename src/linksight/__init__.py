"""linksight: see what is behind a link before you fetch it.

>>> import linksight
>>> linksight.detect("https://www.lemonde.fr/economie/").language
'fr'
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from linksight.results import Detection, PageLabel
    from linksight.sites.patterns.pattern import PatternSet
    from linksight.sites.patterns.translated_urls import UrlPair
    from linksight.url_model.model import UrlLanguageModel

__all__ = [
    "__version__",
    "detect",
    "find_translations",
    "identify",
    "identify_many",
    "learn_patterns",
    "load",
    "load_patterns",
]

__version__ = "1.0.0"


class _IntegrationFinder:
    """Imports ``linksight.duckdb`` and the like as ``linksight.integrations.duckdb``: one module, two names."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        known = ("duckdb", "pandas", "polars", "scrapy", "spark")
        return ModuleSpec(name, self) if package == __name__ and module in known else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(f"linksight.integrations.{spec.name.rpartition('.')[2]}")
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own_spec


sys.meta_path.append(_IntegrationFinder())


def load(path: str | os.PathLike[str] | None = None) -> UrlLanguageModel:
    """The bundled URL model, or the one saved at ``path``.

    >>> load().predict(["http://www.zeitung.de/politik", "https://www.bbc.co.uk/news"])
    ['de', 'en']
    """
    from linksight.url_model.model import load as load_url_model

    return load_url_model(path)


def detect(
    url: str,
    languages: Iterable[str] | str | None = None,
    *,
    explain: bool = False,
    priors: Mapping[str, float] | None = None,
) -> Detection:
    """The language of the page behind one URL, by the bundled model.

    ``languages`` restricts the answer; ``explain`` fills ``reasons``; ``priors`` are base rates,
    such as ``{"nl": 0.018}``.

    >>> detect("http://luckyjob.eu/?lang=it", languages=["it", "en"]).language
    'it'
    """
    return load().detect(url, languages, explain=explain, priors=priors)


def identify(
    body: bytes,
    content_type: str | bytes | None = None,
    url: str | None = None,
    languages: Iterable[str] | str | None = None,
    **options: Any,
) -> PageLabel:
    """Language, script and encoding of a page from its raw bytes.

    The HTTP header ``content_type`` and the page's ``url`` are hints that the bytes can overrule; ``languages``
    restricts the answer. ``options`` are ``content_language`` (the HTTP header), ``min_letters`` and ``method``
    (``default``, or one of the papers': ``chew2011``, ``suzuki2002``).

    >>> page = identify("<p>Dit is een gewone zin in het Nederlands, met een paar woorden.".encode())
    >>> page.language, page.script, page.encoding
    ('nl', 'Latn', 'ascii')
    """
    from linksight.pages import identify as identify_page

    return identify_page(body, content_type, url, languages, **options)


def identify_many(bodies: Iterable[bytes], **options: Any) -> Any:
    """An Arrow table of the labels of many pages, with all cores; ``bodies`` is an iterable of bytes or an Arrow column.

    ``options`` are those of :func:`identify`, and ``n_processes``.

    >>> pages = [b"<p>Alle mensen worden vrij geboren.", b"<p>Tous les hommes naissent libres."]
    >>> identify_many(pages)["language"].to_pylist()
    ['nl', 'fr']
    """
    from linksight.pages.many import identify_many as label_many

    return label_many(bodies, **options)


def learn_patterns(hubs: Iterable[Iterable[str]], **options: Any) -> PatternSet:
    """The URL patterns of a site from its hubs, each an iterable of the URLs that it links to.

    ``options`` are the fields of :class:`linksight.sites.learning.learner.LearnOptions`.

    >>> hubs = [[f"http://shop.example/item/{20 * hub + i}" for i in range(20)] for hub in range(5)]
    >>> learn_patterns(hubs).match("http://shop.example/item/777").text
    'http://shop.example/item/*'
    """
    from linksight.sites import learn_patterns as learn

    return learn(hubs, **options)


def find_translations(urls: Iterable[str], languages: Iterable[str] | None = None) -> list[UrlPair]:
    """Pairs of URLs, of one site or of many, that are translations of each other; ``languages`` restricts them.

    Each is a tuple of two URLs with their ``languages``.

    >>> find_translations(["http://a.org/en/about", "http://a.org/fr/about", "http://a.org/en/news"])
    [('http://a.org/en/about', 'http://a.org/fr/about')]
    """
    from linksight.sites.patterns.translated_urls import find_translations as find

    return find(urls, languages)


def load_patterns(path: str | os.PathLike[str]) -> PatternSet:
    """Patterns saved with :meth:`PatternSet.save`.

    >>> load_patterns("shop.json")
    Traceback (most recent call last):
    linksight.errors.BadData: shop.json: No such file or directory
    """
    from linksight.sites import load_patterns as load_set

    return load_set(path)
