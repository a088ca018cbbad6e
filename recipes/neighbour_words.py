"""Learns the words that tell near languages apart, which the page model has no room for.

    python recipes/neighbour_words.py --cache ~/.cache/linksight-texts [--lines TABLE] [-o src/linksight/data/neighbours.model]

The texts are those that ``page_texts.py`` gathered. A word's share is taken of each source apart, and languages are compared over
the sources that they have in common: a manual that only one of them has must not make its subject a mark of the language.
To these come the words that grammars and dictionaries name (``south_slavic``, ``close_words``), and the words of
``LINKSIGHT_DATA/judges/lingua.parquet``, but for the lines that ``judge_texts.py --held-out`` judges on. ``--lines`` adds the
latter to a table that lacks them, such as that of commit 22f0f22; no text need be gathered for it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
import close_words
import page_packages
import page_words
import south_slavic
from page_corpus import CAPS, NEAR_ENGLISH, in_latin, is_english

from linksight.pages.langid import array_file
from linksight.pages.langid.confusable_languages import FORMAT, STEP, WORD_WEIGHT, word_key, words_of
from linksight.system.atomic_write import write_whole

# Others that are near (Norwegian and Danish, Galician and Portuguese, Zulu and Xhosa, Czech and Slovak, Low German and Dutch) were tried: what
# the n-grams leave open between them learnt words did not settle better on the first half of ``pages_holdout.py``. Where there are
# too few texts to learn from, as in Zulu, ``close_words`` names the words.
LEARNT = (("hr", "bs", "sr-Latn"), ("id", "ms"))
GROUPS = (*LEARNT, *(group for group in close_words.WORDS if group not in LEARNT))
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


DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
HELD_OUT = 10  # lines whose CRC-32 this divides are left to judge by
LINES = 10.0  # natural logarithms of a score for one of log-odds: their ratio in a sentence


def lines_of(group: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Lingua's lines in the languages of a group, and the class of each; Serbian is written in Latin letters."""
    texts, names = [], []
    for row in pq.read_table(DATA / "judges/lingua.parquet").to_pylist():
        text, name = row["text"], row["language"]
        if zlib.crc32(text.encode()) % HELD_OUT == 0:
            continue
        if name == "sr":
            text, name = in_latin(text), "sr-Latn"
        if name in group:
            texts.append(text.lower())
            names.append(name)
    return texts, names


def of_lines(group: tuple[str, ...]) -> dict[str, list[float]]:
    """The words of a group in lingua's lines and their beginnings, with costs: weights of a logistic regression."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    texts, names = lines_of(group)
    counter = CountVectorizer(analyzer=words_of, binary=True, min_df=2)
    counts = counter.fit_transform(texts)
    fitted = LogisticRegression(max_iter=1_000).fit(counts, names)
    weights = fitted.coef_ if len(group) > 2 else np.vstack([-fitted.coef_, fitted.coef_]) / 2
    costs = (weights.max(axis=0) - weights)[[list(fitted.classes_).index(name) for name in group]]
    words = counter.get_feature_names_out()
    return {word: list(row) for word, row in zip(words, costs.T * LINES / WORD_WEIGHT, strict=True)}


def added(costs: Sequence[int], more: Sequence[int]) -> tuple[int, ...]:
    """The sum of two rows of costs, the least of them 0."""
    sums = [one + other for one, other in zip(costs, more, strict=True)]
    return tuple(min(255, cost - min(sums)) for cost in sums)


Table = dict[int, tuple[int, ...]]  # key of a word -> its cost for each class, in units of STEP


def learnt(cache: Path) -> dict[tuple[str, ...], Table]:
    """The words of each group that has texts enough to learn from."""
    counts = counted(cache, {kind for group in LEARNT for kind in group})
    found: dict[tuple[str, ...], Table] = {}
    for group in LEARNT:
        own = weights([counts[kind] for kind in group])
        found[group] = coded({word: [-value for value in row] for word, row in own.items()})
        print(group, len(own), " ".join(sorted(own, key=lambda w: min(own[w]))[:12]), flush=True)
    return found


def kept(path: Path) -> dict[tuple[str, ...], Table]:
    """The words of each group as a table has them."""
    header, arrays = array_file.unpack(FORMAT, path.read_bytes(), path)
    keys, costs = arrays["keys"].tolist(), iter(arrays["costs"].tolist())
    found: dict[tuple[str, ...], Table] = {}
    for group, size in zip(header["groups"], header["sizes"], strict=True):
        own, keys = keys[:size], keys[size:]
        found[tuple(group)] = {key: tuple(next(costs) for _ in group) for key in own}
    return found


def coded(words: Mapping[str, Sequence[float]]) -> Table:
    return {
        word_key(word): tuple(min(255, round(cost / STEP)) for cost in row) for word, row in words.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/linksight-texts").expanduser())
    parser.add_argument("--lines", type=Path, help="add the words of lingua's lines to this table")
    parser.add_argument(
        "-o", "--out", type=Path, default=Path(__file__).parents[1] / "src/linksight/data/neighbours.model"
    )
    options = parser.parse_args()
    tables = kept(options.lines) if options.lines else learnt(options.cache)
    sizes, keys, values = [], [], []
    for group in GROUPS:
        own = tables.get(group, {})
        if group == south_slavic.CLASSES and not options.lines:
            own |= coded(differences(options.cache))
        if group in close_words.WORDS and not options.lines:
            own |= coded(close_words.costs(group))
        if group in LEARNT:
            for key, costs in coded(of_lines(group)).items():
                own[key] = added(own.get(key, (0,) * len(group)), costs)
        sizes.append(len(own))
        for key in sorted(own):
            keys.append(key)
            values += own[key]
        print(group, len(own), flush=True)
    arrays = {"keys": np.array(keys, np.uint32), "costs": np.array(values, np.uint8)}
    data = array_file.pack(FORMAT, {"groups": GROUPS, "sizes": sizes}, arrays)
    write_whole(options.out, data)
    print(f"{options.out}: {len(data) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
