"""SiteMemory: a language prior for pages of a site, from the pages of the site observed so far.

Sites keep to their languages far more than URLs show: ``/ch/`` is German on one site and French on
the next. The memory counts the languages of observed pages at four levels; each level is the prior
of the next:

    the web -> site (``a.ch``) -> host (``shop.a.ch``) -> ``/first/`` -> ``/first/second/``

The strength of each prior is estimated from the pages (empirical Bayes with Dirichlet priors): if
pages of a site nearly always agree, one page is enough to predict the others. A site counts by the
logarithm of its pages, so that large sites do not dominate the estimate.

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
_MIN_SHARE = 1e-9  #: stands for a share of 0, so that its logarithm is finite
MAX_LOG_ODDS = 8.0  #: bound of the memory's evidence, because sites change

# Prior of the agreement at every level, as a weight of pairs of pages and of agreeing pairs: four in five pairs of
# pages share their language.
_PRIOR_PAIRS, _PRIOR_AGREEING = 10.0, 8.0

# The number of entries bounds the memory only if keys are short. A longer folder is an identifier or a crawler trap,
# not a section in one language.
_MAX_FOLDER_CHARS = 100
_MAX_KEY_CHARS = 500  #: of host, port and two folders
_MAX_CACHED_URL_CHARS = 2_000


def path_levels(raw: str) -> tuple[tuple[int, str], ...]:
    """The site, host and path prefixes of a URL, as (level, key), from the site down.

    >>> path_levels("https://www.a.ch/de/shop/x.html")
    ((0, 'a.ch'), (2, 'a.ch/de/'), (3, 'a.ch/de/shop/'))
    """
    return (
        _cached_path_levels(raw)
        if isinstance(raw, str) and len(raw) <= _MAX_CACHED_URL_CHARS
        else _path_levels(raw)
    )


def _path_levels(raw: str) -> tuple[tuple[int, str], ...]:
    try:
        url = Url.parse(raw)
    except BadUrl:
        return ()
    host = url.host.removeprefix("www.")
    port = f":{url.port}" if url.port and url.port not in (80, 443) else ""
    site = url.site + port
    levels = [(0, site)]
    if host + port != site:
        levels.append((1, host + port))
    key = f"{host}{port}/"
    for level, folder in enumerate(url.path.lower().split("/")[1:-1][:2], start=2):
        if len(folder) > _MAX_FOLDER_CHARS:
            break
        key += f"{folder}/"
        levels.append((level, key))
    return tuple(levels)


_cached_path_levels = lru_cache(maxsize=20_000)(_path_levels)
#: The code of a language given by any code or name, cached.
_code = lru_cache(4096)(find)


class SiteMemory:
    """Languages of observed pages by site and path prefix, in bounded memory.

    It is a least-recently-used cache of ``capacity`` entries, one per site, host or path prefix.
    """

    def __init__(self, capacity: int = 100_000) -> None:
        if not isinstance(capacity, int) or capacity < 1:
            raise BadData(f"capacity must be a positive integer, not {capacity!r}")
        self.capacity = capacity
        self.pages = 0
        self._web: Counter[str] = Counter()
        self._counts: OrderedDict[str, dict[str, int]] = OrderedDict()
        self._pairs = [_PRIOR_PAIRS] * len(LEVELS)
        self._agreeing = [_PRIOR_AGREEING] * len(LEVELS)

    def __len__(self) -> int:
        return len(self._counts)

    def observe(self, url: str, language: str) -> None:
        """Count the page at ``url`` as ``language``; ``und`` and ``zxx`` are ignored."""
        language, levels = _code(language), path_levels(url)
        if language in (UND, ZXX) or not levels:
            return
        self.pages += 1
        self._web[language] += 1
        for level, key in levels:
            counts = self._counts.pop(key, None) or {}
            if n_before := sum(counts.values()):
                # Each earlier page makes a pair with this one. The weight of a pair falls with the number of pages,
                # so an entry counts by the logarithm of its pages. With equal weights, one large site in many
                # languages would dominate the estimate.
                self._pairs[level] += 1 / n_before
                self._agreeing[level] += counts.get(language, 0) / n_before**2
            counts[language] = counts.get(language, 0) + 1
            self._counts[key] = counts
        self._evict()

    def _evict(self) -> None:
        while len(self._counts) > self.capacity:
            self._counts.popitem(last=False)

    def base_rate(self, language: str) -> float:
        """The smoothed share of a language among all observed pages."""
        return (self._web[_code(language)] + 0.5) / (self.pages + 10.0)

    def concentration(self, level: int) -> float:
        """The Dirichlet concentration: the weight, in pages, of the level above as a prior of this level.

        Estimated from the probability A that two pages of an entry agree: a Dirichlet distribution of concentration
        a around shares p has A = (1 + a Σp²) / (1 + a).
        """
        agreement = self._agreeing[level] / self._pairs[level]
        chance_agreement = sum((n / self.pages) ** 2 for n in self._web.values()) if self.pages else 0.1
        excess = max(agreement - min(chance_agreement, 0.95 * agreement), 0.02)
        return min(max((1.0 - agreement) / excess, 0.2), 20.0)

    def share(self, url: str, language: str, prior: float | None = None, deepest: int = 3) -> float:
        """The probability of ``language`` at a URL by observed pages alone, down to level ``deepest``."""
        language = _code(language)
        share = self.base_rate(language) if prior is None else _checked(prior)
        levels = [(level, self._counts.get(key) or {}) for level, key in path_levels(url) if level <= deepest]
        for i, (level, counts) in enumerate(levels):
            # Pages of the next level count there, not twice.
            inner = levels[i + 1][1] if i + 1 < len(levels) else {}
            n_pages = sum(counts.values()) - sum(inner.values())
            if n_pages > 0:
                weight = self.concentration(level)
                hits = counts.get(language, 0) - inner.get(language, 0)
                share = (max(hits, 0) + weight * share) / (n_pages + weight)
        return share

    def log_odds(self, url: str, language: str, *, prior: float | None = None, levels: str = "all") -> float:
        """The evidence for ``language`` at ``url``, to add to a model's log-odds; 0 for an unknown site.

        ``levels="host"`` excludes path prefixes, ``levels="prefix"`` is the evidence of path prefixes alone.
        """
        if levels not in _CHOICES:
            raise BadConfig(f"levels are one of {', '.join(_CHOICES)}, not {levels!r}")
        start = self.base_rate(language) if prior is None else _checked(prior)
        host = self.share(url, language, start, deepest=1)
        if levels == "host":
            return _clip(logit(host) - logit(start))
        full = self.share(url, language, start)
        return _clip(logit(full) - logit(host if levels == "prefix" else start))

    def combine(
        self, urls: Iterable[Any], probabilities: NDArray[np.float32], languages: Sequence[str]
    ) -> NDArray[np.float32]:
        """A model's probabilities with the memory's log-odds added; rows sum to one.

        The odds between two languages are multiplied by the ratio of their shares on the site over that on the web.
        In a binary model ``und`` stands for all other languages.
        """
        import numpy as np

        from linksight.features.url_buffer import as_list

        urls = as_list(urls)  # iterating over an Arrow column does not give strings
        model_probabilities = np.asarray(probabilities, dtype=np.float64)
        if model_probabilities.shape != (len(urls), len(languages)):
            raise BadData(
                f"probabilities of shape {model_probabilities.shape} for {counted(len(urls), 'URL')} and {counted(len(languages), 'language')}"
            )
        logs = np.log(np.maximum(model_probabilities, 1e-9))
        rates = [self.base_rate(language) for language in languages]
        web_shares = _with_rest(rates, languages)
        for row, url in enumerate(urls):
            if any(key in self._counts for _, key in path_levels(url)):
                shares = [
                    self.share(url, language, rate) for language, rate in zip(languages, rates, strict=True)
                ]
                evidence = np.log(_with_rest(shares, languages)) - np.log(web_shares)
                logs[row] += np.clip(evidence, -MAX_LOG_ODDS, MAX_LOG_ODDS)
        logs -= logs.max(axis=1, keepdims=True)
        combined = np.exp(logs)
        return np.asarray(combined / combined.sum(axis=1, keepdims=True), dtype=np.float32)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the memory as JSON, atomically."""
        document = {
            "format": FORMAT,
            "capacity": self.capacity,
            "pages": self.pages,
            "web": dict(self._web),
            "pairs": self._pairs,
            "agreeing": self._agreeing,
            "places": list(self._counts.items()),
        }
        write_whole(path, json.dumps(document, ensure_ascii=False))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SiteMemory:
        """Read a file that :meth:`save` wrote."""
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
                if len(key) <= _MAX_KEY_CHARS:
                    memory._counts[str(key)] = _tally(counts)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadData(f"{path}: damaged site memory ({error!r})") from None
        memory._evict()
        return memory


def _number(value: Any) -> int:
    """Validate a number of pages."""
    if not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise ValueError(f"{value!r:.40} pages")
    return value


def _tally(counts: dict[str, Any]) -> dict[str, int]:
    return {str(language): _number(n) for language, n in counts.items()}


def _agreements(pairs: list[Any], agreeing: list[Any]) -> tuple[list[float], list[float]]:
    """Validate the weights of pairs and of agreeing pairs of each level."""
    both = list(zip(map(float, pairs), map(float, agreeing), strict=True))
    if len(both) != len(LEVELS) or not all(
        0 <= agree <= total and 0 < total < math.inf for total, agree in both
    ):
        raise ValueError("levels")
    return [total for total, _ in both], [agree for _, agree in both]


def _checked(share: float) -> float:
    if not 0 <= share <= 1:
        raise BadConfig(f"a prior is a share between 0 and 1, not {share!r}")
    return share


def _with_rest(shares: list[float], languages: Sequence[str]) -> list[float]:
    """Positive shares of languages; ``und`` has the remainder."""
    total = sum(share for share, language in zip(shares, languages, strict=True) if language != UND)
    rest = max(1.0 - total, _MIN_SHARE)
    return [
        rest if language == UND else max(share, _MIN_SHARE)
        for share, language in zip(shares, languages, strict=True)
    ]


def logit(share: float) -> float:
    """Log-odds of a probability, finite at both ends.

    >>> logit(0.5), round(logit(0.9), 3)
    (0.0, 2.197)
    """
    share = min(max(share, 1e-6), 1 - 1e-6)
    return math.log(share / (1 - share))


def sigmoid(log_odds: float) -> float:
    """The probability of log-odds, without overflow.

    >>> sigmoid(0.0), round(sigmoid(2.197), 3), sigmoid(-1e9) > 0
    (0.5, 0.9, True)
    """
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))


def _clip(value: float) -> float:
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, value))
