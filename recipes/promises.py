"""Break each promise of docs/security.md and see that its tests fail: python recipes/promises.py [WORD...]

The table in tests/security/mutations says, for each promise, which change of the source would break it and which of
the tests that it names must fail then. Each change is made in a copy of the source tree, never here. First the tests
run on the copy as it is: a test that fails anyway shows nothing. With words, only promises or changes that hold one
of them are tried. The outcome is kept in docs/promises.json, its count in docs/security.md. All of it takes an hour.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE, OUTCOME = ROOT / "docs" / "security.md", ROOT / "docs" / "promises.json"
TABLE = ROOT / "tests" / "security" / "mutations"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
COUNT = re.compile(r"\*\*\d+ of \d+\*\*")  #: how many changes were noticed, on the page
LIMIT_S = 900


@dataclass(frozen=True)
class Mutation:
    """One change of the source that breaks a promise, and the tests that must notice."""

    promise: str  #: its words on the page
    breaks: str  #: what the change makes linksight do
    file: str
    old: str
    new: str
    tests: tuple[str, ...]  #: as pytest calls them

    @property
    def key(self) -> str:
        return f"{self.promise} | {self.breaks}"

    def applied_to(self, root: Path) -> str:
        """The text of the file with the change made; it must be possible in one place alone."""
        text = (root / self.file).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.key}: its old text occurs {text.count(self.old)} times in {self.file}")
        return text.replace(self.old, self.new)


def promises(page: str) -> dict[str, dict[str, str]]:
    """The words of each promise on the page, and its tests: name -> name with path."""
    part = page.partition("## Promises")[2].partition("## Not promised")[0]
    lines = [line.removeprefix("- ") for line in part.splitlines() if line.startswith("- ")]
    return {line.partition(" `tests/")[0]: {name: f"{file}::{name}" for file, name in NAMED.findall(line)} for line in lines}  # fmt: skip


def mutations() -> list[Mutation]:
    """The whole table; every promise that it names is on the page, with the tests."""
    known = promises(PAGE.read_text(encoding="utf-8"))
    found = []
    for path in sorted(TABLE.glob("*.toml")):
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]:
            words = [words for words in known if words.startswith(row["promise"])]
            if len(words) != 1:
                raise ValueError(f"{path.name}: {row['promise']!r} begins {len(words)} promises")
            tests = tuple(known[words[0]][name] for name in row.pop("tests"))
            found.append(Mutation(**{**row, "promise": words[0]}, tests=tests))
    return found


def main(words: list[str]) -> int:
    if {"-h", "--help"} & {*words}:
        print(__doc__)
        return 0
    table = mutations()
    chosen = [each for each in table if not words or any(word in each.key for word in words)]
    if not chosen:  # pytest without a test to run would run them all
        print(f"no promise or change holds {' or '.join(words)}")
        return 1
    kept = json.loads(OUTCOME.read_text(encoding="utf-8")) if OUTCOME.exists() else {}
    with tempfile.TemporaryDirectory(prefix="linksight-promises-") as folder:
        copy = Path(folder) / "tree"
        _copy(copy)
        tests = sorted({test for each in chosen for test in each.tests})
        if useless := [test for test, came in _run(copy, tests, LIMIT_S * 4).items() if came != {"passed"}]:
            print("Without any change these tests fail, or do not run:", *useless, sep="\n  ")
            return 1
        for number, each in enumerate(chosen, 1):
            kept[each.key] = row = _tried(copy, each)
            print(f"{number:3}/{len(chosen)} {row['seconds']:4} s {'SURVIVED' if row['survived'] else 'killed':8} {each.key}")  # fmt: skip
            print(*(f"      does not fail: {test}\n" for test in row["survived"]), sep="", end="", flush=True)
            _keep(kept, table)
    return _keep(kept, table)


def _copy(target: Path) -> None:
    """What git knows or would take."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)  # fmt: skip
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def _tried(copy: Path, each: Mutation) -> dict[str, Any]:
    """Which tests noticed a change, and which did not."""
    path, before = copy / each.file, copy.parent / "before"
    text = each.applied_to(copy)
    shutil.copy2(path, before)  # with its time, by which compiled code is known
    began = time.monotonic()
    try:
        path.write_text(text, encoding="utf-8")
        # Compiled code keeps what it called when it was compiled: a change of such a file needs all of it anew.
        anew = f"-{began}" if "compiled" in text or "njit" in text else ""
        came = _run(copy, each.tests, LIMIT_S, anew)
    finally:
        shutil.copy2(before, path)
    survived = sorted(test for test in each.tests if "failed" not in came[test])
    return {
        "failed": sorted({*each.tests} - {*survived}),
        "survived": survived,
        "seconds": round(time.monotonic() - began),
    }


def _run(copy: Path, tests: Sequence[str], limit_s: int, anew: str = "") -> dict[str, set[str]]:
    """How the cases of each test ended: passed, failed, skipped; failed when they come to no end."""
    report = copy.parent / "report.xml"
    report.unlink(missing_ok=True)
    places = {
        **os.environ,
        "PYTHONPATH": str(copy / "src"),
        "NUMBA_CACHE_DIR": str(copy.parent / f"compiled{anew}"),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", f"--junitxml={report}"]  # fmt: skip
    try:
        subprocess.run([*command, *tests], cwd=copy, env=places, capture_output=True, timeout=limit_s, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return {test: {"failed"} for test in tests}
    ended: dict[str, set[str]] = {test: set() for test in tests}
    names = {test.replace("/", ".").replace(".py::", "."): test for test in tests}
    for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        name = f"{case.get('classname')}.{case.get('name', '').partition('[')[0]}"
        if name in names:
            ended[names[name]].add("skipped" if kinds == {"skipped"} else "failed" if kinds else "passed")
    return ended


def _keep(kept: dict[str, Any], table: list[Mutation]) -> int:
    """Write the outcome for what is in the table, and its count on the page; 1 unless all were noticed."""
    rows = {each.key: kept[each.key] for each in table if each.key in kept}
    noticed = sum(not row["survived"] for row in rows.values())
    OUTCOME.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(COUNT.sub(f"**{noticed} of {len(table)}**", page), encoding="utf-8")
    return 0 if noticed == len(table) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
