"""Online model: a logistic regression over hashed URL words that corrects the predictions of the crawl.

Each downloaded page updates the weights of its URL's words by the prediction error (AdaGrad). Words
whose pages were predicted correctly keep weights near 0.

>>> lessons = Lessons()
>>> for page in range(20):
...     lessons.learn(f"http://a{page}.com/gemeente/{page}", predicted=-2.0, hit=True)
>>> lessons.score("http://b.com/gemeente/x") > 0.5
True
>>> lessons.score("http://b.com/council/x")
0.0
"""

from __future__ import annotations

import zlib

import numpy as np

from linksight.errors import BadUrl
from linksight.url_model.site_prior import sigmoid
from linksight.urls.parser import Url

MAX_LOG_ODDS = 3.0  #: of a score: the pages of a crawl are a biased sample


class Lessons:
    """Hashed weights of URL words, learnt during the crawl."""

    def __init__(self, size: int = 1 << 18, rate: float = 0.3) -> None:
        self.rate = rate
        self._weights = np.zeros(size, dtype=np.float32)
        self._squares = np.full(size, 1.0, dtype=np.float32)

    def _slots(self, url: str) -> list[int]:
        try:
            parsed = Url.parse(url)
        except BadUrl:
            return []
        # Words of the path and query only: SiteMemory covers hosts, and the weights of top-level
        # domains would only reflect which pages this crawl happened to fetch.
        words = set(Url("", "", "", None, parsed.path.lower(), parsed.query.lower(), "").words())
        return [zlib.crc32(word.encode()) % len(self._weights) for word in words if len(word) > 2]

    def score(self, url: str) -> float:
        """The score of a URL's words, in log-odds."""
        slots = self._slots(url)
        return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, float(self._weights[slots].sum()))) if slots else 0.0

    def learn(self, url: str, predicted: float, hit: bool) -> None:
        """Update the weights by a page: its predicted log-odds, and whether it was in the language."""
        slots = self._slots(url)
        if not slots:
            return
        error = float(hit) - sigmoid(predicted)
        self._squares[slots] += error * error
        self._weights[slots] += self.rate * error / np.sqrt(self._squares[slots])
