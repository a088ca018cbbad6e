"""Lessons: the URL model goes on learning while the crawl runs.

A small logistic regression over the words of URLs, in a table of fixed size, that learns only what
the evidence so far got wrong: each page that was read moves the weights of its URL's words by how
far the prediction was off (AdaGrad). What the model knew already leaves no trace.

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

LIMIT = 3.0  #: in log-odds: a crawl is a biased teacher


class Lessons:
    """Weights of words, learnt on the way."""

    def __init__(self, size: int = 1 << 18, rate: float = 0.3) -> None:
        self.rate = rate
        self._weights = np.zeros(size, dtype=np.float32)
        self._squares = np.full(size, 1.0, dtype=np.float32)

    def _slots(self, url: str) -> list[int]:
        try:
            parsed = Url.parse(url)
        except BadUrl:
            return []
        # Words of the path only: of hosts the memory of sites knows more, and top-level domains
        # are common to so many that every crawl would learn its own luck.
        words = set(Url("", "", "", None, parsed.path.lower(), parsed.query.lower(), "").words())
        return [zlib.crc32(word.encode()) % len(self._weights) for word in words if len(word) > 2]

    def score(self, url: str) -> float:
        """What the crawl has learnt of the words of a URL, in log-odds."""
        slots = self._slots(url)
        return max(-LIMIT, min(LIMIT, float(self._weights[slots].sum()))) if slots else 0.0

    def learn(self, url: str, predicted: float, hit: bool) -> None:
        """Take in a page: the log-odds that were predicted for it, and what it was."""
        slots = self._slots(url)
        if not slots:
            return
        off = float(hit) - sigmoid(predicted)
        self._squares[slots] += off * off
        self._weights[slots] += self.rate * off / np.sqrt(self._squares[slots])
