"""Parses the fenced blocks of README.md and docs/, and the steps that a reader takes through a page.

The word after the backticks is the kind of a block, and KINDS lists how the tests check each kind. A test rejects
other words, so every example is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

#: How the tests check blocks of each kind.
KINDS = {
    "console": "commands after `$ ` with what they show: run in one shell a page, what is shown compared",
    "sh": "commands alone: run in the shell of the page, and each must succeed",
    "python": "run: a session (`>>>`) with its answers, a program to its end, a named file by the commands after it",
    "java": "a named file: compiled and run by the commands after it",
    "toml": "a named file: read by the commands after it",
    "synopsis": "ways to call, with words to be filled in: every command and option exists",
    "help": "what `--help` shows: the page is made again and compared",
    "diagram": "a drawing: nothing to run",
}
_FENCE = re.compile(r"^( *)```(.*)\n((?:.*\n)*?)\1```$", re.MULTILINE)
_NAME = re.compile(r"(?:#|//) ([\w-]+\.\w+)\n")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: Path
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def file(self) -> str:
        """The file that the block is, by the comment in its first line; nothing where it is none."""
        found = _NAME.match(self.text) if self.kind in ("python", "java", "toml") else None
        return found[1] if found else ""


@dataclass(frozen=True)
class Step:
    """One command that a reader types, and what the page shows then; None where it shows nothing of any."""

    where: str
    command: str
    wanted: str | None


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found[2], found[3])
        for found in _FENCE.finditer(text)
    ]


def steps(page: Path) -> list[Step]:
    """The commands of a page, in the order in which a reader types them."""
    return [step for block in blocks(page) for step in _steps(block)]


def _steps(block: Block) -> Iterator[Step]:
    if block.kind == "sh":
        yield from commands(block.text.splitlines(), str(block))
    if block.kind == "console":
        for typed in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command = re.match(r"(?:.*\\\n)*.*\n", typed)
            assert command, f"{block}: {typed}"
            yield Step(str(block), command[0].strip(), typed[command.end() :])


def commands(lines: Iterable[str], where: str) -> Iterator[Step]:
    """Commands without what they show, a line each; a backslash at the end goes on in the next line."""
    for line in re.sub(r"\\\n", "", "\n".join(lines)).splitlines():
        if line.strip():
            yield Step(where, line.strip(), None)
