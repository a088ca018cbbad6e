"""A throw-away PostgreSQL on a Unix socket, for tests, and for benchmarks that need one and are given none.

with LocalPostgres() as server:
    server.url                  # postgresql://postgres@/postgres?host=/tmp/...
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any


def programs() -> Path | None:
    """The folder of PostgreSQL's programs, the newest where there are several; None where it is not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if found := shutil.which("initdb"):
        folders.insert(0, Path(found).parent)
    return next((folder for folder in reversed(folders) if (folder / "initdb").exists()), None)


class LocalPostgres:
    """A server in a folder of its own, which is gone with it. ``settings`` are options of ``postgres``."""

    def __init__(self, settings: str = "") -> None:
        found = programs()
        if found is None:
            raise SystemExit("PostgreSQL is not installed here: give one with --store postgresql://…")
        self._programs = found
        self._settings = settings
        # PostgreSQL refuses to run as root; a socket's path must be short.
        self._user = "postgres" if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="ls-pg-", dir="/tmp"))
        if self._user:
            shutil.chown(self.folder, self._user)
        self.url = f"postgresql://postgres@/postgres?host={self.folder}"

    def __enter__(self) -> LocalPostgres:
        try:
            self._run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
            self.start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start the server; it answers when this is over."""
        options = f"-k {self.folder} -c listen_addresses='' {self._settings}"
        self._run("pg_ctl", "-l", str(self.folder / "log"), "-w", "-o", options, "start")

    def stop(self) -> None:
        """Stop it as a power cut would."""
        self._run("pg_ctl", "-m", "immediate", "stop")

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._programs / program), "-D", str(self.folder / "data"), *words]
        done = subprocess.run(
            command,
            user=self._user,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, f"{program}: {done.stdout} {done.stderr}"
