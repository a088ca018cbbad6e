"""SiteMemory: what the pages seen so far say about the pages of the same site not yet seen.

Sites keep to their languages far more than URLs show: ``/ch/`` is German on one site and French on
the next. The memory counts the languages of observed pages at four levels, each with the one above
as its prior:

    the web -> site (``a.ch``) -> host (``shop.a.ch``) -> ``/first/`` -> ``/first/second/``

How far a level may depart from the one above is itself learnt from the pages (empirical Bayes):
where pages of a site nearly always agree, one page is enough to speak for the rest. Every site tells
something of how sites are; one of many pages tells hardly more of it than one of a few.

>>> memory = SiteMemory()
>>> for page in range(5):
...     memory.observe(f"https://shop.example/ch/{page}", "de")
...     memory.observe(f"https://shop.example/uk/{page}", "en")
>>> memory.log_odds("https://shop.example/ch/new", "de") > 1
True
>>> memory.log_odds("https://shop.example/uk/new", "de") < 0
True
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linksight.errors import BadConfig, BadData, BadUrl
from linksight.languages.registry import find
from linksight.results import UND, ZXX
from linksight.system.atomic_write import write_whole
from linksight.system.paths import path_text
from linksight.system.plural import counted
from linksight.urls.parser import Url

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = "linksight-site-memory/1"
LEVELS = ("site", "host", "prefix", "prefix2")
_CHOICES = ("all", "host", "prefix")
_LEAST = 1e-9  #: a share of nought, of which the logarithm can be taken
LIMIT = 8.0  #: no memory speaks louder than this, in log-odds: sites do change

# The weight of pairs of pages that every level starts with, and how much of it agrees: four in five pages
# of a site share their language before anything is known of this web's sites.
_PRIOR_PAIRS, _PRIOR_AGREEING = 10.0, 8.0

# Memory is bounded by the number of places as long as their names are. A longer folder is an identifier or a
# trap, and no part of a site that is in one language.
_LONGEST_FOLDER = 100  #: characters
_LONGEST_KEY = 500  #: characters of host, port and two folders
_SHORT = 2_000  #: characters of an address whose places are kept at hand


def places_of(raw: str) -> tuple[tuple[int, str], ...]:
    """The places that a URL belongs to, as (level, key), widest first.

    >>> places_of("https://www.a.ch/de/shop/x.html")
    ((0, 'a.ch'), (2, 'a.ch/de/'), (3, 'a.ch/de/shop/'))
    """
    return _kept_places(raw) if isinstance(raw, str) and len(raw) <= _SHORT else _places(raw)


def _places(raw: str) -> tuple[tuple[int, str], ...]:
    try:
        url = Url.parse(raw)
    except BadUrl:
        return ()
    host = url.host.removeprefix("www.")
    port = f":{url.port}" if url.port and url.port not in (80, 443) else ""
    site = url.site + port
    places = [(0, site)]
    if host + port != site:
        places.append((1, host + port))
    key = f"{host}{port}/"
    for level, folder in enumerate(url.path.lower().split("/")[1:-1][:2], start=2):
        if len(folder) > _LONGEST_FOLDER:
            break
        key += f"{folder}/"
        places.append((level, key))
    return tuple(places)


_kept_places = lru_cache(maxsize=20_000)(_places)
#: Codes of languages, however they are written: asked for again and again.
_code = lru_cache(4096)(find)


class SiteMemory:
    """Languages of observed pages by site and path prefix, in bounded memory.

    The least recently used places are forgotten once there are more than ``capacity``.
    """

    def __init__(self, capacity: int = 100_000) -> None:
        if not isinstance(capacity, int) or capacity < 1:
            raise BadData(f"capacity must be a positive integer, not {capacity!r}")
        self.capacity = capacity
        self.pages = 0
        self._web: Counter[str] = Counter()
        self._places: OrderedDict[str, dict[str, int]] = OrderedDict()
        self._pairs = [_PRIOR_PAIRS] * len(LEVELS)
        self._agreeing = [_PRIOR_AGREEING] * len(LEVELS)

    def __len__(self) -> int:
        return len(self._places)

    def observe(self, url: str, language: str) -> None:
        """Remember that the page at ``url`` is in ``language``; ``und`` teaches nothing."""
        language, places = _code(language), places_of(url)
        if language in (UND, ZXX) or not places:
            return
        self.pages += 1
        self._web[language] += 1
        for level, key in places:
            counts = self._places.pop(key, None) or {}
            if n_before := sum(counts.values()):
                # The earlier pages make pairs with this one, with a weight that falls as they become more: a
                # place counts by the logarithm of its pages. By the number of pairs one large site in many
                # languages would speak for all others.
                self._pairs[level] += 1 / n_before
                self._agreeing[level] += counts.get(language, 0) / n_before**2
            counts[language] = counts.get(language, 0) + 1
            self._places[key] = counts
        self._forget()

    def _forget(self) -> None:
        while len(self._places) > self.capacity:
            self._places.popitem(last=False)

    def base_rate(self, language: str) -> float:
        """The share of a language among all observed pages, never quite 0 or 1."""
        return (self._web[_code(language)] + 0.5) / (self.pages + 10.0)

    def concentration(self, level: int) -> float:
        """How many pages the level above is worth when it speaks for a place of this level.

        From the agreement A of two pages of a place: a Dirichlet of concentration a around shares
        p has A = (1 + a Σp²) / (1 + a).
        """
        agreement = self._agreeing[level] / self._pairs[level]
        by_chance = sum((n / self.pages) ** 2 for n in self._web.values()) if self.pages else 0.1
        room = max(agreement - min(by_chance, 0.95 * agreement), 0.02)
        return min(max((1.0 - agreement) / room, 0.2), 20.0)

    def share(self, url: str, language: str, prior: float | None = None, deepest: int = 3) -> float:
        """The probability of ``language`` at a URL by its neighbours alone."""
        language = _code(language)
        share = self.base_rate(language) if prior is None else _checked(prior)
        places = [(level, self._places.get(key) or {}) for level, key in places_of(url) if level <= deepest]
        for place, (level, counts) in enumerate(places):
            # The pages of a narrower place are heard there, and not here a second time.
            inner = places[place + 1][1] if place + 1 < len(places) else {}
            seen = sum(counts.values()) - sum(inner.values())
            if seen > 0:
                weight = self.concentration(level)
                hits = counts.get(language, 0) - inner.get(language, 0)
                share = (max(hits, 0) + weight * share) / (seen + weight)
        return share

    def log_odds(self, url: str, language: str, *, prior: float | None = None, levels: str = "all") -> float:
        """What to add to a model's log-odds of ``language`` at ``url``; 0 for an unknown site.

        ``levels="host"`` leaves path prefixes out, ``levels="prefix"`` is what they add to that.
        """
        if levels not in _CHOICES:
            raise BadConfig(f"levels are one of {', '.join(_CHOICES)}, not {levels!r}")
        start = self.base_rate(language) if prior is None else _checked(prior)
        host = self.share(url, language, start, deepest=1)
        if levels == "host":
            return _clip(logit(host) - logit(start))
        whole = self.share(url, language, start)
        return _clip(logit(whole) - logit(host if levels == "prefix" else start))

    def combine(
        self, urls: Iterable[Any], probabilities: NDArray[np.float32], languages: Sequence[str]
    ) -> NDArray[np.float32]:
        """A model's probabilities with the memory's log-odds added; rows still sum to one.

        Between any two languages the odds are the model's, times what the memory says of them over what it
        says of the whole web. ``und``, of a model of one language, stands for all others.
        """
        import numpy as np

        from linksight.features.url_buffer import as_list

        urls = as_list(urls)  # a column of Arrow would give values that are no text
        chances = np.asarray(probabilities, dtype=np.float64)
        if chances.shape != (len(urls), len(languages)):
            raise BadData(
                f"probabilities of shape {chances.shape} for {counted(len(urls), 'URL')} and {counted(len(languages), 'language')}"
            )
        logs = np.log(np.maximum(chances, 1e-9))
        rates = [self.base_rate(language) for language in languages]
        usual = _with_rest(rates, languages)
        for row, url in enumerate(urls):
            if any(key in self._places for _, key in places_of(url)):
                shares = [
                    self.share(url, language, rate) for language, rate in zip(languages, rates, strict=True)
                ]
                told = np.log(_with_rest(shares, languages)) - np.log(usual)
                logs[row] += np.clip(told, -LIMIT, LIMIT)
        logs -= logs.max(axis=1, keepdims=True)
        out = np.exp(logs)
        return np.asarray(out / out.sum(axis=1, keepdims=True), dtype=np.float32)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the memory as JSON, whole or not at all."""
        document = {
            "format": FORMAT,
            "capacity": self.capacity,
            "pages": self.pages,
            "web": dict(self._web),
            "pairs": self._pairs,
            "agreeing": self._agreeing,
            "places": list(self._places.items()),
        }
        write_whole(path, json.dumps(document, ensure_ascii=False))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SiteMemory:
        """A memory that :meth:`save` wrote."""
        try:
            document = json.loads(Path(path_text(path)).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise BadData(f"{path}: not a site memory ({error})") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise BadData(f"{path}: not a site memory of format {FORMAT}")
        return cls._from_document(document, path)

    @classmethod
    def _from_document(cls, document: dict[str, Any], path: object) -> SiteMemory:
        try:
            memory = cls(document["capacity"])
            memory.pages = _number(document["pages"])
            memory._web = Counter(_tally(document["web"]))
            memory._pairs, memory._agreeing = _agreements(document["pairs"], document["agreeing"])
            for key, counts in document["places"]:
                if len(key) <= _LONGEST_KEY:
                    memory._places[str(key)] = _tally(counts)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadData(f"{path}: damaged site memory ({error!r})") from None
        memory._forget()
        return memory


def _number(value: Any) -> int:
    """How many pages there were; more than there can be would be no number of the processor's."""
    if not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise ValueError(f"{value!r:.40} pages")
    return value


def _tally(counts: dict[str, Any]) -> dict[str, int]:
    return {str(language): _number(n) for language, n in counts.items()}


def _agreements(pairs: list[Any], agreeing: list[Any]) -> tuple[list[float], list[float]]:
    """Weights of pairs at each level, and of those that agree, which are some of them."""
    both = list(zip(map(float, pairs), map(float, agreeing), strict=True))
    if len(both) != len(LEVELS) or not all(
        0 <= some <= whole and 0 < whole < math.inf for whole, some in both
    ):
        raise ValueError("levels")
    return [whole for whole, _ in both], [some for _, some in both]


def _checked(share: float) -> float:
    if not 0 <= share <= 1:
        raise BadConfig(f"a prior is a share between 0 and 1, not {share!r}")
    return share


def _with_rest(shares: list[float], languages: Sequence[str]) -> list[float]:
    """Shares of languages, never nought; ``und`` has what the others leave."""
    named = sum(share for share, language in zip(shares, languages, strict=True) if language != UND)
    rest = max(1.0 - named, _LEAST)
    return [
        rest if language == UND else max(share, _LEAST)
        for share, language in zip(shares, languages, strict=True)
    ]


def logit(share: float) -> float:
    """Log-odds of a probability, finite at both ends.

    >>> logit(0.5), round(logit(0.9), 3)
    (0.0, 2.197)
    """
    share = min(max(share, 1e-6), 1 - 1e-6)
    return math.log(share / (1 - share))


def chance(log_odds: float) -> float:
    """The probability of log-odds, however large.

    >>> chance(0.0), round(chance(2.197), 3), chance(-1e9) > 0
    (0.5, 0.9, True)
    """
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))


def _clip(value: float) -> float:
    return max(-LIMIT, min(LIMIT, value))
