"""Features of the bundled model: their names, and the lists of words that they depend on.

``native.urls.extract`` extracts the features of a URL; its docstring explains how to add one. This module has the lists
that features depend on (``ExtractionSettings``), which a model file keeps, and names the features of one URL.

Three groups have separate weights, so that a long path does not outweigh the top-level domain:

structural   top-level domain, registered name, codes such as ``/de-at/``, ``?lang=fr`` or ``_fi.pdf``, scripts, numbers
host         words and 2- to 5-grams of the host name but for its last label, and for a platform's name
path         words and 2- to 5-grams of path and query

>>> structural, host, path = extract_features("www.bahn-info.de/de/plan?lang=de")
>>> structural[:5]
['t:de', 'd:de/1', 'k:1', 'y:1', 'j:4']
>>> host[:6]
['w:bahn', 'g:_b', 'g:_ba', 'g:_bah', 'g:_bahn', 'g:ba']
>>> "l:de" in structural, "c:de" in structural, "v:plan" in path
(True, True, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.features.feature_hash import fnv1a
from linksight.languages.registry import short_codes
from linksight.urls.parser import EMPTY_WORDS

if TYPE_CHECKING:
    from linksight.native.urls.extract import Extractor

#: Increased when a feature of ``native.urls.extract`` changes: a model needs the features that it was trained with.
EXTRACTOR_VERSION = 2

#: Query keys whose value is a language code.
LANGUAGE_KEYS = frozenset(
    "lang hl language locale l lg lng idioma sprache langue setlang lingua taal ln langid languageid"
    " hslang idiom la sc_lang uselang culture culturename langtag langcode lan set_lang set_language setlanguage"
    " language_code languagecode locale_code _locale ui_lang uilang ui_locales user_lang site_lang mkt _x_tr_tl".split()
)
#: Platforms with subdomains of users (``kaasblog.wordpress.com``) in any language: the platform's own name is no
#: feature. ``github`` and ``gitlab`` are left out: ``recipes/url_model/platforms.py`` fits their words.
PLATFORMS = frozenset(
    "altervista angelfire atlassian atspace awardspace azurewebsites bandcamp bigcartel blogger blogspot bravepages canalblog"
    " carrd centerblog edupage eklablog everyoneweb fandom firebaseapp fortunecity forumotion freehostia freeservers freewebs"
    " freshdesk geocities gitbook hautetfort herokuapp homestead instructure jimdo jimdofree jimdosite"
    " livejournal mykajabi myshopify mystrikingly neocities netlify onrender over-blog overblog pbworks proboards recruitee"
    " site123 skyrock skynetblogs squarespace substack teachable teamtailor tilda tripod tumblr typeform typepad ucoz vercel"
    " webflow webnode weebly wikia wikidot wikispaces wixsite wordpress zendesk".split()
)
#: Second labels under which many countries register names: ``ru.ac.th`` is a university, not a Russian part of one.
SHARED_ENDINGS = frozenset("ac biz co com edu go gob gouv gov govt gub info mil ne net nom or org".split())


@dataclass(frozen=True)
class ExtractionSettings:
    """The lists that features depend on; a model file keeps them."""

    language_keys: frozenset[str] = LANGUAGE_KEYS
    platforms: frozenset[str] = PLATFORMS
    shared_endings: frozenset[str] = SHARED_ENDINGS
    language_names: Mapping[str, str] = field(
        default_factory=short_codes
    )  #: longer codes and names to short codes

    def as_dict(self) -> dict[str, Any]:
        """Plain values for the manifest of a model file."""
        return {
            "version": EXTRACTOR_VERSION,
            "language_keys": sorted(self.language_keys),
            "platforms": sorted(self.platforms),
            "shared_endings": sorted(self.shared_endings),
            "language_names": dict(sorted(self.language_names.items())),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ExtractionSettings:
        """The inverse of :meth:`as_dict`; features of another version raise ``ValueError``."""
        if values["version"] != EXTRACTOR_VERSION:
            raise ValueError(f"features of version {values['version']}, not {EXTRACTOR_VERSION}")
        names = {str(name): str(code) for name, code in values["language_names"].items()}
        if any(not code.isascii() or not 0 < len(code) <= 8 for code in names.values()):
            raise ValueError("codes of languages have 1 to 8 ASCII characters")
        return cls(
            frozenset(map(str, values["language_keys"])),
            frozenset(map(str, values["platforms"])),
            frozenset(map(str, values["shared_endings"])),
            names,
        )

    @cached_property
    def arrays(self) -> dict[str, NDArray[np.uint64]]:
        """The lists as sorted hashes, for the compiled code."""
        names = sorted((fnv1a(name), code) for name, code in self.language_names.items())
        fives = [
            sum((ord(letter) & 31) << (5 * place) for place, letter in enumerate(reversed(word)))
            for word in EMPTY_WORDS
        ]
        return {
            "marks": np.array([fnv1a(f"{chr(mark)}:") for mark in range(128)], np.uint64),
            "empty_words": _sorted_hashes(EMPTY_WORDS),
            "empty_fives": np.array(sorted(fives), np.uint64),
            "keys": _sorted_hashes(self.language_keys),
            "platforms": _sorted_hashes(self.platforms),
            "shared_endings": _sorted_hashes(self.shared_endings),
            "language_names": np.array([state for state, _ in names], np.uint64),
            "language_codes": np.array(
                [int.from_bytes(code.encode("ascii"), "little") for _, code in names], np.uint64
            ),
        }


def _sorted_hashes(words: Iterable[str]) -> NDArray[np.uint64]:
    return np.array(sorted(map(fnv1a, words)), np.uint64)


@cache
def default_settings() -> ExtractionSettings:
    """The settings of this release, for training."""
    return ExtractionSettings()


def recording_extractor(settings: ExtractionSettings) -> Extractor:
    """An extractor that records names and spans of features, for one text at a time."""
    from linksight.native.urls.extract import Extractor

    return Extractor(np.zeros(1, np.uint64), settings.arrays, 1)  # names are recorded without the n-gram trie


@cache
def _default_extractor() -> Extractor:
    return recording_extractor(default_settings())


def extract_features(text: str) -> tuple[list[str], list[str], list[str]]:
    """Extract the names of the structural, host and path features of a URL text."""
    host, path, structural = _default_extractor().record_of(text.encode("utf-8", "replace"))
    return (
        [feature[0] for feature in structural],
        [feature[0] for feature in host],
        [feature[0] for feature in path],
    )
