"""Run untrusted rules in a subprocess with CPU and memory limits: ``python -m linksight.sites.evaluation.sandbox``.

A short XPath or regular expression can take exponential time, and the libraries have no timeout. So the operating
system limits the CPU time and the memory of the process. The process reads the rules and the pages from stdin and opens
no files. It overwrites the start of stdout with its position, and appends the answer at the end.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from linksight.errors import BadConfig, LinksightError
from linksight.sites.evaluation.class_rules import ClassRule, is_table, label_links, read_rules, read_table
from linksight.sites.gathering.links import Link
from linksight.sites.workbench.hub_repository import Hub
from linksight.system.processes import child_environment

MIB = 1 << 20
POSITION_BYTES = 22  #: of the numbers of the current rule and hub, at the start of stdout


@dataclass(frozen=True)
class Limits:
    """Resource limits for untrusted rules, for all pages together."""

    seconds: int = 60  #: of processor time
    memory: int = 1024 * MIB  #: beyond what the process begins with

    def __str__(self) -> str:
        return f"{self.seconds} s of processor time or {self.memory / (1 << 30):g} GiB of memory"


LIMITS = Limits()


def read_labels(path: str | Path, hubs: Sequence[Hub]) -> dict[str, str]:
    """The class of each link, by a file of rules (``.toml``, ``.json``) or a table (``.csv`` and others)."""
    if is_table(path):
        return read_table(path)
    return label_apart(hubs, read_rules(path))


def label_apart(
    hubs: Sequence[Hub],
    rules: Sequence[ClassRule],
    *,
    linear: bool = False,
    began: Callable[[subprocess.Popen[bytes]], None] = lambda child: None,
) -> dict[str, str]:
    """As :func:`~linksight.sites.evaluation.class_rules.label_links`, within limits; ``began`` gets the process, to kill it early.

    >>> rules = [ClassRule("ticket", "xpath", "//a[@class='t']")]
    >>> hub = Hub("http://a.org/", [], content_type="text/html", body=b"<a class=t href=/t/1>1</a>")
    >>> label_apart([hub], rules)
    {'http://a.org/t/1': 'ticket'}
    """
    request = {"rules": [asdict(rule) for rule in rules], "linear": linear, "limits": asdict(LIMITS)}
    command = [sys.executable, "-m", "linksight.sites.evaluation.sandbox"]
    with (
        # Files, not pipes: a full pipe would block the process while pages are still being sent.
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=errors, env=child_environment()) as child,
    ):  # fmt: skip
        assert child.stdin
        try:
            began(child)
            with suppress(BrokenPipeError):  # it has ended; its output shows why
                _send_pages(child.stdin, request, hubs)
                child.stdin.close()
            child.wait()
        except BaseException:  # an interrupt: do not wait for the rules
            child.kill()
            raise
        finally:
            with suppress(BrokenPipeError):
                child.stdin.close()
        output.seek(0)
        position, answer = output.read(POSITION_BYTES).split(), output.read()
        errors.seek(0)
        words = errors.read().decode("utf-8", "replace").strip().splitlines()
    if answer.endswith(b"\n"):  # a complete answer
        return _read_answer(json.loads(answer))
    if position:
        raise _limit_error(rules[int(position[0])], hubs[int(position[1])])
    raise LinksightError(f"the rules could not be tried: {words[-1][:300] if words else child.returncode}")


def _send_pages(to: IO[bytes], request: dict[str, Any], hubs: Sequence[Hub]) -> None:
    """Write a line with the rules; then for each hub a line with the length of its page, and the page."""
    to.write(json.dumps(request).encode() + b"\n")
    for hub in hubs:
        body = hub.body or b""
        header = {"url": hub.url, "content_type": hub.content_type, "urls": hub.urls, "size": len(body)}
        to.write(json.dumps(header).encode() + b"\n" + body)


def _read_answer(answer: dict[str, Any]) -> dict[str, str]:
    if "error" in answer:
        raise BadConfig(answer["error"])
    labels: dict[str, str] = answer["labels"]
    return labels


def _limit_error(rule: ClassRule, hub: Hub) -> BadConfig:
    cure = {"regex": "write it without repeats inside repeats"}.get(
        rule.kind, "lead to the links step by step, such as //ul[@class='results']//a, and count or compare nothing for each"
    )  # fmt: skip
    return BadConfig(
        f"class {rule.name!r}: the {rule.kind} {rule.expression[:200]!r} asks for more than the {LIMITS} "
        f"that rules may use (it was at {hub.url[:200]}); {cure}"
    )


# -- the process -----------------------------------------------------------------------------------


def main() -> None:
    """Label the links of the pages on stdin by the rules on its first line."""
    request = json.loads(sys.stdin.buffer.readline())
    rules = [ClassRule(**rule) for rule in request["rules"]]
    if request["linear"]:
        import pyarrow.compute  # noqa: F401 (imported before the limits apply)
    _set_limits(Limits(**request["limits"]))

    numbers = {id(rule): number for number, rule in enumerate(rules)}
    hubs = _Pages(sys.stdin.buffer)

    def before(rule: ClassRule) -> None:
        os.lseek(1, 0, os.SEEK_SET)
        os.write(1, f"{numbers[id(rule)]:10} {hubs.number:10}\n".encode())

    try:
        answer: dict[str, Any] = {"labels": label_links(hubs, rules, linear=request["linear"], before=before)}
    except LinksightError as error:
        answer = {"error": str(error)}
    except MemoryError:
        return  # its position is on stdout already
    os.lseek(1, POSITION_BYTES, os.SEEK_SET)
    print(json.dumps(answer))


@dataclass
class _Pages:
    """The hubs on stdin, and the number of the last one read."""

    source: IO[bytes]
    number: int = -1

    def __iter__(self) -> Iterator[Hub]:
        while line := self.source.readline():
            header = json.loads(line)
            self.number += 1
            links = [Link(url) for url in header["urls"]]
            body = self.source.read(header["size"])
            yield Hub(header["url"], links, content_type=header["content_type"], body=body)


def _set_limits(limits: Limits) -> None:
    """Limit the processor time and memory of this process; Windows has no such limits."""
    if sys.platform == "win32":
        return
    import resource

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end = limits.seconds + math.ceil(time.process_time())  # the start of the process does not count
    _set_limit(resource.RLIMIT_CPU, end)
    here = Path("/proc/self/statm")
    begun = int(here.read_text().split()[0]) * resource.getpagesize() if here.exists() else 0
    _set_limit(resource.RLIMIT_AS, begun + limits.memory)


def _set_limit(what: int, maximum: int) -> None:
    """Set a limit, unless a lower one is in force."""
    if sys.platform == "win32":
        return
    import resource

    _, allowed = resource.getrlimit(what)
    maximum = maximum if allowed == resource.RLIM_INFINITY else min(maximum, allowed)
    resource.setrlimit(what, (maximum, maximum))


if __name__ == "__main__":
    main()
