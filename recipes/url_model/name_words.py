"""How much more could be told from names if every word of every language were known, and names were cut into them.

    pip install wordfreq anyascii
    LINKSIGHT_DATA=... python recipes/url_model/name_words.py [--members]

A host's name is cut into words of each language's whole list (up to 700,000 of ``wordfreq``) so that it is likeliest there;
letters that no word covers cost alike everywhere. That likelihood is added to what the bundled model says without its words, with one weight
for all languages. Nothing is trained. With ``--members`` only which words there are is asked, in nine languages, and not
how frequent they are: what a small filter could hold. Takes two minutes, and some 2 GB.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import wordfreq
from corpus import code_of, forms
from dutch_bound import f1
from figures import figures
from listings import dutch, not_dutch

import linksight
from linksight.url_model.calibration import softmax
from linksight.urls.parser import Url

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
NOT_IN_LETTERS = ("zh", "ja", "ko")  # names are not spelt as their lists are
LONGEST = 22  # letters of a word
WORD, LETTER = -1.5, -9.0  # what a word costs beside its rarity, and a letter that no word covers
MEMBERS, MEMBER = (
    "en de fr es it nl sv pl pt".split(),
    -12.0,
)  # what a word costs where its rarity is not known
NEVER = -1e30
WEIGHTS = (0.0, 0.05, 0.1, 0.15, 0.2)


def names_of(url: str) -> list[str]:
    """The words of a host as they stand in it, without its public suffix.

    >>> names_of("http://www.de-heksenketel.co.uk/nl/")
    ['de', 'heksenketel']
    """
    parsed = Url.parse(url)
    body = parsed.host.removeprefix("www.").removesuffix(f".{parsed.suffix}")
    return [name[:40] for name in re.split(r"[\W\d_]+", body.lower()) if name]


def substrings(names: Iterable[str]) -> set[str]:
    return {
        name[start:end]
        for name in names
        for start in range(len(name))
        for end in range(start + 2, min(start + LONGEST, len(name)) + 1)
    }


def word_costs(spoken: Sequence[str], wanted: set[str]) -> dict[str, np.ndarray]:
    """For each wanted word that is in a list, the logarithm of its share in each language."""
    shares: dict[str, np.ndarray] = {}
    for column, source in enumerate(spoken):
        for word, share in wordfreq.get_frequency_dict(source, "best").items():
            if word.isalpha():
                for form in forms(word, code_of(source)) & wanted:
                    shares.setdefault(form, np.zeros(len(spoken)))[column] += share
    return {word: np.where(found > 0, np.log(found + 1e-300), NEVER) for word, found in shares.items()}


def alike(costs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same, each word of three letters or more as dear as another; shorter ones are left out."""
    return {
        word: np.where(cost > NEVER, MEMBER - WORD, NEVER) for word, cost in costs.items() if len(word) > 2
    }


def likelihood(name: str, costs: dict[str, np.ndarray], n_languages: int) -> np.ndarray:
    """Of the best way to cut a name, in each language."""
    best = [np.zeros(n_languages)]
    for end in range(1, len(name) + 1):
        found = best[end - 1] + LETTER
        for start in range(max(0, end - LONGEST), end - 1):
            if (cost := costs.get(name[start:end])) is not None:
                found = np.maximum(found, best[start] + cost + WORD)
        best.append(found)
    return best[-1]


def told(urls: list[str], languages: Sequence[str], members: bool) -> np.ndarray:
    """What the words of its names say of each URL, as a logit a language; nought where there is no list."""
    spoken = [code for code in wordfreq.available_languages("best") if code not in NOT_IN_LETTERS]
    spoken = MEMBERS if members else spoken
    names = [names_of(url) for url in urls]
    costs = word_costs(spoken, substrings(name for some in names for name in some))
    costs = alike(costs) if members else costs
    sums = np.array(
        [
            sum((likelihood(name, costs, len(spoken)) for name in some), np.zeros(len(spoken)))
            for some in names
        ]
    )
    top = sums.max(1, keepdims=True)
    sums -= top + np.log(np.exp(sums - top).mean(1, keepdims=True))
    logits = np.zeros((len(urls), len(languages)))
    for column, source in enumerate(spoken):
        for code in ("hr", "sr", "bs") if source == "sh" else (code_of(source),):
            if code in languages:
                logits[:, languages.index(code)] = sums[:, column]
    return logits


def large_languages() -> set[str]:
    counts = pq.read_table(DATA / "urls/train.parquet", columns=["language"])["language"].to_pandas()
    return {code_of(str(label)) for label, n in counts.value_counts().items() if n >= 1000}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--members", action="store_true", help="which words there are, in nine languages")
    asked = parser.parse_args()
    model = replace(linksight.load(), words=None)  # which would be counted twice
    dev = pq.read_table(DATA / "urls/dev.parquet").to_pandas()
    dev["language"] = dev.language.astype(str).map(lambda label: code_of(label) or label)
    own, others = dutch(DATA), not_dutch(DATA)
    is_dutch = np.arange(len(own) + len(others)) < len(own)
    share = pq.read_table(DATA / "urls/dutch.parquet")["dutch"].to_pandas().mean()
    weights = np.where(is_dutch, share / is_dutch.mean(), (1 - share) / (~is_dutch).mean())
    urls = [*dev.url, *own, *others]
    chances = np.log(model.predict_proba(urls).clip(1e-7, 1))
    words, large = told(urls, model.languages, asked.members), large_languages()
    nl = model.languages.index("nl")
    rows = []
    for weight in WEIGHTS:
        both = softmax(chances + weight * words)
        on_dev, listed = figures(both[: len(dev)], dev, list(model.languages), large), both[len(dev) :]
        likeliest, above = listed.argmax(1) == nl, listed[:, nl] > 0.5
        rows.append(
            {name: on_dev[name] for name in ("accuracy", "generic", "macro_f1", "five")}
            | {"Dutch": f1(likeliest, is_dutch, weights), "Dutch above .5": f1(above, is_dutch, weights)}
        )
    print(pd.DataFrame(rows, index=pd.Index(WEIGHTS, name="weight")).round(4).to_string())


if __name__ == "__main__":
    main()
