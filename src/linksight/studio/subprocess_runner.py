"""Work in processes of its own, for jobs that must end as soon as they are cancelled."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import Any

from linksight.errors import LinksightError
from linksight.studio.jobs import Cancelled, Job
from linksight.system.processes import child_environment


def learn_apart(job: Job, asked: dict[str, Any]) -> int:
    """Have a site learnt by a process of its own; its number. A cancelled job ends the process."""
    command = [sys.executable, "-m", "linksight.studio.services.site_learning_worker"]
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
