"""Stands in for ``docker``: checks that the files and services that a command names exist."""

import os
import sys
from pathlib import Path

import yaml

if sys.argv[1] == "build":
    assert Path(sys.argv[sys.argv.index("-f") + 1]).is_file(), sys.argv
    sys.exit()
text = Path("compose.yaml").read_text()
plan = yaml.safe_load(text)
words = sys.argv[1:]
assert words[:2] == ["compose", "up"], words
assert set(words[2:]) <= {"--build", "--scale", "worker=4"}, words
assert "worker" in plan["services"]
assert os.environ["POSTGRES_PASSWORD"]
assert "${POSTGRES_PASSWORD" in text
