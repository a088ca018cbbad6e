"""From a URL to features: words, n-grams, custom features, and unions of them.

``words``, ``ngrams``, ``custom``   the kinds of features that people write in a spec
``dictionaries``, ``hosting``       what custom features look up: word lists, the country of a server
``sets``                            parts of features, and sets of them
``evidence``                        what the bundled model reads in a URL
``texts``, ``extraction``           the features of many URLs at a time
``counts``, ``products``            as a sparse matrix, and sums over it
``hashing``                         from a feature's name to a row of a table

>>> from linksight.features import parse_features
>>> parse_features("words+3-grams-from-word").spec
'words+3-grams-from-word'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linksight.features.feature_set import EXAMPLES, FeatureSet, LearningPart, Part, parse_features

__all__ = ["EXAMPLES", "FeatureSet", "LearningPart", "Part", "parse_features"]


def __getattr__(name: str) -> Any:
    """The names above when they are first asked for: the bundled model needs ``evidence`` and ``hashing`` alone."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from linksight.features import feature_set

    return getattr(feature_set, name)
