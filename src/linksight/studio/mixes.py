"""The languages behind each pattern of a site, worked out once for each version."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linksight.sites.patterns import PatternSet
    from linksight.sites.translations import PatternLanguages
    from linksight.sites.workbench import Workbench

MOST_URLS = 20_000
_KEPT: OrderedDict[tuple[str, int, int], dict[int, PatternLanguages]] = OrderedDict()


def language_mixes(bench: Workbench, site: int, patterns: PatternSet) -> dict[int, PatternLanguages]:
    """The languages of each pattern, by its id: from the URLs of the hubs and the pages fetched."""
    from linksight.sites.translations import languages_of_patterns

    key = (str(bench.engine.url), site, bench.version(site))
    if key not in _KEPT:
        hubs = bench.hubs(site)
        urls = list(dict.fromkeys(url for hub in hubs for url in hub.urls))[:MOST_URLS]
        pages = {hub.url: hub.language for hub in hubs if hub.language}
        found = languages_of_patterns(patterns, urls, pages)
        _KEPT[key] = {mix.pattern.id: mix for mix in found}
        while len(_KEPT) > 50:
            _KEPT.popitem(last=False)
    return _KEPT[key]
