"""``linksight`` without the second that Python takes to load it: a process that has it loaded, and forks for each call.

``python doc_server.py SOCKET`` serves; the examples call ``python -S -E doc_client.py SOCKET WORD...``.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import sys
from typing import NoReturn

#: What commands import, the slow things first; where one is missing the command itself says so.
_LOADED = (
    "numpy", "pyarrow.parquet", "pyarrow.csv", "rich.console", "sklearn.svm", "matplotlib.pyplot", "sqlalchemy",
    "lxml.html", "linksight.native", "linksight.url_model.model", "linksight.cli.detect.command", "linksight.cli.commands.identify", "linksight.cli.commands.train",
    "linksight.cli.site.command", "linksight.cli.crawl.run", "linksight.crawl.run.api", "linksight.lab.papers.reproduce", "linksight.pages.langid.classifier",
)  # fmt: skip


def main(path: str) -> NoReturn:
    """Wait for calls until killed."""
    for name in _LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended: the answer goes over the wire
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(16)
        print("ready", flush=True)
        while True:
            call, _ = listener.accept()
            if os.fork() == 0:
                answer(call)
            call.close()


def answer(call: socket.socket) -> NoReturn:
    """Run one command with the caller's files, folder and environment, and tell its exit status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    told, files, _, _ = socket.recv_fds(call, 1 << 20, 3)
    asked = json.loads(told)
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(place, "w", buffering=1, closefd=False) for place in (1, 2))  # noqa: SIM115
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    status = _run(asked["words"])
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    call.send(bytes([status]))
    os._exit(status)


def _run(words: list[str]) -> int:
    from linksight.cli import main as command

    sys.argv = ["linksight", *words]
    try:
        command(prog_name="linksight")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


if __name__ == "__main__":
    main(sys.argv[1])
