"""Writes WORK/words.npz: which words six languages have, for names of hosts to be cut into (``linksight.wordlist``).

    pip install wordfreq anyascii
    python recipes/url_model/vocabulary.py WORK

The words are of the whole lists of ``wordfreq``, as they are spelt in addresses. The rarest of each list are left out:
slips of the pen and words of other languages.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import wordfreq
from corpus import forms

from linksight.wordlist import LONGEST, SHORTEST, WordList

LANGUAGES = ("de", "en", "es", "fr", "it", "nl")
RAREST = 0.45  # share of a list that is left out


def spelt(language: str) -> dict[str, float]:
    """The words of a language as addresses spell them, with their shares of running text."""
    shares: dict[str, float] = {}
    for word, share in wordfreq.get_frequency_dict(language, "best").items():
        if word.isalpha():
            for form in forms(word, language):
                if form.isascii():
                    shares[form] = shares.get(form, 0.0) + share
    return shares


def vocabulary() -> WordList:
    sets: dict[str, int] = {}
    for k, language in enumerate(LANGUAGES):
        shares = spelt(language)
        least = np.quantile(list(shares.values()), RAREST)
        for word, share in shares.items():
            if share >= least and SHORTEST <= len(word) <= LONGEST:
                sets[word] = sets.get(word, 0) | 1 << k
    return WordList.build(LANGUAGES, sets)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    work = parser.parse_args().work
    words = vocabulary()
    work.mkdir(parents=True, exist_ok=True)
    np.savez(work / "words.npz", **vars(words))
    print(f"{work / 'words.npz'}: {len(words.entries):,} words of {', '.join(LANGUAGES)}")


if __name__ == "__main__":
    main()
