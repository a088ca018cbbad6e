"""How far Dutch against the rest can be told at all: a classifier for this alone, and both together.

    LINKSIGHT_DATA=... python recipes/url_model/dutch_bound.py

On directory listings of domains that training never saw: the bundled model; a linear SVM on character and word n-grams
of host and path, trained on all other listings for this one question; and a logistic regression over the two, ten-fold
cross-validated. What the three have in common is what the URLs hold. Takes a few minutes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import listings
import numpy as np
import pyarrow.parquet as pq
from scipy.sparse import hstack
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import linksight

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
COSTS = (0.1, 0.3, 1.0)


def features(urls: list[str]):
    """N-grams of host and path apart, words, and the ending."""
    bare = [re.sub(r"^https?://(www\.)?", "", url.lower()).partition("/") for url in urls]
    parts = [[re.sub(r"[^a-z0-9]+", " ", part[side]) for part in bare] for side in (0, 2)]
    grams = HashingVectorizer(analyzer="char_wb", ngram_range=(2, 7), alternate_sign=False, norm=None)
    words = HashingVectorizer(
        token_pattern=r"\S+", ngram_range=(1, 2), n_features=2**19, alternate_sign=False, norm=None
    )
    endings = words.transform([host.rpartition(" ")[2] for host in parts[0]])
    texts = [normalize(found.transform(part)) for part in parts for found in (grams, words)]
    return hstack([*texts, endings]).tocsr()


def f1(said: np.ndarray, dutch: np.ndarray, weights: np.ndarray) -> float:
    right, wrong = weights[said & dutch].sum(), weights[said != dutch].sum()
    return float(2 * right / (2 * right + wrong))


def crossed(evidence: np.ndarray, dutch: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Answers of a logistic regression that has not seen the rows it is asked of."""
    said = np.zeros(len(dutch), bool)
    for learn, ask in StratifiedKFold(10, shuffle=True, random_state=0).split(evidence, dutch):
        both = LogisticRegression().fit(evidence[learn], dutch[learn], sample_weight=weights[learn])
        said[ask] = both.predict(evidence[ask])
    return said


def main() -> None:
    table = pq.read_table(DATA / "urls/dutch.parquet").to_pandas()
    own, others = listings.dutch(DATA), listings.not_dutch(DATA)
    urls, dutch = own + others, np.arange(len(own) + len(others)) < len(own)
    share = table.dutch.mean()  # as many of each as in all listings
    weights = np.where(dutch, share / dutch.mean(), (1 - share) / (~dutch).mean())
    learnt = listings.learnt(DATA)
    model = linksight.load()
    chances = model.predict_proba(urls)
    chance = chances[:, model.languages.index("nl")].astype(float).clip(1e-4, 1 - 1e-4)
    print(f"{len(own):,} Dutch and {len(others):,} other listings; {len(learnt):,} to learn from")
    print(f"bundled model, above .5: {f1(chance > 0.5, dutch, weights):.3f}")
    asked, known = features(urls), features(learnt.url.tolist())
    for cost in COSTS:
        alone = LinearSVC(C=cost).fit(known, learnt.dutch).decision_function(asked)
        odds = np.log(chance / (1 - chance))
        both = crossed(np.stack([odds, alone, odds * alone], axis=1), dutch, weights)
        print(f"SVM, C={cost}: {f1(alone > 0, dutch, weights):.3f}; both: {f1(both, dutch, weights):.3f}")


if __name__ == "__main__":
    main()
