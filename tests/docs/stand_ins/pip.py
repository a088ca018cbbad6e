"""Stands in for ``pip install``: what an example installs is linksight, with extras that pyproject.toml has."""

import re
import sys
import tomllib
from pathlib import Path

words = [word for word in sys.argv[1:] if not word.startswith("-")]
project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
extras = {
    extra for word in words[1:] for extra in re.sub(r"[^\[]*\[?([^\]]*)\]?", r"\1", word).split(",") if extra
}
known = words[:1] == ["install"] and all(re.match(r"(linksight|\.)(\[|$)", word) for word in words[1:])
sys.exit(0 if known and extras <= set(project["optional-dependencies"]) else f"pip: cannot install {words}")
