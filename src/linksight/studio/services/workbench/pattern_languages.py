"""The languages behind each pattern of a site, predicted once for each version."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from linksight.studio.services import language_service

if TYPE_CHECKING:
    from linksight.sites.patterns.language_variants import PatternLanguages
    from linksight.sites.patterns.pattern import PatternSet
    from linksight.sites.workbench.workbench import Workbench

MAX_URLS = 20_000
MAX_CACHED = 50  #: sites and versions

Mix = dict[int, "PatternLanguages"]


class LanguageMixes:
    """A cache of the languages of patterns."""

    def __init__(self) -> None:
        self._cache: OrderedDict[tuple[int, int, float], Mix] = OrderedDict()

    def of(self, bench: Workbench, site: int, patterns: PatternSet) -> Mix:
        """The languages of each pattern, by its id: from the URLs of the hubs and the pages fetched."""
        # With the time of creation: a database reuses the numbers of forgotten sites.
        key = (site, bench.version(site), bench.site(site)["began"])
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = _predict_mixes(bench, site, patterns)
            while len(self._cache) > MAX_CACHED:
                self._cache.popitem(last=False)
        return found


def _predict_mixes(bench: Workbench, site: int, patterns: PatternSet) -> Mix:
    from linksight.sites.patterns.language_variants import languages_of_patterns

    hubs = bench.hubs(site)
    urls = list(dict.fromkeys(url for hub in hubs for url in hub.urls))[:MAX_URLS]
    pages = {hub.url: hub.language for hub in hubs if hub.language}
    found = languages_of_patterns(patterns, urls, pages, _languages)
    return {mix.pattern.id: mix for mix in found}


def _languages(urls: list[str]) -> list[str]:
    """The languages of URLs; und below the model's threshold, as everywhere in the studio."""
    return list(language_service.predict(urls)["language"].to_pylist())
