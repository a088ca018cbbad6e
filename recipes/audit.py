"""Audits what linksight needs, from its bill of materials: python recipes/audit.py [EXTRA...]

Known vulnerabilities come from pip-audit (``pip install pip-audit``); whether a version was withdrawn from the
registry, and whether every licence is known, is looked up besides. Ends with 1 if something is wrong and with 3 if
nothing is known to be wrong but not everything could be asked: silence of a service is no clean bill.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

INDEX = "https://pypi.org/simple"


def bill_of(extras: tuple[str, ...]) -> list[dict[str, Any]]:
    """The components of recipes/sbom.py."""
    spec = importlib.util.spec_from_file_location("sbom_recipe", Path(__file__).with_name("sbom.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    parts: list[dict[str, Any]] = module.document(extras)["components"]
    return parts


def advisories(parts: list[dict[str, Any]]) -> tuple[dict[str, list[str]], set[str]]:
    """Known vulnerabilities by package, and the packages that could not be asked about."""
    pins = "".join(f"{part['name']}=={part['version']}\n" for part in parts)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(pins)
        file.flush()
        command = [
            sys.executable,
            "-m",
            "pip_audit",
            "-r",
            file.name,
            "--no-deps",
            "--disable-pip",
            "-f",
            "json",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return read_report(json.loads(done.stdout), {part["name"] for part in parts})
    except ValueError:  # not installed, or its service does not answer
        return {}, {part["name"] for part in parts}


def read_report(report: dict[str, Any], names: set[str]) -> tuple[dict[str, list[str]], set[str]]:
    """What pip-audit found and what it left out.

    >>> rows = [{"name": "a", "vulns": [{"id": "X-1"}]}, {"name": "b", "vulns": []}, {"name": "c", "skip_reason": "?"}]
    >>> read_report({"dependencies": rows}, {"a", "b", "c", "d"}) == ({"a": ["X-1"]}, {"c", "d"})
    True
    """
    asked = {row["name"]: row for row in report["dependencies"] if "skip_reason" not in row}
    found = {name: [one["id"] for one in row["vulns"]] for name, row in asked.items() if row["vulns"]}
    return found, names - set(asked)


def withdrawn(page: str, name: str, version: str) -> bool | None:
    """Whether all files of a version were withdrawn, by the registry's page; nothing if it is not there.

    >>> page = '<a href="x" data-yanked="bad">pkg-1.0.tar.gz</a><a href="y">pkg-1.1-py3-none-any.whl</a>'
    >>> withdrawn(page, "pkg", "1.0"), withdrawn(page, "pkg", "1.1"), withdrawn(page, "pkg", "2.0")
    (True, False, None)
    """
    own = rf"{re.escape(name).replace('-', '[-_.]')}-{re.escape(version)}(?:-|\.tar|\.zip)"
    links = [
        link
        for link in re.findall(r"<a [^>]*>[^<]*</a>", page)
        if re.search(rf">\s*{own}", link, re.IGNORECASE)
    ]
    return all("data-yanked" in link for link in links) if links else None


def registry_page(name: str) -> str:
    """The registry's page of a package, or nothing where it does not answer."""
    try:
        with urllib.request.urlopen(f"{INDEX}/{name}/", timeout=20) as answer:
            text: str = answer.read().decode("utf-8", "replace")
            return text
    except OSError:
        return ""


def main() -> None:
    """Print what is wrong, and what could not be found out."""
    parts = bill_of(tuple(sys.argv[1:]))
    vulnerable, unasked = advisories(parts)
    wrong = [f"{name}: {', '.join(ids)}" for name, ids in sorted(vulnerable.items())]
    unknown = 0
    for part in parts:
        state = withdrawn(registry_page(part["name"]), part["name"], part["version"])
        unknown += state is None
        if state:
            wrong.append(f"{part['name']} {part['version']}: withdrawn from the registry")
        if part["licenses"][0]["license"]["name"] == "unknown":
            wrong.append(f"{part['name']}: its licence is not stated")
    print(f"{len(parts)} packages")
    print(
        f"known vulnerabilities: {len(vulnerable)} of {len(parts) - len(unasked)} that could be asked about"
    )
    print(f"withdrawn versions: {len(parts) - unknown} of {len(parts)} looked up")
    for line in wrong:
        print(f"WRONG {line}")
    if unasked:
        print(
            f"not asked about vulnerabilities, because pip-audit or its service was not there: {len(unasked)}"
        )
    sys.exit(1 if wrong else 3 if unasked or unknown else 0)


if __name__ == "__main__":
    main()
