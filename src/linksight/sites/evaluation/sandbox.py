"""Rules that strangers wrote are tried in a process of its own, with an end: ``python -m linksight.sites.evaluation.sandbox``.

A short XPath can ask for more steps than there will ever be time for, and so can an expression of Python; nothing in
the libraries stops them. The system does: the process may use so much processor time and memory, then it is ended.
It gets the rules and the pages through its stdin, opens nothing, and writes to its stdout where it is, in place, and
the answer at the end.
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
PLACE = 22  #: bytes that say which rule is tried on which hub


@dataclass(frozen=True)
class Limits:
    """What the rules of a stranger may use, for all pages together."""

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
    """As :func:`~linksight.sites.evaluation.class_rules.label_links`, within limits; ``began`` is given what can be ended earlier.

    >>> rules = [ClassRule("ticket", "xpath", "//a[@class='t']")]
    >>> hub = Hub("http://a.org/", [], content_type="text/html", body=b"<a class=t href=/t/1>1</a>")
    >>> label_apart([hub], rules)
    {'http://a.org/t/1': 'ticket'}
    """
    asked = {"rules": [asdict(rule) for rule in rules], "linear": linear, "limits": asdict(LIMITS)}
    command = [sys.executable, "-m", "linksight.sites.evaluation.sandbox"]
    with (
        # Files, not pipes: nobody waits for the other while pages are still being handed over.
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as trouble,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=trouble, env=child_environment()) as child,
    ):  # fmt: skip
        assert child.stdin
        try:
            began(child)
            with suppress(BrokenPipeError):  # it has ended: what it said tells why
                _hand_over(child.stdin, asked, hubs)
                child.stdin.close()
            child.wait()
        except BaseException:  # an interrupt: do not wait for rules that nobody wants any more
            child.kill()
            raise
        finally:
            with suppress(BrokenPipeError):
                child.stdin.close()
        said.seek(0)
        place, answer = said.read(PLACE).split(), said.read()
        trouble.seek(0)
        words = trouble.read().decode("utf-8", "replace").strip().splitlines()
    if answer.endswith(b"\n"):  # it came to its end
        return _told(json.loads(answer))
    if place:
        raise _too_much(rules[int(place[0])], hubs[int(place[1])])
    raise LinksightError(f"the rules could not be tried: {words[-1][:300] if words else child.returncode}")


def _hand_over(to: IO[bytes], asked: dict[str, Any], hubs: Sequence[Hub]) -> None:
    """A line with the rules; then for each hub a line that says how long its page is, and the page."""
    to.write(json.dumps(asked).encode() + b"\n")
    for hub in hubs:
        body = hub.body or b""
        told = {"url": hub.url, "content_type": hub.content_type, "urls": hub.urls, "size": len(body)}
        to.write(json.dumps(told).encode() + b"\n" + body)


def _told(answer: dict[str, Any]) -> dict[str, str]:
    if "error" in answer:
        raise BadConfig(answer["error"])
    labels: dict[str, str] = answer["labels"]
    return labels


def _too_much(rule: ClassRule, hub: Hub) -> BadConfig:
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
    asked = json.loads(sys.stdin.buffer.readline())
    rules = [ClassRule(**rule) for rule in asked["rules"]]
    if asked["linear"]:
        import pyarrow.compute  # noqa: F401 (what it takes is no fault of the rules)
    _confine(Limits(**asked["limits"]))

    numbers = {id(rule): number for number, rule in enumerate(rules)}
    hubs = _Pages(sys.stdin.buffer)

    def before(rule: ClassRule) -> None:
        os.lseek(1, 0, os.SEEK_SET)
        os.write(1, f"{numbers[id(rule)]:10} {hubs.number:10}\n".encode())

    try:
        answer: dict[str, Any] = {"labels": label_links(hubs, rules, linear=asked["linear"], before=before)}
    except LinksightError as error:
        answer = {"error": str(error)}
    except MemoryError:
        return  # where it was is written
    os.lseek(1, PLACE, os.SEEK_SET)
    print(json.dumps(answer))


@dataclass
class _Pages:
    """The hubs that are handed over, and which of them was the last."""

    source: IO[bytes]
    number: int = -1

    def __iter__(self) -> Iterator[Hub]:
        while line := self.source.readline():
            told = json.loads(line)
            self.number += 1
            links = [Link(url) for url in told["urls"]]
            body = self.source.read(told["size"])
            yield Hub(told["url"], links, content_type=told["content_type"], body=body)


def _confine(limits: Limits) -> None:
    """Limit the processor time and memory of this process; Windows has no such limits."""
    if sys.platform == "win32":
        return
    import resource

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end = limits.seconds + math.ceil(time.process_time())  # what it took to begin is no fault of the rules
    _limit(resource.RLIMIT_CPU, end)
    here = Path("/proc/self/statm")
    begun = int(here.read_text().split()[0]) * resource.getpagesize() if here.exists() else 0
    _limit(resource.RLIMIT_AS, begun + limits.memory)


def _limit(what: int, most: int) -> None:
    """Set a limit, unless a lower one is in force."""
    if sys.platform == "win32":
        return
    import resource

    _, allowed = resource.getrlimit(what)
    most = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
    resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
