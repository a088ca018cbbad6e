"""Known vulnerabilities from a folder of advisories in the OSV format, without asking any service.

The folder is a checkout of the PyPA advisory database (``vulns/NAME/*.yaml``), or any folder of OSV files, YAML or
JSON. A file that cannot be understood is an error: an advisory that was skipped would look like a clean bill.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

SUFFIXES = (".yaml", ".yml", ".json")
BOUNDS = ("introduced", "fixed", "last_affected", "limit")


class BadAdvisory(ValueError):
    """A file or folder of advisories that cannot be used: which, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot use {path}: {reason}")


def normal(name: str) -> str:
    """The name of a package as the registry compares it.

    >>> normal("Zope.Interface")
    'zope-interface'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True, slots=True)
class Range:
    """From where to where an advisory holds, as the events of the OSV format.

    >>> events = [{"introduced": "0"}, {"fixed": "1.10.13"}, {"introduced": "2.0.0"}, {"fixed": "2.4.0"}]
    >>> span = Range.parse(events)
    >>> [span.holds(Version(text)) for text in ("1.9", "1.10.13", "2.0", "2.3.9", "2.4.0", "2.10")]
    [True, False, True, True, False, False]
    >>> Range.parse([{"introduced": "1"}, {"last_affected": "1.4.2"}]).holds(Version("1.4.2"))
    True
    """

    events: tuple[tuple[Version, str], ...]

    @classmethod
    def parse(cls, events: list[dict[str, str]]) -> Range:
        """Raises ValueError where an event has no kind that is known, or no version."""
        pairs = []
        for event in events:
            kind = next((kind for kind in BOUNDS if kind in event), None)
            if kind is None:
                raise ValueError(f"an event of no known kind: {sorted(event)}")
            pairs.append((Version(str(event[kind])), kind))
        if not any(kind == "introduced" for _, kind in pairs):
            raise ValueError("a range that begins nowhere")
        # At the same version the fix counts: introduced comes first.
        return cls(tuple(sorted(pairs, key=lambda pair: (pair[0], BOUNDS.index(pair[1])))))

    def holds(self, version: Version) -> bool:
        """Whether a version is in the range."""
        inside = False
        for bound, kind in self.events:
            if kind == "introduced" and version >= bound:
                inside = True
            elif (kind in ("fixed", "limit") and version >= bound) or (
                kind == "last_affected" and version > bound
            ):
                inside = False
        return inside

    def fixes(self) -> list[Version]:
        """The versions that end it."""
        return [bound for bound, kind in self.events if kind == "fixed"]


@dataclass(frozen=True, slots=True)
class Advisory:
    """What one advisory says of one package."""

    id: str
    aliases: frozenset[str]
    modified: str
    ranges: tuple[Range, ...]
    versions: frozenset[Version]

    def holds(self, version: str) -> bool:
        """Whether a version is affected, by its ranges or because it is named."""
        parsed = Version(version)
        return any(span.holds(parsed) for span in self.ranges) or parsed in self.versions

    def fixed_after(self, version: str) -> str | None:
        """The first version after this one that is free of it."""
        later = [fix for span in self.ranges for fix in span.fixes() if fix > Version(version)]
        free = [fix for fix in sorted(later) if not self.holds(str(fix))]
        return str(free[0]) if free else None


class Advisories:
    """The advisories of a folder, by package.

    Withdrawn ones are left out. In a checkout only the files of the packages that are asked about are opened.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.newest = ""  # when the latest advisory that was opened was changed: how old this copy is
        if not folder.is_dir():
            raise BadAdvisory(folder, "not a folder")
        if next(_files(folder), None) is None:
            raise BadAdvisory(folder, "no advisories in it (*.yaml, *.yml, *.json)")
        self._by_folder = (folder / "vulns").is_dir()
        self._all: dict[str, list[Advisory]] = {} if self._by_folder else self._read(_files(folder))

    def of(self, name: str) -> list[Advisory]:
        """The advisories of a package, by id."""
        name = normal(name)
        if self._by_folder and name not in self._all:
            # One advisory may name several packages; each has a file in the folder of its own.
            found = self._read(_files(self.folder / "vulns" / name))
            self._all[name] = found.get(name, [])
        return sorted(self._all.get(name, []), key=lambda advisory: advisory.id)

    def against(self, name: str, version: str) -> list[Advisory]:
        """The advisories that hold for a version; of several for the same flaw the first."""
        found: list[Advisory] = []
        told: set[str] = set()
        for advisory in self.of(name):
            names = {advisory.id, *advisory.aliases}
            if advisory.holds(version) and not names & told:
                found.append(advisory)
                told |= names
        return found

    def _read(self, paths: Iterator[Path]) -> dict[str, list[Advisory]]:
        found: dict[str, list[Advisory]] = {}
        for path in paths:
            for name, advisory in parse(path):
                self.newest = max(self.newest, advisory.modified)
                found.setdefault(name, []).append(advisory)
        return found


def parse(path: Path) -> list[tuple[str, Advisory]]:
    """The Python packages that a file speaks of, each with what it says; nothing if it was withdrawn."""
    content = _load(path)
    try:
        if content.get("withdrawn"):
            return []
        return [
            (normal(entry["package"]["name"]), _advisory(content, entry))
            for entry in content.get("affected") or ()
            if entry.get("package", {}).get("ecosystem") == "PyPI"
        ]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = f"no {error} in it" if isinstance(error, KeyError) else str(error)
        raise BadAdvisory(path, reason) from None


def _advisory(content: dict[str, Any], entry: dict[str, Any]) -> Advisory:
    spans = [span for span in entry.get("ranges") or () if span["type"] == "ECOSYSTEM"]  # others are of git
    versions = {_version(str(version)) for version in entry.get("versions") or ()}
    if not spans and not versions:
        raise ValueError("neither versions nor a range of versions")
    return Advisory(
        str(content["id"]),
        frozenset(content.get("aliases") or ()),
        str(content.get("modified") or ""),
        tuple(Range.parse(span["events"]) for span in spans),
        frozenset(version for version in versions if version),
    )


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:  # from before versions had rules; nothing that is installed today has one
        return None


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and path.is_file())


def _load(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else _yaml(text)
    except (OSError, ValueError) as error:
        raise BadAdvisory(path, str(error).splitlines()[0]) from None
    if not isinstance(content, dict) or "id" not in content:
        raise BadAdvisory(path, "not an advisory: it has no id")
    return content


def _yaml(text: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise SystemExit("reading YAML advisories needs PyYAML: pip install pyyaml") from None
    # The base loader makes text of everything: to the others, version 3.10 is the number 3.1.
    try:
        return yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
