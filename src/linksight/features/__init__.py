"""From a URL to features: words, n-grams, custom features, and unions of them.

words, ngrams, custom        the kinds of features that a spec can name
dictionaries, geo            what custom features look up: word lists, the country of a server
feature_set, vectorizer      parts of features and their unions; the same for scikit-learn
url_features, feature_hash   features of the bundled model; from a feature's name to a row of a table
url_buffer, hashed_counts    the features of many URLs at a time, as a sparse matrix

>>> from linksight.features import parse_features
>>> parse_features("words+3-grams-from-word").spec
'words+3-grams-from-word'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linksight.features.feature_set import EXAMPLES, FeatureSet, LearningPart, Part, parse_features
    from linksight.features.vectorizer import UrlVectorizer

__all__ = ["EXAMPLES", "FeatureSet", "LearningPart", "Part", "UrlVectorizer", "parse_features"]


def __getattr__(name: str) -> Any:
    """Import the names above when they are first used: the bundled model needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = "vectorizer" if name == "UrlVectorizer" else "feature_set"
    return getattr(import_module(f"linksight.features.{module}"), name)
