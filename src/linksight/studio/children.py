"""Work in processes of its own, for jobs that must end as soon as they are cancelled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import linksight
from linksight.errors import LinksightError
from linksight.studio.jobs import Cancelled, Job


def child_environment() -> dict[str, str]:
    """The environment for a process that uses the library that we are, wherever it was found."""
    home = str(Path(linksight.__file__).parents[1])
    return os.environ | {"PYTHONPATH": os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])}


def learn_apart(job: Job, asked: dict[str, Any]) -> int:
    """Have a site learnt by a process of its own; its number. A cancelled job ends the process."""
    command = [sys.executable, "-m", "linksight.studio.gatherer"]
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, env=child_environment()
        ) as child,
    ):
        job.on_cancel = child.terminate
        try:
            assert child.stdin
            assert child.stdout
            child.stdin.write(json.dumps(asked).encode())
            child.stdin.close()
            for line in child.stdout:
                told = json.loads(line)
                if "site" in told:
                    return int(told["site"])
                if "error" in told:
                    raise LinksightError(told["error"])
                job.progress(told["done"], told["total"], told["message"])
        finally:
            job.on_cancel = None
            child.terminate()
        if job.is_cancelled:
            raise Cancelled
        child.wait()
        said.seek(0)
        last = said.read().decode("utf-8", "replace").strip().splitlines() or ["it ended without a word"]
        raise LinksightError(f"learning ended early: {last[-1][:300]}")
