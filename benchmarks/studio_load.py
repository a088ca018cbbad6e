"""How fast the HTTP API is, on loopback: batches, 200 connections at once, single detects.

The peer is a bare uvicorn in another process, which answers every request with a constant of the same length. Both are
measured in turns, so that the ratio also holds on slow and busy machines. The figures go to docs/api.json, and from there into docs/api.md:

    python benchmarks/studio_load.py                        # measure, note, write the section
    python benchmarks/studio_load.py --clients 100 --dry    # measure and show only
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kept_figures import write_between

DOCS = Path(__file__).parents[1] / "docs"
MARKS = "<!-- figures: benchmarks/studio_load.py -->", "<!-- end of figures -->"
URLS = [
    "https://www.lemonde.fr/economie/article/2024/05/17/titre-de-l-article",
    "http://www.zeitung.de/politik/artikel-17",
    "https://www.nu.nl/sport/voetbal/",
    "https://example.com/en/about-us?ref=home",
    "https://news.example.org/2023/11/05/a-long-story-about-something.html",
]
TURNS = 8
Process = subprocess.Popen[bytes]


# --- servers ------------------------------------------------------------------------------------


@contextlib.contextmanager
def running(command: list[str]) -> Iterator[tuple[Process, int]]:
    """A server in a process of its own, which says its port at the end of a line on stderr."""
    process = subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, env=os.environ)
    try:
        assert process.stderr
        yield process, int(process.stderr.readline().decode().split("127.0.0.1:")[1].split("/")[0])
    finally:
        process.terminate()
        process.wait(20)


def bare(length: int) -> None:
    """The peer: uvicorn with an application that answers anything with a constant."""
    import uvicorn

    head = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % length)]}
    body = {"type": "http.response.body", "body": b"x" * length}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send(head)
            await send(body)

    # With its protocol named, as uvicorn's own: asyncio turns off delays (Nagle) on known TCP only.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(4096)
    print(f"127.0.0.1:{listener.getsockname()[1]}/", file=sys.stderr, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, ws="none")).run(
        sockets=[listener]
    )


def cpu_seconds(process: Process) -> float:
    """CPU time of a process so far: what a busy machine cannot blur."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read(port: int, path: str) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=300) as answer:
        found: bytes = answer.read()
        return found


# --- batches ------------------------------------------------------------------------------------


def batch_body(size: int) -> bytes:
    return json.dumps({"urls": [f"{URLS[n % len(URLS)]}{n}" for n in range(size)]}).encode()


def batch(port: int, body: bytes, size: int) -> float:
    """Seconds of one batch, from the first byte sent to the last byte of the answer."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/detect/batch", body, {"content-type": "application/json"}
    )
    began = time.perf_counter()
    with urllib.request.urlopen(request, timeout=300) as answer:
        told = answer.read()
    seconds = time.perf_counter() - began
    assert json.loads(told)["count"] == size
    return seconds


def batches(process: Process, port: int, size: int, rounds: int) -> dict[str, Any]:
    body = batch_body(size)
    batch(port, body, size)  # to warm up
    before = cpu_seconds(process)
    times = [batch(port, body, size) for _ in range(rounds)]
    used = cpu_seconds(process) - before
    return {"urls": size, "rounds": rounds, "urls_per_s": round(size / min(times)),
            "urls_per_s_median": round(size / sorted(times)[rounds // 2]),
            "urls_per_cpu_s": round(size * rounds / used)}  # fmt: skip


@contextlib.contextmanager
def batches_meanwhile(port: int, size: int, seconds: list[float]) -> Iterator[None]:
    """Another client sends batch after batch, as long as this lasts."""
    over, body = threading.Event(), batch_body(size)

    def send() -> None:
        while not over.is_set():
            seconds.append(batch(port, body, size))

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


# --- single detects -----------------------------------------------------------------------------


async def ask(port: int, path: str, times: list[float], n: int, start: asyncio.Event) -> int:
    """One client: a connection that stays, ``n`` requests one after the other; how many failed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await start.wait()
    failed = 0
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    for _ in range(n):
        began = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(size)
        times.append(time.perf_counter() - began)
        failed += not head.startswith(b"HTTP/1.1 200")
    writer.close()
    return failed


async def crowd(port: int, path: str, clients: int, requests: int) -> tuple[list[float], int, float]:
    """Many clients at once: the times of all requests, how many failed, requests a second."""
    times: list[float] = []
    start = asyncio.Event()
    each = max(1, requests // clients)
    tasks = [asyncio.create_task(ask(port, path, times, each, start)) for _ in range(clients)]
    await asyncio.sleep(0.5 + clients / 2_000)
    began = time.perf_counter()
    start.set()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    failed = sum(each if isinstance(end, BaseException) else end for end in ended)
    return sorted(times), failed, clients * each / (time.perf_counter() - began)


def p99(times: list[float]) -> float:
    return times[max(int(len(times) * 0.99) - 1, 0)] * 1000


class Turns:
    """Turns of one server: the quietest counts for rate and p99, all of them for processor time."""

    def __init__(self, process: Process, port: int) -> None:
        self.process, self.port = process, port
        self.times: list[list[float]] = []
        self.rates: list[float] = []
        self.failed, self.cpu = 0, 0.0

    def take(self, path: str, clients: int, requests: int) -> None:
        """One more turn."""
        before = cpu_seconds(self.process)
        times, failed, rate = asyncio.run(crowd(self.port, path, clients, requests))
        self.cpu += cpu_seconds(self.process) - before
        self.times, self.rates, self.failed = [*self.times, times], [*self.rates, rate], self.failed + failed

    def figures(self) -> dict[str, Any]:
        """What was measured."""
        n = sum(map(len, self.times))
        return {
            "requests": n, "failed": self.failed, "requests_per_s": round(max(self.rates)),
            "p50_ms": round(min(times[len(times) // 2] for times in self.times) * 1000, 2),
            "p99_ms": round(min(map(p99, self.times)), 2), "cpu_ms_per_request": round(self.cpu / n * 1000, 3),
        }  # fmt: skip


def singles(
    studio: tuple[Process, int], peer: tuple[Process, int], clients: int, requests: int
) -> dict[str, Any]:
    """The same questions to the peer and to the studio, in turns: what else the machine does hits both."""
    path = f"/v1/detect?url={URLS[0]}"
    ours, bare_ones = Turns(*studio), Turns(*peer)
    for turns in (ours, bare_ones):
        asyncio.run(crowd(turns.port, path, min(clients, 50), 200))  # to warm up
    for _ in range(TURNS):
        for turns in (bare_ones, ours):
            turns.take(path, clients, requests // TURNS)
    told, base = ours.figures(), bare_ones.figures()
    ratio = round(told["p99_ms"] / base["p99_ms"], 1)
    return {
        "clients": clients,
        **told,
        "p99_ratio": ratio,
        **{f"bare_{name}": value for name, value in base.items()},
    }


# --- figures ------------------------------------------------------------------------------------


def measure(options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with running(["-m", "linksight", "serve", "--port", "0", "--data-dir", folder]) as (process, port):
            read(port, "/")
            told: dict[str, Any] = {"first_page_s": round(time.perf_counter() - began, 2)}
            told["cores"], told["load"] = len(os.sched_getaffinity(0)), round(os.getloadavg()[0], 1)
            told["batch"] = batches(process, port, options.batch, options.rounds)
            length = len(read(port, f"/v1/detect?url={URLS[0]}"))
            with running([__file__, "--bare", str(length)]) as peer:
                told["one"] = singles((process, port), peer, 1, options.requests // 10)
                told["crowd"] = singles((process, port), peer, options.clients, options.requests)
                seconds: list[float] = []
                with batches_meanwhile(port, options.batch, seconds):
                    time.sleep(0.5)
                    told["beside_batches"] = singles((process, port), peer, 1, options.requests // 10)
                told["beside_batches"]["batch_urls_per_s"] = round(
                    options.batch * len(seconds) / sum(seconds)
                )
    return told


def section(told: dict[str, Any]) -> str:
    """The figures as docs/api.md shows them."""
    one, many, beside, some = told["one"], told["crowd"], told["beside_batches"], told["batch"]
    failed = "none failed" if not many["failed"] else f"{many['failed']:,} failed"
    rows = [
        (f"URLs a second through `/v1/detect/batch`, {some['urls']:,} at a time", f"{some['urls_per_s']:,}"),
        ("the same for each second of processor time", f"{some['urls_per_cpu_s']:,}"),
        (f"{many['clients']:,} clients at once, {many['requests']:,} single detects",
         f"{failed}; {many['requests_per_s']:,} a second"),
        ("a bare uvicorn's requests a second", f"{many['bare_requests_per_s']:,}"),
        ("their p99, and as a ratio to the bare uvicorn's", f"{many['p99_ms']:g} ms, {many['p99_ratio']:g}"),
        ("one client: p50, p99, p99 as a ratio to the bare uvicorn's",
         f"{one['p50_ms']:g} ms, {one['p99_ms']:g} ms, {one['p99_ratio']:g}"),
        ("one client while another sends batches: p50, p99", f"{beside['p50_ms']:g} ms, {beside['p99_ms']:g} ms"),
        ("processor time of a single detect, of a bare answer",
         f"{many['cpu_ms_per_request']:g} ms, {many['bare_cpu_ms_per_request']:g} ms"),
        ("from the start to the first page", f"{told['first_page_s']:g} s"),
    ]  # fmt: skip
    lines = [f"One worker, {told['cores']} cores, a load of {told['load']:g} before it began:", "",
             "| what | measured |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows)]  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dry", action="store_true", help="show the figures and write nothing")
    parser.add_argument("--bare", type=int, metavar="BYTES", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare is not None:
        with contextlib.suppress(KeyboardInterrupt):
            bare(options.bare)
        return
    told = measure(options)
    print(json.dumps(told, indent=1))
    if not options.dry:
        (DOCS / "api.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        write_between(DOCS / "api.md", MARKS, section(told))


if __name__ == "__main__":
    main()
