"""Whether the 2013 paper kept words too short for an n-gram: SVM on 5- and 6-grams with and without them.

    python recipes/short_words.py [URLS A LANGUAGE]

The paper's 6-grams from words are 0.2 points of macro F1 below its 5-grams (Table XI). Prints ours, both ways,
on the first of ten folds at random: only with short words whole is the step as small. Two minutes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from linksight.features import parse_features
from linksight.features.feature_hash import bucket, fnv1a
from linksight.features.hashed_counts import Counts
from linksight.lab.evaluation.cross_validation import count_accepted
from linksight.lab.evaluation.significance_tests import measures_of
from linksight.lab.papers.experiment_corpus import Corpus
from linksight.lab.papers.url_sources import paper_urls
from linksight.models import make_classifier
from linksight.urls.parser import words_of

BITS = 22


def without_short(counts: Counts, urls: list[str], n: int) -> Counts:
    """The counts without words of fewer than ``n`` letters, their edges included."""
    short = {f"g:_{word}_" for url in urls for word in words_of(url.lower()) if len(word) + 2 < n}
    columns = {bucket(fnv1a(name), BITS) for name in short}
    kept = ~np.isin(counts.columns, list(columns))
    lengths = np.bincount(counts.rows[kept], minlength=len(counts))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    return Counts(starts, counts.columns[kept], counts.values[kept], counts.n_columns)


def macro_f1(corpus: Corpus, counts: Counts, features: str) -> float:
    found = []
    for language in corpus.languages:
        train, test = corpus.split(language, "random", 10, 0)
        classifier = make_classifier("svm", features, language, bits=BITS)
        classifier.fit_counts(counts.take(train), corpus.labels[train] == language)
        yes = classifier.takes_counts(counts.take(test))
        found.append(measures_of(language, count_accepted(corpus.labels[test], yes)).f1)
    return 100 * float(np.mean(found))


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 30_000
    rows, _ = paper_urls(Path(os.environ["LINKSIGHT_DATA"]), size)
    corpus = Corpus(rows, bits=BITS)
    for n in (5, 6):
        features = f"{n}-grams-from-word"
        whole = Counts.of(corpus.urls, parse_features(features), BITS)
        lost = without_short(whole, corpus.urls, n)
        print(f"{features}: whole {macro_f1(corpus, whole, features):.1f}, lost {macro_f1(corpus, lost, features):.1f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
