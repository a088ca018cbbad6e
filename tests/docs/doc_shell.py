"""Types the steps of a page into one shell, as a reader would, and tells what each of them showed."""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from doc_blocks import Step

#: `...` in a page stands for what differs from one machine or day to the next, blanks for any blanks.
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_MARK = "--- what came before was"
#: These have no end of their own. What they show first is what the page shows; `serve` goes on for the commands after it.
_ENDLESS = re.compile(r"linksight serve|tail -f")
_LEAVES = "linksight serve"
#: Programs of examples that are no part of linksight, and which a machine need not have.
_TOOLS = ("curl", "java", "jq", "openssl", "spark-submit")

# A new session, so that a pipe ends as one; its first words are waited for, up to five minutes.
_BEGIN = """rm -f told; setsid bash -c {command} >told 2>&1 &
running="$running $!"
for i in $(seq 3000); do [ -s told ] && break; sleep .1; done
cat told; [ -s told ]"""
_END = 'for one in $running; do kill -- "-$one"; wait "$one"; done; running='


def lacking(steps: Sequence[Step]) -> dict[Step, str]:
    """The steps that cannot be taken on this machine, and the program that it lacks."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    absent = [tool for tool in _TOOLS if not shutil.which(tool, path=path)]
    return {
        step: tool for step in steps for tool in absent if re.search(rf"(^|[|;&] *){tool} ", step.command)
    }


def check(steps: Sequence[Step], folder: Path, places: Mapping[str, str]) -> None:
    """Fails where a step does not succeed, or shows something else than the page."""
    same = doctest.OutputChecker().check_output
    answers = typed(steps, folder, places)
    wrong = [
        f"{step.where}: {step.command}\nexit status {code}, and what it showed was:\n{told}"
        for step, (code, told) in zip(steps, answers, strict=False)
        if code != 0 or (step.wanted is not None and not same(step.wanted, told, FLAGS))
    ]
    assert not wrong, "\n".join(wrong)
    assert len(answers) == len(steps), f"the shell ended at {steps[len(answers)].command}"


def typed(steps: Sequence[Step], folder: Path, places: Mapping[str, str]) -> list[tuple[int, str]]:
    """(exit code, what was shown) of each step."""
    lines = "".join(f"{_line(step)}\nstatus=$?; echo; echo {_MARK} $status\n" for step in steps)
    script = f"running=; trap '{_END}' EXIT; trap exit TERM\n{lines}"
    with (folder / "shown").open("w+") as shown:
        shell = subprocess.Popen(
            ["bash"], cwd=folder, env={**os.environ, **places}, stdin=subprocess.PIPE, stdout=shown,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            shell.communicate(script, timeout=900)
        finally:
            with contextlib.suppress(ProcessLookupError):  # whatever a page started and did not stop
                os.killpg(shell.pid, signal.SIGTERM)
        shown.seek(0)
        told = shown.read()
    parts = re.split(rf"\n{_MARK} (\d+)\n", told)
    return [(int(code), text) for text, code in zip(parts[::2], parts[1::2], strict=False)]


def _line(step: Step) -> str:
    if not _ENDLESS.match(step.command):
        return step.command
    begin = _BEGIN.format(command=shlex.quote(step.command.removesuffix(" &")))
    return begin if step.command.startswith(_LEAVES) else f"{begin}; said=$?; {_END}; (exit $said)"
