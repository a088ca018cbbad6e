"""A throw-away PostgreSQL on a Unix socket, for benchmarks that need one and are given none.

with local_postgres() as store:
    ...                         # postgresql://postgres@/postgres?host=/tmp/...
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def local_postgres() -> Iterator[str]:
    """A server that is gone when the block ends; answers its URL."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or [
        Path(shutil.which("initdb") or "/nowhere").parent
    ]
    if not (programs[-1] / "initdb").exists():
        sys.exit("PostgreSQL is not installed here: give one with --store postgresql://…")
    # PostgreSQL refuses to run as root; a socket's path must be short.
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="ls-pg-", dir="/tmp"))
    if user:
        shutil.chown(folder, user)
    data = str(folder / "data")

    def pg(program: str, *arguments: str) -> None:
        subprocess.run(
            [str(programs[-1] / program), "-D", data, *arguments],
            user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=300,
        )  # fmt: skip

    try:
        pg("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        pg("pg_ctl", "-l", str(folder / "log"), "-w", "-o", f"-k {folder} -c listen_addresses=''", "start")
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            pg("pg_ctl", "-m", "fast", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
