"""How fast the HTTP API is, on loopback: batches, a thousand clients at once, single detects.

The peer is a bare asyncio server on the same machine that answers every request with a constant of the
same length: what is left is the studio's own part, and the ratio holds on slow and busy machines alike.

    python benchmarks/studio_load.py --clients 1000 --requests 5000
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

URLS = [
    "https://www.lemonde.fr/economie/article/2024/05/17/titre-de-l-article",
    "http://www.zeitung.de/politik/artikel-17",
    "https://www.nu.nl/sport/voetbal/",
    "https://example.com/en/about-us?ref=home",
    "https://news.example.org/2023/11/05/a-long-story-about-something.html",
]


def start_studio(folder: Path) -> tuple[subprocess.Popen[bytes], int, float]:
    """A studio in a process of its own; its port, and the seconds until its first page was there."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "linksight", "serve", "--port", "0", "--data-dir", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ)
    assert process.stderr
    port = int(process.stderr.readline().decode().split("127.0.0.1:")[1].split("/")[0])
    urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60).read()
    return process, port, time.perf_counter() - began


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """CPU time of a process so far: what a busy machine cannot blur."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def batch_speed(port: int, size: int, rounds: int) -> float:
    """URLs a second through the batch route, the best of some rounds after one to warm up."""
    body = json.dumps({"urls": [f"{URLS[n % len(URLS)]}{n}" for n in range(size)]}).encode()
    best = 0.0
    for number in range(rounds + 1):
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/v1/detect/batch", body, {"content-type": "application/json"}
        )
        began = time.perf_counter()
        answer = json.loads(urllib.request.urlopen(request, timeout=300).read())
        assert answer["count"] == size
        if number:
            best = max(best, size / (time.perf_counter() - began))
    return best


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


async def bare(body: bytes) -> asyncio.Server:
    """The peer: answers anything with a constant."""
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096)


def p99(times: list[float]) -> float:
    return times[int(len(times) * 0.99) - 1] * 1000


async def compare(
    process: subprocess.Popen[bytes], port: int, options: argparse.Namespace
) -> dict[str, object]:
    path = f"/v1/detect?url={URLS[0]}"
    length = len(urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60).read())
    peer = await bare(b"x" * length)
    peer_port = peer.sockets[0].getsockname()[1]
    told: dict[str, object] = {}
    for name, clients, requests in (
        ("one client", 1, options.requests // 5),
        ("crowd", options.clients, options.requests),
    ):
        base, _, base_rate = await crowd(peer_port, path, clients, requests)
        before = cpu_seconds(process)
        times, failed, rate = await crowd(port, path, clients, requests)
        used = cpu_seconds(process) - before
        told[name] = {
            "clients": clients, "requests": len(times), "failed": failed, "requests_per_s": round(rate),
            "p50_ms": round(times[len(times) // 2] * 1000, 2), "p99_ms": round(p99(times), 2),
            "bare_p99_ms": round(p99(base), 2), "p99_ratio": round(p99(times) / p99(base), 1),
            "bare_requests_per_s": round(base_rate), "cpu_ms_per_request": round(used / len(times) * 1000, 2),
        }  # fmt: skip
    peer.close()
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--batch", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        process, port, first = start_studio(Path(folder))
        try:
            told: dict[str, object] = {"first_page_s": round(first, 2), "load": os.getloadavg()[0]}
            batch_speed(port, options.batch, 0)
            before = cpu_seconds(process)
            told["batch_urls_per_s"] = round(batch_speed(port, options.batch, options.rounds))
            used = cpu_seconds(process) - before
            told["batch_urls_per_cpu_s"] = round(options.batch * (options.rounds + 1) / used)
            told |= asyncio.run(compare(process, port, options))
        finally:
            process.terminate()
            process.wait(20)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
