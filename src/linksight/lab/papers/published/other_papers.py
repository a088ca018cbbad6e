"""The slides of 2008, Chew et al. 2011, Hernández et al. 2016 and Hogewind et al. 2020."""

from __future__ import annotations

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
