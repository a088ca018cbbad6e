"""A web of many hosts on the loopback addresses, for tests and benchmarks: real sockets, no network.

Host n is 127.0.x.y at one port. Pages are in four languages; a host keeps to one, and most links
stay in it. ``python benchmarks/local_web.py --hosts 200 --pages 50`` serves it and prints a seed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import ssl
import threading
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

TEXTS = {
    "nl": "Het weer wordt morgen beter dan vandaag, want de wind draait naar het zuiden en de zon breekt door. "
    "De gemeente heeft besloten dat er een nieuwe brug over de rivier komt, omdat de oude te smal is geworden. "
    "Wie wil weten hoe laat de trein vertrekt, kan dat op het station vragen of thuis in de krant lezen.",
    "en": "The weather will be better tomorrow than it was today, because the wind is turning to the south. "
    "The council has decided that a new bridge will be built across the river, as the old one is too narrow. "
    "Those who want to know when the train leaves can ask at the station or read it in the newspaper at home.",
    "fr": "Le temps sera meilleur demain qu'aujourd'hui, car le vent tourne vers le sud et le soleil revient. "
    "La commune a décidé qu'un nouveau pont sera construit sur la rivière, parce que l'ancien est trop étroit. "
    "Ceux qui veulent savoir quand part le train peuvent le demander à la gare ou le lire dans le journal.",
    "de": "Das Wetter wird morgen besser als heute, denn der Wind dreht nach Süden und die Sonne kommt heraus. "
    "Die Gemeinde hat beschlossen, dass eine neue Brücke über den Fluss gebaut wird, weil die alte zu schmal ist. "
    "Wer wissen will, wann der Zug fährt, kann am Bahnhof fragen oder es zu Hause in der Zeitung lesen.",
}
WORDS = {"nl": "nieuws", "en": "stories", "fr": "actualites", "de": "nachrichten"}


@dataclass
class LocalWeb:
    """A web that is the same for the same numbers."""

    hosts: int = 20
    pages: int = 20
    links: int = 20
    mix: tuple[str, ...] = ("nl", "en", "fr", "de")
    locality: float = 0.8
    latency: float = 0.0
    paragraphs: int = 8
    port: int = 0
    tls: ssl.SSLContext | None = None
    extra: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    served: Counter[str] = field(default_factory=Counter)
    answers_left: int | None = None  #: where it is a number, whoever asks for more waits until there are more
    is_down: bool = False  #: connections are closed without an answer, as where there is no network
    has_waiting: bool = False  #: whether somebody has had to wait
    _thread: threading.Thread | None = None

    def address(self, host: int) -> str:
        return f"127.0.{1 + host // 250}.{1 + host % 250}"

    def origin(self, host: int) -> str:
        return f"{'https' if self.tls else 'http'}://{self.address(host)}:{self.port}"

    def language(self, host: int) -> str:
        return self.mix[host % len(self.mix)]

    def url(self, host: int, page: int) -> str:
        return self.origin(host) + (f"/{WORDS[self.language(host)]}/{page}.html" if page else "/")

    def all_urls(self) -> dict[str, str]:
        """Every page with its language."""
        return {self.url(h, p): self.language(h) for h in range(self.hosts) for p in range(self.pages)}

    def body(self, host: int, page: int) -> bytes:
        draw = random.Random(host * 100_003 + page)
        language = self.language(host)
        alike = [h for h in range(self.hosts) if self.language(h) == language]
        # Every page can be reached: the next two of the host, the first of the next host, some at random.
        targets = [(host, (2 * page + 1) % self.pages), (host, (2 * page + 2) % self.pages)]
        targets.append(((host + 1) % self.hosts, 0))
        for _ in range(self.links - 3):
            near = draw.random() < 0.5
            there = (
                host
                if near
                else draw.choice(alike)
                if draw.random() < self.locality
                else draw.randrange(self.hosts)
            )
            targets.append((there, draw.randrange(self.pages)))
        anchors = "".join(
            f'<li><a href="{self.url(h, p)}">{WORDS[self.language(h)]} {p}</a></li>' for h, p in targets
        )
        text = "".join(f"<p>{TEXTS[language]} {draw.randrange(10**6)}</p>" for _ in range(self.paragraphs))
        return (
            f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{page}</title></head>'
            f"<body><h1>{WORDS[language]} {page}</h1>{text}<ul>{anchors}</ul></body></html>"
        ).encode()

    def answer(self, local: str, path: str) -> tuple[int, dict[str, str], bytes]:
        if path in self.extra:
            return self.extra[path]
        if path == "/robots.txt":
            return 404, {}, b""
        octets = local.split(".")
        host = (int(octets[2]) - 1) * 250 + int(octets[3]) - 1
        page = 0 if path == "/" else self._page(path)
        if not 0 <= host < self.hosts or page is None or page >= self.pages:
            return 404, {}, b"nothing here"
        return 200, {"Content-Type": "text/html; charset=utf-8"}, _cached(self, host, page)

    def _page(self, path: str) -> int | None:
        name = path.rpartition("/")[2].removesuffix(".html")
        return int(name) if name.isdecimal() and int(name) > 0 else None

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        local = writer.get_extra_info("sockname")[0]
        try:
            while line := await reader.readline():
                path = line.split(b" ")[1].decode("latin-1")
                while (await reader.readline()).strip():
                    pass
                if self.latency:
                    await asyncio.sleep(self.latency)
                await self._turn()
                if self.is_down:
                    writer.transport.abort()
                    return
                status, headers, body = self.answer(local, path)
                self.served[f"{local}{path}"] += 1
                head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n"
                head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
                writer.write(head.encode("latin-1") + b"\r\n" + body)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _turn(self) -> None:
        """Whoever holds a crawl in its middle says how many answers it may have."""
        while self.answers_left is not None and self.answers_left <= 0:
            self.has_waiting = True
            await asyncio.sleep(0.01)
        if self.answers_left is not None:
            self.answers_left -= 1

    async def _open(self) -> list[asyncio.Server]:
        """All hosts at one port; where another program has it at one of the addresses, at another port."""
        wanted, tries = self.port, 20
        servers: list[asyncio.Server] = []
        while len(servers) < self.hosts:
            try:
                server = await asyncio.start_server(
                    self._serve_client, self.address(len(servers)), self.port, ssl=self.tls
                )
            except OSError:
                tries -= 1
                if wanted or not tries:
                    raise
                for other in servers:
                    other.close()
                servers, self.port = [], 0
                continue
            self.port = server.sockets[0].getsockname()[1]
            servers.append(server)
        return servers

    async def serve_forever(self) -> None:
        await self._open()
        await asyncio.Event().wait()

    def __enter__(self) -> LocalWeb:
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            self._servers = self._loop.run_until_complete(self._open())
            ready.set()
            self._loop.run_forever()
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        if not ready.wait(120):
            raise TimeoutError("the local web did not open")
        return self

    def __exit__(self, *_: object) -> None:
        def stop() -> None:
            for server in self._servers:
                server.close()
            self._loop.stop()

        self._loop.call_soon_threadsafe(stop)
        if self._thread:
            self._thread.join(60)

    def __hash__(self) -> int:
        return id(self)


@lru_cache(maxsize=50_000)
def _cached(web: LocalWeb, host: int, page: int) -> bytes:
    return web.body(host, page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    web = LocalWeb(options.hosts, options.pages, latency=options.latency, port=options.port)

    async def serve() -> None:
        await web._open()
        print(web.url(0, 0), flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
