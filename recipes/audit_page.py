"""The page of the audit, from the facts beside it: python recipes/audit_page.py [--licences]

Writes docs/audit.md from docs/audit.json (which advisories were read, and in which version each is fixed) and the
lower bounds of pyproject.toml. ``--licences`` first notes the licences of what is installed here.
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

from audit import USERS, bill_of, lower_bounds
from licences import ACCEPTED, KINDS, kind
from packaging.version import Version

DOCS = Path(__file__).parents[1] / "docs"
HEAD = """# What linksight is built on

<!-- made by recipes/audit_page.py from audit.json; do not edit -->

What is installed with linksight has flaws of its own now and then. This page says which of them are known, from
which version on they are mended, and whether linksight allows an older one.

It is a reading of **stored copies**, made on {read}, and no answer of a service: pages of the PyPA advisory database,
of osv.dev, of GitHub's advisories and of the projects themselves, found by searching for the name of each package.
The latest of them is dated {latest}. A flaw that became known later, or whose page was not found, is not here. To ask
for yourself:

```console
$ python recipes/audit.py crawl studio; echo "exit status $?"            # asks the service of pip-audit
... packages
known vulnerabilities: ... of ... that could be asked about
withdrawn versions: ... of ... looked up
...exit status ...
$ git clone --quiet --depth 1 https://github.com/pypa/advisory-database
$ python recipes/audit.py crawl studio --advisories advisory-database --lowest; echo "exit status $?"
... packages
advisories of these packages in advisory-database: the latest is of ...
known vulnerabilities: ... of ... that could be asked about
withdrawn versions: ... of ... looked up
exit status ...
```

With `--advisories` only the registry is asked, for versions that were withdrawn (`PIP_INDEX_URL`, or pypi.org). `--lowest`
looks at the oldest versions that linksight allows, otherwise it is what is installed. The exit status is 1 where something
is wrong and 3 where nothing is known to be, but not everything could be asked.

## Known flaws

A lower bound is raised to the version that mends a flaw when what a stranger sends can reach it, and also when that
costs nobody anything. A flaw that linksight cannot reach is left to whoever installs, with the reason. A bound cannot
slip back: a test compares them all with this table.

| package | lower bound | mended in: advisories | verdict |
|---|---|---|---|
"""
UNREAD = """
## What could not be read

- The wheels of cryptography hold an OpenSSL of their own. Release notes elsewhere say that 48.0.1 replaced one with
  known flaws; the advisory itself was not found. The bound is 48.0.1.
- Distributions mended NumPy in their packages of 2.4.6; which flaw that was could not be found out.
- Distributions mended aiohttp 3.14.3 once more in October 2026; the advisory was not found.
- Of {n_indexed} packages only the index of the PyPA database was looked at, in a copy that ends in 2024; it has nothing
  on them: {indexed}.
- {n_unsought} packages were not looked for at all: {unsought}.
- What only developing linksight needs (the extra `dev`) was not searched for. It holds setuptools below 81, for the
  sake of Trac in the tests, and PYSEC-2026-3447 (CVE-2026-59890) is mended in 83.0.0 only.

Searched for, and nothing found: {nothing}.

## Licences

linksight is under Apache-2.0 and ships none of these packages: they are installed beside it. A permissive licence asks
for its notice to be kept; a weak copyleft one (MPL, LGPL) holds for changes to the package itself. `recipes/audit.py`
fails when the licence of a package is unknown or reaches further.

| licence, as the package states it | kind | packages |
|---|---|---|
"""


def main() -> None:
    """Write the page."""
    path = DOCS / "audit.json"
    facts = json.loads(path.read_text())
    if "--licences" in sys.argv[1:]:
        facts["licences"] = {
            part["name"]: part["licenses"][0]["license"]["name"] for part in bill_of((*USERS, "peers"))
        }
        path.write_text(serialize(facts))
    (DOCS / "audit.md").write_text(page(facts))


def page(facts: dict[str, Any]) -> str:
    """The whole page as Markdown."""
    bounds = lower_bounds((*USERS, "peers"))
    latest = max(row["dated"] for rows in facts["packages"].values() for row in rows)
    lines = [HEAD.format(read=facts["read"], latest=latest).rstrip("\n")]
    lines += [_row(name, rows, bounds.get(name)) for name, rows in facts["packages"].items()]
    lines.append(_unread(facts))
    by_licence = sorted(
        facts["licences"].items(), key=lambda pair: (KINDS.index(kind(pair[1])), pair[1], pair[0])
    )
    for licence, pairs in groupby(by_licence, key=lambda pair: pair[1]):
        lines.append(f"| {licence} | {kind(licence)} | {', '.join(name for name, _ in pairs)} |")
    lines += [f"\n{name}: {why}." for name, why in ACCEPTED.items() if name in facts["licences"]]
    return "\n".join(lines) + "\n"


def _unread(facts: dict[str, Any]) -> str:
    indexed = facts["not_in_index"]
    sought = {*facts["packages"], *facts["nothing_found"], *indexed}
    unsought = sorted(set(facts["licences"]) - sought)
    return UNREAD.format(
        n_indexed=len(indexed),
        indexed=", ".join(indexed),
        n_unsought=len(unsought),
        unsought=", ".join(unsought),
        nothing=", ".join(facts["nothing_found"]),
    ).rstrip("\n")


def admits(row: dict[str, Any], bound: str | None) -> bool:
    """Whether a lower bound lets a version in that has the flaw.

    >>> [admits({"fixed": "2.14.2"}, bound) for bound in ("2.14", "2.14.2", None)]
    [True, False, True]
    >>> admits({"last": "1.4.2"}, "1.4.2"), admits({"last": "1.4.2"}, "1.5")
    (True, False)
    """
    if bound is None:
        return True
    return Version(bound) <= Version(row["last"]) if "last" in row else Version(bound) < Version(row["fixed"])


def serialize(facts: dict[str, Any]) -> str:
    """The facts as JSON with one advisory a line, so that a change shows as one."""
    packages = ",\n".join(
        f"  {json.dumps(name)}: [\n" + ",\n".join(f"   {_flat(row)}" for row in rows) + "\n  ]"
        for name, rows in facts["packages"].items()
    )
    licences = ",\n".join(f"  {_flat(name)}: {_flat(licence)}" for name, licence in facts["licences"].items())
    return (
        f'{{\n "read": {_flat(facts["read"])},\n "packages": {{\n{packages}\n }},\n'
        f' "nothing_found": {_flat(facts["nothing_found"])},\n "not_in_index": {_flat(facts["not_in_index"])},\n'
        f' "licences": {{\n{licences}\n }}\n}}\n'
    )


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _row(name: str, rows: list[dict[str, Any]], bound: str | None) -> str:
    told = []
    for row in rows:
        mended = row["fixed"] if "fixed" in row else f"after {row['last']}"
        told.append(f"{mended}: {', '.join(row['ids'])}")
    left = [row for row in rows if admits(row, bound)]
    verdict = "the bound is past them" if len(rows) > 1 else "the bound is past it"
    if left:
        reasons = list(dict.fromkeys(row["left"] for row in left))
        which = "" if len(left) == len(rows) else f"the bound is past all but {left[0]['ids'][0]}"
        if which and len(left) > 1:
            which = f"the bound is past all but the last {len(left)}"
        verdict = "; ".join(filter(None, [which, *(f"left: {reason}" for reason in reasons)]))
    return f"| {name} | {bound or 'needed by others'} | {'<br>'.join(told)} | {verdict} |"


if __name__ == "__main__":
    main()
