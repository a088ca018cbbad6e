"""Training a support vector machine on all-grams: linksight beside scikit-learn, same URLs, same run.

    LINKSIGHT_DATA=... python benchmarks/train_speed.py [--size 450000] [--language en] [--skip-peer]

Each side trains in a process of its own, so that its time and its peak memory are its own; both are
then asked about the same held-out URLs. The peer is TfidfVectorizer (n-grams of 3 to 7 letters inside
words) and LinearSVC with their default settings.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from linksight.languages import registry

N_TEST = 20_000


def sample(size: int, language: str) -> tuple[list[str], list[str]]:
    """``size`` URLs to learn from and 20,000 to test on, half of each in the language."""
    import pyarrow.parquet

    path = Path(os.environ["LINKSIGHT_DATA"]) / "urls" / "train.parquet"
    table = pyarrow.parquet.read_table(path, columns=["url", "language"])
    labels = table["language"].to_pandas().astype(str).to_numpy()
    rng = np.random.default_rng(0)
    half = (size + N_TEST) // 2
    # A few labels of the data are no language codes.
    known = np.isin(labels, registry.known())
    own, others = np.flatnonzero(labels == language), np.flatnonzero(known & (labels != language))
    if len(own) < half:
        raise SystemExit(f"only {len(own):,} URLs in {language}: {half:,} are needed")
    chosen = [rng.choice(own, half, replace=False), rng.choice(others, half, replace=False)]
    rows = rng.permutation(np.concatenate(chosen))
    return table["url"].take(rows).to_pylist(), labels[rows].tolist()


def train_linksight(urls: list[str], labels: list[str], language: str) -> tuple[float, np.ndarray]:
    """Seconds to train from the URLs as text, and the answers."""
    from linksight.models import make_classifier

    start = time.perf_counter()
    classifier = make_classifier("svm", features="allgrams-from-word", language=language)
    classifier.fit(urls[N_TEST:], labels[N_TEST:])
    seconds = time.perf_counter() - start
    return seconds, classifier.predict(urls[:N_TEST]) == language


def train_peer(urls: list[str], labels: list[str], language: str) -> tuple[float, np.ndarray]:
    """The same with scikit-learn."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    from linksight.errors import BadUrl
    from linksight.urls.parser import Url

    def text(raw: str) -> str:
        try:
            return " ".join(Url.parse(raw).words())
        except BadUrl:
            return ""

    start = time.perf_counter()
    vectorizer = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(3, 7), lowercase=False, dtype=np.float32, preprocessor=text
    )
    model = make_pipeline(vectorizer, LinearSVC())
    model.fit(urls[N_TEST:], np.array(labels[N_TEST:]) == language)
    seconds = time.perf_counter() - start
    return seconds, model.predict(urls[:N_TEST])


SIDES = {"linksight": train_linksight, "scikit-learn": train_peer}


def run_side(side: str, size: int, language: str) -> None:
    """Train one side and print its figures as JSON."""
    from linksight.lab.evaluation.classification_metrics import measure

    urls, labels = sample(size, language)
    seconds, taken = SIDES[side](urls, labels, language)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    found = measure(language, taken, labels[:N_TEST])
    print(json.dumps({"side": side, "seconds": seconds, "peak_gb": peak, "f1": found.f1}))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=450_000, help="URLs to learn from")
    parser.add_argument("--language", default="en")
    parser.add_argument("--skip-peer", action="store_true", help="do not run scikit-learn")
    parser.add_argument("--side", choices=list(SIDES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        run_side(options.side, options.size, options.language)
        return
    figures = {}
    for side in SIDES if not options.skip_peer else ["linksight"]:
        given = ["--side", side, "--size", str(options.size), "--language", options.language]
        done = subprocess.run(
            [sys.executable, __file__, *given], check=True, stdout=subprocess.PIPE, text=True
        )
        line = figures[side] = json.loads(done.stdout.splitlines()[-1])
        shown = f"{line['seconds']:7.1f} s  peak {line['peak_gb']:.1f} GB  F1 {100 * line['f1']:.2f}"
        print(f"{side:13}{shown}", flush=True)
    if len(figures) == 2:
        ratio = figures["scikit-learn"]["seconds"] / figures["linksight"]["seconds"]
        print(f"linksight trains {ratio:.1f} times as fast on {options.size:,} URLs")


if __name__ == "__main__":
    main()
