"""The bill of materials of an installation, as CycloneDX JSON: python recipes/sbom.py [EXTRA...] > sbom.json

What linksight and the named extras need, and what those need in turn, with the versions installed here.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

VAGUE = ("", "UNKNOWN", "Other/Proprietary License")
PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def closure(extras: tuple[str, ...]) -> tuple[dict[str, metadata.Distribution], set[str]]:
    """Every distribution that is needed, by name, and the names of those that are not installed."""
    waiting = [Requirement(text) for text in PROJECT["dependencies"]]
    for extra in extras:
        waiting += [Requirement(text) for text in PROJECT["optional-dependencies"][extra]]
    found: dict[str, metadata.Distribution] = {}
    lacking: set[str] = set()
    seen: set[tuple[str, str]] = set()
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        for extra in ("", *wanted.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            if name == "linksight":
                waiting += [Requirement(text) for text in PROJECT["optional-dependencies"].get(extra, [])]
                continue
            try:
                found[name] = metadata.distribution(name)
            except metadata.PackageNotFoundError:
                lacking.add(name)
                continue
            needs = [Requirement(text) for text in found[name].requires or ()]
            waiting += [need for need in needs if not need.marker or need.marker.evaluate({"extra": extra})]
    return found, lacking


def document(extras: tuple[str, ...]) -> dict[str, Any]:
    """The bill as plain values; the same installation gives the same bill."""
    found, _ = closure(extras)
    parts = [
        {
            "type": "library",
            "name": name,
            "version": found[name].version,
            "purl": f"pkg:pypi/{name}@{found[name].version}",
            "licenses": [{"license": {"name": _licence(found[name])}}],
        }
        for name in sorted(found)
    ]
    own = {
        "type": "library",
        "name": "linksight",
        "version": PROJECT["version"],
        "purl": f"pkg:pypi/linksight@{PROJECT['version']}",
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": parts,
    }


def _licence(distribution: metadata.Distribution) -> str:
    about = distribution.metadata
    text = about.get("License-Expression") or about.get("License") or ""
    kinds = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or () if line.startswith("License")
    ]
    told = text if text and "\n" not in text and len(text) < 100 else " AND ".join(kinds)
    # Some say it in the licence itself only: its first line names it.
    return (_title(distribution) if told in VAGUE else told) or "unknown"


def _title(distribution: metadata.Distribution) -> str:
    names = [path for path in distribution.files or () if path.name.upper().startswith("LICEN")]
    lines = [line.strip() for path in names[:1] for line in path.read_text().splitlines() if line.strip()]
    return lines[0][:100] if lines else ""


def main() -> None:
    """Print the bill; what is not installed is named on stderr."""
    extras = tuple(sys.argv[1:])
    unknown = set(extras) - set(PROJECT["optional-dependencies"])
    if unknown:
        sys.exit(f"no such extra: {', '.join(sorted(unknown))}")
    for name in sorted(closure(extras)[1]):
        print(f"not installed: {name}", file=sys.stderr)
    print(json.dumps(document(extras), indent=1))


if __name__ == "__main__":
    main()
