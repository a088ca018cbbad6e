"""Trains the bundled page model from the texts that ``page_texts.py`` gathered.

    python recipes/page_model.py --cache ~/.cache/linksight-texts [-o src/linksight/data/pages.model]

Naive Bayes with Dirichlet smoothing gives the table (a feature's weight for a class is
``log(1 + count / (mu * background))``, and a class has a bias for every feature read), then a few passes of
gradient descent over stretches of the same texts correct it where classes are alike.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from page_corpus import load
from page_descent import corrected
from page_weights import build, count

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.pages.langid.scripts import script_of_text
from linksight.system.atomic_write import write_whole

# Hardly told from a much larger neighbour: they must be clearly better to be named.
SHADOWED = {
    "bs": 0.1, "sco": 0.12, "arz": 0.15, "ary": 0.1, "aeb": 0.15, "aeb-Latn": 0.0, "yue": 0.2, "lki": 0.2, "prs": 0.1, "azb": 0.1, "wuu": 0.3, "gan": 0.3,
    "lzh": 0.6, "hak": 0.3, "hsn": 0.3, "cjy": 0.3, "nan": 0.1, "cdo": 0.1, "pnt": 0.2, "grc": 0.15,
    "apc": 0.1, "arq": 0.1, "mzn": 0.1, "glk": 0.1, "bgn": 0.1, "bpy": 0.1, "nd": 0.05, "pnb": 0.05, "skr": 0.05, "awa": 0.05, "rue": 0.05,
}  # fmt: skip
DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
HANDICAP = 0.02  # what a feature costs a language for every power of ten by which it is rarer on the web


def handicaps(names: list[str]) -> np.ndarray:
    """What each class pays with every feature: little for languages that the labelled URLs have many of."""
    column = pq.read_table(DATA / "urls/train.parquet", columns=["language"])["language"]
    counts = {row["values"]: row["counts"] for row in column.value_counts().to_pylist()}
    most = max(counts.values())
    codes = [{"nb": "no", "nn": "no"}.get(name, name.partition("-")[0]) for name in names]
    rare = [-HANDICAP * np.log10(most / (counts.get(code, 0) + 1)) for code in codes]
    shadows = [SHADOWED.get(name, SHADOWED.get(code, 0.0)) for name, code in zip(names, codes, strict=True)]
    return np.array(rare) - np.array(shadows)


def pack_model(names, unique, row, kinds, weights, bias, prior, texts, step, out: Path) -> None:
    """Quantises the table and writes it."""
    from linksight.pages.langid import model, ngrams

    stored = np.clip(np.round(weights / step) + ngrams.ZERO, 0, 63).astype(np.uint8)
    keep = stored != ngrams.ZERO
    row, kinds, stored = row[keep], kinds[keep], stored[keep]
    keys = unique[row]
    order = np.lexsort((kinds, keys))
    keys, kinds, stored = keys[order], kinds[order], stored[order]
    buckets, sizes_of = np.unique(keys >> 12, return_counts=True)
    sizes = np.zeros(model.ROWS, np.uint8)
    sizes[buckets] = sizes_of
    _, first = np.unique(keys >> 12, return_index=True)
    checks = (keys[first] & 4095).astype(np.uint16)
    manifest = {
        "classes": list(names),
        "bias": [round(float(b), 5) for b in bias],
        "prior": [round(float(p), 3) for p in prior],
        "step": step,
        "scripts": [
            script_of_text("".join(line for _, lines in texts[name] for line in lines[:60])) for name in names
        ],
        "texts": {name: {source: sum(map(len, lines)) for source, lines in texts[name]} for name in names},
    }
    data = model.pack(
        manifest, {"sizes": sizes, "checks": checks, "classes": kinds.astype(np.uint16), "weights": stored}
    )
    write_whole(out, data)
    print(
        f"{out}: {len(data) / 1e6:.2f} MB, {len(names)} classes, {len(checks):,} rows, {len(kinds):,} pairs"
    )


def stamp(out: Path, cache: Path) -> None:
    """Writes into the model which texts it is from and how good it is on pages/dev (web)."""
    from linksight.pages import pipeline
    from linksight.pages.langid import array_file, model

    header, arrays = array_file.unpack(model.FORMAT, out.read_bytes(), out)
    made = model.unpack(out.read_bytes(), out)
    rows = [row for row in pq.read_table(DATA / "pages/dev.parquet").to_pylist() if row["section"] == "web"]
    wanted = [
        {"nb": "no", "nn": "no"}.get(row["language"], row["language"].partition("-")[0]) for row in rows
    ]
    hits = [
        pipeline.identify(row["body"], model=made).language == code
        for row, code in zip(rows, wanted, strict=True)
    ]
    means = [
        np.mean([hit for hit, own in zip(hits, wanted, strict=True) if own == code]) for code in set(wanted)
    ]
    manifest = {key: value for key, value in header.items() if key not in ("arrays", "digest")} | {
        "corpus": hashlib.sha256((cache / "texts.parquet").read_bytes()).hexdigest(),
        "dev": {
            "pages": len(rows),
            "accuracy": round(float(np.mean(hits)), 4),
            "mean_over_languages": round(float(np.mean(means)), 4),
        },
    }
    write_whole(out, array_file.pack(model.FORMAT, manifest, arrays))
    print(manifest["dev"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/linksight-texts").expanduser())
    parser.add_argument(
        "-o", "--out", type=Path, default=Path(__file__).parents[1] / "src/linksight/data/pages.model"
    )
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--examples", type=int, default=60_000)
    parser.add_argument("--pairs", type=int, default=2_450_000)
    parser.add_argument("--mu", type=float, default=20_000)
    parser.add_argument("--row", type=int, default=64, help="classes that a row lists at most")
    options = parser.parse_args()
    began = time.time()
    texts = load(options.cache)
    names = list(texts)
    print(f"{len(names)} classes, {time.time() - began:.0f} s")
    counted = count(texts)
    print(f"counted, {time.time() - began:.0f} s")
    table = build(*counted, mu=options.mu, n_pairs=options.pairs, row_most=options.row)
    weights, bias = corrected(texts, *table, counted[3], passes=options.passes, n_examples=options.examples)
    print(f"corrected, {time.time() - began:.0f} s")
    unique, row, kinds, _, _ = table
    bias = bias + handicaps(names)
    pack_model(names, unique, row, kinds, weights, bias, np.zeros(len(names)), texts, 0.16, options.out)
    stamp(options.out, options.cache)


if __name__ == "__main__":
    main()
