"""Stands in for ``docker compose up``: reads compose.yaml, and checks what the command names against it."""

import os
import sys
from pathlib import Path

import yaml

text = Path("compose.yaml").read_text()
plan = yaml.safe_load(text)
words = sys.argv[1:]
assert words[:2] == ["compose", "up"], words
assert set(words[2:]) <= {"--build", "--scale", "worker=4"}, words
assert "worker" in plan["services"]
assert os.environ["POSTGRES_PASSWORD"]
assert "${POSTGRES_PASSWORD" in text
