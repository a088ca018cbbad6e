"""The worker's side of the fetcher: a child process at the other end of a socket."""

from __future__ import annotations

import contextlib
import select
import socket
import subprocess
import sys
from typing import Any

from linksight.crawl.fetch.ipc import Frames, pack
from linksight.crawl.run.config import CrawlConfig
from linksight.errors import CrawlError
from linksight.system.processes import child_environment

MAX_STARTS = 20  #: restarts without a response, after which the crawl fails


class FetcherProcess:
    """Sends jobs to the child process and receives responses; restarts the child when it dies."""

    def __init__(self, config: CrawlConfig) -> None:
        settings = config.as_dict() | {"seeds": [], "store": "", "address_delay": config.address_delay}
        settings["headers"] = config.request_headers()
        settings["host_headers"] = config.headers_by_host()
        self._config = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._frames = Frames()
        self.starts = 0

    @property
    def pid(self) -> int:
        """Process id of the child; 0 if there is none."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Start the child."""
        if self.starts >= MAX_STARTS:
            raise CrawlError(f"the fetcher has died {self.starts} times; see its messages above")
        self.starts += 1
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "linksight.crawl.fetch.fetcher_process",
            str(theirs.fileno()),
        ]
        with theirs:
            # A new session: Ctrl-C reaches only the worker, which then stops the child.
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], start_new_session=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, env=child_environment(),
            )  # fmt: skip
        self._socket = ours
        self._frames = Frames()
        self.send(self._config)  # not as an argument: other users can list those, and it may hold a password

    def send(self, job: dict[str, Any]) -> None:
        """Send a job; if the child dies the worker sends it again."""
        assert self._socket is not None
        with contextlib.suppress(OSError):  # the child is gone: receive() returns None then
            self._socket.sendall(pack(job))

    def receive(self, timeout: float) -> list[tuple[dict[str, Any], bytes]] | None:
        """Responses that arrive within ``timeout`` seconds; None: the child has died."""
        assert self._socket is not None
        answers: list[tuple[dict[str, Any], bytes]] = []
        wait = timeout
        while select.select([self._socket], [], [], wait)[0]:
            try:
                data = self._socket.recv(1 << 18)
            except OSError:
                data = b""
            if not data:
                return answers or None
            answers += self._frames.feed(data)
            self.starts = 1 if answers else self.starts
            wait = 0.0
            if len(answers) >= 64:
                break
        return answers

    def stop(self) -> None:
        """End the child."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
