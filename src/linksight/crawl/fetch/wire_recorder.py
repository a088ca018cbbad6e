"""Wire recorder: the bytes of each request and response as sent over the connection.

Scrapy provides parsed headers and decoded bodies, but an archive needs the bytes as sent. The protocol
of each connection therefore records both directions, and an additional header carries the number of the
recording through Scrapy. Imported only in the fetcher process.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import count
from typing import Any, ClassVar

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler

MARK = b"X-Linksight-Recording"
MAX_HEAD_BYTES = 262_144  #: of status line and headers, without the body


class Recording:
    """One exchange on a connection."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.request = b""
        self.response = bytearray()

    def receive(self, data: bytes) -> None:
        """Append received bytes, up to the limit."""
        room = self.limit - len(self.response)
        if room > 0:
            self.response += data[:room]


class _Sink:
    """Collects what a request writes."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data

    def writeSequence(self, parts: Any) -> None:
        self.data += b"".join(parts)


class RecordingHandler(HTTP11DownloadHandler):
    """Scrapy's download handler with connections that record."""

    recordings: ClassVar[OrderedDict[str, Recording]] = OrderedDict()
    _numbers = count()

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._limit = crawler.settings.getint("LINKSIGHT_MAX_PAGE_BYTES") + MAX_HEAD_BYTES
        self._max_recordings = 2 * crawler.settings.getint("CONCURRENT_REQUESTS") + 64
        plain, handler = self._pool._factory, self

        class Factory(plain):  # type: ignore[misc, valid-type]
            def buildProtocol(self, address: Any) -> Any:
                return handler.record(super().buildProtocol(address))

        self._pool._factory = Factory

    def record(self, protocol: Any) -> Any:
        """Make a connection's protocol record each exchange."""
        send, receive = protocol.request, protocol.dataReceived
        current: list[Recording] = []

        def request(outgoing: Any) -> Any:
            recording = Recording(self._limit)
            current[:] = [recording]
            sink = _Sink()
            outgoing._writeHeaders(sink, None)
            recording.request = sink.data
            return send(outgoing).addCallback(self._mark, recording)

        def data_received(data: bytes) -> Any:
            if current:
                current[0].receive(data)
            return receive(data)

        protocol.request, protocol.dataReceived = request, data_received
        return protocol

    def _mark(self, response: Any, recording: Recording) -> Any:
        number = str(next(self._numbers))
        self.recordings[number] = recording
        while len(self.recordings) > self._max_recordings:
            self.recordings.popitem(last=False)
        response.headers.setRawHeaders(MARK, [number.encode()])
        return response


def recording_of(response: Any) -> Recording | None:
    """The recording of a Scrapy response; removes its mark."""
    number = response.headers.pop(MARK, None)
    value = number[0] if isinstance(number, list) and number else number
    return RecordingHandler.recordings.pop(value.decode(), None) if value else None
