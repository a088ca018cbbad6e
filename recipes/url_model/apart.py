"""Keeps a tenth of the directory listings apart from all that is trained, fitted and chosen, and judges a model on it.

    python recipes/url_model/apart.py FOLDER [--tenth 0]          # the data without these domains
    LINKSIGHT_DATA=FOLDER python recipes/url_model/corpus.py WORK # and every other step, as in the README
    python recipes/url_model/apart.py --judge MODEL [--tenth 0]   # Dutch against the rest, on the domains kept apart

What ``listings.py`` measures on are the listings whose domains ``urls/train.parquet`` lacks: nearly all of them home
pages of small sites, and steps of the recipe were chosen by looking at them. These are domains drawn by chance from
all listings, as a new set of listings would be, and no choice was ever made on them. An SVM that learns nothing but
this, from the other nine tenths, is judged beside the model: it tells how hard the tenth is.
"""

from __future__ import annotations

import argparse
import os
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from dutch_bound import features
from sklearn.svm import LinearSVC

import linksight
from linksight.features.url_features import PLATFORMS
from linksight.urls.parser import Url

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
TENTHS = 10
COST = 0.3  # of the SVM, the best of three in ``dutch_bound.py``
DRAWS = 2000  # of domains, for the interval


def apart(tenth: int) -> set[str]:
    """Registered domains of the listings that a tenth holds; those of dev stay, the calibration needs them."""
    listed, dev = (
        set(pq.read_table(DATA / f"urls/{name}.parquet", columns=["domain"])["domain"].to_pylist())
        for name in ("dutch", "dev")
    )
    return {domain for domain in listed - dev if zlib.crc32(domain.encode()) % TENTHS == tenth}


def write(folder: Path, tenth: int) -> None:
    """The data without the domains of a tenth; what holds no URLs is linked to."""
    (folder / "urls").mkdir(parents=True, exist_ok=True)
    for name in ("texts", "pages"):
        if not (folder / name).exists():
            (folder / name).symlink_to((DATA / name).resolve(), target_is_directory=True)
    domains = pa.array(sorted(apart(tenth)))
    for name in ("train", "dev", "dutch"):
        table = pq.read_table(DATA / f"urls/{name}.parquet")
        kept = table.filter(pc.invert(pc.is_in(pc.cast(table["domain"], pa.string()), value_set=domains)))
        pq.write_table(kept, folder / f"urls/{name}.parquet")
        print(f"{name}: {len(table) - len(kept):,} of {len(table):,} rows kept apart")


def f1(found: np.ndarray) -> np.ndarray:
    """Of columns that count hits, answers and rows of the language."""
    return 2 * found[..., 0] / (found[..., 1] + found[..., 2])


def judged(said: np.ndarray, rows: pd.DataFrame) -> str:
    """F1 with an interval of 95 % over draws of domains, recall, and how many of the others are hit."""
    dutch = rows.dutch.to_numpy()
    counts = pd.DataFrame({"hits": said & dutch, "said": said, "dutch": dutch}).groupby(
        rows.domain.to_numpy()
    )
    by_domain = counts.sum().to_numpy(float)
    drawn = np.random.default_rng(0).multinomial(len(by_domain), np.full(len(by_domain), 1 / len(by_domain)), DRAWS)  # fmt: skip
    low, high = np.quantile(f1(drawn @ by_domain), [0.025, 0.975])
    false = said[~dutch].mean()
    return (
        f"{f1(by_domain.sum(0)):.4f} ({low:.4f} to {high:.4f}), "
        f"recall {said[dutch].mean():.4f}, false hits {false:.4f}"
    )


def on_platform(url: str) -> bool:
    """Whether a host has a name of its own before a platform's: ``kaasblog.wordpress.com``."""
    return not PLATFORMS.isdisjoint(Url.parse(url).host.removeprefix("www.").split(".")[1:-1])


def judge(model: Path, tenth: int) -> None:
    listed = pq.read_table(DATA / "urls/dutch.parquet").to_pandas()
    kept = listed.domain.isin(apart(tenth))
    rows, others = listed[kept], listed[~kept]
    scorer = linksight.load(model)
    chances, nl = scorer.predict_proba(rows.url.tolist()), scorer.languages.index("nl")
    print(f"{len(rows):,} listings of {rows.domain.nunique():,} domains, {rows.dutch.sum():,} of them Dutch")
    print("likeliest language", judged(chances.argmax(1) == nl, rows))
    print("above one half    ", judged(chances[:, nl] > 0.5, rows))
    blogs = np.array([on_platform(url) for url in rows.url])
    print("on platforms      ", judged(chances.argmax(1)[blogs] == nl, rows[blogs]))
    alone = LinearSVC(C=COST).fit(features(others.url.tolist()), others.dutch)
    print("SVM for this alone", judged(alone.predict(features(rows.url.tolist())), rows))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="where to write the data without a tenth")
    parser.add_argument("--judge", type=Path, metavar="MODEL", help="one that was made from those data")
    parser.add_argument("--tenth", type=int, default=0, choices=range(TENTHS))
    asked = parser.parse_args()
    if not asked.folder and not asked.judge:
        parser.error("a folder to write to, or --judge MODEL")
    if asked.folder:
        write(asked.folder, asked.tenth)
    if asked.judge:
        judge(asked.judge, asked.tenth)


if __name__ == "__main__":
    main()
