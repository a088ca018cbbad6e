"""Freeze the URL model's answers on a sample of the data, and compare a later version with them.

    LINKSIGHT_DATA=... python benchmarks/url_golden.py freeze FILE.npz     (with the version to compare with)
    LINKSIGHT_DATA=... python benchmarks/url_golden.py compare FILE.npz

The sample is 200,000 URLs of urls/train.parquet, urls/pages_dev.parquet and urls/dev.parquet. Labels are to be equal
and the probability of the best language within 0.001; the URLs where they are not are printed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import linksight

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
TOLERANCE = 1e-3


def sample(n: int = 200_000) -> pa.ChunkedArray:
    """The same URLs each time."""
    columns = {
        name: pq.read_table(DATA / f"urls/{name}.parquet", columns=["url"])["url"].cast(pa.string())
        for name in ("train", "pages_dev", "dev")
    }
    order = np.random.default_rng(7).permutation(len(columns["train"]))[:n]
    columns["train"] = columns["train"].take(np.sort(order))
    return pa.chunked_array([chunk for column in columns.values() for chunk in column.chunks])


def main() -> None:
    action, file = sys.argv[1:]
    urls = sample()
    table = linksight.load().predict_table(urls)
    labels, chances = np.array(table["language"].to_pylist()), np.asarray(table["probability"])
    if action == "freeze":
        np.savez(file, labels=labels, chances=chances)
        return
    golden = np.load(file)
    differs = (labels != golden["labels"]) | (np.abs(chances - golden["chances"]) > TOLERANCE)
    for row in np.flatnonzero(differs).tolist():
        was, now = golden["labels"][row], labels[row]
        print(f"{urls[row].as_py()[:200]}\t{was} {golden['chances'][row]:.4f} -> {now} {chances[row]:.4f}")
    print(
        f"{differs.sum()} of {len(urls)} URLs differ, {np.sum(labels != golden['labels'])} in their language"
    )


if __name__ == "__main__":
    main()
