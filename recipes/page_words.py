"""Texts of words drawn by their frequency on the web, from PyPI's ``wordfreq``: no syntax, but the right proportions.

``wordfreq`` has one list for Croatian, Bosnian and Serbian in Latin letters. Spelling dictionaries (Debian's
``hunspell-hr``, ``-bs`` and ``-sr``; the program ``hunspell`` must be installed) tell which of them has a word;
of Serbian's two pronunciations only the one of Serbia counts, as hardly anyone writes the other on the web.
Its Chinese is in simplified characters; PyPI's ``opencc-python-reimplemented`` writes it in traditional ones too.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from linksight.languages import registry

WORDS, A_LINE = 120_000, 12  # words drawn of a language, and words of a line
LEAST = 2e-7  # what is rarer than this is no word of the language
DICTIONARIES = {"hr": "hr_HR", "bs": "bs_BA", "sr-Latn": "sr_Latn_RS"}
JAT = re.compile("ije|je")


def texts(dictionaries: Iterable[Path]) -> Iterator[tuple[str, str, str]]:
    """(class, source, text) of every language that has frequencies; ``dictionaries`` are the Debian packages."""
    import wordfreq

    rng = random.Random(0)
    for tag in wordfreq.available_languages("small"):
        size = "large" if tag in wordfreq.available_languages("large") else "small"
        words = {w: f for w, f in wordfreq.get_frequency_dict(tag, size).items() if f > LEAST}
        if tag == "sh":
            for kind, own in by_dictionary(words, dictionaries).items():
                yield kind, "wordfreq", drawn(own, rng)
            continue
        text = drawn(words, rng)
        if tag == "zh":
            yield "zh-Hans", "wordfreq", text.replace(" ", "")
            yield "zh-Hant", "wordfreq", traditional(text.replace(" ", ""))
        elif tag == "ja":
            yield "ja", "wordfreq", text.replace(" ", "")
        else:
            yield "nb" if tag == "nb" else registry.find(tag), "wordfreq", text


def drawn(words: dict[str, float], rng: random.Random) -> str:
    """Words by frequency; a power below one keeps the rarer ones in a text of bearable length."""
    found = rng.choices(list(words), [f**0.8 for f in words.values()], k=WORDS)
    return "\n".join(" ".join(found[i : i + A_LINE]) for i in range(0, len(found), A_LINE))


def by_dictionary(words: dict[str, float], packages: Iterable[Path]) -> dict[str, dict[str, float]]:
    """The words of Croatian, Bosnian and Serbian, each with those that its dictionary has."""
    plain = [word for word in words if word.isalpha()]
    # gdje and gde, vrijeme and vreme: a spelling without the jat that only Serbian has gives the pair away.
    twins = {word: [word[: m.start()] + "e" + word[m.end() :] for m in JAT.finditer(word)] for word in plain}
    every = sorted({*plain, *(twin for own in twins.values() for twin in own)})
    known = {
        kind: spelt_right(every, path) for kind, path in zip(DICTIONARIES, unpacked(packages), strict=True)
    }
    of_bosnia = {
        word
        for word, own in twins.items()
        if any(known["sr-Latn"] & {t} and t not in known["hr"] for t in own)
    }
    known["sr-Latn"] -= of_bosnia
    return {kind: {word: words[word] for word in plain if word in own} for kind, own in known.items()}


def unpacked(packages: Iterable[Path]) -> Iterator[Path]:
    """The dictionaries of ``DICTIONARIES`` out of the Debian packages, without ``.dic``."""
    folders = []
    for package in packages:
        folder = package.with_suffix("")
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
        folders.append(folder)
    for name in DICTIONARIES.values():
        yield next(path for folder in folders for path in folder.rglob(f"{name}.dic")).with_suffix("")


def spelt_right(words: list[str], dictionary: Path) -> set[str]:
    """The words that a dictionary has, as they are or as names."""
    wrong = set(words)
    for form in (str.lower, str.capitalize):
        given = "\n".join(form(word) for word in sorted(wrong))
        listed = subprocess.run(
            ["hunspell", "-i", "utf-8", "-d", dictionary, "-l"],
            input=given,
            capture_output=True,
            text=True,
            check=True,
        )
        wrong = {word.lower() for word in listed.stdout.split()}
    return set(words) - wrong


@cache
def _converter() -> object:
    from opencc import OpenCC

    return OpenCC("s2tw")


def traditional(text: str) -> str:
    """Chinese in traditional characters."""
    return _converter().convert(text)
