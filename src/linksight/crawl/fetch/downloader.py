"""Scrapy spider that downloads the URLs that the worker sends; imported only in the fetcher process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import StopDownload

from linksight.crawl.archive.http_messages import final_response, head_of
from linksight.crawl.archive.warc_records import request_headers
from linksight.crawl.fetch.dns import BLOCKED, AddressBook
from linksight.crawl.fetch.ipc import Frames, pack
from linksight.crawl.fetch.outage import NO_DNS
from linksight.crawl.fetch.rate_limiter import Held, Neighbours, Pace
from linksight.crawl.fetch.response import Answer
from linksight.crawl.fetch.wire_recorder import recording_of
from linksight.crawl.urls.url_normalize import is_public, names_private

# The counted reasons of Scrapy's and Twisted's errors.
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
    """A host name resolves to an address that is not public."""


class FetchSpider(Spider):
    """Reads jobs from the worker's socket and sends a response to each."""

    name = "linksight"
    link: int
    config: dict[str, Any]
    writer: asyncio.StreamWriter
    pace: Pace
    addresses: AddressBook

    async def start(self) -> AsyncIterator[Any]:
        from twisted.internet import reactor

        self.crawler.signals.connect(self.cut_off, signals.bytes_received)
        self.pace = Pace(self.config["connections_per_host"], self.config["delay_factor"])
        self.addresses = AddressBook(reactor, self.config["timeout"])
        sock = socket.socket(fileno=self.link)
        sock.setblocking(False)
        reader, self.writer = await asyncio.open_connection(sock=sock)
        frames = Frames()
        running: set[asyncio.Future[None]] = set()
        if not frames:
            yield  # never reached: it makes this function the generator that the engine expects
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                for job, _ in frames.feed(data):
                    task = asyncio.ensure_future(self.fetch(job))
                    running.add(task)
                    task.add_done_callback(running.discard)
        # The worker closed the socket: the requests under way are abandoned.
        os._exit(0)

    async def fetch(self, job: dict[str, Any]) -> None:
        # Archives use the wall clock; the monotonic clock stops while the machine is suspended.
        started, began, body = time.monotonic(), time.time(), b""
        try:
            near = await self.neighbours(job)
        except TimeoutError:
            head = {"error": "dns", "detail": "no name server answered"}
        else:
            try:
                async with self.pace.turn(job["host"], job["due"], job["gap"], near) as started:
                    began = time.time()
                    head, body = await self.response_or_error(job)
                    self.pace.hold(job["host"], retry_after(head, began))
            except Held:
                head = {"error": "held", "detail": "the host asked for a pause (Retry-After)"}
        if head.get("error") == "dns" and not await self.addresses.has_service():
            head["error"] = NO_DNS
        times = {"id": job["id"], "started": started, "began": began}
        self.writer.write(pack(head | times | {"took": time.monotonic() - started}, body))
        await self.writer.drain()

    async def neighbours(self, job: dict[str, Any]) -> Neighbours | None:
        """The host's IP address and its delay; the worker plans for known addresses, this covers first requests."""
        if self.config["address_delay"] <= 0 or self.config["proxy"]:
            return None
        address = await self.addresses.address_of(urlsplit(job["url"]).hostname or "")
        return Neighbours(address, self.config["address_delay"]) if address else None

    async def response_or_error(self, job: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        try:
            return await self.download(job)
        except Exception as error:  # Scrapy and Twisted have dozens: each is returned as a reason
            if reason_of(error) == "dns" and urlsplit(job["url"]).hostname in BLOCKED:
                error = PrivateAddress("the host's name leads to private addresses")
            return {"error": reason_of(error), "detail": f"{type(error).__name__}: {error}"[:300]}, b""

    async def download(self, job: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        if not self.config["allow_private"] and names_private(job["url"]):
            raise PrivateAddress(job["url"])
        host_headers, proxy = self.config["host_headers"].get(job["host"], {}), self.config["proxy"] or None
        request = Request(
            job["url"],
            headers=request_headers(self.config["user_agent"])
            | self.config["headers"]
            | host_headers
            | job["headers"],
            meta={"download_slot": job["host"], "handle_httpstatus_all": True, "proxy": proxy},
            dont_filter=True,
        )
        response = await self.crawler.engine.download_async(request)
        recording = recording_of(response)
        address = "" if proxy else str(response.ip_address or "")
        if not proxy:
            self.addresses.note_answer(urlsplit(job["url"]).hostname or "")
        if not self.config["allow_private"] and address and not is_public(address):
            raise PrivateAddress(address)
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            for value in values
        ]
        cut = "disconnect" if "dataloss" in response.flags else ""
        cut = "length" if "download_stopped" in response.flags else cut
        head = {"status": response.status, "headers": headers, "address": address, "cut": cut}
        # A request to a proxy has its password and another form of the URL: neither is archived.
        request_bytes = recording.request if recording and not proxy else b""
        response_bytes = final_response(bytes(recording.response)) if recording else b""
        if cut == "length":
            response_bytes = response_bytes[: len(head_of(response_bytes)) + self.config["max_page_bytes"]]
        # The body is sent separately if the transfer was chunked.
        body = (
            b""
            if response_bytes and response_bytes[len(head_of(response_bytes)) :] == response.body
            else response.body
        )
        head["sizes"] = [len(request_bytes), len(response_bytes), len(body)]
        return head, request_bytes + response_bytes + body

    def cut_off(self, data: bytes, request: Request, **_: Any) -> None:
        """Stop a response that is larger than allowed; the received part is kept."""
        request.meta["received"] = request.meta.get("received", 0) + len(data)
        if request.meta["received"] >= self.config["max_page_bytes"]:
            raise StopDownload(fail=False)


def retry_after(head: dict[str, Any], at: float) -> float:
    """Seconds of ``Retry-After`` in a response of status 429 or 503; else 0."""
    if head.get("status") not in (429, 503):
        return 0.0
    return Answer(headers=tuple(map(tuple, head["headers"])), at=at).retry_after


def reason_of(error: BaseException) -> str:
    """The reason by which an error is counted.

    >>> reason_of(TimeoutError()), reason_of(KeyError())
    ('timeout', 'download')
    """
    if "certificate verify failed" in str(error):
        return "certificate"
    for kind in type(error).__mro__:
        if kind.__name__ in _REASONS:
            return _REASONS[kind.__name__]
    return "download"
