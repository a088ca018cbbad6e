"""The papers' classifiers as scikit-learn estimators over URLs.

``estimator``             the base class: labels, training, probabilities, answers
``additive``              classifiers over hashed counts: a bias and a sum of weights
``algorithms``            one module an algorithm, and shared parts (country tables, solvers, tree arrays)
``combination``           two classifiers in one
``labels``                parses labels and sample weights, samples training rows
``calibration``           probabilities from scores
``parameter_validation``  the ranges of numeric parameters
``forward_selection``     greedy selection of custom features
``classifier_files``      saves and loads fitted classifiers

>>> clf = make_classifier("cctld", language="de")
>>> clf.predict(["http://www.zeitung.at/", "http://www.lemonde.fr/"]).tolist()
['de', 'und']
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from linksight.errors import BadConfig

if TYPE_CHECKING:
    from linksight.features import FeatureSet
    from linksight.features.geo import HostingCountries
    from linksight.models.estimator import UrlClassifier
    from linksight.url_model.model import UrlLanguageModel

__all__ = ["ALGORITHMS", "load", "make_classifier"]

#: name -> module:class; read when asked for, so that a ccTLD look-up does not load the solvers
ALGORITHMS = {
    "cctld": "algorithms.cctld:CcTld",  # the country code
    "cctld+": "algorithms.cctld:CcTldPlus",  # the same, .com and .org are English
    "ip": "algorithms.ip_country:Ip",  # the country of the server
    "svm": "algorithms.linear:Svm",  # support vector machine
    "nb": "algorithms.naive_bayes:NaiveBayes",  # naive Bayes
    "me": "algorithms.linear:MaximumEntropy",  # maximum entropy
    "re": "algorithms.relative_entropy:RelativeEntropy",  # relative entropy
    "markov": "algorithms.markov:Markov",  # Markov model of letters
    "ros": "algorithms.rank_order:RankOrder",  # rank order
    "dt": "algorithms.decision_tree:DecisionTree",  # decision tree on custom features
    "svm+ip": "combination:SvmWithIp",  # either answers yes
    "nb+cctld": "combination:CcTldThenBayes",  # the country code first, naive Bayes for the rest
}


def make_classifier(
    algorithm: str, features: str | FeatureSet | None = None, language: str | None = None, **options: Any
) -> UrlClassifier:
    """A classifier of the papers, ready to be trained.

    With ``language`` it is binary ("de" or not), without it multi-class over the labels it sees.
    ``options`` are those of the algorithm, such as ``smoothing`` or ``cost``.

    >>> make_classifier("nb", features="words+3-grams-from-word", language="nl").features
    'words+3-grams-from-word'
    >>> make_classifier("naive-bayes")
    Traceback (most recent call last):
    linksight.errors.BadConfig: unknown algorithm 'naive-bayes'; known: cctld, cctld+, ip, svm, nb, me, re, markov, ros, dt, svm+ip, nb+cctld
    """
    kind = classifier_type(algorithm)
    parameters = {"language": language, **options}
    if features is not None:
        parameters["features"] = features
    if "hosting" in options and "hosting" not in kind.parameter_names():
        parameters["features"] = _hosted(features, parameters.pop("hosting"))
    unknown = sorted(parameters.keys() - set(kind.parameter_names()))
    if unknown:
        known = ", ".join(kind.parameter_names())
        raise BadConfig(f"{algorithm} has no option {unknown[0]!r}; known: {known}")
    classifier = kind(**parameters)
    if "hosting" not in kind.parameter_names() or options.get("hosting") is not None:
        classifier.check_parameters()  # a missing database is an error of fit and predict
    return classifier


def _hosted(features: str | FeatureSet | None, hosting: Any) -> FeatureSet:
    """The feature set with hosting countries for its custom features."""
    from dataclasses import replace

    from linksight.features import FeatureSet, parse_features
    from linksight.features.custom import CustomFeatures
    from linksight.features.geo import HostingCountries

    where = HostingCountries.of(hosting)
    parts = parse_features(features if features is not None else "custom").parts
    if not any(isinstance(part, CustomFeatures) for part in parts):
        raise BadConfig("hosting= is for custom features, ip and svm+ip")
    return FeatureSet(
        tuple(replace(part, hosting=where) if isinstance(part, CustomFeatures) else part for part in parts)
    )


def load(
    path: str | os.PathLike[str], hosting: HostingCountries | str | os.PathLike[str] | None = None
) -> UrlClassifier | UrlLanguageModel:
    """The classifier saved at ``path``; a compiled one is loaded as a ``UrlLanguageModel``.

    A classifier by hosting country needs ``hosting``, the database: the one that the file names is not opened.
    """
    from linksight.models.classifier_files import load_classifier

    return load_classifier(path, hosting)


def classifier_type(algorithm: str) -> type[UrlClassifier]:
    """The class behind a name of the menu."""
    if algorithm not in ALGORITHMS:
        near = get_close_matches(str(algorithm), ALGORITHMS, n=1)
        hint = f", did you mean {near[0]!r}?" if near else f"; known: {', '.join(ALGORITHMS)}"
        raise BadConfig(f"unknown algorithm {algorithm!r}{hint}")
    module, name = ALGORITHMS[algorithm].split(":")
    found: type[UrlClassifier] = getattr(import_module(f"linksight.models.{module}"), name)
    return found
