"""Advisories in a folder are compared with versions as the OSV format says, and none is passed over in silence."""

from __future__ import annotations

import doctest
import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "recipes"))
osv: ModuleType = importlib.import_module("advisories")
sys.path.pop(0)

SPANS = {
    "plain": "- introduced: '0'\n      - fixed: 2.4.0",
    "two": "- introduced: '0'\n      - fixed: 1.10.13\n      - introduced: 2.0.0\n      - fixed: 2.4.0",
    "open": "- introduced: 1.5",
    "last": "- introduced: '0'\n      - last_affected: 1.10",
}


def _write(folder: Path, span: str, *, name: str = "toy", id: str = "PYSEC-2026-1", more: str = "") -> Path:
    path = folder / "vulns" / name / f"{id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"""id: {id}
modified: 2026-05-01T00:00:00Z
aliases: [CVE-2026-9]
{more}
affected:
- package: {{name: {name}, ecosystem: PyPI}}
  ranges:
    - type: GIT
      repo: https://forge.example/toy
      events: [{{introduced: '0'}}, {{fixed: 8c2f00}}]
    - type: ECOSYSTEM
      events:
      {span}
  versions: []
"""
    )
    return path


def _ids(folder: Path, version: str, name: str = "toy") -> list[str]:
    return [advisory.id for advisory in osv.Advisories(folder).against(name, version)]


def test_its_own_examples_are_true() -> None:
    found = doctest.testmod(osv)
    assert found.attempted >= 4
    assert not found.failed


@pytest.mark.parametrize(
    ("span", "version", "affected"),
    [
        ("plain", "2.3.9", True),
        ("plain", "2.4.0", False),
        ("plain", "2.4.0rc1", True),
        ("plain", "2.10", False),
        ("two", "1.10.12", True),
        ("two", "1.10.13", False),
        ("two", "1.11", False),
        ("two", "2.0", True),
        ("two", "2.4", False),
        ("open", "99", True),
        ("open", "1.4", False),
        ("last", "1.10", True),
        ("last", "1.10.1", False),
    ],
)
def test_ranges_are_compared_as_versions(tmp_path: Path, span: str, version: str, affected: bool) -> None:
    _write(tmp_path, SPANS[span])
    assert bool(_ids(tmp_path, version)) is affected


def test_a_version_that_is_named_is_affected(tmp_path: Path) -> None:
    entry = {"package": {"name": "Toy_Box", "ecosystem": "PyPI"}, "versions": ["1.0", "2004d"]}
    (tmp_path / "one.json").write_text(json.dumps({"id": "GHSA-1", "affected": [entry]}))
    assert _ids(tmp_path, "1.0", "toy.box") == ["GHSA-1"]
    assert _ids(tmp_path, "1.0.0", "toy-box") == ["GHSA-1"]  # the same version, written otherwise
    assert _ids(tmp_path, "1.1", "toy-box") == []


def test_a_withdrawn_advisory_counts_for_nothing(tmp_path: Path) -> None:
    _write(tmp_path, SPANS["open"], more="withdrawn: 2026-06-01T00:00:00Z")
    assert _ids(tmp_path, "2.0") == []


def test_other_packages_and_ecosystems_are_not_meant(tmp_path: Path) -> None:
    _write(tmp_path, SPANS["open"], name="other")
    path = _write(tmp_path, SPANS["open"])
    path.write_text(path.read_text().replace("PyPI", "npm"))
    assert _ids(tmp_path, "2.0") == []


def test_two_advisories_for_one_flaw_are_told_once(tmp_path: Path) -> None:
    for id in ("GHSA-1", "PYSEC-2026-1"):
        _write(tmp_path, SPANS["open"], id=id)
    assert _ids(tmp_path, "2.0") == ["GHSA-1"]


def test_the_version_that_mends_it_is_the_next_free_one(tmp_path: Path) -> None:
    _write(tmp_path, SPANS["two"])
    (found,) = osv.Advisories(tmp_path).against("toy", "1.0")
    assert found.fixed_after("1.0") == "1.10.13"
    assert found.fixed_after("2.1") == "2.4.0"


def test_a_version_that_looks_like_a_number_stays_a_version(tmp_path: Path) -> None:
    """YAML would read 3.10 as 3.1, and call everything after 3.1 mended."""
    _write(tmp_path, "- introduced: 3.2\n      - fixed: 3.10")
    assert _ids(tmp_path, "3.9") == ["PYSEC-2026-1"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{ [", "expected"),
        ("just: text", "it has no id"),
        ("- a\n- list", "it has no id"),
        ("id: A\naffected: nonsense", "has no attribute"),
        ("id: A\naffected: [{package: {ecosystem: PyPI}, versions: ['1']}]", "no 'name'"),
        ("id: A\naffected: [{package: {name: toy, ecosystem: PyPI}}]", "neither versions nor a range"),
        ("id: A\naffected: [{package: {name: toy, ecosystem: PyPI}, ranges: [{type: ECOSYSTEM, events: "
         "[{introduced: one}]}]}]", "one"),
        ("id: A\naffected: [{package: {name: toy, ecosystem: PyPI}, ranges: [{type: ECOSYSTEM, events: "
         "[{fixed: '2'}]}]}]", "begins nowhere"),
        ("id: A\naffected: [{package: {name: toy, ecosystem: PyPI}, ranges: [{type: ECOSYSTEM, events: "
         "[{mended: '2'}]}]}]", "no known kind"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_the_reason(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "vulns" / "toy" / "broken.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with pytest.raises(osv.BadAdvisory) as told:
        _ids(tmp_path, "1.0")
    assert str(path) in str(told.value)
    assert reason in str(told.value)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[]"])
def test_broken_json_is_named_too(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.json").write_bytes(content)
    with pytest.raises(osv.BadAdvisory, match=r"broken\.json"):
        _ids(tmp_path, "1.0")


def test_a_folder_without_advisories_is_no_clean_bill(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(osv.BadAdvisory, match="cannot use"):
            osv.Advisories(folder)


VERSIONS = st.builds("{}.{}".format, st.integers(0, 30), st.integers(0, 30))


@settings(max_examples=200, deadline=None)
@given(st.lists(VERSIONS, min_size=1, max_size=6, unique_by=Version), VERSIONS, st.randoms())
def test_events_in_any_order_mean_the_same_as_intervals(
    bounds: list[str], version: str, random: object
) -> None:
    ordered = sorted(bounds, key=Version)
    events = [{"introduced" if place % 2 == 0 else "fixed": bound} for place, bound in enumerate(ordered)]
    pairs = [
        (ordered[place], (ordered[place + 1 : place + 2] or [None])[0]) for place in range(0, len(ordered), 2)
    ]
    inside = any(
        Version(start) <= Version(version) and (end is None or Version(version) < Version(end))
        for start, end in pairs
    )
    random.shuffle(events)  # type: ignore[attr-defined]
    assert osv.Range.parse(events).holds(Version(version)) is inside


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "recipes")
    module = importlib.import_module("audit")
    parts = [{"name": "toy", "version": "2.1", "licenses": [{"license": {"name": "MIT"}}]}]
    monkeypatch.setattr(module, "bill_of", lambda extras: parts)
    monkeypatch.setattr(module, "registry_page", lambda name: '<a href="x">toy-2.1.tar.gz</a>')
    return module


@pytest.mark.parametrize(("span", "code"), [("two", 1), ("last", 0)])
def test_the_command_tells_what_holds_and_where_it_is_mended(
    audit: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    span: str,
    code: int,
) -> None:
    _write(tmp_path, SPANS[span])
    monkeypatch.setattr(sys, "argv", ["audit.py", "--advisories", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        audit.main()
    told = capsys.readouterr().out
    assert ended.value.code == code
    assert ("WRONG toy 2.1: PYSEC-2026-1 (CVE-2026-9) fixed in 2.4.0" in told) is bool(code)
    assert "the latest is of 2026-05-01" in told


def test_the_command_ends_with_an_error_where_advisories_cannot_be_used(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _write(tmp_path, "- introduced: what")
    monkeypatch.setattr(sys, "argv", ["audit.py", "--advisories", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        audit.main()
    assert ended.value.code == 2
    assert "PYSEC-2026-1.yaml" in capsys.readouterr().err


def test_the_oldest_versions_that_are_allowed_can_be_audited(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bound = audit.lower_bounds(("crawl",))["lxml"]
    _write(tmp_path, f"- introduced: '{bound}'", name="lxml")
    monkeypatch.setattr(sys, "argv", ["audit.py", "crawl", "--lowest", "--advisories", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        audit.main()
    assert ended.value.code == 1
    assert f"WRONG lxml {bound}: PYSEC-2026-1 (CVE-2026-9) not fixed" in capsys.readouterr().out
