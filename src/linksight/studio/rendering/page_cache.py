"""Foreign pages that are being looked at: sanitised, few, and only in memory."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

from starlette.exceptions import HTTPException

MAX_PAGES = 30


class Previews:
    """The last pages that were shown.

    >>> previews = Previews()
    >>> previews.get(previews.keep("<p>hello"))
    '<p>hello'
    """

    def __init__(self) -> None:
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, page: str) -> str:
        """Keep a page for a while; its id cannot be guessed."""
        number = secrets.token_urlsafe(12)
        with self._lock:
            self._pages[number] = page
            while len(self._pages) > MAX_PAGES:
                self._pages.popitem(last=False)
        return number

    def get(self, number: str) -> str:
        """A page by its id, or 404."""
        page = self._pages.get(number)
        if page is None:
            raise HTTPException(404, "this preview is gone: ask again")
        return page
