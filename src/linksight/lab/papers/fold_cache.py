"""What was measured, kept on disk piece by piece, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path
from typing import Any

from linksight.errors import BadConfig, BadData
from linksight.system.atomic_write import write_whole

FORMAT = 1


class Ledger:
    """A folder with one small JSON file a finished piece, and the settings they were made under.

    >>> from tempfile import mkdtemp
    >>> ledger = Ledger(Path(mkdtemp()), {"size": 10})
    >>> ledger.keep("svm words", {"f1": 0.5})
    >>> ledger.get("svm words"), ledger.get("nb words")
    ({'f1': 0.5}, None)
    """

    def __init__(self, folder: Path, settings: dict[str, Any], *, resume: bool = False) -> None:
        self.folder = folder / "folds"
        self._settings = {"format": FORMAT, **settings}
        self._kept: dict[str, Any] = {}
        self._open(resume)

    def _open(self, resume: bool) -> None:
        notes = self.folder / "settings.json"
        if notes.exists():
            if not resume:
                raise BadConfig(
                    f"{self.folder} holds the folds of another run: go on with --resume, or choose another --out"
                )
            there = _read(notes)
            if there != json.loads(json.dumps(self._settings)):
                differs = [
                    name
                    for name in self._settings
                    if there.get(name) != json.loads(json.dumps(self._settings[name]))
                ]
                raise BadConfig(
                    f"{self.folder} was made under other settings ({', '.join(differs) or 'format'}): choose another --out"
                )
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadConfig(f"{self.folder}: cannot be made ({error.strerror})") from error
        write_whole(notes, json.dumps(self._settings, indent=1) + "\n")

    def get(self, key: str) -> Any:
        """What was kept under a key, or None."""
        if key not in self._kept:
            path = self._path(key)
            if not path.exists():
                return None
            self._kept[key] = _read(path)["value"]
        return self._kept[key]

    def keep(self, key: str, value: Any) -> None:
        """Keep a piece: whole or not at all."""
        text = json.dumps({"key": key, "value": value}, separators=(",", ":"))
        write_whole(self._path(key), text)
        self._kept[key] = json.loads(text)["value"]

    def _path(self, key: str) -> Path:
        plain = re.sub(r"[^\w.-]+", "-", key)[:80]
        return self.folder / f"{plain}-{zlib.crc32(key.encode()):08x}.json"


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise BadData(f"{path}: damaged ({error}); remove it and go on with --resume") from error
