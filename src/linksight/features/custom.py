"""The papers' custom features: counts of TLDs, codes and dictionary words before and after the first slash.

The papers give the kinds and the totals, 60 features in 2013 and 74 in 2008, but no list. With
n languages there are 11 n + 5 here in 2013 (60 for five) and 14 n + 4 in 2008 (74 for five).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig
from linksight.features.dictionaries import Lexicon, learn_dictionaries, lexicon_of
from linksight.features.geo import HostingCountries
from linksight.features.url_buffer import parsed
from linksight.languages import registry as known_languages
from linksight.languages.tlds import tlds_of_language
from linksight.urls.parser import Url, words_of

#: The five languages of the paper.
FIVE = ("de", "en", "es", "fr", "it")
_TLDS = ("com", "net", "org")
_LISTS = ("words", "cities", "trained")  # the word lists that both years count in every way


@dataclass(frozen=True)
class CustomFeatures:
    """Fixed features of each URL, by language; most are counts.

    ``hosting`` adds where the site is hosted (without it those features are 0); ``only`` keeps some
    columns, as the greedy selection of 2008 does.

    >>> len(CustomFeatures().columns), len(CustomFeatures(year=2008).columns)
    (60, 74)
    >>> lexicon = Lexicon(words={"fr": frozenset({"recherche"})})
    >>> CustomFeatures(languages=("fr",), lexicon=lexicon).names(Url.parse("http://fr.search.yahoo.com/recherche"))
    ['c:com', 'c:code-host-fr', 'c:words-path-fr']
    """

    year: int = 2013
    languages: tuple[str, ...] = FIVE
    only: tuple[str, ...] | None = None
    lexicon: Lexicon | None = field(default=None, compare=False, repr=False)
    trained: Lexicon = field(default=Lexicon(), compare=False, repr=False)  #: learnt from labelled URLs
    hosting: HostingCountries | None = field(default=None, compare=False)

    @property
    def spec(self) -> str:
        return "custom" if self.year == 2013 else f"custom-{self.year}"

    @property
    def plan(self) -> None:
        """Dictionaries have no compiled form."""
        return

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features, in their order."""
        return self.only if self.only is not None else tuple(_all_columns(self.year, self.languages))

    def names(self, url: Url) -> list[str]:
        values = self.values(url)
        return [f"c:{column}" for column in self.columns for _ in range(values[column])]

    def values(self, url: Url) -> Counter[str]:
        """Every feature of one URL that is not 0, by name."""
        text = url.text
        host, path = words_of(text[: len(url.host)]), words_of(text[len(url.host) :])
        hyphens = url.host.count("-")
        values = Counter({url.tld: 1}) if url.tld in _TLDS else Counter()
        values["hyphens"] = text.count("-")
        values["hyphens-host"], values["hyphens-path"] = hyphens, values["hyphens"] - hyphens
        country = self.hosting.country(url.host) if self.hosting is not None else None
        outside = set(words_of(url.host.rpartition(".")[0]))
        for language in self.languages:
            codes = _country_codes(language)
            values[f"tld-{language}"] = int(url.tld in codes)
            values[f"code-host-{language}"] = int(not codes.isdisjoint(outside))
            values[f"code-path-{language}"] = int(not codes.isdisjoint(path))
            values[f"hosted-{language}"] = int(country in codes)
        known, trained = (self.lexicon or lexicon_of(self.languages)).index, self.trained.index
        for where, words in (("host", host), ("path", path)):
            for word in words:
                for kind, language in (*known.get(word, ()), *trained.get(word, ())):
                    values[f"{kind}-{where}-{language}"] += 1
                    values[f"{kind}-{language}"] += 1
        if self.year == 2008:
            n_words = max(1, len(host) + len(path))
            for kind in _LISTS:
                for language in self.languages:
                    # In tenths, so that it counts like the others.
                    values[f"{kind}-share-{language}"] = round(10 * values[f"{kind}-{language}"] / n_words)
        return values

    def matrix(self, urls: Iterable[Any]) -> NDArray[np.float32]:
        """One row a URL, one column a feature; zeros for what is not a web address."""
        addresses = parsed(urls)
        self.prepare(addresses)
        table = np.zeros((len(addresses), len(self.columns)), dtype=np.float32)
        for i, url in enumerate(addresses):
            if url is not None:
                values = self.values(url)
                table[i] = [values[column] for column in self.columns]
        return table

    def prepare(self, urls: Sequence[Any]) -> None:
        """Look up the hosts of a batch together: one by one would take a time-out each."""
        if self.hosting is not None:
            self.hosting.countries({url.host for url in parsed(urls) if url is not None})

    def learnt(self, urls: list[Any], labels: list[str], languages: tuple[str, ...]) -> CustomFeatures:
        """The features with word lists for the languages at hand, the trained ones learnt here."""
        wanted = tuple(sorted({*labels, *languages} & set(known_languages.known())))
        own, others = learn_dictionaries(parsed(urls), labels, wanted)
        trained = Lexicon(trained=own, trained_not=others)
        return replace(self, languages=wanted, lexicon=lexicon_of(wanted), trained=trained)

    def keeping(self, columns: Sequence[str]) -> CustomFeatures:
        """The same with some of the columns."""
        unknown = sorted(set(columns) - set(_all_columns(self.year, self.languages)))
        if unknown:
            raise BadConfig(f"no custom feature {unknown[0]!r}")
        return replace(self, only=tuple(columns))

    def state(self) -> dict[str, Any]:
        """What it learnt, as plain values: the model takes its word lists along."""
        return {
            "languages": list(self.languages),
            "only": list(self.only) if self.only is not None else None,
            "lexicon": self.lexicon.as_dict() if self.lexicon is not None else None,
            "trained": self.trained.as_dict(),
            "hosting": self.hosting.as_dict() if self.hosting is not None else None,
        }

    def restored(self, state: dict[str, Any]) -> CustomFeatures:
        """The features with what :meth:`state` gave."""
        return replace(
            self,
            languages=tuple(state["languages"]),
            only=tuple(state["only"]) if state["only"] is not None else None,
            lexicon=Lexicon.from_dict(state["lexicon"]) if state["lexicon"] is not None else None,
            trained=Lexicon.from_dict(state["trained"]),
            hosting=HostingCountries.from_dict(state["hosting"]) if state["hosting"] is not None else None,
        )


@lru_cache(maxsize=512)
def _country_codes(language: str) -> frozenset[str]:
    return frozenset(tlds_of_language(language))


def _all_columns(year: int, languages: Sequence[str]) -> Iterable[str]:
    yield from _TLDS
    yield from ("hyphens-host", "hyphens-path") if year == 2013 else ("hyphens",)
    kinds = ["tld", "code-host", "code-path"]
    kinds += [f"{name}-{where}" for name in _LISTS for where in ("host", "path")]
    if year == 2013:
        kinds += ["trained_not", "hosted"]
    else:
        kinds += ["trained_not-host", "trained_not-path", *(f"{name}-share" for name in _LISTS)]
    for language in languages:
        yield from (f"{kind}-{language}" for kind in kinds)
