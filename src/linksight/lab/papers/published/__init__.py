"""Figures that the papers printed, for comparison with those measured here.

baykan2013_languages, baykan2013_applications    Baykan et al. 2013, Tables V to XIII and XIV to XIX
other_papers                                     all others
"""

from __future__ import annotations

from linksight.lab.papers.published.baykan2013_applications import (
    SECTION_431,
    TABLE_XIV,
    TABLE_XIX,
    TABLE_XVI,
    TABLE_XVII,
    TABLE_XVIII,
)
from linksight.lab.papers.published.baykan2013_languages import (
    TABLE_IX,
    TABLE_V,
    TABLE_VI,
    TABLE_VI_PLUS,
    TABLE_VIII,
    TABLE_X,
    TABLE_XI,
    TABLE_XII,
    TABLE_XIII,
)
from linksight.lab.papers.published.other_papers import (
    COMBINATIONS_2008,
    CONTENT_2008,
    DUTCH_F,
    HUMAN_CONFUSION,
    HUMANS,
    OVERTRAINED_2011,
    PAGES_2011,
    SCRIPTS_2011,
    SITES_2016,
)

__all__ = [
    "COMBINATIONS_2008",
    "CONTENT_2008",
    "DUTCH_F",
    "HUMANS",
    "HUMAN_CONFUSION",
    "OVERTRAINED_2011",
    "PAGES_2011",
    "SCRIPTS_2011",
    "SECTION_431",
    "SITES_2016",
    "TABLE_IX",
    "TABLE_V",
    "TABLE_VI",
    "TABLE_VIII",
    "TABLE_VI_PLUS",
    "TABLE_X",
    "TABLE_XI",
    "TABLE_XII",
    "TABLE_XIII",
    "TABLE_XIV",
    "TABLE_XIX",
    "TABLE_XVI",
    "TABLE_XVII",
    "TABLE_XVIII",
]
