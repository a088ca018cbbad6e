"""Peak memory of a system, measured in a separate process.

``python -m linksight.lab.compare.memory_usage TASK NAME`` reads rows as JSON from stdin and prints the bytes that the process
grew by at its peak, without the memory of starting and of reading the rows.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linksight.system.processes import child_environment

N_ROWS = 50  #: rows after which everything is loaded
N_BULK_ROWS = 2_000  #: the same for systems that process batches
TIMEOUT_SECONDS = 600


def peak_memory(task: str, name: str, rows: Sequence[Any], most: int = N_ROWS) -> float | None:
    """The peak memory of a system in bytes, or None if it cannot be measured."""
    if not sys.platform.startswith("linux"):
        return None
    encoded = [row if isinstance(row, str) else base64.b64encode(row).decode("ascii") for row in rows[:most]]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "linksight.lab.compare.memory_usage", task, name],
            input=json.dumps(encoded), env=child_environment(), capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True,
        )  # fmt: skip
        return float(done.stdout.split()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return None


def _memory_bytes(what: str) -> int:
    """The memory of this process in bytes, now (``VmRSS``) or at its peak (``VmHWM``).

    ``getrusage`` is unsuitable: its figure for a child starts at the size of the parent.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:"))


def main() -> None:
    """Load one system, run it over the rows, and print its peak memory."""
    from linksight.lab.compare.systems import systems

    task, name = sys.argv[1:3]
    encoded = json.load(sys.stdin)
    rows = [row if task in ("urls", "texts") else base64.b64decode(row) for row in encoded]
    system = next(peer for peer in systems(task) if peer.name == name)
    before = _memory_bytes("VmRSS")
    ask, reason = system.ready()
    if ask is None:
        sys.exit(reason)
    ask(rows)
    print(max(0, _memory_bytes("VmHWM") - before))


if __name__ == "__main__":
    main()
