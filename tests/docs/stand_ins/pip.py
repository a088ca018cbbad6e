"""Stands in for ``pip install``: an example installs linksight, with extras of pyproject.toml, or a package of its tests."""

import re
import sys
import tomllib
from pathlib import Path

words = [word for word in sys.argv[2:] if not word.startswith("-")]
project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
tested = {re.split(r"\W", need)[0] for need in project["optional-dependencies"]["dev"]} - {"linksight"}
wanted = [re.fullmatch(r"(?:linksight|\.)(?:\[(.+)\])?", word) for word in words if word not in tested]
extras = {extra for found in wanted if found for extra in (found[1] or "").split(",") if extra}
known = sys.argv[1:2] == ["install"] and all(wanted) and extras <= set(project["optional-dependencies"])
sys.exit(0 if known else f"pip: cannot install {words}")
