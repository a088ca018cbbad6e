"""Baselines that a run trains: scikit-learn pipelines on a sample, and fastText on a million training URLs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from linksight.errors import BadData
from linksight.lab.compare.peers import Ask, Peer, fasttext_ask
from linksight.lab.evaluation.labelled_urls import LabelledUrls

FASTTEXT_ROWS = 1_000_000
#: No URL comes twice, so ``minCount`` leaves character n-grams alone as features.
FASTTEXT_SETTINGS = {"dim": 32, "minn": 2, "maxn": 5, "epoch": 3, "lr": 0.3, "bucket": 1_000_000, "loss": "softmax", "minCount": 50}  # fmt: skip


def baselines(rows: LabelledUrls, train: Path | None = None) -> tuple[Peer, ...]:
    """Systems that train once on loading: on ``rows``, and fastText on the file of training URLs."""
    rule = f"the URL as it is; trained in the same run on {len(rows):,} URLs of the training file"
    full = f"the URL as it is; trained in the same run on up to {FASTTEXT_ROWS:,} URLs of linksight's training file"
    return (
        Peer("country domain alone (cctld)", "linksight", cache(lambda: _country(rows)), rule),
        Peer(
            "scikit-learn: n-grams, naive Bayes", "scikit-learn", cache(lambda: _trained(rows, "bayes")), rule
        ),
        Peer(
            "scikit-learn: n-grams, logistic", "scikit-learn", cache(lambda: _trained(rows, "logistic")), rule
        ),
        Peer("fastText trained on URLs", "fasttext-community", cache(lambda: _fasttext(rows, train)), full),
    )


def _fasttext(rows: LabelledUrls, train: Path | None) -> Ask:
    if not len(rows) or train is None:
        raise BadData("no labelled URLs to train on were given")
    return fasttext_ask(train_fasttext(train))


def train_fasttext(train: Path, size: int = FASTTEXT_ROWS) -> Any:
    """A fastText model of raw URLs, for the languages of the bundled model."""
    import fasttext
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    import linksight

    if not hasattr(fasttext, "train_supervised"):
        raise BadData("the installed fasttext cannot train (pip install fasttext-community)")
    table = pq.read_table(train, columns=["url", "language"])
    languages = pc.cast(table["language"], pa.string())
    table = table.filter(pc.is_in(languages, pa.array(linksight.load().languages)))
    table = table.take(np.random.default_rng(1).permutation(table.num_rows)[:size])
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "train.txt"
        with lines.open("w", encoding="utf-8") as out:
            for url, language in zip(*(table[name].to_pylist() for name in ("url", "language")), strict=True):
                if len(url.split()) == 1:
                    out.write(f"__label__{language} {url}\n")
        return fasttext.train_supervised(str(lines), thread=1, verbose=0, **FASTTEXT_SETTINGS)


def _trained(rows: LabelledUrls, algorithm: str) -> Ask:
    if not len(rows):
        raise BadData("no labelled URLs to train on were given")
    pipeline = _pipeline(algorithm).fit(list(rows.urls), list(rows.languages))

    def ask(urls: Sequence[Any]) -> list[str]:
        answers: list[str] = pipeline.predict(list(urls)).tolist()
        return answers

    return ask


def _country(rows: LabelledUrls) -> Ask:
    from linksight.models import make_classifier

    if not len(rows):
        raise BadData("no labelled URLs to train on were given")
    classifier = make_classifier("cctld").fit(list(rows.urls), list(rows.languages))
    return lambda urls: [str(answer) for answer in classifier.predict(list(urls))]


def _pipeline(algorithm: str) -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    bayes = algorithm == "bayes"
    grams = HashingVectorizer(
        analyzer="char_wb",
        ngram_range=(1, 5),
        n_features=2**18,
        alternate_sign=False,
        norm=None if bayes else "l2",  # naive Bayes needs counts
    )
    if bayes:
        return make_pipeline(grams, MultinomialNB(alpha=0.01))
    descent = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=4, tol=None, random_state=0)
    return make_pipeline(grams, descent)
