"""Rows of codes and names of languages: what a URL names outright outweighs its words and its host.

Training sees too few pages of most languages that name them. The rows of the model before this one, fitted to codes on
hosts of all endings, are expressed in the new model's dimensions; a language that it did not know gets a row of the same
strength.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_lowercase

import numpy as np

from linksight.features.feature_hash import fnv1a
from linksight.languages.registry import short_codes
from linksight.url_model.add_language import project_scores, quantize
from linksight.url_model.model import UrlLanguageModel

KEYS = "lang hl language locale l lng".split()
WORLDWIDE = (
    "github.com gitlab.com github.io youtube.com youtu.be facebook.com twitter.com x.com instagram.com linkedin.com reddit.com"
    " medium.com tiktok.com pinterest.com vimeo.com flickr.com tumblr.com t.me telegram.me google.com docs.rs"
).split()


def names_of(languages: tuple[str, ...], sites: Iterable[str] = ()) -> dict[str, str]:
    """Features that name a language, and which; or a region or a site, which stand for what they stood for before."""
    words = {word: code for word, code in short_codes().items() if code in languages and 2 <= len(word) <= 10}
    words |= {code: code for code in languages}
    found = {}
    for word, code in words.items():
        for mark in "bc":
            found[f"{mark}:{word}"] = code
        for key in KEYS:
            found[f"q:{key}={word}"] = code
        if len(word) == 2:
            found[f"f:{word}"] = code
    found |= {f"l:{code}": code for code in languages}
    pairs = [a + b for a in ascii_lowercase for b in ascii_lowercase]
    regions = [f"{mark}:{pair}" for mark in "bcrf" for pair in pairs]
    regions += [
        f"c:{code}{glue}{pair}" for code in languages if len(code) == 2 for glue in "-_" for pair in pairs
    ]
    return {name: "" for name in (*regions, *sites)} | found


def targets(names: dict[str, str], before: UrlLanguageModel, languages: tuple[str, ...]) -> np.ndarray:
    """What each feature should add to each language's score, 0 in the middle."""
    place = [before.languages.index(code) if code in before.languages else -1 for code in languages]
    known, wanted = np.array(place) >= 0, np.zeros((len(names), len(languages)))
    strength: dict[str, list[float]] = {}
    rows = {name: before.table.row(name) for name in names}
    for k, (name, code) in enumerate(names.items()):
        if rows[name] >= 0 and (not code or code in before.languages):
            values = before.table.numbers([rows[name]])[0].astype(np.float32) @ before.table.output
            values *= float(before.table.step) * before.table.hint_scale
            wanted[k, known] = (values - np.median(values))[np.array(place)[known]]
            if code:
                strength.setdefault(name[0], []).append(wanted[k, languages.index(code)])
    for k, (name, code) in enumerate(names.items()):
        if code and code not in before.languages and name[0] in strength:
            wanted[k, languages.index(code)] = np.median(strength[name[0]])
    return wanted


NUMERIC = dict.fromkeys(("t:", "d:/0", "d:/1"), "")  # hosts in numbers, which name nothing


#: Endings under which the whole world registers names.
WORLD_ENDINGS = (
    "com org net info biz io dev app ai sh me co tv cc gg fm to tech cloud xyz online site store blog live space digital one life world"
    " network systems tools studio design media club shop top pro name tel link im ws vc la ms ac"
).split()


def endings() -> dict[str, str]:
    """Features of endings that say little of a language."""
    return {
        f"{mark}:{ending}{tail}": ""
        for ending in WORLD_ENDINGS
        for mark, tail in (("t", ""), ("d", "/0"), ("d", "/1"))
    }


def platforms() -> dict[str, str]:
    """Registered names of sites that the whole world writes on."""
    return {f"s:{site}": "" for site in WORLDWIDE}


def mixed(
    arrays: dict[str, np.ndarray], names: dict[str, str], before: UrlLanguageModel, own: float, added: float
) -> dict[str, np.ndarray]:
    """Arrays of a trained table with ``own`` times its rows of these features, and ``added`` times those of the model before."""
    languages = tuple(map(str, arrays["languages"]))
    output, hint = arrays["output"].astype(float), float(arrays["hint_scale"])
    weights = np.where([code in before.languages for code in languages], 1.0, 0.3)
    rows = added * project_scores(targets(names, before, languages), output, weights) / hint
    at = {int(state): k for k, state in enumerate(arrays["hashes"])}
    hashes = np.array([fnv1a(name) for name in names], np.uint64)
    place = np.array([at.get(int(state), -1) for state in hashes])
    there = place >= 0
    rows[there] += (
        own
        * arrays["levels"][arrays["codes"][place[there]]]
        * arrays["scales"][place[there]].astype(float)[:, None]
    )
    keep = there | (np.abs(rows).max(1) > 0.05)
    rows, place, hashes, there = rows[keep], place[keep], hashes[keep], there[keep]
    codes, scales = quantize(rows, arrays["levels"])
    result = {**arrays, "codes": arrays["codes"].copy(), "scales": arrays["scales"].copy()}
    result["codes"][place[there]], result["scales"][place[there]] = codes[there], scales[there]
    for name, value in (("hashes", hashes), ("codes", codes), ("scales", scales)):
        result[name] = np.concatenate([result[name], value[~there]])
    return result
