"""WARC-Date is the time of the wall clock when the request began."""

import asyncio
import time
from contextlib import asynccontextmanager

from linksight.crawl.fetch import downloader
from linksight.crawl.fetch.ipc import Frames


class Turns:
    """A host whose turn comes while the wall clock jumps, as after a night with the lid closed."""

    def __init__(self, monkeypatch):
        self.monkeypatch = monkeypatch

    @asynccontextmanager
    async def turn(self, *_):
        self.monkeypatch.setattr(downloader.time, "time", lambda: 2_000_000_000.0)
        yield time.monotonic()

    def hold(self, *_):
        """No host asks for a pause."""


class Wire:
    data = b""

    def write(self, data):
        self.data += data

    async def drain(self):
        pass


def test_a_machine_that_was_suspended_dates_its_pages_right(monkeypatch):
    fetching = downloader.FetchSpider.__new__(downloader.FetchSpider)
    fetching.config = {"address_delay": 0}
    fetching.pace, fetching.writer = Turns(monkeypatch), Wire()

    async def answer(job):
        monkeypatch.setattr(downloader.time, "time", lambda: 2_000_000_500.0)  # the answer took its time
        return {"status": 200}, b"page"

    monkeypatch.setattr(fetching, "response_or_error", answer, raising=False)
    asyncio.run(fetching.fetch({"id": 1, "url": "http://a.nl/", "host": "a.nl", "due": 0.0, "gap": 0.0}))
    ((head, body),) = Frames().feed(fetching.writer.data)
    assert (head["began"], body) == (2_000_000_000.0, b"page")
