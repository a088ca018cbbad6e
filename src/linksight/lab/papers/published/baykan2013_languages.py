"""Tables V to XIII of Baykan, Henzinger and Weber 2013: features and algorithms."""

from __future__ import annotations

#: Table V: P, R, p(-|-), F1 of the country code
TABLE_V: dict[str, dict[str, tuple[float, ...]]] = {
    "cctld": {
        "en": (96.6, 22.8, 99.2, 36.9),
        "de": (98.5, 85.4, 98.7, 91.5),
        "fr": (99.8, 36.8, 99.9, 53.7),
        "es": (99.9, 37.2, 99.9, 54.2),
        "it": (99.8, 61.3, 99.9, 75.9),
    },
    "cctld+": {"en": (71.6, 91.1, 63.8, 80.2)},
}

#: Table VI: of the URLs in a language the percentage that each classifier (en, de, fr, es, it) took
TABLE_VI: dict[str, tuple[float, ...]] = {
    "en": (23, 1, 0, 0, 0),
    "de": (0, 85, 0, 0, 0),
    "fr": (3, 3, 37, 0, 0),
    "es": (0, 0, 0, 37, 0),
    "it": (0, 1, 0, 0, 61),
}

#: Table VI in brackets: the percentage that ccTLD+ takes for English
TABLE_VI_PLUS: dict[str, float] = {"en": 91, "de": 10, "fr": 50, "es": 54, "it": 31}

#: Table VIII: the same by the country of the server
TABLE_VIII: dict[str, tuple[float, ...]] = {
    "en": (86, 6, 1, 0, 0),
    "de": (4, 93, 0, 0, 0),
    "fr": (16, 13, 65, 0, 1),
    "es": (37, 5, 4, 50, 1),
    "it": (18, 4, 2, 0, 73),
}

#: Table IX: words
TABLE_IX: dict[str, dict[str, tuple[float, ...]]] = {
    "en": {
        "nb": (84.9, 95.9, 82.9, 90.0),
        "me": (84.3, 96.8, 81.9, 90.1),
        "re": (85.0, 95.8, 83.1, 90.1),
        "ros": (73.7, 63.6, 77.3, 68.3),
        "svm": (84.9, 96.9, 82.7, 90.5),
    },
    "de": {
        "nb": (97.7, 94.8, 97.7, 96.2),
        "me": (97.7, 94.1, 97.8, 95.9),
        "re": (97.6, 95.1, 97.6, 96.3),
        "ros": (93.1, 90.6, 93.3, 91.8),
        "svm": (98.2, 94.3, 98.2, 96.2),
    },
    "fr": {
        "nb": (92.4, 86.9, 92.9, 89.6),
        "me": (82.8, 96.3, 80.0, 89.1),
        "re": (92.5, 86.9, 93.0, 89.6),
        "ros": (88.8, 78.2, 90.1, 83.1),
        "svm": (96.7, 83.7, 97.2, 89.8),
    },
    "es": {
        "nb": (85.5, 95.1, 83.9, 90.1),
        "me": (85.4, 95.6, 83.7, 90.2),
        "re": (85.7, 95.1, 84.1, 90.2),
        "ros": (78.5, 68.5, 81.2, 73.2),
        "svm": (86.0, 95.6, 84.5, 90.5),
    },
    "it": {
        "nb": (95.7, 87.2, 96.1, 91.3),
        "me": (95.8, 86.4, 96.2, 90.9),
        "re": (95.7, 87.3, 96.1, 91.3),
        "ros": (92.6, 83.4, 93.3, 87.7),
        "svm": (97.9, 85.0, 98.1, 91.0),
    },
}

#: Table X: the best n-grams of each algorithm, and F1
TABLE_X: dict[str, dict[str, tuple[str, float]]] = {
    "en": {
        "nb": ("allgrams-from-url", 91.9),
        "me": ("allgrams-from-url", 93.2),
        "svm": ("allgrams-from-word", 94.2),
        "re": ("allgrams-from-url", 92.5),
        "ros": ("allgrams-from-word", 79.1),
        "markov": ("5-grams-from-url", 91.5),
    },
    "de": {
        "nb": ("6-grams-from-word", 94.9),
        "me": ("allgrams-from-word", 96.8),
        "svm": ("allgrams-from-word", 97.2),
        "re": ("allgrams-from-url", 95.6),
        "ros": ("allgrams-from-word", 89.3),
        "markov": ("5-grams-from-url", 95.2),
    },
    "fr": {
        "nb": ("6-grams-from-word", 92.7),
        "me": ("allgrams-from-url", 93.6),
        "svm": ("allgrams-from-word", 94.4),
        "re": ("allgrams-from-word", 92.9),
        "ros": ("allgrams-from-word", 82.3),
        "markov": ("5-grams-from-url", 92.2),
    },
    "es": {
        "nb": ("6-grams-from-word", 93.0),
        "me": ("allgrams-from-url", 94.1),
        "svm": ("allgrams-from-word", 95.0),
        "re": ("allgrams-from-word", 93.2),
        "ros": ("allgrams-from-word", 83.6),
        "markov": ("5-grams-from-url", 92.5),
    },
    "it": {
        "nb": ("6-grams-from-word", 94.6),
        "me": ("allgrams-from-word", 95.7),
        "svm": ("allgrams-from-word", 96.1),
        "re": ("allgrams-from-url", 94.9),
        "ros": ("3-6-grams-from-word", 87.9),
        "markov": ("5-grams-from-url", 94.3),
    },
}

#: Table XI: F1 of the support vector machine
TABLE_XI: dict[str, dict[str, float]] = {
    "words": {"en": 90.5, "de": 96.2, "fr": 89.8, "es": 90.5, "it": 91.0},
    "3-grams-from-url": {"en": 90.7, "de": 95.6, "fr": 90.9, "es": 91.5, "it": 93.5},
    "4-grams-from-url": {"en": 92.8, "de": 96.5, "fr": 93.0, "es": 93.5, "it": 95.1},
    "5-grams-from-url": {"en": 93.3, "de": 96.6, "fr": 93.4, "es": 94.0, "it": 95.5},
    "6-grams-from-url": {"en": 92.7, "de": 95.7, "fr": 92.6, "es": 93.3, "it": 94.9},
    "3-4-grams-from-url": {"en": 93.0, "de": 96.6, "fr": 93.1, "es": 93.6, "it": 95.2},
    "3-5-grams-from-url": {"en": 93.7, "de": 96.9, "fr": 93.9, "es": 94.4, "it": 95.7},
    "3-6-grams-from-url": {"en": 93.9, "de": 97.0, "fr": 94.1, "es": 94.6, "it": 95.9},
    "allgrams-from-url": {"en": 94.0, "de": 97.0, "fr": 94.2, "es": 94.7, "it": 96.0},
    "3-grams-from-word": {"en": 91.3, "de": 96.3, "fr": 91.6, "es": 92.4, "it": 94.3},
    "4-grams-from-word": {"en": 93.4, "de": 97.0, "fr": 93.6, "es": 94.2, "it": 95.5},
    "5-grams-from-word": {"en": 93.8, "de": 97.0, "fr": 94.0, "es": 94.6, "it": 95.8},
    "6-grams-from-word": {"en": 93.5, "de": 96.9, "fr": 93.8, "es": 94.3, "it": 95.6},
    "3-4-grams-from-word": {"en": 93.3, "de": 96.9, "fr": 93.4, "es": 94.1, "it": 95.5},
    "3-5-grams-from-word": {"en": 93.8, "de": 97.1, "fr": 94.0, "es": 94.7, "it": 95.9},
    "3-6-grams-from-word": {"en": 94.1, "de": 97.1, "fr": 94.3, "es": 94.9, "it": 96.0},
    "allgrams-from-word": {"en": 94.2, "de": 97.2, "fr": 94.4, "es": 95.0, "it": 96.1},
}

#: Table XII: custom features
TABLE_XII: dict[str, dict[str, tuple[float, ...]]] = {
    "en": {
        "nb": (80.7, 93.9, 77.5, 86.8),
        "me": (91.1, 95.1, 90.7, 93.1),
        "re": (76.1, 94.1, 70.4, 84.1),
        "svm": (90.8, 95.4, 90.4, 93.1),
        "dt": (92.3, 95.9, 92.0, 94.1),
    },
    "de": {
        "nb": (97.5, 90.1, 97.7, 93.7),
        "me": (96.9, 97.7, 96.9, 97.3),
        "re": (84.1, 92.8, 82.5, 88.2),
        "svm": (97.0, 97.7, 96.9, 97.3),
        "dt": (97.3, 98.1, 97.3, 97.7),
    },
    "fr": {
        "nb": (98.4, 82.2, 98.7, 89.6),
        "me": (96.6, 89.0, 96.8, 92.6),
        "re": (94.5, 85.3, 95.0, 89.7),
        "svm": (96.0, 89.7, 96.2, 92.7),
        "dt": (96.2, 92.6, 96.3, 94.4),
    },
    "es": {
        "nb": (89.7, 87.7, 89.9, 88.7),
        "me": (97.8, 84.3, 98.1, 90.5),
        "re": (85.6, 85.2, 85.7, 85.4),
        "svm": (98.7, 83.0, 98.9, 90.2),
        "dt": (90.2, 94.0, 89.8, 92.1),
    },
    "it": {
        "nb": (99.2, 87.0, 99.3, 92.7),
        "me": (98.8, 93.3, 98.9, 96.0),
        "re": (94.6, 88.7, 95.0, 91.6),
        "svm": (98.7, 93.1, 98.8, 95.8),
        "dt": (98.5, 94.3, 98.6, 96.4),
    },
}

#: Table XIII: P, R, p(-|-), F1, % of empty URLs, % empty and taken; P, R, p(-|-), F1 without them
TABLE_XIII: dict[str, dict[str, tuple[float, ...]]] = {
    "en": {
        "words": (84.9, 96.9, 82.7, 90.5, 19.3, 19.3, 94.1, 95.8, 93.9, 94.9),
        "allgrams-from-word": (92.2, 96.2, 91.9, 94.2, 19.3, 14.7, 95.6, 96.3, 95.6, 95.9),
        "custom": (90.8, 95.4, 90.4, 93.1, 19.3, 14.4, 92.6, 94.8, 92.4, 93.7),
    },
    "de": {
        "words": (98.2, 94.3, 98.2, 96.2, 10.2, 0.0, 97.8, 96.5, 97.9, 97.1),
        "allgrams-from-word": (98.5, 95.8, 98.5, 97.2, 10.2, 0.4, 98.3, 97.3, 98.4, 97.8),
        "custom": (97.0, 97.7, 96.9, 97.3, 10.2, 1.3, 97.1, 98.0, 97.0, 97.5),
    },
    "fr": {
        "words": (96.7, 83.7, 97.2, 89.8, 13.6, 0.05, 96.6, 94.6, 96.7, 95.6),
        "allgrams-from-word": (95.8, 93.0, 96.0, 94.4, 13.6, 4.9, 97.2, 96.0, 97.3, 96.6),
        "custom": (96.0, 89.7, 96.2, 92.7, 13.6, 4.6, 96.4, 91.9, 96.5, 94.1),
    },
    "es": {
        "words": (86.0, 95.6, 84.5, 90.5, 16.4, 14.7, 96.0, 96.4, 96.0, 96.2),
        "allgrams-from-word": (95.8, 94.2, 95.9, 95.0, 16.4, 8.8, 97.6, 96.9, 97.7, 97.3),
        "custom": (98.7, 83.0, 98.9, 90.2, 16.4, 5.4, 98.7, 89.0, 98.8, 93.6),
    },
    "it": {
        "words": (97.9, 85.0, 98.1, 91.0, 13.7, 0.01, 97.8, 95.9, 97.8, 96.8),
        "allgrams-from-word": (97.7, 94.5, 97.8, 96.1, 13.7, 4.5, 98.4, 97.4, 98.4, 97.9),
        "custom": (98.7, 93.1, 98.8, 95.8, 13.7, 4.9, 98.7, 94.3, 98.8, 96.5),
    },
}
