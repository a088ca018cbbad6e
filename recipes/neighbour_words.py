"""Learns the words that tell near languages apart, which the page model has no room for.

    python recipes/neighbour_words.py --cache ~/.cache/linksight-texts [-o src/linksight/data/neighbours.model]

The texts are those that ``page_texts.py`` gathered. A word's share is taken of each source apart, and languages are compared over
the sources that they have in common: a manual that only one of them has must not make its subject a mark of the language.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
import page_packages
import page_words
import south_slavic
from page_corpus import CAPS, NEAR_ENGLISH, in_latin, is_english

from linksight.pages import arrayfile
from linksight.pages.neighbours import FORMAT, STEP, word_key
from linksight.wholefile import write_whole

# Others that are near (Norwegian and Danish, Galician and Portuguese, Zulu and Xhosa, Czech and Slovak, Low German and Dutch) were tried: what
# the n-grams leave open between them words did not settle better on the first half of ``pages_holdout.py``.
GROUPS = ("hr bs sr-Latn", "id ms")
WORD = re.compile(r"[^\W\d_]{2,24}")
LEAST = 4  # times that a word must occur in a group
ROOM = 2_500  # words of a group
DOUBT = 6e-6  # share that every word is thought to have in every language
SPREAD = 1.0  # natural logarithms by which a word must favour one language over another


def counted(cache: Path, kinds: set[str]) -> dict[str, dict[str, Counter[str]]]:
    """class -> source -> how often each word occurs."""
    found: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    wanted = pq.read_table(cache / "texts.parquet", filters=[("class", "in", [*kinds, "sr"])])
    for row in wanted.to_pylist():
        kind, source = row["class"], row["source"]
        if source in ("bible", "genesis"):  # other translators, other words: no marks of a language
            continue
        size = 0
        lines = []
        for line in row["text"].splitlines():
            if size > CAPS[source]:
                break
            if kind in NEAR_ENGLISH or not is_english(line):
                lines.append(line)
                size += len(line)
        if kind in kinds:
            found[kind][source].update(WORD.findall("\n".join(lines).lower()))
        if kind == "sr" and source != "wordfreq":
            found["sr-Latn"][source].update(WORD.findall(in_latin("\n".join(lines)).lower()))
    return found


def weights(counts: list[dict[str, Counter[str]]]) -> dict[str, list[float]]:
    """word -> what it says for each class of a group, in natural logarithms around their mean."""
    sources = sorted({s for own in counts for s in own if sum(s in other for other in counts) > 1})
    totals = [{s: sum(own[s].values()) + 2_000 for s in sources if s in own} for own in counts]
    times: Counter[str] = Counter()
    for own in counts:
        for source in own.values():
            times.update(source)
    found: dict[str, tuple[float, list[float]]] = {}
    for word, often in times.items():
        if often < LEAST:
            continue
        shares = []
        for own, total in zip(counts, totals, strict=True):
            shares.append(sum(own[s][word] / n for s, n in total.items()) / max(1, len(total)))
        logs = np.log(np.array(shares) + DOUBT)
        spread = float(logs.max() - logs.min())
        if spread >= SPREAD:
            found[word] = (max(shares) * spread, list(logs - logs.max()))
    best = sorted(found, key=lambda word: -found[word][0])[:ROOM]
    return {word: found[word][1] for word in best}


def differences(cache: Path) -> dict[str, tuple[float, ...]]:
    """The words that Croatian, Bosnian and Serbian differ in, with their costs."""
    import wordfreq

    packages = page_packages.debian(("hunspell-hr", "hunspell-bs", "hunspell-sr"), cache / "debian")
    words = [word for word in wordfreq.get_frequency_dict("sh", "small") if word.isalpha()]
    croatian, _, serbian = (page_words.spelt_right(words, path) for path in page_words.unpacked(packages))
    return south_slavic.costs(croatian, serbian)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/linksight-texts").expanduser())
    parser.add_argument(
        "-o", "--out", type=Path, default=Path(__file__).parents[1] / "src/linksight/data/neighbours.model"
    )
    options = parser.parse_args()
    groups = [group.split() for group in GROUPS]
    counts = counted(options.cache, {kind for group in groups for kind in group})
    sizes, keys, values = [], [], []
    for group in groups:
        own = weights([counts[kind] for kind in group])
        if tuple(group) == south_slavic.CLASSES:
            own |= {word: [-cost for cost in found] for word, found in differences(options.cache).items()}
        sizes.append(len(own))
        for word in sorted(own, key=word_key):
            keys.append(word_key(word))
            values += [min(255, round(-value / STEP)) for value in own[word]]
        print(group, len(own), " ".join(sorted(own, key=lambda w: min(own[w]))[:12]), flush=True)
    arrays = {"keys": np.array(keys, np.uint32), "costs": np.array(values, np.uint8)}
    data = arrayfile.pack(FORMAT, {"groups": groups, "sizes": sizes}, arrays)
    write_whole(options.out, data)
    print(f"{options.out}: {len(data) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
