"""Learning in a subprocess, which ends as soon as its job is cancelled."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import Any

from linksight.errors import LinksightError
from linksight.studio.jobs import Cancelled, Job
from linksight.system.processes import child_environment


def learn_apart(job: Job, task: dict[str, Any]) -> int:
    """Learn a site in a subprocess with a memory limit; return the number of the site."""
    command = [sys.executable, "-m", "linksight.studio.services.workbench.learning_worker"]
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=child_environment()
        ) as child,
    ):
        job.on_cancel = child.terminate
        try:
            assert child.stdin
            assert child.stdout
            child.stdin.write(json.dumps(task).encode())
            child.stdin.close()
            for line in child.stdout:
                report = json.loads(line)
                if "site" in report:
                    return int(report["site"])
                if "error" in report:
                    raise LinksightError(report["error"])
                job.progress(report["done"], report["total"], report["message"])
        finally:
            job.on_cancel = None
            child.terminate()
        if job.is_cancelled:
            raise Cancelled
        child.wait()
        errors.seek(0)
        last = errors.read().decode("utf-8", "replace").strip().splitlines() or ["without a message"]
        raise LinksightError(f"learning ended early: {last[-1][:300]}")
