"""The published figures, as printed in the papers; in percent where the paper has percent."""

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

#: Table XIV (and VII, rows ip): comparison
TABLE_XIV: dict[str, dict[str, tuple[float, ...]]] = {
    "en": {
        "cctld": (96.6, 22.8, 99.2, 36.9),
        "ip": (82.1, 85.9, 81.3, 84.0),
        "svm": (92.2, 96.2, 91.9, 94.2),
        "dt": (92.3, 95.9, 92.0, 94.1),
        "re": (90.8, 93.1, 90.6, 91.9),
        "svm+ip": (80.2, 98.2, 75.7, 88.3),
    },
    "de": {
        "cctld": (98.5, 85.4, 98.7, 91.5),
        "ip": (92.8, 92.7, 92.8, 92.7),
        "svm": (98.5, 95.8, 98.5, 97.2),
        "dt": (97.3, 98.1, 97.3, 97.7),
        "re": (97.0, 92.8, 97.2, 94.9),
        "svm+ip": (92.7, 99.0, 92.2, 95.7),
    },
    "fr": {
        "cctld": (99.8, 36.8, 99.9, 53.7),
        "ip": (97.5, 64.6, 98.4, 77.7),
        "svm": (95.8, 93.0, 96.0, 94.4),
        "dt": (96.2, 92.6, 96.3, 94.4),
        "re": (94.2, 91.7, 94.4, 92.9),
        "svm+ip": (94.6, 96.6, 94.5, 95.6),
    },
    "es": {
        "cctld": (99.9, 37.2, 99.9, 54.2),
        "ip": (99.7, 50.0, 99.8, 66.6),
        "svm": (95.8, 94.2, 95.9, 95.0),
        "dt": (90.2, 94.0, 89.8, 92.1),
        "re": (94.7, 91.8, 94.8, 93.2),
        "svm+ip": (95.8, 96.5, 95.7, 96.2),
    },
    "it": {
        "cctld": (99.8, 61.3, 99.9, 75.9),
        "ip": (99.1, 73.5, 99.3, 84.4),
        "svm": (97.7, 94.5, 97.8, 96.1),
        "dt": (98.5, 94.3, 98.6, 96.4),
        "re": (95.5, 93.7, 95.6, 94.6),
        "svm+ip": (97.3, 98.0, 97.2, 97.6),
    },
}

#: Table XVI: Flash pages
TABLE_XVI: dict[str, dict[str, tuple[float, ...]]] = {
    "en": {
        "cctld": (98.7, 52.0, 99.3, 68.1),
        "ip": (90.5, 85.1, 91.1, 87.7),
        "svm": (92.8, 97.3, 92.5, 95.0),
        "dt": (93.6, 96.6, 93.4, 95.1),
        "re": (88.0, 97.2, 86.7, 92.3),
        "svm+ip": (87.5, 99.1, 85.8, 92.9),
    },
    "de": {
        "cctld": (99.5, 86.5, 99.6, 92.6),
        "ip": (93.8, 94.3, 93.7, 94.0),
        "svm": (98.8, 94.7, 98.8, 96.7),
        "dt": (98.1, 96.4, 98.1, 97.2),
        "re": (96.2, 87.4, 96.6, 91.6),
        "svm+ip": (93.2, 98.1, 92.9, 95.6),
    },
    "fr": {
        "cctld": (99.9, 67.0, 99.9, 80.2),
        "ip": (99.0, 69.5, 99.3, 81.6),
        "svm": (98.5, 91.0, 98.6, 94.6),
        "dt": (95.6, 92.4, 95.7, 94.0),
        "re": (94.7, 92.3, 94.8, 93.5),
        "svm+ip": (97.9, 94.4, 98.0, 96.1),
    },
    "es": {
        "cctld": (99.9, 76.9, 99.9, 86.9),
        "ip": (99.6, 70.7, 99.7, 82.7),
        "svm": (97.0, 95.8, 97.0, 96.4),
        "dt": (95.1, 94.7, 95.1, 94.9),
        "re": (97.4, 92.0, 97.6, 94.6),
        "svm+ip": (96.9, 97.2, 96.9, 97.1),
    },
    "it": {
        "cctld": (99.8, 83.9, 99.9, 91.2),
        "ip": (98.1, 88.1, 98.3, 92.9),
        "svm": (99.5, 92.3, 99.6, 95.8),
        "dt": (98.4, 96.8, 98.4, 97.6),
        "re": (97.9, 90.3, 98.1, 94.0),
        "svm+ip": (98.1, 97.0, 98.1, 97.5),
    },
}

#: Section 4.3.1: % of test URLs whose domain was seen in training; of a multilingual domain
SECTION_431: dict[str, dict[str, float]] = {
    "seen": {"en": 51, "de": 47, "fr": 54, "es": 57, "it": 52},
    "multi": {"en": 19},
}

#: Table XVII: hosts visited by random, ccTLD, SVM crawls of 1,000 pages
TABLE_XVII: dict[str, tuple[float, ...]] = {
    "en": (770, 423, 279),
    "de": (654, 470, 242),
    "fr": (711, 460, 273),
    "es": (585, 353, 252),
    "it": (625, 474, 314),
}

#: Table XVIII: % of crawled pages without a label
TABLE_XVIII: dict[str, tuple[float, ...]] = {
    "en": (4, 5, 6),
    "de": (6, 5, 5),
    "fr": (4, 5, 8),
    "es": (6, 13, 10),
    "it": (2, 2, 3),
}

#: Table XIX: % of crawled pages in the language
TABLE_XIX: dict[str, tuple[float, ...]] = {
    "en": (94.5, 95.6, 95.4),
    "de": (38.4, 88.7, 95.4),
    "fr": (49.5, 92.3, 96.8),
    "es": (25.2, 92.2, 94.8),
    "it": (38.2, 87.1, 90.1),
}

#: 2008, Table 2: people on the web crawl, P, R, p(-|-), F
HUMANS: dict[str, tuple[float, ...]] = {
    "en": (0.73, 0.99, 0.63, 0.84),
    "de": (0.99, 0.7, 0.99, 0.82),
    "fr": (0.99, 0.54, 0.99, 0.7),
    "es": (0.99, 0.37, 0.99, 0.54),
    "it": (0.99, 0.76, 0.99, 0.86),
}

#: 2008, Table 3: their confusion
HUMAN_CONFUSION: dict[str, tuple[float, ...]] = {
    "en": (99, 0, 1, 0, 0),
    "de": (30, 70, 0, 0, 0),
    "fr": (45, 0, 54, 1, 0),
    "es": (58, 0, 0, 37, 5),
    "it": (24, 0, 0, 0, 76),
}

#: 2008, Table 9: F of the best combination on ODP, search results, crawl, and their mean
COMBINATIONS_2008: dict[str, tuple[float, ...]] = {
    "en": (0.87, 0.95, 0.88, 0.91),
    "de": (0.95, 0.97, 0.88, 0.93),
    "fr": (0.88, 0.94, 0.91, 0.91),
    "es": (0.89, 0.96, 0.93, 0.93),
    "it": (0.9, 0.97, 0.97, 0.95),
}

#: 2008, Table 10: F of words trained on URLs and on content
CONTENT_2008: dict[str, dict[str, tuple[float, ...]]] = {
    "nb": {
        "en": (0.87, 0.81),
        "de": (0.94, 0.77),
        "fr": (0.86, 0.79),
        "it": (0.86, 0.85),
        "es": (0.87, 0.83),
    },
    "me": {"en": (0.87, 0.81), "de": (0.93, 0.7), "fr": (0.86, 0.79), "it": (0.85, 0.81), "es": (0.86, 0.83)},
}

#: Hogewind et al. 2020: F of naive Bayes on Dutch, at random
DUTCH_F: float = 91.8

#: Chew et al. 2011, Table 8: accuracy of the four experiments
PAGES_2011: dict[str, float] = {"one": 74.76, "two": 86.99, "three": 90.0, "four": 94.04}

#: Chew et al. 2011, Table 9: pages right in experiment one and wrong in two
OVERTRAINED_2011: int = 14

#: Chew et al. 2011, Table 10: pages and accuracy by writing system
SCRIPTS_2011: dict[str, tuple[int, float]] = {
    "abjad": (135, 93.33),
    "abugida": (242, 87.19),
    "Latin alphabet": (983, 95.42),
    "other alphabet": (240, 94.17),
    "Chinese": (40, 100.0),
    "Japanese": (20, 100.0),
}

#: Hernández et al. 2016, Table 3: URLs, tokens a URL, P, R, F1, seconds to learn, to download the hubs
SITES_2016: dict[str, tuple[float, ...]] = {
    "Amazon": (30749, 31.11, 1.0, 0.98, 0.99, 2.78, 16.52),
    "Anwers": (13840, 12.0, 0.96, 1.0, 0.98, 2.06, 20.38),
    "Arxiv": (33748, 23.29, 1.0, 0.96, 0.98, 5.42, 41.06),
    "Battle.net": (4845, 14.13, 1.0, 1.0, 1.0, 9.48, 22.16),
    "BBC": (8096, 15.38, 1.0, 0.79, 0.87, 8.86, 56.3),
    "Chip": (16698, 14.27, 1.0, 1.0, 1.0, 7.97, 13.77),
    "DailyMail": (30300, 21.06, 1.0, 0.73, 0.81, 3.73, 24.91),
    "DailyMotion": (5039, 15.21, 1.0, 1.0, 1.0, 8.02, 13.63),
    "Deviantart": (14262, 13.86, 0.97, 0.66, 0.74, 2.08, 11.86),
    "Drupal": (9700, 9.1, 1.0, 0.84, 0.91, 20.94, 11.23),
    "Filestube": (12951, 17.55, 1.0, 0.94, 0.97, 7.59, 57.3),
    "Fotolia": (20887, 16.83, 1.0, 1.0, 1.0, 21.55, 15.19),
    "Indeed": (9306, 15.06, 1.0, 1.0, 1.0, 5.28, 13.5),
    "Livejournal": (10456, 10.88, 1.0, 0.64, 0.78, 2.08, 41.66),
    "MsAcademic": (6734, 16.57, 1.0, 0.92, 0.96, 3.41, 28.75),
    "Netlog": (7333, 16.39, 1.0, 1.0, 1.0, 4.47, 18.56),
    "Newegg": (47464, 28.03, 1.0, 1.0, 1.0, 6.16, 20.78),
    "Odesk": (10853, 14.18, 1.0, 1.0, 1.0, 3.0, 50.42),
    "People": (7811, 19.56, 1.0, 0.81, 0.83, 3.14, 23.84),
    "Slideshare": (5402, 16.44, 0.92, 1.0, 0.96, 0.66, 85.08),
    "Squidoo": (6192, 12.77, 1.0, 1.0, 1.0, 1.95, 4.63),
    "Torrentz": (9704, 9.27, 1.0, 1.0, 1.0, 4.25, 14.34),
}
