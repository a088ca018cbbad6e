"""Takes the bundled model apart again, so that some of its rows can be fitted without training it anew.

    python recipes/url_model/unpack.py WORK [--model src/linksight/data/urls.linksight]

Writes WORK/model.npz, WORK/table.npz and WORK/words.npz as ``train.py`` and ``vocabulary.py`` do. The table keeps 34 bits of each feature's hash, which
are all that ``package.py`` asks of it: the others are written as zeros.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from package import OUT

import linksight
from linksight.features.feature_hash import MASK, MIX
from linksight.url_model.embeddings import EvidenceTable, unpack

UNMIX = pow(MIX, -1, MASK + 1)


def hashes_of(table: EvidenceTable) -> np.ndarray:
    """For each row a hash that the table looks up there."""
    buckets = np.repeat(np.arange(len(table.starts) - 1, dtype=np.uint64), np.diff(table.starts))
    mixed = (buckets << np.uint64(64 - table.bits)) | table.prints.astype(np.uint64)
    stirred = mixed * np.uint64(UNMIX)  # modulo 2**64, as hashes are
    return stirred ^ (stirred >> np.uint64(32))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument("--model", type=Path, default=OUT)
    asked = parser.parse_args()
    scorer = linksight.load(asked.model)
    table = scorer.table
    asked.work.mkdir(parents=True, exist_ok=True)
    np.savez(
        asked.work / "model.npz",
        hashes=hashes_of(table),
        levels=table.levels,
        output=table.output,
        bias=table.bias,
        languages=np.array(scorer.languages),
        hint_scale=np.float32(table.hint_scale),
    )
    np.savez_compressed(asked.work / "table.npz", codes=unpack(table.codes, table.dim), scales=table.scales)
    if scorer.words:
        np.savez_compressed(asked.work / "words.npz", **vars(scorer.words))
    print(f"{asked.work}: {len(table.prints):,} rows of {asked.model.name}")


if __name__ == "__main__":
    main()
