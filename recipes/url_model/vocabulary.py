"""Writes WORK/words.npz: which words six languages have, for names of hosts to be cut into (``linksight.url_model.segmentation``).

    pip install wordfreq anyascii
    python recipes/url_model/vocabulary.py WORK [--also nl=/usr/share/dict/dutch]

The words are of the whole lists of ``wordfreq``, as they are spelt in addresses. The rarest of each list are left out:
slips of the pen and words of other languages. ``--also`` adds those of a file, one a line.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import wordfreq
from corpus import forms

from linksight.url_model.segmentation import LONGEST, SHORTEST, WordList

LANGUAGES = ("de", "en", "es", "fr", "it", "nl")
RAREST = 0.45  # share of a list that is left out


def spelt(language: str, words: Mapping[str, float]) -> dict[str, float]:
    """Words of a language as addresses spell them, with their shares of running text."""
    shares: dict[str, float] = {}
    for word, share in words.items():
        if word.isalpha():
            for form in forms(word, language):
                if form.isascii():
                    shares[form] = shares.get(form, 0.0) + share
    return shares


def words_of(language: str, files: list[Path]) -> set[str]:
    """The words of a language: of its list all but the rarest, and those of files."""
    shares = spelt(language, wordfreq.get_frequency_dict(language, "best"))
    least = np.quantile(list(shares.values()), RAREST)
    words = {word for word, share in shares.items() if share >= least}
    for file in files:
        lines = file.read_text(encoding="utf-8").lower().split("\n")
        words |= spelt(language, dict.fromkeys(map(str.strip, lines), 0.0)).keys()
    return {word for word in words if SHORTEST <= len(word) <= LONGEST}


def vocabulary(also: list[tuple[str, Path]]) -> WordList:
    sets: dict[str, int] = {}
    for k, language in enumerate(LANGUAGES):
        for word in words_of(language, [file for name, file in also if name == language]):
            sets[word] = sets.get(word, 0) | 1 << k
    return WordList.build(LANGUAGES, sets)


def language_and_file(text: str) -> tuple[str, Path]:
    language, _, file = text.partition("=")
    if language not in LANGUAGES or not Path(file).is_file():
        raise argparse.ArgumentTypeError(f"{text}: no LANGUAGE=FILE, with one of {', '.join(LANGUAGES)}")
    return language, Path(file)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument(
        "--also", type=language_and_file, action="append", default=[], metavar="LANGUAGE=FILE"
    )
    given = parser.parse_args()
    work, words = given.work, vocabulary(given.also)
    work.mkdir(parents=True, exist_ok=True)
    np.savez(work / "words.npz", **vars(words))
    print(f"{work / 'words.npz'}: {len(words.entries):,} words of {', '.join(LANGUAGES)}")


if __name__ == "__main__":
    main()
