"""Cache of finished folds on disk, for resuming; invalid if source, data or machine differ."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from linksight.errors import BadConfig, BadData
from linksight.features.dictionaries import dictionary, without_dictionary
from linksight.system.atomic_write import write_whole

FORMAT = 2
#: Folders of the package that no result depends on.
_WITHOUT_RESULTS = {"cli", "studio", "__pycache__"}
#: Packages whose answers are part of a result.
_PACKAGES = ("numpy", "scipy", "chardet", "hunspell", "wordfreq")


class Ledger:
    """A folder with one JSON file per finished result, and the settings that produced them.

    >>> from tempfile import mkdtemp
    >>> ledger = Ledger(Path(mkdtemp()), {"size": 10})
    >>> ledger.keep("svm words", {"f1": 0.5})
    >>> ledger.get("svm words"), ledger.get("nb words")
    ({'f1': 0.5}, None)
    """

    def __init__(self, folder: Path, settings: dict[str, Any], *, resume: bool = False) -> None:
        self.folder = folder / "folds"
        self._settings = {"format": FORMAT, **settings}
        self._values: dict[str, Any] = {}
        self._open(resume)

    def _open(self, resume: bool) -> None:
        notes = self.folder / "settings.json"
        if notes.exists():
            if not resume:
                raise BadConfig(
                    f"{self.folder} holds the folds of another run: resume with --resume, or choose another --out"
                )
            there = _read(notes)
            if there != json.loads(json.dumps(self._settings)):
                differs = [
                    name
                    for name in self._settings
                    if there.get(name) != json.loads(json.dumps(self._settings[name]))
                ]
                raise BadConfig(
                    f"{self.folder} was made with other settings ({', '.join(differs) or 'format'}): choose another --out"
                )
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadConfig(f"{self.folder}: cannot be made ({error.strerror})") from error
        write_whole(notes, json.dumps(self._settings, indent=1) + "\n")

    def get(self, key: str) -> Any:
        """The value of a key, or None."""
        if key not in self._values:
            path = self._path(key)
            if not path.exists():
                return None
            self._values[key] = _read(path)["value"]
        return self._values[key]

    def keep(self, key: str, value: Any) -> None:
        """Store a value (written atomically)."""
        text = json.dumps({"key": key, "value": value}, separators=(",", ":"))
        write_whole(self._path(key), text)
        self._values[key] = json.loads(text)["value"]

    def _path(self, key: str) -> Path:
        plain = re.sub(r"[^\w.-]+", "-", key)[:80]
        return self.folder / f"{plain}-{zlib.crc32(key.encode()):08x}.json"


def source_digest() -> str:
    """A digest of all sources and models of the package that a result can depend on."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package)
        if path.is_file() and path.suffix != ".so" and _WITHOUT_RESULTS.isdisjoint(name.parts):
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def environment_digest(languages: Iterable[str]) -> str:
    """A digest of the environment: versions of packages, and dictionaries (hunspell files differ from frequent words)."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            digest.update(f"{package} {version(package)}\n".encode())
    for language in sorted(set(languages) - set(without_dictionary(sorted(set(languages))))):
        digest.update(f"{language}:{zlib.crc32(' '.join(sorted(dictionary(language))).encode())}\n".encode())
    return digest.hexdigest()[:16]


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise BadData(f"{path}: damaged ({error}); remove it and go on with --resume") from error
