"""Audits what linksight needs, from its bill of materials: python recipes/audit.py [EXTRA...]

Known vulnerabilities come from pip-audit (``pip install pip-audit``), or, on a machine that cannot ask its service,
from a checkout of https://github.com/pypa/advisory-database: ``--advisories FOLDER``. Whether a version was withdrawn
from the registry, and whether every licence fits, is looked up besides. ``--lowest`` audits the oldest versions that
pyproject.toml allows in place of those installed. Ends with 1 if something is wrong, with 2 if the advisories cannot
be used, and with 3 if nothing is known to be wrong but not everything could be asked: silence is no clean bill.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

import sbom
from advisories import Advisories, BadAdvisory, normal
from licences import fits
from packaging.requirements import Requirement

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
USERS = ("lab", "words", "geo", "crawl", "studio", "spark", "render")  # the extras that users install


def bill_of(extras: tuple[str, ...]) -> list[dict[str, Any]]:
    """The components of recipes/sbom.py."""
    parts: list[dict[str, Any]] = sbom.document(extras)["components"]
    return parts


def lower_bounds(extras: tuple[str, ...]) -> dict[str, str]:
    """The oldest version of each direct dependency that pyproject.toml allows."""
    texts = [*sbom.PROJECT["dependencies"]]
    for extra in extras:
        texts += sbom.PROJECT["optional-dependencies"][extra]
    bounds = {}
    for need in map(Requirement, texts):
        for clause in need.specifier:
            if clause.operator in (">=", "~=", "=="):
                bounds[normal(need.name)] = clause.version
    return bounds


def advisories(parts: list[dict[str, Any]]) -> tuple[dict[str, list[str]], set[str]]:
    """Known vulnerabilities by package, and the packages that could not be asked about."""
    pins = "".join(f"{part['name']}=={part['version']}\n" for part in parts)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(pins)
        file.flush()
        command = f"-m pip_audit -r {file.name} --no-deps --disable-pip -f json".split()
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
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


def stored(parts: list[dict[str, Any]], folder: Path) -> tuple[dict[str, list[str]], str]:
    """Known vulnerabilities by package from a folder of advisories, and when the latest of those was changed."""
    known = Advisories(folder)
    found = {}
    for part in parts:
        told = []
        for advisory in known.against(part["name"], part["version"]):
            fixed = advisory.fixed_after(part["version"])
            aliases = ", ".join(sorted(name for name in advisory.aliases if name.startswith("CVE-")))
            told.append(
                f"{advisory.id}{f' ({aliases})' if aliases else ''} {f'fixed in {fixed}' if fixed else 'not fixed'}"
            )
        if told:
            found[f"{part['name']} {part['version']}"] = told
    return found, known.newest


def withdrawn(page: str, name: str, version: str) -> bool | None:
    """Whether all files of a version were withdrawn, by the registry's page; nothing if it is not there.

    >>> page = '<a href="x" data-yanked="bad">pkg-1.0.tar.gz</a><a href="y">pkg-1.1-py3-none-any.whl</a>'
    >>> withdrawn(page, "pkg", "1.0"), withdrawn(page, "pkg", "1.1"), withdrawn(page, "pkg", "2.0")
    (True, False, None)
    >>> withdrawn('<a href="x">Zope.Interface-8.7.tar.gz</a>', "zope-interface", "8.7")
    False
    """
    own = rf"{'[-_.]'.join(map(re.escape, name.split('-')))}-{re.escape(version)}(?:-|\.tar|\.zip)"
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
    options = _options()
    parts = bill_of(tuple(options.extras))
    if options.lowest:
        parts = [
            {"name": name, "version": version}
            for name, version in sorted(lower_bounds(tuple(options.extras)).items())
        ]
    print(f"{len(parts)} packages")
    unasked: set[str] = set()
    if options.advisories:
        try:
            vulnerable, newest = stored(parts, options.advisories)
        except BadAdvisory as error:
            print(error, file=sys.stderr)
            sys.exit(2)
        print(
            f"advisories of these packages in {options.advisories}: the latest is of {newest[:10] or 'never'}"
        )
    else:
        vulnerable, unasked = advisories(parts)
    wrong = [f"{name}: {', '.join(ids)}" for name, ids in sorted(vulnerable.items())]
    print(
        f"known vulnerabilities: {len(vulnerable)} of {len(parts) - len(unasked)} that could be asked about"
    )
    states = [withdrawn(registry_page(part["name"]), part["name"], part["version"]) for part in parts]
    for part, state in zip(parts, states, strict=True):
        if state:
            wrong.append(f"{part['name']} {part['version']}: withdrawn from the registry")
        if "licenses" in part and not fits(part["name"], part["licenses"][0]["license"]["name"]):
            wrong.append(f"{part['name']}: licence {part['licenses'][0]['license']['name']}")
    unknown = states.count(None)
    print(f"withdrawn versions: {len(parts) - unknown} of {len(parts)} looked up")
    for line in wrong:
        print(f"WRONG {line}")
    if unasked:
        print(
            f"not asked about vulnerabilities, because pip-audit or its service was not there: {len(unasked)}"
        )
    sys.exit(1 if wrong else 3 if unasked or unknown else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS
    )
    known = sorted(sbom.PROJECT["optional-dependencies"])
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"of {', '.join(known)}")
    parser.add_argument(
        "--advisories", type=Path, metavar="FOLDER", help="OSV files, read in place of asking"
    )
    parser.add_argument("--lowest", action="store_true", help="the oldest versions that are allowed")
    options = parser.parse_args()
    unknown = sorted(set(options.extras) - set(known))
    if unknown:
        parser.error(f"no such extra: {', '.join(unknown)}")
    return options


if __name__ == "__main__":
    main()
