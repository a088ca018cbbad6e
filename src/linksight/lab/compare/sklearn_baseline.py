"""What anyone can build in an hour with scikit-learn, trained on the same URLs: the floor to stand on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linksight.errors import BadData
from linksight.lab.compare.peers import Ask, Peer
from linksight.lab.evaluation.labelled_urls import LabelledUrls


def baselines(rows: LabelledUrls) -> tuple[Peer, ...]:
    """Pipelines that are trained on ``rows`` when they are loaded."""
    rule = f"the URL as it is; trained in the same run on {len(rows):,} URLs of other domains"
    return (
        Peer("country domain alone (cctld)", "linksight", lambda: _country(rows), rule),
        Peer("scikit-learn: n-grams, naive Bayes", "scikit-learn", lambda: _trained(rows, "bayes"), rule),
        Peer("scikit-learn: n-grams, logistic", "scikit-learn", lambda: _trained(rows, "logistic"), rule),
    )


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
        norm=None if bayes else "l2",  # naive Bayes wants counts
    )
    if bayes:
        return make_pipeline(grams, MultinomialNB(alpha=0.01))
    descent = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=4, tol=None, random_state=0)
    return make_pipeline(grams, descent)
