"""The fetcher: Scrapy's downloader in a process of its own, since its reactor cannot be started twice.

It fetches what it is told, when it is told, and hands back what came: no queue, no parsing, no
redirects (a redirect is an answer; where it leads is decided like any link). It dies with its worker.

    worker  -- {"id", "url", "host", "due", "gap"} -->  fetcher
    worker  <-- {"id", "status", "headers", "address", "started", ...} + body --

``due`` and ``started`` are of the clock that nobody can set, which all processes of a machine share.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import sys
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from linksight.crawl.addresses import is_public, refusal_of
from linksight.crawl.channel import Frames, pack
from linksight.crawl.clock import SteadyClock
from linksight.crawl.exchanges import request_headers
from linksight.crawl.pacing import Pace

# Scrapy's and Twisted's errors by the reason that is counted.
_REASONS = {
    "CannotResolveHostError": "dns",
    "DNSLookupError": "dns",
    "ResolverError": "dns",
    "DownloadTimeoutError": "timeout",
    "TimeoutError": "timeout",
    "TCPTimedOutError": "timeout",
    "ConnectError": "connection",
    "DownloadConnectionRefusedError": "connection",
    "ConnectionRefusedError": "connection",
    "DownloadCancelledError": "too-large",
    "CancelledError": "too-large",
    "PrivateAddress": "private-address",
    "UnsupportedURLSchemeError": "scheme",
}


class PrivateAddress(Exception):
    """A host's name leads to an address that is not public."""


def settings_of(config: dict[str, Any]) -> dict[str, Any]:
    """Scrapy's settings: the downloader alone, none of what the worker does itself."""
    off = ("offsite.OffsiteMiddleware", "robotstxt.RobotsTxtMiddleware", "httpauth.HttpAuthMiddleware",
           "retry.RetryMiddleware", "redirect.MetaRefreshMiddleware", "redirect.RedirectMiddleware",
           "httpcompression.HttpCompressionMiddleware", "cookies.CookiesMiddleware", "stats.DownloaderStats",
           "httpproxy.HttpProxyMiddleware", "httpcache.HttpCacheMiddleware",
           "defaultheaders.DefaultHeadersMiddleware", "useragent.UserAgentMiddleware")  # fmt: skip
    return {
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        _resolver_setting(): "linksight.crawl.fetcher.GuardedResolver",
        "LINKSIGHT_ALLOW_PRIVATE": config["allow_private"],
        "CONCURRENT_REQUESTS": config["concurrency"],
        "CONCURRENT_REQUESTS_PER_DOMAIN": config["connections_per_host"],
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_TIMEOUT": config["timeout"],
        "DOWNLOAD_MAXSIZE": config["max_page_bytes"],
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_VERIFY_CERTIFICATES": config["verify_certificates"],
        "DOWNLOAD_HANDLERS": {"data": None, "file": None, "ftp": None, "s3": None},
        "DOWNLOADER_MIDDLEWARES": {f"scrapy.downloadermiddlewares.{name}": None for name in off},
        "DOWNLOADER_STATS": False,
        "EXTENSIONS": {
            f"scrapy.extensions.{name}": None
            for name in (
                "corestats.CoreStats", "logcount.LogCount", "telnet.TelnetConsole", "memusage.MemoryUsage",
                "memdebug.MemoryDebugger", "closespider.CloseSpider", "feedexport.FeedExporter",
                "logstats.LogStats", "spiderstate.SpiderState", "throttle.AutoThrottle",
            )
        },
        "TELNETCONSOLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "LOG_ENABLED": False,
        "REACTOR_THREADPOOL_MAXSIZE": 32,
    }  # fmt: skip


def _resolver_setting() -> str:
    from scrapy.settings import default_settings

    newer = "TWISTED_DNS_RESOLVER"
    return newer if hasattr(default_settings, newer) else "DNS_RESOLVER"


#: Host names that led to private addresses only, the latest few: to tell that from a name that leads nowhere.
BLOCKED: deque[str] = deque(maxlen=1_000)


class GuardedResolver:
    """Resolves host names and lets no private address through, however the name is spelled.

    The check is made on the very addresses that are connected to, so a name that changes between
    two lookups gains nothing.
    """

    def __init__(self, reactor: Any, allow_private: bool) -> None:
        self.reactor = reactor
        self.inner = reactor.nameResolver
        self.allow_private = allow_private

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> GuardedResolver:
        return cls(reactor, crawler.settings.getbool("LINKSIGHT_ALLOW_PRIVATE"))

    def install_on_reactor(self) -> None:
        if not self.allow_private:
            _implements_resolver(type(self))
            self.reactor.installNameResolver(self)

    def resolveHostName(self, resolutionReceiver: Any, hostName: str, *args: Any, **kwargs: Any) -> Any:
        return self.inner.resolveHostName(
            _PublicOnly(resolutionReceiver, hostName), hostName, *args, **kwargs
        )


class _PublicOnly:
    """Hands only public addresses on."""

    def __init__(self, receiver: Any, name: str) -> None:
        self._receiver = receiver
        self._name = name
        self.resolutionBegan = receiver.resolutionBegan
        self.resolutionComplete = receiver.resolutionComplete

    def addressResolved(self, address: Any) -> None:
        if is_public(address.host):
            self._receiver.addressResolved(address)
        else:
            BLOCKED.append(self._name)


def _implements_resolver(kind: type) -> None:
    from twisted.internet.interfaces import IHostnameResolver
    from zope.interface import classImplements

    if not IHostnameResolver.implementedBy(kind):
        classImplements(kind, IHostnameResolver)


def _spider_class() -> type:
    """Made when needed: importing Scrapy takes a second that no other part should pay."""
    from scrapy import Request, Spider

    class Fetcher(Spider):
        name = "linksight"
        link: int
        config: dict[str, Any]
        writer: asyncio.StreamWriter
        pace: Pace
        clock: SteadyClock

        async def start(self) -> AsyncIterator[Any]:
            self.pace, self.clock = Pace(self.config["connections_per_host"]), SteadyClock()
            sock = socket.socket(fileno=self.link)
            sock.setblocking(False)
            reader, self.writer = await asyncio.open_connection(sock=sock)
            frames = Frames()
            running: set[asyncio.Future[None]] = set()
            if not frames:
                yield  # never: it only makes this the generator that the engine wants
            with contextlib.suppress(ConnectionError):
                while data := await reader.read(1 << 16):
                    for job, _ in frames.feed(data):
                        task = asyncio.ensure_future(self.fetch(job))
                        running.add(task)
                        task.add_done_callback(running.discard)
            # The worker is gone or wants no more: what is under way is of no use to anybody.
            os._exit(0)

        async def fetch(self, job: dict[str, Any]) -> None:
            async with self.pace.turn(job["host"], job["due"], job["gap"]) as started:
                head, body = await self.tried(job)
            told = {"id": job["id"], "started": started, "began": self.clock.at(started)}
            self.writer.write(pack(head | told | {"took": time.monotonic() - started}, body))
            await self.writer.drain()

        async def tried(self, job: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
            try:
                return await self.answer(job)
            except Exception as error:
                if reason_of(error) == "dns" and urlsplit(job["url"]).hostname in BLOCKED:
                    error = PrivateAddress("the host's name leads to private addresses")
                return {"error": reason_of(error), "detail": f"{type(error).__name__}: {error}"[:300]}, b""

        async def answer(self, job: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
            if not self.config["allow_private"] and refusal_of(job["url"]):
                raise PrivateAddress(job["url"])
            request = Request(
                job["url"],
                headers=request_headers(self.config["user_agent"]),
                meta={"download_slot": job["host"], "handle_httpstatus_all": True},
                dont_filter=True,
            )
            response = await self.crawler.engine.download_async(request)
            address = str(response.ip_address or "")
            if not self.config["allow_private"] and address and not is_public(address):
                raise PrivateAddress(address)
            headers = [
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, values in response.headers.items()
                for value in values
            ]
            return {"status": response.status, "headers": headers, "address": address}, response.body

    return Fetcher


def reason_of(error: BaseException) -> str:
    """The slug that an error is counted by.

    >>> reason_of(TimeoutError()), reason_of(KeyError())
    ('timeout', 'download')
    """
    for kind in type(error).__mro__:
        if kind.__name__ in _REASONS:
            return _REASONS[kind.__name__]
    return "download"


def main() -> None:
    """Run as ``python -m linksight.crawl.fetcher FD CONFIG``."""
    from scrapy.crawler import AsyncCrawlerProcess

    link, config = int(sys.argv[1]), json.loads(sys.argv[2])
    # What Scrapy warns of, such as a page that is too large, is told by its reason in the ledger.
    quiet = logging.StreamHandler()
    quiet.setLevel(logging.ERROR)
    logging.getLogger().addHandler(quiet)
    process = AsyncCrawlerProcess(settings_of(config), install_root_handler=False)
    process.crawl(_spider_class(), link=link, config=config)
    process.start(install_signal_handlers=False)


if __name__ == "__main__":
    # By its full name, so that Scrapy, which imports the resolver by that, shares this module's state.
    from linksight.crawl import fetcher

    fetcher.main()
