"""Stands in for ``git clone``: linksight from this folder, advisories from a few lines; both hosts are elsewhere."""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
ADVISORY = """id: PYSEC-2000-1
modified: "2000-01-02T00:00:00Z"
affected:
- package: {name: click, ecosystem: PyPI}
  ranges:
  - type: ECOSYSTEM
    events: [{introduced: "0"}, {fixed: "0.1"}]
"""

assert sys.argv[1] == "clone", sys.argv
url = sys.argv[-1]
folder = Path(url.rpartition("/")[2].removesuffix(".git"))
folder.mkdir()
if url == "https://linksight.example/linksight.git":
    skipped = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    for name in ("src", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
else:
    assert url == "https://github.com/pypa/advisory-database", url
    (folder / "vulns").mkdir()
    (folder / "vulns" / "PYSEC-2000-1.yaml").write_text(ADVISORY)
