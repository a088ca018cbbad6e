"""What training left in a folder: read, some of its rows fitted again, and written."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from linksight.features.feature_hash import bucket, fingerprint, fnv1a
from linksight.url_model.embeddings import Balance, EvidenceTable
from linksight.url_model.segmentation import WordList

WIDEST = 3.3  # scale of a row, twice what training leaves: a code has to outweigh all that a host says
BITS = 18  # of a bucket: rows of the shipped model, which is as large as it may be
SILENT = 1e-4  # scale of a row that says nothing
#: Chosen on dev and on headlines in one language under hosts of another (docs/research/model-log.md).
BALANCE = Balance(long=40, fading=1.0, growth=0.45, name=40, rise=0.2)


def folders(page: str | None) -> tuple[Path, Path]:
    """The folder to read and the one to write, by the command line of a step; ``page`` is its help."""
    asked = _parser(page).parse_args()
    return asked.work, asked.out or asked.work


def folders_and_words(page: str | None) -> tuple[Path, Path, frozenset[str]]:
    """The same, and the words that the step is for; none: for all."""
    parser = _parser(page)
    parser.add_argument("--only", default="", help="fit the parts of these words alone")
    asked = parser.parse_args()
    return asked.work, asked.out or asked.work, frozenset(filter(None, asked.only.split(",")))


def _parser(page: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=page, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, help="where model.npz and table.npz are written (WORK)")
    return parser


@dataclass(frozen=True)
class Rows:
    """Rows of some features: their hashes, where they stand in the table (or -1), what they hold (or nothing)."""

    hashes: np.ndarray
    at: np.ndarray
    values: np.ndarray


@dataclass
class Weights:
    """Arrays of a model that is not packed yet: ``model.npz`` and ``table.npz``."""

    model: dict[str, np.ndarray]
    packed: dict[str, np.ndarray]
    words: WordList | None = None

    @classmethod
    def read(cls, work: Path) -> Weights:
        model, packed = (dict(np.load(work / name)) for name in ("model.npz", "table.npz"))
        listed = work / "words.npz"
        return cls(model, packed, read_words(listed) if listed.exists() else None)

    def write(self, out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        np.savez(out / "model.npz", **self.model)
        np.savez_compressed(out / "table.npz", **self.packed)
        if self.words:
            np.savez_compressed(out / "words.npz", **vars(self.words))

    @property
    def languages(self) -> list[str]:
        return list(map(str, self.model["languages"]))

    @property
    def table(self) -> EvidenceTable:
        """The table as it would ship."""
        model = self.model
        return EvidenceTable.build(
            model["hashes"], self.packed["codes"], even(self.packed["scales"]), model["levels"],
            model["output"], model["bias"], float(model["hint_scale"]), BITS, BALANCE,
        )  # fmt: skip

    def rows(self, features: Iterable[str]) -> Rows:
        hashes = np.array([fnv1a(feature) for feature in features], np.uint64)
        where = {place(state): i for i, state in enumerate(self.model["hashes"])}
        at = np.array([where.get(place(state), -1) for state in hashes])
        scales = self.packed["scales"][at].astype(np.float32)[:, None]
        values = self.model["levels"][self.packed["codes"][at]] * scales
        return Rows(hashes, at, np.where((at >= 0)[:, None], values, 0))

    def silence(self, rows: Rows) -> None:
        """Takes their word from those of the rows that are there."""
        self.packed["scales"][rows.at[rows.at >= 0]] = SILENT

    def replace(self, rows: Rows, values: np.ndarray) -> None:
        """Gives the rows these values, and a place to those that have none."""
        codes, scales = coded(values, self.model["levels"])
        there, new = rows.at >= 0, rows.at < 0
        self.packed["codes"][rows.at[there]] = codes[there]
        self.packed["scales"][rows.at[there]] = scales[there]
        self.model["hashes"] = np.r_[self.model["hashes"], rows.hashes[new]]
        self.packed["codes"] = np.r_[self.packed["codes"], codes[new]]
        self.packed["scales"] = np.r_[self.packed["scales"], scales[new]]
        print(f"{there.sum()} rows fitted again, {new.sum()} added")


def even(scales: np.ndarray) -> np.ndarray:
    """Scales as they ship: 256 of them, each 2 % from the next, so that a byte tells which.

    >>> even(np.array([SILENT, 0.1, WIDEST])).tolist() == [np.float16(x) for x in (1e-4, 0.1003, 3.3)]
    True
    """
    kinds = np.r_[SILENT, np.geomspace(0.03, WIDEST, 255)].astype(np.float16)
    cuts = np.sqrt(kinds[1:].astype(float) * kinds[:-1])
    return kinds[np.searchsorted(cuts, scales.astype(float))]


def read_words(path: Path) -> WordList:
    with np.load(path) as arrays:
        return WordList(tuple(map(str, arrays["languages"])), arrays["starts"], arrays["entries"])


def place(state: int) -> tuple[int, int]:
    """What the table keeps of a hash: models that were unpacked (``unpack.py``) have no more of it."""
    return bucket(int(state), BITS), fingerprint(int(state))


def coded(rows: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as positions in ``levels`` and a scale each."""
    best = np.full(len(rows), np.inf)
    codes, scales = np.zeros(rows.shape, np.uint8), np.zeros(len(rows), np.float16)
    cuts = (levels[1:] + levels[:-1]) / 2
    size = np.abs(rows).max(1) / np.abs(levels).max()
    for factor in np.linspace(0.5, 1.3, 33):
        scale = np.clip(size * factor, SILENT, WIDEST).astype(np.float16)
        nearest = np.searchsorted(cuts, rows / scale.astype(np.float32)[:, None])
        error = ((levels[nearest] * scale.astype(np.float32)[:, None] - rows) ** 2).sum(1)
        better = error < best
        best[better], codes[better], scales[better] = error[better], nearest[better], scale[better]
    print(f"coding loses {best.sum() / (rows**2).sum():.2%} of the rows' squares")
    return codes, scales
