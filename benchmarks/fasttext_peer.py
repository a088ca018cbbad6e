"""Trains fastText for the same job as the bundled model, as a peer for url_speed.py.

    pip install --target FOLDER fasttext-community
    LINKSIGHT_DATA=... PYTHONPATH=src:FOLDER python benchmarks/fasttext_peer.py FILE.bin

The raw URL is the text, its character 2- to 5-grams are the features, the languages are ours. A million
rows of urls/train.parquet at random: half a minute of one core, not the best that fastText can be.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import linksight

N_ROWS = 1_000_000
SETTINGS = {"dim": 32, "minn": 2, "maxn": 5, "epoch": 3, "lr": 0.3, "bucket": 1_000_000, "loss": "softmax"}


def write_lines(path: Path) -> int:
    """The training rows in fastText's form; gives how many."""
    table = pq.read_table(
        Path(os.environ["LINKSIGHT_DATA"]) / "urls" / "train.parquet", columns=["url", "language"]
    )
    known = pa.array(linksight.load().languages)
    table = table.filter(pc.is_in(table["language"].cast("string"), known))
    table = table.take(np.random.default_rng(1).permutation(table.num_rows)[:N_ROWS])
    n_lines = 0
    with path.open("w", encoding="utf-8") as out:
        for url, language in zip(
            table["url"].to_pylist(), table["language"].cast("string").to_pylist(), strict=True
        ):
            if len(url.split()) == 1:
                out.write(f"__label__{language} {url}\n")
                n_lines += 1
    return n_lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="where to write the model, outside the repository")
    asked = parser.parse_args()
    import fasttext

    if not hasattr(fasttext, "train_supervised"):
        parser.error(f"{fasttext.__file__} cannot train; put fasttext-community before it in PYTHONPATH")
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "train.txt"
        print(f"{write_lines(lines):,} rows")
        # No URL comes twice, so none is kept as a word of its own: n-grams alone.
        model = fasttext.train_supervised(str(lines), thread=1, minCount=50, verbose=0, **SETTINGS)
    model.save_model(str(asked.file))


if __name__ == "__main__":
    main()
