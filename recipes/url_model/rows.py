"""URL texts as rows of hashed features, kept on the training device."""

from __future__ import annotations

import lzma
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
from linksight.features.feature_hash import fnv1a
from linksight.features.url_features import evidence

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
N_GROUPS = 3  # hints, host, path
MOST = 400  # features of a group: what follows says nothing new
START = time.time()


def say(*words: object) -> None:
    print(f"[{time.time() - START:6.1f}]", *words, flush=True)


def hashed(texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Feature hashes, their groups and how many each row has."""
    hashes, groups, counts, known = [], [], [], {}
    for text in texts:
        hints, host, path = evidence(text)
        if text.partition("/")[0].endswith("*"):
            hints = strip_made_up(hints)
        elif text.startswith("z9."):  # a made-up host under a real top-level domain
            hints = [name for name in hints if name[0] in "tdkqlcf"]
        elif text.removeprefix("www.").partition("/")[0].count(".") == 1:
            # Learnt beside all others, a site would be learnt by heart; ``sites.py`` fits those that are sure.
            hints = [name for name in hints if name[0] != "s"]
        before = len(hashes)
        for group, names in enumerate((hints, host, path)):
            for name in names[:MOST]:
                if (value := known.get(name)) is None:
                    value = known[name] = fnv1a(name)
                hashes.append(value)
                groups.append(group)
        counts.append(len(hashes) - before)
    return np.array(hashes, np.uint64).view(np.int64), np.array(groups, np.uint8), np.array(counts, np.int32)


def strip_made_up(names: list[str]) -> list[str]:
    """A made-up URL has no domain, length or shape of its own to learn from."""
    return [name for name in names if name[0] in "cqlrbxnf" and "*" not in name and "z9" not in name]


@dataclass
class Rows:
    hashes: torch.Tensor
    groups: torch.Tensor
    offsets: torch.Tensor
    ids: torch.Tensor = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def batch(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Row numbers of the features, their groups, and how many each URL has."""
        starts = self.offsets[rows]
        lengths = self.offsets[rows + 1] - starts
        ends = torch.cumsum(lengths, 0)
        where = torch.arange(int(ends[-1]), device=DEVICE) - torch.repeat_interleave(
            ends - lengths - starts, lengths
        )
        return self.ids[where].long(), self.groups[where].long(), lengths


def read(work: Path, name: str, pool) -> Rows:
    texts = lzma.decompress((work / f"{name}.xz").read_bytes()).decode("utf-8").split("\n")
    parts = list(pool.imap(hashed, [texts[i : i + 20_000] for i in range(0, len(texts), 20_000)]))
    hashes, groups, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    say(name, f"{len(texts):,} rows, {len(hashes):,} features")
    offsets = torch.from_numpy(np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])).to(DEVICE)
    return Rows(torch.from_numpy(hashes).to(DEVICE), torch.from_numpy(groups).to(DEVICE), offsets)


def number(tables: dict[str, Rows], vocabulary: torch.Tensor) -> None:
    """Gives every feature its row in the (sorted) vocabulary, or one past its end."""
    for rows in tables.values():
        found = torch.searchsorted(vocabulary, rows.hashes).clamp(max=len(vocabulary) - 1)
        none = torch.tensor(len(vocabulary), device=DEVICE)
        rows.ids = torch.where(vocabulary[found] == rows.hashes, found, none).to(torch.int32)
